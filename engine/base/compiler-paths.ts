/**
 * Paths as the compiler sees them. Its file system is its own and POSIX, so that a path of Windows gets another form; and
 * the app's own programs lie at one place there, so that what is compiled of them is the same wherever the app lies.
 */
import { join, relative, resolve, sep } from 'node:path';
import { root } from './paths.ts';

/** Path at which {@link root} appears. */
const rootInCompiler = '/simsight/app';

/** A real, absolute path in the compiler's file system: `C:\x` becomes `/C:/x`. */
export function compilerPath(path: string): string {
  if (path.startsWith(root + sep)) return `${rootInCompiler}/${relative(root, path).replaceAll('\\', '/')}`;
  return sep === '/' ? path : `/${path.replaceAll('\\', '/')}`;
}

/** The reverse of {@link compilerPath}, with `..` resolved; other paths are as they were. */
export function realPath(path: string): string {
  if (path.startsWith(`${rootInCompiler}/`)) return join(root, path.slice(rootInCompiler.length));
  if (sep === '\\' && /^\/[A-Za-z]:/.test(path)) return resolve(path.slice(1));
  return path.startsWith('/') && sep === '/' ? resolve(path) : path;
}
