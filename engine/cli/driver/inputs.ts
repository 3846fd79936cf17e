/** What a link takes: objects, archives and libraries, as files of Simsight's own. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileError, SimsightError } from '../../base/errors.ts';
import { archiveMembers, objectOf, type ObjectFile } from '../../compile/index.ts';
import type { DriverOptions } from './options.ts';

/** Libraries that programs find here, whose calls are answered or refused one by one, and parts of the system. */
export const knownLibraries = {
  toolkit: [
    ...['cuda', 'cudart', 'cudart_static', 'cudadevrt', 'nvToolsExt', 'nvtx3interop'],
    ...['cublas', 'cublas_static', 'cublasLt', 'cublasLt_static', 'culibos'],
    ...[
      'cusparse',
      'cusparse_static',
      'cusolver',
      'cusolver_static',
      'curand',
      'curand_static',
      'cufft',
      'cufft_static',
    ],
  ],
  system: [
    ...['c', 'm', 'pthread', 'dl', 'rt', 'util', 'stdc++', 'c++', 'stdc++fs', 'gcc', 'gcc_s', 'gomp', 'omp', 'supc++'],
  ],
} as const;
const ofToolkit = new Set<string>(knownLibraries.toolkit);
const ofSystem = new Set<string>(knownLibraries.system);

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

/** An archive may come twice, by a shared library that was linked with it and by itself: nothing is taken of it that is there already. */
function withoutTwins({ units, optional }: Required<Pick<ObjectFile, 'units' | 'optional'>>): ObjectFile {
  const seen = new Set(units.map((unit) => JSON.stringify(unit)));
  const isNew = (text: string): boolean => seen.size !== seen.add(text).size;
  return { units, optional: optional.filter((unit) => isNew(JSON.stringify(unit))) };
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
    const name = /^lib(.*?)\.(?:so|a)(?:\.\d+)*$/.exec(basename(path))?.[1] ?? path;
    if (ofToolkit.has(name)) continue;
    const isShared = /\.so(?:\.\d+)*$/.test(path);
    // A library of the project's own may be called like one of the system's.
    const isKnown = isShared && ofSystem.has(name);
    if ((isKnown && !existsSync(path)) || take(unitsIn(bytesOf(path))) || isKnown) continue;
    // Of a shared library only what programs call would matter.
    if (!isShared) throw foreign(path);
    missing.push(path);
  }
  for (const name of libraries) {
    // A toolkit's own is in a folder of -L as well.
    if (ofToolkit.has(name) || ofSystem.has(name)) continue;
    const names = name.startsWith(':') ? [name.slice(1)] : [`lib${name}.so`, `lib${name}.a`];
    const path = libraryFolders.flatMap((folder) => names.map((file) => join(folder, file))).find(existsSync);
    if (path === undefined || !take(unitsIn(bytesOf(path)))) missing.push(`-l${name}`);
  }
  return { object: withoutTwins(object), missing };
}
