/**
 * The pass over a unit's device side. Small sources go through it in one run of Clang. For those that may be large, its front end makes
 * bitcode first: what the optimizer makes of that is the same, but it can be given it again, or one kernel at a time (kernels-apart.ts).
 */
import { compilerPath } from '../base/compiler-paths.ts';
import { SimsightError } from '../base/errors.ts';
import { isCached, runCached, type CachedResult, type CacheOptions } from './cache.ts';
import { withMath } from './device-math.ts';
import { deviceArguments, deviceFrontArguments, deviceOptimizerArguments, deviceTextArguments } from './flags.ts';
import type { Translation } from './flags.ts';
import { kernelsApart } from './kernels-apart.ts';
import { compiledSource, type Compiled } from './limits.ts';
import { undefinedIn } from './link-device.ts';
import { withStandardHeaders } from './precompiled.ts';
import type { LaterKernels } from './types.ts';
import { mayNest, needsRelocatable, orRelocatable, type PassResult, type Unit } from './units.ts';

/** Code that grows by more than this is not worth the arrays that it saves. */
const mostGrowth = 4;

/** Kernels of sources with more bitcode than this are optimized one by one: it takes the optimizer seconds. */
const largeBytes = 50_000;
/** Sources with so many kernels may be large; so may those whose kernels are templates. */
const manyKernels = 8;

/**
 * The unit's IR, as text. `mayWait`: where it is large, its kernels are left to be optimized later (`apart` in the result), and
 * the IR is not yet optimized. Errors: `budget-exceeded`, `cancelled`.
 */
export async function devicePass(unit: Unit, options: CacheOptions, mayWait = false): Promise<PassResult> {
  const { translation } = unit;
  const relocatable: Translation = { ...translation, relocatable: true };
  if (mayNest(unit)) {
    const front = await frontOf(unit, relocatable, options);
    // What is wrong with it otherwise, it says as well.
    if (front.outcome !== 'success') return { ...front, nests: true };
    // Without relocatable device code, none would come out.
    if (hasLaunches(front)) return { ...(await optimizedPass(unit, relocatable, front, options)), nests: true };
  }
  const isSmall = translation.isModule !== true && !mayBeLarge(unit);
  if (isSmall || (await isCached(runOf(unit, relocatable), options))) return inOne(unit, translation, options);
  const front = await frontOf(unit, translation, options);
  if (needsRelocatable(front)) {
    const again = await frontOf(unit, relocatable, options);
    return again.outcome === 'success' ? optimizedPass(unit, relocatable, again, options) : again;
  }
  return front.outcome === 'success' ? optimizedPass(unit, translation, front, options, mayWait) : front;
}

/** What Clang's front end makes of the unit, as bitcode. */
const frontOf = (unit: Unit, translation: Translation, options: CacheOptions): Promise<CachedResult> =>
  runCached({ ...runOf(unit, translation), arguments: deviceFrontArguments(translation) }, options, (run) =>
    withStandardHeaders(run, translation, 'device', unit.userFiles, options),
  );

/** Name of the function that Clang makes of a launch in device code. */
const launchFunction = 'cudaLaunchDevice';
const hasLaunches = ({ outputs }: CachedResult): boolean => Buffer.from(outputs[0]![1]).includes(launchFunction);

async function optimizedPass(
  { source, userFiles, cccl: library }: Unit,
  translation: Translation,
  front: CachedResult,
  options: CacheOptions,
  mayWait = false,
): Promise<PassResult> {
  const of = compiledSource(source);
  const made: InputFile = ['/unit.bc', front.outputs[0]![1]];
  const bitcode = translation.isModule === true ? await withWrittenStatics(made, of, options) : made;
  const optimized = (file: InputFile): Promise<CachedResult> =>
    asFarAsWorthwhile((unrollsFar) => {
      const words = deviceOptimizerArguments({ ...translation, unrollsFar }, file[0]);
      return runCached({ arguments: words, files: [file], outputs: ['-'], of }, options);
    });
  if (mayWait && translation.linkedAs === undefined && bitcode[1].length >= largeBytes) {
    const text = await runCached(
      { arguments: deviceTextArguments(bitcode[0]), files: [bitcode], outputs: ['-'], of },
      options,
    );
    const apart = text.outcome === 'success' ? keptApart(irOf(text), translation, optimized) : null;
    if (apart !== null) return { ...front, outputs: text.outputs, apart };
  }
  const result = withMathOf(translation, await optimized(bitcode));
  const messages = front.messages + (library === null ? placed(result.messages, userFiles) : '');
  return { ...result, messages, cached: front.cached && result.cached };
}

type InputFile = [path: string, bytes: Uint8Array];

