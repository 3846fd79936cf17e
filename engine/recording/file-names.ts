import { basename, isAbsolute, relative, sep } from 'node:path';

/**
 * Name of a program's file in the trace: its path from the folder of the first source, or its base name if it lies elsewhere.
 * Paths of the machine thus stay out of traces.
 */
export function nameInTrace(folder: string, file: string): string {
  const path = relative(folder, file).replaceAll(sep, '/');
  return path.startsWith('../') || isAbsolute(path) ? basename(file) : path;
}
