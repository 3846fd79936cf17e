/**
 * CCCL: Thrust, CUB and libcu++, from the copy that the user has. None comes with Simsight. A copy is found in the folders given with
 * `-I`, in a CUDA toolkit or where Debian's packages put it; of such a folder these parts are read and nothing else, as the rest of a
 * toolkit's headers are Simsight's own.
 *
 * CUB and Thrust find some of their headers by macros, so a part is read whole. To the compiler all parts lie in one folder, before
 * our own headers: a program that includes CCCL has its `<cuda/atomic>`, another one has ours.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { cudaIncludeFolder } from '../base/paths.ts';
import { ccclFolder } from './flags.ts';

/** The folders of CCCL, and a file that is in each in every generation. */
const markers = { thrust: 'version.h', cub: 'version.cuh', cuda: 'std/type_traits', nv: 'target' } as const;
type Part = keyof typeof markers;
const parts = Object.keys(markers) as Part[];

/** The part of CCCL that a header would be in, by its name in an `#include`. */
const partOf = (name: string): Part | undefined => parts.find((part) => name.startsWith(`${part}/`));

const holds = (folder: string, part: Part): boolean => existsSync(join(folder, part, markers[part]));

/** True if what a folder has under this name is a header of CCCL's. */
export function isOfCccl(name: string, folder: string): boolean {
  const part = partOf(name);
  return part !== undefined && holds(folder, part) && existsSync(join(folder, name));
}

/** True for names of CCCL's headers that Simsight has none of its own for. */
export const isInCcclOnly = (name: string): boolean =>
  partOf(name) !== undefined && !existsSync(join(cudaIncludeFolder, name));

/** True for the headers of a CUDA toolkit, which are Simsight's own. */
export const isToolkit = (folder: string): boolean =>
  existsSync(join(folder, 'cuda_runtime_api.h')) && existsSync(join(folder, 'crt', 'host_config.h'));

const versionOf = (name: string): number[] => name.split(/[-.]/).slice(1).map(Number);

/** Folders in which a copy may lie, in the order of search: toolkits that the environment names, others, Debian's folder. */
export function usualFolders(environment: NodeJS.ProcessEnv = process.env, local = '/usr/local'): string[] {
  const newestFirst = (a: string, b: string): number => {
    const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [versionOf(a), versionOf(b)];
    return otherMajor - major || otherMinor - minor;
  };
  const found = existsSync(local) ? readdirSync(local).filter((name) => /^cuda-\d+(?:\.\d+)?$/.test(name)) : [];
  const homes = [
    ...['CUDA_HOME', 'CUDA_PATH'].flatMap((name) => environment[name] || []),
    ...['cuda', ...found.sort(newestFirst)].map((name) => join(local, name)),
  ];
  return [...homes.flatMap((home) => [join(home, 'include', 'cccl'), join(home, 'include')]), '/usr/include'];
}

/** The first of the folders that has all of CCCL; null: none has. */
export const folderWithCccl = (folders: readonly string[]): string | null =>
  folders.find((folder) => parts.every((part) => holds(folder, part))) ?? null;

/** Headers as the compiler finds them, with what tells them from others. */
export interface HeaderLibrary {
  files: [path: string, bytes: Uint8Array][];
  /** Of all names and contents. */
  digest: string;
}

/**
 * The headers of CCCL: of each part those of the first include folder that has it, then those of the usual folders. Null where there
 * are none. Errors: `unsupported-construct` for a copy that is too old.
 */
export function readCccl(includeFolders: readonly string[], usual = usualFolders()): HeaderLibrary | null {
  const whole = folderWithCccl(usual);
  const files = parts.flatMap((part) => {
    const folder = includeFolders.find((each) => holds(each, part)) ?? whole;
    return folder === null ? [] : headersIn(join(folder, part), `${ccclFolder}/${part}`);
  });
  if (files.length === 0) return null;
  checkVersion(files);
  const hash = createHash('sha256');
  for (const [path, bytes] of files) hash.update(`\n${path}:${bytes.length}\n`).update(bytes);
  return { files, digest: hash.digest('hex') };
}

/** Thrust of CUDA 12.0: what came before is written for a C++ library of its time. */
const oldestThrust = 200_000;

function checkVersion(files: HeaderLibrary['files']): void {
  const header = files.find(([path]) => path === `${ccclFolder}/thrust/version.h`)?.[1];
  const version = Number(/#\s*define\s+THRUST_VERSION\s+(\d+)/.exec(new TextDecoder().decode(header))?.[1]);
  if (!(version < oldestThrust)) return;
  const [major, minor] = [Math.floor(version / 100_000), Math.floor(version / 100) % 1000];
  throw new SimsightError(
    'unsupported-construct',
    `The copy of Thrust and CUB that was found has version ${major}.${minor}: Simsight compiles them from version 2.0 on.`,
    'Name a toolkit of CUDA 12 or later in CUDA_HOME, or add the folder of newer headers with -I.',
  );
}

function headersIn(folder: string, path: string): HeaderLibrary['files'] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const [from, to] = [join(folder, entry.name), `${path}/${entry.name}`];
      if (entry.isDirectory()) return headersIn(from, to);
      return entry.isFile() ? [[to, new Uint8Array(readFileSync(from))]] : [];
    });
}
