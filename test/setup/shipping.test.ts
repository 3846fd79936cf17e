/** The shipped parts: the packager's configuration, the workflows, and what is loaded at start. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '..', '..');
const text = (name: string): string => readFileSync(join(root, name), 'utf8');
const project = JSON.parse(text('package.json')) as {
  scripts: Record<string, string>;
  engines: { node: string };
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

test('all versions are pinned', () => {
  for (const [name, version] of Object.entries({ ...project.dependencies, ...project.devDependencies }))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.-]+)?$/);
});

test('every script of package.json leads to a file', () => {
  for (const [name, command] of Object.entries(project.scripts))
    for (const [file] of command.matchAll(/(?:\.\/)?(?:build|test|engine)\/[\w/.-]+\.(?:mjs|ts|yml)/g))
      expect(existsSync(join(root, file)), `${name}: ${file}`).toBe(true);
});

describe('the packager', () => {
  const config = parse(text('build/electron-builder.yml')) as Record<string, Record<string, unknown>>;

  test('makes what each system installs, and asks nobody where to publish it', () => {
    expect(config).toMatchObject({
      ...{ linux: { target: ['AppImage', 'deb'] }, mac: { target: 'dmg' }, win: { target: 'nsis' } },
      ...{ publish: null, asar: true, npmRebuild: false },
    });
  });

  test('keeps one native module of each system, by its own name', () => {
    const built = readdirSync(join(root, 'node_modules', 'better-sqlite3', 'prebuilds'));
    for (const [system, name] of [
      ['linux', 'linux'],
      ['mac', 'darwin'],
      ['win', 'win32'],
    ] as const) {
      const files = config[system]!['files'] as string[];
      const pattern = `!node_modules/better-sqlite3/prebuilds/!(${name}-\${arch}.node)`;
      expect(files).toContain(pattern);
      for (const arch of ['x64', 'arm64']) expect(built).toContain(`${name}-${arch}.node`);
    }
  });

  test('associates .simsight, and has an icon that is large enough for all of them', () => {
    expect(config['fileAssociations']).toMatchObject([{ ext: 'simsight', role: 'Viewer' }]);
    const icon = readFileSync(join(root, 'build', 'resources', 'icon.png'));
    // PNG: width and height are the first words of its header. macOS wants 512 at least.
    expect([icon.readUInt32BE(16), icon.readUInt32BE(20)]).toEqual([1024, 1024]);
  });
});

describe('workflows', () => {
  interface Step {
    run?: string;
    uses?: string;
  }
  interface Workflow {
    permissions: unknown;
    jobs: Record<string, { steps: Step[]; strategy?: { matrix: { os?: string[]; include?: { os: string }[] } } }>;
  }
  const folder = '.github/workflows';
  const workflows = readdirSync(join(root, folder)).map(
    (name) => [name, parse(text(`${folder}/${name}`)) as Workflow] as const,
  );

  test.each(workflows)(
    '%s: rights are least, scripts exist, actions are what they were when they were looked at',
    (_name, { permissions, jobs }) => {
      expect(permissions).toEqual({ contents: 'read' });
      for (const { run = '', uses } of Object.values(jobs).flatMap(({ steps }) => steps)) {
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
        for (const [, script] of run.matchAll(/npm run (?:-s )?([\w:]+)/g))
          expect(project.scripts).toHaveProperty(script!);
      }
    },
  );

  test('each action says which version its commit is', () => {
    for (const name of readdirSync(join(root, folder)))
      for (const [line, commit] of text(`${folder}/${name}`).matchAll(/uses: *\S+@(\S+).*/g))
        expect([line, commit!.length]).toEqual([expect.stringMatching(/ # v\d+\.\d+\.\d+$/), 40]);
  });

  test('tests and installers on three systems', () => {
    const all = ['ubuntu-latest', 'macos-latest', 'windows-latest'];
    const of = Object.fromEntries(workflows);
    expect(of['test.yml']!.jobs['test']!.strategy!.matrix.os).toEqual(all);
    expect(of['release.yml']!.jobs['package']!.strategy!.matrix.include!.map(({ os }) => os)).toEqual(all);
  });
});

/** Modules that a file brings with it before its first line runs; those that are imported when needed are left out. */
function loadedAtStart(entry: string): Set<string> {
  const found = new Set<string>();
  const follow = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const source = readFileSync(file, 'utf8').replace(/^import type .*?;$/gms, '');
    const names = source.matchAll(
      /^(?:import|export) (?:\{[^}]*\}|\* as \w+|\*|\w+) from '([^']+)';|^import '([^']+)';/gm,
    );
    for (const [, from, alone] of names) {
      const name = (from ?? alone)!;
      if (name.startsWith('.')) follow(join(dirname(file), name));
      else found.add(name);
    }
  };
  follow(join(root, entry));
  return found;
}

/** The module that reads Clang's files. */
const loadsClang = join(root, 'engine/compile/llvm.ts');

describe('the compiler is loaded when something is compiled', () => {
  test('by its own thread: the checks below can fail', () => {
    expect([...loadedAtStart('engine/compile/worker.ts')]).toContain(loadsClang);
  });
  test.each(['electron/main.ts', 'engine/cli.ts', 'engine/host/worker.ts', 'engine/serve/index.ts'])(
    'not by %s',
    (entry) => {
      const loaded = [...loadedAtStart(entry)];
      expect(loaded.length).toBeGreaterThan(5);
      expect(loaded.filter((name) => name === loadsClang || /@yowasp/.test(name))).toEqual([]);
    },
  );
});
