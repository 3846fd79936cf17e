/**
 * The conformance programs under test/programs: where they lie, what they need, how one is run and judged.
 *
 * A program is one `.cu` file that prints `ok` and returns 0, or a folder with a `program.json` that says what to build
 * and what has to come out. They are ordinary CUDA programs: what they expect is what nvcc and a real GPU give.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { exitCodes } from '../../engine/cli/command.ts';
import { makeImage } from '../../engine/compile/index.ts';
import { failureOf } from '../../engine/cli/failure.ts';
import { gpuById } from '../../engine/gpus/index.ts';
import { nvLinkOf } from '../../engine/gpus/nvlink.ts';
import type { DefaultStream } from '../../engine/model/record-options.ts';
import { record } from '../../engine/recording/record.ts';

export const programFolder = join(import.meta.dirname, '..', 'programs');
/** Two generations, with different limits and instructions. */
export const defaultGpus = ['a100', 'h200'];
/** Where compiled programs are kept, between runs too. */
const homeFolder = join(tmpdir(), 'simsight-conformance');

export interface Program {
  /** `warp/shuffle`. */
  name: string;
  sources: string[];
  arguments: string[];
  environment: string[];
  defaultStream?: DefaultStream;
  /** It writes into its folder: each run gets a copy of it. */
  writable: boolean;
  /** Module images that it loads, and their sources; they are made in that copy. */
  images?: Readonly<Record<string, string>>;
  /** Absent: any. */
  expectExit?: number;
  /** A regular expression for the whole of stdout. */
  expectOutput?: string;
  /** A regular expression for somewhere in stderr. */
  expectError?: string;
  /** The compute capability it needs, as `8.0`, and the GPUs. */
  needs: string;
  gpus: number;
  /** It includes Thrust, CUB or libcu++, of which the machine has to have a copy. */
  needsCccl: boolean;
}

export interface Outcome {
  passed: boolean;
  /** First difference; empty if the program passed. */
  failure: string;
  milliseconds: number;
}

interface Description extends Partial<Omit<Program, 'name' | 'needs' | 'gpus' | 'needsCccl'>> {
  sources: string[];
  /** The compiler has to refuse it. */
  compileError?: boolean;
}

const needed = (source: string): string =>
  /^\/\/ Needs compute capability (\d+\.\d+)\.$/m.exec(readFileSync(source, 'utf8'))?.[1] ?? '0.0';

/** `// Needs 2 GPUs.` */
const gpusFor = (source: string): number =>
  Number(/^\/\/ Needs (\d) GPUs\.$/m.exec(readFileSync(source, 'utf8'))?.[1] ?? 1);

/** `// Needs CCCL.` */
const needsCccl = (source: string): boolean => /^\/\/ Needs CCCL\.$/m.test(readFileSync(source, 'utf8'));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function fromFolder(folder: string): Program {
  const description = JSON.parse(readFileSync(join(folder, 'program.json'), 'utf8')) as Description;
  const sources = description.sources.map((source) => join(folder, source));
  const { expectExit = description.compileError ? 1 : undefined, expectOutput, expectError } = description;
  return {
    name: relative(programFolder, folder).replaceAll('\\', '/'),
    sources,
    arguments: description.arguments ?? [],
    environment: description.environment ?? [],
    ...(description.defaultStream === undefined ? {} : { defaultStream: description.defaultStream }),
    writable: description.writable ?? false,
    ...(description.images === undefined ? {} : { images: description.images }),
    ...(expectExit === undefined ? {} : { expectExit }),
    // Alternatives may be given in parentheses; everything else is meant literally.
    ...(expectOutput === undefined
      ? {}
      : { expectOutput: expectOutput.startsWith('(') ? expectOutput : escaped(expectOutput) }),
    ...(expectError === undefined ? {} : { expectError }),
    needs: needed(sources[0]!),
    gpus: gpusFor(sources[0]!),
    needsCccl: needsCccl(sources[0]!),
  };
}

function fromFile(file: string): Program {
  return {
    name: join(relative(programFolder, dirname(file)), basename(file, '.cu')).replaceAll('\\', '/'),
    sources: [file],
    arguments: [],
    environment: [],
    writable: false,
    expectExit: 0,
    expectOutput: 'ok\n',
    needs: needed(file),
    gpus: gpusFor(file),
    needsCccl: needsCccl(file),
  };
}

/** All programs, or those whose name contains one of the words. */
export function findPrograms(words: string[] = []): Program[] {
  const found: Program[] = [];
  const visit = (folder: string): void => {
    if (existsSync(join(folder, 'program.json'))) {
      found.push(fromFolder(folder));
      return;
    }
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.name.endsWith('.cu')) found.push(fromFile(path));
    }
  };
  visit(programFolder);
  found.sort((a, b) => (a.name < b.name ? -1 : 1));
  return words.length === 0 ? found : found.filter(({ name }) => words.some((word) => name.includes(word)));
}

