/** Walls between a program and its surroundings; `npm run abuse -- escapes` tries all ways out. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { escaped } from '../../abuse/escapes/escaped.ts';
import type { WayTaken } from '../../abuse/escapes/escaped-thread.ts';
import { moduleWith, type, type Import } from '../../abuse/escapes/modules.ts';
import { runModule } from '../../abuse/escapes/run-module.ts';
import { beyondPermissions, ways } from '../../abuse/escapes/ways.ts';
import { importsFor, own } from '../../../engine/base/program-imports.ts';
import { programRights } from '../../../engine/recording/rights.ts';

let folder = '';
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'simsight-walls-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('names that programs choose', () => {
  it('are found among own names only', () => {
    const table = { call: 1 };
    expect(own(table, 'call')).toBe(1);
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
      expect(own(table, name)).toBeUndefined();
  });

  it('get what they are of their kind, in objects that inherit nothing', () => {
    const module = new WebAssembly.Module(moduleWith([{ module: 'env', name: 'call' }]));
    const imports = importsFor(module, { env: { call: () => 1, other: () => 2 } });
    expect(Object.getPrototypeOf(imports)).toBeNull();
    expect(Object.getPrototypeOf(imports['env'])).toBeNull();
    expect(Object.keys(imports['env']!)).toEqual(['call']);
    expect(() => importsFor(module, { env: { call: 1 } })).toThrow('which Simsight does not have');
  });
});

describe('a program that imports', () => {
  it.each<[string, Import]>([
    ['the constructor of objects', { module: 'constructor', name: 'constructor' }],
    ['the constructor of functions', { module: 'env', name: 'constructor' }],
    ['what operating systems inherit', { module: 'linux', name: '__proto__' }],
    ['a function of references', { module: 'env', name: 'cudaGetDevice', parameters: [type.externref] }],
    ['a table', { module: 'env', name: 'cudaGetDevice', kind: 'table' }],
  ])('%s is refused', async (_what, hostile) => {
    const { error } = await runModule(moduleWith([hostile]), folder);
    expect(error?.code).toBe('unsupported-construct');
  });

  it('what there is runs', async () => {
    const program = moduleWith([{ module: 'env', name: 'cudaDeviceSynchronize', results: [type.i32] }]);
    expect(await runModule(program, folder)).toMatchObject({ exitCode: 0, error: null });
  });

  it('gives an address outside of its memory gets an answer', async () => {
    const program = moduleWith(
      [
        {
          module: 'linux',
          name: 'call',
          parameters: Array.from({ length: 7 }, () => type.i64),
          results: [type.i64],
        },
      ],
      -16,
    );
    expect(await runModule(program, folder)).toMatchObject({ exitCode: 0, error: null });
  });
});

describe('somebody who got out of WebAssembly', () => {
  const attempt = (walls: 'none' | 'rights' | 'all'): Promise<WayTaken[]> => escaped(join(folder, walls), walls);
  const worked = (taken: WayTaken[]): string[] => taken.filter((each) => each.worked).map(({ name }) => name);

  it('would have all these ways', async () => {
    expect(worked(await attempt('none'))).toEqual(Object.keys(ways));
  });

  it('has none of them by the rights of the thread', async () => {
    const left = worked(await attempt('rights')).filter((name) => !beyondPermissions.some((each) => each.test(name)));
    expect(left).toEqual([]);
  });

  it('has none at all', async () => {
    expect(worked(await attempt('all'))).toEqual([]);
  });
});

it('grants a folder alone, not also those in it: Node would deny it itself then', () => {
  const inner = mkdtempSync(join(folder, 'inner-'));
  const rights = programRights(inner, { path: folder, name: folder }, [inner]);
  const outer = realpathSync(folder);
  expect(rights.filter((right) => right.startsWith('--allow-fs-read=') && right.includes(outer))).toEqual([
    `--allow-fs-read=${outer}`,
  ]);
});

it('a folder whose name means more to Node than to anybody else is not granted', () => {
  const star = mkdtempSync(join(folder, 'a*'));
  writeFileSync(join(star, 'x'), '');
  expect(() => programRights(star, null)).toThrow('its name contains a star');
});
