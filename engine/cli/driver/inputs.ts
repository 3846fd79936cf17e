/** What a link takes: objects, archives and libraries, as files of Simsight's own. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileError, SimsightError } from '../../base/errors.ts';
import { archiveMembers, objectOf, type ObjectFile } from '../../compile/index.ts';
import type { DriverOptions } from './options.ts';

/** Libraries that programs find here, whose calls are answered or refused one by one, and parts of the system. */
const known = new Set([
  ...['cuda', 'cudart', 'cudart_static', 'cudadevrt', 'nvToolsExt', 'nvtx3interop'],
  ...[
    'cublas',
    'cublas_static',
    'cublasLt',
    'cublasLt_static',
    'cusparse',
    'cusparse_static',
    'cusolver',
    'cusolver_static',
    'culibos',
  ],
  ...['c', 'm', 'pthread', 'dl', 'rt', 'util', 'stdc++', 'c++', 'stdc++fs', 'gcc', 'gcc_s', 'gomp', 'omp', 'supc++'],
]);

export interface LinkInputs {
  object: ObjectFile;
  /** Libraries that are not there, which only matters if something needs them. */
  missing: string[];
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, path) ?? error;
  }
}

const foreign = (path: string): SimsightError =>
  new SimsightError(
    'compile-failed',
    `${path} is no object that Simsight has made.`,
    'Compile its sources with "simsight nvcc", "simsight cc" or "simsight c++".',
    { file: path },
  );

/** Units of an object, or of the objects in an archive; null: it is of another compiler. */
function unitsIn(bytes: Uint8Array): { own: ObjectFile['units']; optional: ObjectFile['units'] } | null {
  const object = objectOf(bytes);
  if (object !== null) return { own: object.units, optional: object.optional ?? [] };
  const members = archiveMembers(bytes)?.map((member) => objectOf(member.bytes));
  if (members === undefined || members.includes(null)) return null;
  return { own: [], optional: members.flatMap((member) => member!.units) };
}

/** Reads objects and archives, and looks for libraries. Errors: those of files, `compile-failed` for files of other compilers. */
export function linkInputs(paths: readonly string[], { libraries, libraryFolders }: DriverOptions): LinkInputs {
  const object: Required<Pick<ObjectFile, 'units' | 'optional'>> = { units: [], optional: [] };
  const missing: string[] = [];
  const take = (found: ReturnType<typeof unitsIn>): boolean => {
    object.units.push(...(found?.own ?? []));
    object.optional.push(...(found?.optional ?? []));
    return found !== null;
  };
  for (const path of paths) {
    // Of a shared library only what programs call would matter.
    if (/\.so(?:\.\d+)*$/.test(path)) {
      const name = /^lib(.*?)\.so/.exec(basename(path))?.[1] ?? path;
      if (!known.has(name)) missing.push(path);
    } else if (!take(unitsIn(bytesOf(path)))) throw foreign(path);
  }
  for (const name of libraries) {
    const file = libraryFolders.map((folder) => join(folder, name.startsWith(':') ? name.slice(1) : `lib${name}.a`));
    const path = file.find((each) => existsSync(each));
    // A toolkit's own is in a folder of -L as well.
    if (known.has(name)) continue;
    if (path === undefined || !take(unitsIn(bytesOf(path)))) missing.push(`-l${name}`);
  }
  return { object, missing };
}
