/** The layer checker itself: a small tree in which every rule is broken once, and one in which none is. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const config = join(root, '.dependency-cruiser.cjs');
const rules = (createRequire(import.meta.url)(config) as { forbidden: { name: string }[] }).forbidden;
const { floors } = createRequire(import.meta.url)(join(root, 'build/floors.json')) as { floors: string[][] };
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

/** Runs the checker on these files; yields `rule: from → to`. */
function check(files: Record<string, string>): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'simsight-layers-'));
  folders.push(folder);
  const packageJson = JSON.stringify({ type: 'module', dependencies: { ws: '*' }, devDependencies: { vite: '*' } });
  const whole = { ...files, 'tsconfig.json': '{}', 'package.json': packageJson };
  for (const [name, text] of Object.entries(whole)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const cli = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
  const roots = [...new Set(Object.keys(files).map((name) => name.split('/')[0]!))];
  const { stdout, stderr } = spawnSync(process.execPath, [cli, '--config', config, '--output-type', 'json', ...roots], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(stderr).toBe('');
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[] };
  };
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort();
}
const imports = (...paths: string[]): string =>
  paths.map((path) => `import '${path}';\n`).join('') + 'export const x = 1;\n';

test('what is allowed passes', () => {
  const violations = check({
    'engine/base/errors.ts': imports(),
    'engine/base/paths.ts': imports('node:path'),
    'engine/gpus/index.ts': imports('../base/errors.ts'),
    'engine/model/events.ts': imports(),
    'engine/api/contract.ts': imports(),
    'engine/api/rpc.ts': `import type { x } from './contract.ts';\nexport type Y = typeof x;\n`,
    'engine/recording/record.ts': imports('../gpus/index.ts', '../model/events.ts'),
    'engine/host/worker.ts': imports('../recording/record.ts', '../api/contract.ts'),
    'engine/serve/index.ts': imports('../host/worker.ts', 'ws'),
    'electron/main.ts': imports('../engine/host/worker.ts', '../engine/base/errors.ts'),
    'renderer/src/main.ts': `import type { x } from '../../engine/api/contract.ts';\nexport type Y = typeof x;\n`,
    'test/unit/some.test.ts': imports('../../engine/serve/index.ts', 'vite'),
  });
  expect(violations).toEqual([]);
});

test('a folder knows those on lower floors, and no other, types included', () => {
  const violations = check({
    'engine/base/errors.ts': imports(),
    'engine/gpus/index.ts': `import type { x } from '../model/events.ts';\nexport type Y = typeof x;\n`,
    'engine/model/events.ts': imports('../base/errors.ts'),
    'engine/sm/index.ts': imports('../model/events.ts'),
    'engine/base/units.ts': `import type { x } from '../sm/index.ts';\nexport type Y = typeof x;\n`,
  });
  expect(violations).toEqual([
    'floor-of-base: engine/base/units.ts → engine/sm/index.ts',
    'floor-of-gpus: engine/gpus/index.ts → engine/model/events.ts',
  ]);
});

test('every rule can fail', () => {
  /** Each folder knows one without a floor. */
  const upwards = floors.flat().map((folder) => [`engine/${folder}/upwards.ts`, imports('../roof/index.ts')]);
  const violations = check({
    ...(Object.fromEntries(upwards) as Record<string, string>),
    'engine/roof/index.ts': imports(),
    'engine/base/errors.ts': imports('../gpus/index.ts'),
    'engine/base/units.ts': imports('node:fs'),
    'engine/gpus/index.ts': imports('../trace/store.ts', 'vite', './missing.ts'),
    'engine/trace/store.ts': imports('./reader.ts', '../serve/index.ts'),
    'engine/trace/reader.ts': imports('./store.ts', '../../test/unit/some.test.ts'),
    'engine/serve/index.ts': imports('../../renderer/src/main.ts'),
    'engine/api/contract.ts': imports(),
    'electron/main.ts': imports('../engine/gpus/index.ts'),
    'renderer/src/main.ts': imports('../../engine/gpus/index.ts', '../../engine/api/contract.ts'),
    'test/unit/some.test.ts': imports(),
  });
  const broken = new Set(violations.map((violation) => violation.split(':')[0]));
  expect([...broken].sort()).toEqual(rules.map(({ name }) => name).sort());
});
