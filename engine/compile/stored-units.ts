/**
 * Units as text: what module images, objects and programs of `simsight nvcc` hold. Machine code would be of no use here, and of one GPU; they hold
 * sources with the user's headers and the options, and are compiled for the GPU of the recording. A program may hand over any bytes, so what is read
 * is checked.
 */
import { basename } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { compilerPath } from '../base/compiler-paths.ts';
import { readCccl } from './cccl.ts';
import { asLinked, unitFrom, type Unit } from './units.ts';
import type { CompileRequest, DeviceMath, SourceLanguage, SourceOptions } from './types.ts';

/** Paths are absolute, as they were where it was made. */
export interface StoredUnit extends SourceOptions {
  source: string;
  language: SourceLanguage;
  /** Device code that is linked with that of other units. */
  relocatable?: true;
  /** As after `-fopenmp`. */
  openmp?: true;
  /** It includes CCCL, of which there is no copy in it: the digest of the one that it was compiled with. */
  cccl?: string;
  /** Each byte of a file as the character of its number. */
  files: [path: string, bytes: string][];
}

/** What {@link unitOfStored} makes a unit of again. */
export function storedUnit({ source, language, translation, userFiles, cccl }: Unit): StoredUnit {
  const { sources: _, computeCapability: __, ...options } = translation.request;
  return {
    ...options,
    source,
    language,
    ...(translation.linkedAs === undefined ? {} : { relocatable: true }),
    ...(translation.openmp === true ? { openmp: true } : {}),
    ...(cccl === null ? {} : { cccl: cccl.digest }),
    files: [...userFiles].map(([path, bytes]) => [path, Buffer.from(bytes).toString('latin1')]),
  };
}

/**
 * `ccclIn` reads CCCL as for {@link import('./units.ts').unitOf}. Errors: `unsupported-construct` where the unit was made with another copy than
 * there is.
 */
export function unitOfStored(
  { source, language, files, relocatable, openmp, cccl: digest, ...options }: StoredUnit,
  computeCapability: CompileRequest['computeCapability'],
  ccclIn = readCccl,
): Unit {
  const userFiles = new Map(
    files.map(([path, bytes]) => [path, new Uint8Array(Buffer.from(bytes, 'latin1'))] as const),
  );
  const { includeFolders, systemFolders = [] } = options;
  const cccl = digest === undefined ? null : ccclIn([...includeFolders, ...systemFolders]);
  if (cccl?.digest !== digest)
    throw new SimsightError(
      'unsupported-construct',
      `${basename(source)} was compiled with a copy of Thrust, CUB or libcu++ that is ${cccl === null ? 'not on this machine' : 'no longer what it was'}.`,
      'Build the program again, with CUDA_HOME or -I naming the copy.',
      { file: source },
    );
  const unit = unitFrom(source, language, { ...options, sources: [source], computeCapability }, userFiles, cccl);
  if (openmp === true) Object.assign(unit.translation, { openmp });
  return relocatable === true ? asLinked(unit) : unit;
}

/** The text of its source. */
export const textOf = ({ source, userFiles }: Unit): string => new TextDecoder().decode(userFiles.get(source));

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isFlag = (value: unknown): value is true | undefined => value === undefined || value === true;
const orAbsent = (value: unknown, holds: (value: unknown) => boolean): boolean => value === undefined || holds(value);

const isMath = (value: unknown): value is DeviceMath =>
  typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'boolean');

/** Null for what {@link storedUnit} did not make. */
export function checkedUnit(value: unknown): StoredUnit | null {
  if (typeof value !== 'object' || value === null) return null;
  const unit = value as Partial<StoredUnit>;
  const { source, language, files, includeFolders, defines, undefines, systemFolders, forcedIncludes } = unit;
  const { standard, math, maxRegisters, relocatable, openmp, cccl } = unit;
  if (!isText(source) || !isText(language) || !['cuda', 'c', 'c++'].includes(language)) return null;
  if (!areTexts(includeFolders) || !areTexts(defines) || !isFlag(relocatable) || !isFlag(openmp)) return null;
  if (![undefines, systemFolders, forcedIncludes].every((list) => orAbsent(list, areTexts))) return null;
  if (!orAbsent(standard, (text) => isText(text) && /^(?:c|gnu)(?:\+\+)?\w\w$/.test(text))) return null;
  if (!orAbsent(math, isMath) || !orAbsent(maxRegisters, Number.isInteger)) return null;
  if (!orAbsent(cccl, isText)) return null;
  if (!Array.isArray(files) || !files.every((file) => Array.isArray(file) && file.length === 2 && isText(file[0])))
    return null;
  if (!files.every(([, bytes]) => typeof bytes === 'string')) return null;
  if (!files.some(([path]) => path === source) || !compilerPath(source).startsWith('/')) return null;
  return {
    ...{ source, language, includeFolders, defines, files },
    ...(undefines === undefined ? {} : { undefines }),
    ...(systemFolders === undefined ? {} : { systemFolders }),
    ...(forcedIncludes === undefined ? {} : { forcedIncludes }),
    ...(standard === undefined ? {} : { standard }),
    ...(math === undefined ? {} : { math }),
    ...(maxRegisters === undefined ? {} : { maxRegisters }),
    ...(relocatable === undefined ? {} : { relocatable }),
    ...(openmp === undefined ? {} : { openmp }),
    ...(cccl === undefined ? {} : { cccl }),
  };
}
