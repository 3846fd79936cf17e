/** Modules that only Electron has, as the app under test imports them: `electron` and `original-fs`. */
import { registerHooks } from 'node:module';

/** The `electron` module of each run of the app, by the `?run=` that its modules are imported with. */
export const modules = new Map<string, Record<string, unknown>>();
registerHooks({
  resolve(specifier, context, next) {
    const run = /[?&]run=(\d+)/.exec(context.parentURL ?? '')?.[1];
    // Electron's own has the file system as it is; ours is that already.
    if (specifier === 'original-fs') return { url: `original-fs:${run}`, format: 'module', shortCircuit: true };
    if (specifier !== 'electron' || !run) return next(specifier, context);
    return { url: `electron-host:${run}`, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (url.startsWith('original-fs:')) {
      const source = `import * as fs from 'node:fs';
        const archive = globalThis.electronHostArchives.get('${url.slice('original-fs:'.length)}');
        export const { closeSync, createReadStream, readdirSync, readSync } = fs;
        export const openSync = (path, flags) => fs.openSync(path === archive?.folder ? archive.file : path, flags);`;
      return { format: 'module', source, shortCircuit: true };
    }
    if (!url.startsWith('electron-host:')) return next(url, context);
    const run = url.slice('electron-host:'.length);
    const names = Object.keys(modules.get(run)!).join(', ');
    const source = `export const { ${names} } = globalThis.electronHostRuns.get('${run}');`;
    return { format: 'module', source, shortCircuit: true };
  },
});
/** Runs of a packed app: the folder it was unpacked into, and its archive. */
export const archives = new Map<string, { folder: string; file: string }>();
Object.assign(globalThis, { electronHostRuns: modules, electronHostArchives: archives });
