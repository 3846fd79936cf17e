/** The sources of a compilation, the passes over their device side, and what is made of the passes' messages. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { compilerPath } from '../base/compiler-paths.ts';
import { asNvccReads } from './as-nvcc-reads.ts';
import { isCached, runCached, type CachedResult, type CacheOptions } from './cache.ts';
import { readCccl, type HeaderLibrary } from './cccl.ts';
import type { ToolRun } from './clang.ts';
import { CompileError, compileError, parseMessages } from './diagnostics.ts';
import type { Translation } from './flags.ts';
import { launchedByDevice } from './nested-launches.ts';
import { displayPath, gatherFiles, languageOf, layOut, type MayRead, type Refusal } from './sources.ts';
import type { CompileRequest, LaterKernels, SourceLanguage } from './types.ts';

/** A source with all that its passes need. */
export interface Unit {
  source: string;
  language: SourceLanguage;
  translation: Translation;
  /** The source and the user's headers, by real path. */
  userFiles: Map<string, Uint8Array>;
  files: [path: string, bytes: Uint8Array][];
  /** CCCL, where the source includes it. */
  cccl: HeaderLibrary | null;
}

export interface UnitOptions {
  mayRead?: MayRead | undefined;
  onRefused?: (refusal: Refusal) => void;
  /** Files that are none on the disk, by path; the source may be one of them. */
  given?: ReadonlyMap<string, Uint8Array>;
  /** What it is written in, whatever its name. */
  language?: SourceLanguage | undefined;
  /** Reads CCCL from the folders that are searched for headers; absent: {@link readCccl}. */
  ccclIn?: (folders: readonly string[]) => HeaderLibrary | null;
}

/** A source as it lies on the disk. */
export function unitOf(source: string, request: CompileRequest, options: UnitOptions = {}): Unit {
  const language = options.given?.has(source) === true ? 'cuda' : languageOf(source, options.language);
  const { includeFolders, systemFolders = [] } = request;
  let asks = false;
  const gathered = { mayRead: options.mayRead, onRefused: options.onRefused, given: options.given };
  const userFiles = gatherFiles(source, request, { ...gathered, onCccl: () => void (asks = true) });
  const { ccclIn = readCccl } = options;
  const cccl = asks ? ccclIn([...includeFolders, ...systemFolders]) : null;
  return unitFrom(source, language, request, userFiles, cccl);
}

/** A source whose files are known. */
export function unitFrom(
  source: string,
  language: SourceLanguage,
  request: CompileRequest,
  userFiles: Map<string, Uint8Array>,
  cccl: HeaderLibrary | null = null,
): Unit {
  const translation: Translation = {
    request,
    source: compilerPath(source),
    includeFolders: request.includeFolders.map(compilerPath),
    sourceFolder: compilerPath(dirname(source)),
    cccl: cccl !== null,
  };
  return { source, language, translation, userFiles, files: filesOf(userFiles, translation), cccl };
}

/**
 * The files of a unit. Code may come in another order where other headers are precompiled: which they are is one of the files, so that
 * what is kept is known by it.
 */
export function filesOf(userFiles: Map<string, Uint8Array>, { headers }: Translation): Unit['files'] {
  const files = layOut(userFiles);
  return headers === undefined
    ? files
    : [...files, ['/simsight/precompiled', new TextEncoder().encode(headers.join(' '))]];
}

/** The unit with its device code to be linked with that of others: it is known by its contents, wherever it lies. */
export function asLinked(unit: Unit): Unit {
  const { source, userFiles, translation } = unit;
  const { defines, undefines = [] } = translation.request;
  const hash = createHash('sha256').update(JSON.stringify([basename(source), defines, undefines]));
  const linkedAs = hash.update(userFiles.get(source)!).digest('hex').slice(0, 16);
  return { ...unit, translation: { ...translation, linkedAs } };
}

export interface PassResult extends CachedResult {
  /** Of a device pass whose kernels are optimized later: the IR of the variables, and the kernels. Its output is IR that is not optimized. */
  apart?: { variables: string; later: LaterKernels };
  /** Of a device pass over a source whose kernels launch kernels, which was seen before it began ({@link mayNest}). */
  nests?: true;
}

/** True if kernels of the source seem to launch kernels. */
export const mayNest = ({ translation, userFiles }: Unit): boolean =>
  translation.linkedAs === undefined && translation.relocatable !== true && launchedByDevice(userFiles).size > 0;

/** A pass as it is run, and as it is run with precompiled headers. */
export interface Pass {
  runOf: (translation: Translation) => ToolRun;
  faster: (run: ToolRun, translation: Translation) => Promise<ToolRun>;
}

