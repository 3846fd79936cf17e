/** The product's source files. */
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './node.mjs';

/** Files below `folders` with one of these endings, from the root, with slashes; without tests and what commands make. */
export function sourceFiles(folders: readonly string[], endings: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(`.${ending}`)))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((path) => !/\.(?:test|d)\.ts$|^build\/toolchain|\/runtime\/(?:ir|object)\.ts$/.test(path)),
  );
}
