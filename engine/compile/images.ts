/** Module images: what `simsight nvcc` writes in place of a cubin, and compiles when a program loads it. */
import { basename, dirname, join, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { imageBody, imageOf } from '../base/module-image.ts';
import { root } from '../base/paths.ts';
import type { CacheOptions } from './cache.ts';
import { devicePass } from './device-pass.ts';
import { checkDefined, linkDevice } from './link-device.ts';
import { readPtx } from './ptx/reader.ts';
import { cudaOfPtx } from './ptx/writer.ts';
import { checkIncludeFolder, languageOf, withinFolders, type Refusal } from './sources.ts';
import { checkedUnit, storedUnit, textOf, unitOfStored, type StoredUnit } from './stored-units.ts';
import { asLinked, checkPasses, compiled, unitFrom, unitOf, type Unit } from './units.ts';
import type { CompileRequest, DeviceSource } from './types.ts';

/** A compiled image, and its source's text. */
export interface CompiledImage extends DeviceSource {
  text: string;
}

/**
 * The image of one `.cu` file, and Clang's warnings. It is compiled once, for what errors there are. Errors: those of
 * {@link import('./index.ts').compileProgram}.
 */
export async function makeImage(
  request: CompileRequest,
  options: CacheOptions,
): Promise<{ image: Uint8Array<ArrayBuffer>; warnings: string }> {
  const source = resolve(request.sources[0]!);
  if (languageOf(source) !== 'cuda')
    throw new SimsightError('usage', `${basename(source)} is no .cu file.`, 'Name the source of the kernels.');
  const includeFolders = request.includeFolders.map((folder) => resolve(folder));
  includeFolders.forEach(checkIncludeFolder);
  const refusals: Refusal[] = [];
  const mayRead = withinFolders([dirname(source), ...includeFolders]);
  const onRefused = (one: Refusal): void => void refusals.push(one);
  const unit = unitOf(source, { ...request, sources: [source], includeFolders }, { mayRead, onRefused });
  return { image: imageOfUnit(unit), warnings: await imageWarnings(unit, refusals, options) };
}

/**
 * The image of a unit, which is not compiled for it. Errors: `unsupported-construct` where it includes CCCL, as no file is read when a program
 * loads an image.
 */
export function imageOfUnit(unit: Unit): Uint8Array<ArrayBuffer> {
  if (unit.cccl !== null)
    throw new SimsightError(
      'unsupported-construct',
      `${basename(unit.source)} includes Thrust, CUB or libcu++ from a copy on this machine, which module images cannot hold.`,
      'Name the file as a source of the program that is recorded.',
      { file: unit.source },
    );
  return imageOf(JSON.stringify(storedUnit(unit)));
}

/** Compiles its device side. Errors: {@link import('./diagnostics.ts').CompileError}. */
export async function imageWarnings(unit: Unit, refusals: readonly Refusal[], options: CacheOptions): Promise<string> {
  return checkPasses(await modulePass(unit, options), unit.source, {
    refusals,
    isGranted: false,
    includeFolders: unit.translation.request.includeFolders,
  }).text;
}

/**
 * The device side of an image for a GPU. A program hands the image over, so it may be anything: only what is in it is compiled, and no
 * file is read. Errors: `unsupported-construct` for what is no image, and those of Clang.
 */
export async function compileImage(
  image: Uint8Array,
  computeCapability: CompileRequest['computeCapability'],
  options: CacheOptions,
): Promise<CompiledImage> {
  const stored = unitsIn(image);
  if (stored?.every((each) => 'ptx' in each || (each.language === 'cuda' && each.cccl === undefined)) !== true)
    throw new SimsightError(
      'unsupported-construct',
      'The program loads a module image that is damaged.',
      'Make it again with "simsight nvcc".',
    );
  const units = stored.map((each) =>
    'ptx' in each ? unitOfPtx(each, computeCapability) : unitOfStored(each, computeCapability),
  );
  const parts = await Promise.all(
    units.map(async (unit): Promise<DeviceSource> => {
      const { source, translation } = unit;
      const passes = await modulePass(units.length > 1 ? asLinked(unit) : unit, options);
      checkPasses(passes, source, { refusals: [], isGranted: false, includeFolders: [] });
      const { maxRegisters } = translation.request;
      const ir = new TextDecoder().decode(passes[0]!.outputs[0]![1]);
      return { source, ir, ...(maxRegisters === undefined ? {} : { maxRegisters }) };
    }),
  );
  if (parts.length === 1) await checkDefined(parts[0]!.ir, parts, options);
  const text = stored.map((each, i) => ('ptx' in each ? each.ptx : textOf(units[i]!))).join('\n');
  return { ...(parts.length > 1 ? await linkDevice(parts, options) : parts[0]!), text };
}

/** The pass over a unit that becomes a module. */
export const modulePass = ({ translation, ...unit }: Unit, options: CacheOptions) =>
  compiled([{ ...unit, translation: { ...translation, isModule: true } }], async ([one]) => [
    await devicePass(one!, options),
  ]);

interface StoredPtx {
  ptx: string;
}

const isPtx = (value: unknown): value is StoredPtx => typeof (value as StoredPtx | null)?.ptx === 'string';

/** The C++ that stands for PTX. Errors: `unsupported-construct` for what is not supported. */
function unitOfPtx({ ptx }: StoredPtx, computeCapability: CompileRequest['computeCapability']): Unit {
  const name = 'module.ptx';
  const source = join(root, name);
  const text = cudaOfPtx(readPtx(ptx, name), name);
  const request = { sources: [source], includeFolders: [], defines: [], computeCapability };
  return unitFrom(source, 'cuda', request, new Map([[source, new TextEncoder().encode(text)]]));
}

/** One, or those that are to be linked. */
function unitsIn(image: Uint8Array): (StoredUnit | StoredPtx)[] | null {
  const text = imageBody(image);
  try {
    const value: unknown = text === null ? null : JSON.parse(text);
    const units = (Array.isArray(value) ? value : [value]).map((each) => (isPtx(each) ? each : checkedUnit(each)));
    return units.length > 0 && units.every((unit) => unit !== null) ? units : null;
  } catch {
    return null;
  }
}
