import { basename, isAbsolute, relative, sep } from 'node:path';

/**
 * What a trace calls a file of the program: its path from the folder of the first source, or its name alone if it lies elsewhere.
 * So nothing of the machine gets into a trace.
 */
export function nameInTrace(folder: string, file: string): string {
  const path = relative(folder, file).replaceAll(sep, '/');
  return path.startsWith('../') || isAbsolute(path) ? basename(file) : path;
}
