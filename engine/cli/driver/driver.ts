/**
 * A compiler driver: what `simsight nvcc`, `cc` and `c++` do with a command line. An object holds the source with its headers and
 * options, once it has been compiled without an error; a program holds the objects that it is linked of, once that has been done as well. Both are compiled
 * again, or taken from the cache, for the GPU of the recording.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileError } from '../../base/errors.ts';
import {
  asLinked,
  checkDeviceLink,
  checkUnit,
  compileObject,
  CompileError,
  dependencies,
  imageOfUnit,
  imageWarnings,
  languageByName,
  objectBytes,
  preprocessed,
  releaseCompiler,
  storedUnit,
  unitOf,
  type Unit,
} from '../../compile/index.ts';
import { defaultGpu, gpuById } from '../../gpus/index.ts';
import { dataFolder, printError, usageError } from '../command.ts';
import { archiveOf } from './archive.ts';
import { linkInputs } from './inputs.ts';
import type { DriverName, DriverOptions, Input } from './options.ts';
import { identityOf, wordsOfToolkit } from './toolkit-words.ts';

interface Driver {
  name: DriverName;
  options: DriverOptions;
  cache: { cacheFolder: string };
}

/** Does what the command line says. Errors: {@link CompileError}, `usage`, those of files. */
export async function drive(name: DriverName, options: DriverOptions): Promise<void> {
  for (const text of options.notes) printError(`${name}: ${text}.\n`);
  if (name === 'nvcc' && options.shown !== null) printError(wordsOfToolkit(options));
  if (options.shown === 'only') return;
  const driver = { name, options, cache: { cacheFolder: join(dataFolder(), 'cache') } };
  try {
    await steps[options.phase](driver);
  } finally {
    releaseCompiler();
  }
}

const isSource = ({ path, language }: Input): boolean => language !== undefined || languageByName(path) !== undefined;
/** Objects are told from sources by name alone, as compilers do. */
const isLinked = (input: Input): boolean => /\.(?:o|obj|a|lib|so(?:\.\d+)*)$/.test(input.path) || !isSource(input);

const steps: Readonly<Record<DriverOptions['phase'], (driver: Driver) => Promise<void>>> = {
  version: () => Promise.resolve(),
  compile: (driver) => eachSource(driver, '.o', compile),
  preprocess: preprocess,
  dependencies: (driver) =>
    eachSource(driver, null, async (unit, target) => emit(target, await ruleOf(driver, unit, null))),
  fatbin: (driver) => eachSource(driver, '.fatbin', image),
  cubin: (driver) => eachSource(driver, '.cubin', image),
  ptx: (driver) => eachSource(driver, '.ptx', image),
  'device-link': deviceLink,
  library,
  link,
};

function unitFor({ name, options }: Driver, { path, language }: Input): Unit {
  const source = resolve(path);
  const { computeCapability, relocatable, openmp } = options;
  const request = {
    ...options.source,
    sources: [source],
    computeCapability: computeCapability ?? gpuById(defaultGpu).computeCapability,
  };
  // To gcc's `g++` a file in C is one in C++.
  const given = language ?? (name === 'c++' && languageByName(path) === 'c' ? 'c++' : undefined);
  const unit = unitOf(source, request, { language: given });
  if (openmp) Object.assign(unit.translation, { openmp });
  return relocatable && unit.language === 'cuda' ? asLinked(unit) : unit;
}

type Step = (unit: Unit, target: string | null, driver: Driver) => Promise<void>;

/** Does a step for each source; `ending`: of the file that it makes, where the command line names none; null: none is made. */
async function eachSource(driver: Driver, ending: string | null, step: Step): Promise<void> {
  const { name, options } = driver;
  const sources = options.inputs.filter((input) => !isLinked(input));
  const [other] = options.inputs.filter(isLinked);
  // As gcc and nvcc do.
  if (other !== undefined && sources.length === 0)
    throw usageError(
      `${name}: ${other.path} is not a source that Simsight compiles.`,
      'Sources end in .cu, .c, .cc, .cpp, .cxx.',
    );
  if (sources.length > 1 && options.output !== undefined && ending !== null)
    throw usageError(`${name}: one output for several sources.`, 'Leave out -o, or compile them one by one.');
  for (const source of sources) {
    const named = ending === null ? null : `${basename(source.path, extname(source.path))}${ending}`;
    const target = options.output ?? (named === null ? null : join(options.outputFolder ?? '.', named));
    await step(unitFor(driver, source), target, driver);
  }
}

