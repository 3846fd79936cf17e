/**
 * Module images: what `simsight nvcc` writes in place of a cubin. Machine code would be of no use here, and of one GPU: an image holds
 * the source with the user's headers and its options, and is compiled for the GPU of the recording when a program loads it.
 */
import { basename, dirname, resolve } from 'node:path';
import { compilerPath } from '../base/compiler-paths.ts';
import { SimsightError } from '../base/errors.ts';
import { imageBody, imageOf } from '../base/module-image.ts';
import type { CacheOptions } from './cache.ts';
import { checkPasses, compiled, devicePass, unitOf, type Unit } from './units.ts';
import { checkIncludeFolder, languageOf, layOut, withinFolders, type Refusal } from './sources.ts';
import type { CompileRequest, DeviceSource } from './types.ts';

/** Contents of an image; paths are absolute, as they were where it was made. */
interface ImageBody {
  source: string;
  includeFolders: string[];
  defines: string[];
  standard?: string;
  files: [path: string, text: string][];
}

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
  const unit = unitOf(
    source,
    { ...request, sources: [source], includeFolders },
    mayRead,
    (one) => void refusals.push(one),
  );
  if (unit.cccl !== null)
    throw new SimsightError(
      'unsupported-construct',
      `${basename(source)} includes Thrust, CUB or libcu++ from a copy on this machine, which a module image cannot hold.`,
      'Name the file as a source of the program.',
      { file: source },
    );
  const passes = await devicePasses(unit, options);
  const { text: warnings } = checkPasses(passes, source, { refusals, isGranted: false, includeFolders });
  const { defines, standard } = request;
  const files = [...unit.userFiles].map(([path, bytes]): [string, string] => [path, new TextDecoder().decode(bytes)]);
  const body: ImageBody = { source, includeFolders, defines, ...(standard === undefined ? {} : { standard }), files };
  return { image: imageOf(JSON.stringify(body)), warnings };
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
  const body = bodyOf(image);
  if (body === null)
    throw new SimsightError(
      'unsupported-construct',
      'The program loads a module image that is damaged.',
      'Make it again with "simsight nvcc".',
    );
  const { source, includeFolders, defines, standard, files } = body;
  const request = { sources: [source], includeFolders, defines, computeCapability };
  const encoder = new TextEncoder();
  const userFiles = new Map(files.map(([path, text]) => [path, encoder.encode(text)] as const));
  const unit: Unit = {
    ...{ source, language: 'cuda', userFiles, files: layOut(userFiles), cccl: null },
    translation: {
      request: standard === undefined ? request : { ...request, standard },
      source: compilerPath(source),
      includeFolders: includeFolders.map(compilerPath),
      sourceFolder: compilerPath(dirname(source)),
    },
  };
  const passes = await devicePasses(unit, options);
  checkPasses(passes, source, { refusals: [], isGranted: false, includeFolders: [] });
  const text = new Map(files).get(source)!;
  return { source, ir: new TextDecoder().decode(passes[0]!.outputs[0]![1]), text };
}

const devicePasses = (unit: Unit, options: CacheOptions) =>
  compiled([unit], async ([one]) => [await devicePass(one!, options)]);

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** Null for what `makeImage` did not write. */
function bodyOf(image: Uint8Array): ImageBody | null {
  const text = imageBody(image);
  let body: Partial<ImageBody> | null;
  try {
    body = text === null ? null : (JSON.parse(text) as ImageBody);
  } catch {
    return null;
  }
  if (body === null || typeof body !== 'object') return null;
  const { source, includeFolders, defines, standard, files } = body;
  if (!isText(source) || !areTexts(includeFolders) || !areTexts(defines)) return null;
  if (standard !== undefined && (!isText(standard) || !/^(?:c|gnu)\+\+\w\w$/.test(standard))) return null;
  if (!Array.isArray(files) || !files.every((file) => areTexts(file) && file.length === 2)) return null;
  if (!files.some(([path]) => path === source) || !compilerPath(source).startsWith('/')) return null;
  return { source, includeFolders, defines, ...(standard === undefined ? {} : { standard }), files };
}