export const onePass = (
  translation: Translation,
  options: CacheOptions,
  { runOf, faster }: Pass,
): Promise<CachedResult> => runCached(runOf(translation), options, (run) => faster(run, translation));

/** A pass over a source whose kernels launch kernels says what it needs, and is run again with it. */
export async function orRelocatable(
  translation: Translation,
  options: CacheOptions,
  pass: Pass,
): Promise<CachedResult> {
  const relocatable = { ...translation, relocatable: true };
  // Its needs take as long to find out as to compile it. They are known of sources that have been compiled before.
  if (await isCached(pass.runOf(relocatable), options)) return onePass(relocatable, options, pass);
  const result = await onePass(translation, options, pass);
  return needsRelocatable(result) ? onePass(relocatable, options, pass) : result;
}

/** True of a pass over a source whose kernels launch kernels. */
export const needsRelocatable = ({ outcome, messages }: CachedResult): boolean =>
  outcome === 'failure' && messages.includes('requires relocatable device code');

/** Reason why a file is not found that may be there, and what allows it. */
const outOfReach = ({ folder }: Refusal, isGranted: boolean): { reason: string; remedy: string } =>
  isGranted
    ? {
        reason: 'it is outside the folders that this session may access',
        remedy: `To allow it, start Simsight with "--folder" for ${folder}.`,
      }
    : {
        reason: "it is outside the source's folder and the folders given with -I",
        remedy: `To allow it, add -I ${folder}.`,
      };

const notThere = (folder: string): { reason: string; remedy: string } => ({
  reason: `there is no include folder ${folder}`,
  remedy: 'Correct it, or add the folder of the header with -I.',
});

/** What a source may not read, and whether whoever compiles it was granted folders. */
interface Reach {
  refusals: readonly Refusal[];
  isGranted: boolean;
  /** Of which some may not be there. */
  includeFolders: readonly string[];
}

/** The messages of all passes. Errors: {@link CompileError} where one failed. */
export function checkPasses(
  passes: readonly CachedResult[],
  firstSource: string,
  { refusals, isGranted, includeFolders }: Reach,
): ReturnType<typeof parseMessages> {
  const folder = dirname(firstSource);
  const shown = new Map<string, string>();
  const parsed = parseMessages(
    passes.map(({ messages }) => messages),
    (path) => {
      const name = displayPath(path, folder);
      shown.set(name, resolve(folder, name));
      return name;
    },
  );
  const crash = passes.find(({ outcome }) => outcome === 'crash');
  const hasErrors = parsed.diagnostics.some(({ severity }) => severity === 'error');
  if (crash && !hasErrors) {
    const message = `Clang crashed on ${basename(firstSource)}.`;
    throw new CompileError(message, 'Please report it, with the source.', { file: firstSource }, [], crash.messages);
  }
  if (passes.some(({ outcome }) => outcome !== 'success')) {
    const fileOf = (name: string): string => shown.get(name) ?? name;
    const isRefused = ({ name, file }: Refusal, asked: string, from: string): boolean =>
      name === asked && file === fileOf(from);
    const absent = includeFolders.find((each) => !existsSync(each));
    throw compileError(parsed, fileOf, (asked, from) => {
      const refusal = refusals.find((each) => isRefused(each, asked, from));
      if (refusal !== undefined) return outOfReach(refusal, isGranted);
      return absent === undefined ? null : notThere(absent);
    });
  }
  return parsed;
}

const isFailure = ({ outcome }: CachedResult): boolean => outcome === 'failure';
/** Corrections may show others that are needed. */
const mostCorrections = 4;

/** The passes of the units, with what nvcc would have read where Clang reads otherwise. */
export async function compiled(
  units: readonly Unit[],
  passesOf: (of: readonly Unit[]) => Promise<PassResult[]>,
): Promise<PassResult[]> {
  const passes = await passesOf(units);
  let [latest, of] = [passes, units];
  for (let i = 0; i < mostCorrections && latest.some(isFailure); i++) {
    const messages = latest.map((pass) => pass.messages);
    const corrected = of.map(({ userFiles }) => asNvccReads(userFiles, messages));
    if (corrected.every((files) => files === null)) break;
    of = of.map((unit, u) => {
      const userFiles = corrected[u] ?? null;
      return userFiles === null ? unit : { ...unit, userFiles, files: filesOf(userFiles, unit.translation) };
    });
    latest = await passesOf(of);
  }
  // What is said of files that nobody has written helps nobody.
  return latest.some(isFailure) ? passes : latest;
}