/** True if the GPU has the compute capability that the program needs, and links to others if it needs several. */
export function fits(program: Program, gpu: string): boolean {
  const { major, minor } = gpuById(gpu).computeCapability;
  const [needMajor, needMinor] = program.needs.split('.').map(Number) as [number, number];
  const isJoined = program.gpus === 1 || nvLinkOf(gpuById(gpu)) !== null;
  return isJoined && major * 10 + minor >= needMajor * 10 + needMinor;
}

export interface RunOptions {
  /** Where compiled programs are kept; default: a folder of the conformance tests' own, shared between runs. */
  home?: string;
  /** Ends a program that takes longer. */
  timeoutMs?: number;
  /** Where the trace goes; without, none is written. */
  trace?: string;
  /** The option of recordings. */
  executeAll?: boolean;
}

/**
 * Runs a program on a GPU as `simsight run` does. All programs share this process, where the compiler stays warm: alone,
 * each would spend most of its time on loading it.
 */
export async function runProgram(program: Program, gpu: string, options: RunOptions = {}): Promise<Outcome> {
  const { home = homeFolder, timeoutMs = 120_000, trace, executeAll = false } = options;
  const start = performance.now();
  const said = { stdout: '', stderr: '' };
  let exitCode: number;
  try {
    const files = program.writable ? freshCopy(program, join(home, 'work', gpu)) : { sources: program.sources };
    await makeImages(program, dirname(files.sources[0]!), join(home, 'cache'));
    const result = await record({
      ...files,
      gpu: program.gpus > 1 ? `${program.gpus}x${gpu}` : gpu,
      executeAll,
      includeFolders: [],
      defines: [],
      environment: program.environment,
      ...(program.defaultStream === undefined ? {} : { defaultStream: program.defaultStream }),
      arguments: program.arguments,
      cacheFolder: join(home, 'cache'),
      recordingsFolder: join(home, 'recordings'),
      ...(trace === undefined ? { keepTrace: false } : { keepTrace: true, output: trace }),
      signal: AbortSignal.timeout(timeoutMs),
      onProgress: ({ console }) => console.forEach(({ stream, text }) => (said[stream] += text)),
    });
    exitCode = result.exitCode;
  } catch (error) {
    const failure = failureOf(error);
    exitCode = failure.exitCode;
    said.stderr += failure.text;
  }
  const milliseconds = Math.round(performance.now() - start);
  const failure =
    exitCode === exitCodes.cancelled
      ? `ended after ${timeoutMs / 1000} s`
      : judge(program, exitCode, said.stdout, said.stderr);
  return { passed: failure === '', failure, milliseconds };
}

/** A copy of the program's folder, at the same distance from a copy of check.h. */
function freshCopy({ name, sources }: Program, root: string): { sources: string[]; writableFolder: string } {
  const writableFolder = join(root, name);
  rmSync(writableFolder, { recursive: true, force: true });
  cpSync(join(programFolder, name), writableFolder, { recursive: true });
  cpSync(join(programFolder, 'check.h'), join(root, 'check.h'));
  const beside = dirname(name);
  for (const header of readdirSync(join(programFolder, beside)).filter((entry) => entry.endsWith('.h')))
    cpSync(join(programFolder, beside, header), join(root, beside, header));
  return { sources: sources.map((source) => join(root, relative(programFolder, source))), writableFolder };
}

/** As `simsight nvcc` does. */
async function makeImages({ images = {} }: Program, folder: string, cacheFolder: string): Promise<void> {
  for (const [name, source] of Object.entries(images)) {
    const request = { sources: [join(folder, source)], includeFolders: [], defines: [] };
    const { image } = await makeImage({ ...request, computeCapability: { major: 9, minor: 0 } }, { cacheFolder });
    writeFileSync(join(folder, name), image);
  }
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

function judge(program: Program, code: number, stdout: string, stderr: string): string {
  const { expectExit, expectOutput, expectError } = program;
  const said = firstLine(stderr) || firstLine(stdout) || 'nothing printed';
  if (expectOutput !== undefined && !new RegExp(`^${expectOutput}$`).test(stdout)) {
    return firstLine(stderr) || `prints ${JSON.stringify(firstLine(stdout))}`;
  }
  if (expectExit !== undefined && code !== expectExit) return `exit code ${code}, not ${expectExit}: ${said}`;
  if (expectError !== undefined && !new RegExp(expectError, 'm').test(stderr)) return `stderr: ${firstLine(stderr)}`;
  return '';
}