/** To Clang, static variables that no code writes never change. */
async function withWrittenStatics(bitcode: InputFile, of: Compiled, options: CacheOptions): Promise<InputFile> {
  const words = deviceTextArguments(bitcode[0]);
  const text = await runCached({ arguments: words, files: [bitcode], outputs: ['-'], of }, options);
  if (text.outcome !== 'success') return bitcode;
  const ir = irOf(text).replaceAll(
    /^(@\S+ = internal (?:\w+ )*addrspace\((?:1\)(?= global )|4\))) /gm,
    '$1 externally_initialized ',
  );
  return ['/unit.ll', new TextEncoder().encode(ir)];
}

/** By its text, in time that grows with its length. */
function mayBeLarge({ userFiles, cccl: library }: Unit): boolean {
  if (library !== null) return true;
  let kernels = 0;
  for (const bytes of userFiles.values()) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const own = text.match(/\b__global__\b/g)?.length ?? 0;
    if (own > 0 && /\btemplate\b/.test(text)) return true;
    kernels += own;
  }
  return kernels >= manyKernels;
}

const runOf = ({ source, files, cccl: library }: Unit, translation: Translation) => ({
  arguments: deviceArguments(translation),
  files,
  library,
  outputs: ['-'],
  of: compiledSource(source),
});

/** The pass as one run of Clang. */
async function inOne(unit: Unit, own: Translation, options: CacheOptions): Promise<CachedResult> {
  const result = await asFarAsWorthwhile((unrollsFar) =>
    orRelocatable({ ...own, unrollsFar }, options, {
      runOf: (translation) => runOf(unit, translation),
      faster: (run, translation) => withStandardHeaders(run, translation, 'device', unit.userFiles, options),
    }),
  );
  return withMathOf(own, result);
}

/** Where arrays of threads are left in memory, loops are unrolled as far as nvcc would, which makes registers of most. */
async function asFarAsWorthwhile(pass: (unrollsFar: boolean) => Promise<CachedResult>): Promise<CachedResult> {
  const usual = await pass(false);
  const arrays = arraysIn(usual);
  if (arrays === 0) return usual;
  const far = await pass(true).catch(unlessTooMuch);
  if (far === null) return usual;
  const grows = (far.outputs[0]?.[1].length ?? Infinity) / (usual.outputs[0]?.[1].length ?? 1);
  return far.outcome === 'success' && arraysIn(far) < arrays && grows <= mostGrowth ? far : usual;
}

const irOf = ({ outputs }: CachedResult): string => new TextDecoder().decode(outputs[0]![1]);

/** The IR as the unit's options of floating point have it. */
function withMathOf({ request: { math } }: Translation, pass: CachedResult): CachedResult {
  if (math === undefined || pass.outcome !== 'success') return pass;
  const [name] = pass.outputs[0]!;
  return { ...pass, outputs: [[name, new TextEncoder().encode(withMath(irOf(pass), math))]] };
}

/** A pass that is only an attempt may exceed its limits. */
function unlessTooMuch(error: unknown): null {
  if (error instanceof SimsightError && error.code === 'budget-exceeded') return null;
  throw error;
}

/** Arrays of threads that are left in the IR of a pass. */
function arraysIn(pass: CachedResult): number {
  return pass.outcome === 'success' ? (irOf(pass).match(/ = alloca \[/g)?.length ?? 0) : 0;
}

/** Kernels that are to be optimized when they are needed; null where they have to be together. */
function keptApart(
  ir: string,
  translation: Translation,
  optimized: (file: InputFile) => Promise<CachedResult>,
): PassResult['apart'] | null {
  // What is called where it cannot come to is known when all has been optimized.
  const apart = undefinedIn(ir).length > 0 ? null : kernelsApart(ir);
  if (apart === null) return null;
  const known = new Map<string, Promise<string>>();
  const compiled = async (name: string): Promise<string> => {
    const result = withMathOf(
      translation,
      await optimized(['/kernel.ll', new TextEncoder().encode(apart.kernel(name))]),
    );
    if (result.outcome === 'success') return irOf(result);
    throw new SimsightError('internal', `The kernel ${name} cannot be optimized: ${result.messages}`);
  };
  const later: LaterKernels = {
    names: apart.names,
    irOf: (name) => {
      if (!known.has(name)) known.set(name, compiled(name));
      return known.get(name)!;
    },
  };
  return { variables: apart.variables, later };
}

const ofOptimizer = /^warning: (.+?):(\d+:\d+): (.*)$/gm;

/** The optimizer's messages as they are where it has the source at hand: of the user's files, with their place in front. */
function placed(messages: string, userFiles: ReadonlyMap<string, Uint8Array>): string {
  const own = new Set([...userFiles.keys()].map(compilerPath));
  return [...messages.matchAll(ofOptimizer)]
    .filter(([, file]) => own.has(file!))
    .map(([, file, place, text]) => `${file}:${place}: warning: ${text}\n`)
    .join('');
}