/** Null: standard output. */
function emit(target: string | null, content: string | Uint8Array): void {
  if (target === null || target === '-') return void process.stdout.write(content);
  try {
    writeFileSync(target, content);
  } catch (error) {
    throw fileError(error as NodeJS.ErrnoException, target) ?? error;
  }
}

async function compile(unit: Unit, target: string | null, driver: Driver): Promise<void> {
  printError(await checkUnit(unit, [], driver.cache));
  if (driver.options.dependencies.wanted) {
    const { file = target!.replace(/\.[^./]*$/, '.d') } = driver.options.dependencies;
    emit(file, await ruleOf(driver, unit, target));
  }
  emit(target, objectBytes({ units: [storedUnit(unit)] }, 'object'));
}

function ruleOf(
  { options: { dependencies: wanted, output } }: Driver,
  unit: Unit,
  object: string | null,
): Promise<string> {
  const usual = object ?? output ?? `${basename(unit.source, extname(unit.source))}.o`;
  const targets = wanted.targets.length > 0 ? wanted.targets : [usual];
  return dependencies(unit, { targets, phony: wanted.phony });
}

async function preprocess(driver: Driver): Promise<void> {
  const { output, dependencies: rule } = driver.options;
  await eachSource(driver, null, async (unit) => {
    emit(output ?? null, await preprocessed(unit));
    if (rule.file !== undefined) emit(rule.file, await ruleOf(driver, unit, null));
  });
}

async function image(unit: Unit, target: string | null, { name, cache }: Driver): Promise<void> {
  if (unit.language !== 'cuda')
    throw usageError(`${name}: ${basename(unit.source)} is no .cu file.`, 'Name the source of the kernels.');
  printError(await imageWarnings(unit, [], cache));
  emit(target, imageOfUnit(unit));
}

/** All that is linked: sources, which are compiled first, objects and archives. */
async function objectFor(driver: Driver): Promise<ReturnType<typeof linkInputs>> {
  const { options, cache } = driver;
  const { inputs } = options;
  const found = linkInputs(
    inputs.filter(isLinked).map(({ path }) => path),
    options,
  );
  const compiled = [];
  for (const input of inputs.filter((each) => !isLinked(each))) {
    const unit = unitFor(driver, input);
    printError(await checkUnit(unit, [], cache));
    compiled.push(storedUnit(unit));
  }
  return { ...found, object: { ...found.object, units: [...compiled, ...found.object.units] } };
}

const capabilityOf = ({ computeCapability }: DriverOptions) =>
  computeCapability ?? gpuById(defaultGpu).computeCapability;

async function link(driver: Driver): Promise<void> {
  const { name, options, cache } = driver;
  const { object, missing } = await objectFor(driver);
  if (object.units.length === 0) throw usageError(`${name}: there is nothing to link.`, 'Name objects or sources.');
  if (options.shared) return emit(options.output ?? 'a.out', objectBytes(object, 'object'));
  const { host } = await compileObject(object, capabilityOf(options), cache).catch((error: unknown) => {
    throw withLibraries(error, missing);
  });
  const target = options.output ?? 'a.out';
  emit(target, Buffer.concat([objectBytes(object, 'program'), identityOf(host)]));
  chmodSync(target, 0o755);
}

/** A symbol that is missing may be one of a library that is. */
function withLibraries(error: unknown, missing: readonly string[]): unknown {
  if (!(error instanceof CompileError) || missing.length === 0 || !/^undefined /.test(error.message)) return error;
  const names = missing.join(', ');
  const remedy = `Of its libraries ${names} ${missing.length === 1 ? 'is' : 'are'} not simulated, nor built here. ${error.remedy}`;
  return new CompileError(error.message, remedy, error.place, error.diagnostics, error.details ?? '');
}

/** Device code of several files is linked with the program; here it is tried, for what errors there are. */
async function deviceLink(driver: Driver): Promise<void> {
  const { object } = await objectFor(driver);
  await checkDeviceLink(object, capabilityOf(driver.options), driver.cache);
  emit(driver.options.output ?? 'a_dlink.o', objectBytes({ units: [], deviceLink: true }, 'object'));
}

async function library(driver: Driver): Promise<void> {
  const { options } = driver;
  const { object } = await objectFor(driver);
  const members = [...object.units, ...(object.optional ?? [])].map((unit, i): [string, Uint8Array] => [
    `${basename(unit.source, extname(unit.source))}_${i}.o`,
    objectBytes({ units: [unit] }, 'object'),
  ]);
  emit(options.output ?? 'a.a', archiveOf(members));
}
