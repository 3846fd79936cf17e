/** Modules and libraries of the driver API, from PTX and the images that `simsight nvcc` writes. A library is a module of the current context. */
import { imageBytes, imageLineBytes, imageOfPtx, joinedImages } from '../../base/module-image.ts';
import { SimsightError } from '../../base/errors.ts';
import type { ApiFunction, CudaCall } from '../runtime/api.ts';
import type { CudaContext, ModuleState } from '../runtime/context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { unmeasured } from './codes.ts';

const { Success, InvalidValue, InvalidResourceHandle } = cudaError;
const invalidImage = cudaError.InvalidKernelImage;
const notFound = cudaError.SymbolNotFound;

/** What begins otherwise: the first bytes of nvcc's files, and what they are. */
const foreign: readonly [begin: RegExp, what: string][] = [
  [/^\x7fELF/, 'machine code for a GPU (a cubin)'],
  [/^(?:\x50\xed\x55\xba|\xb1\x43\x62\x46)/, 'a fatbin'],
];
const ptxBegin = /^(?:\s|\/\/[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*\.(?:version|target|address_size)\b/;
/** Bytes of which that is seen. */
const lookedAt = 4096;

const isPtx = (begin: Uint8Array): boolean => ptxBegin.test(new TextDecoder('latin1').decode(begin.slice(0, lookedAt)));

/** Throws where an image is one of nvcc's: what would have to be done is in no code that a program could answer to. */
function refuseForeign(name: string, begin: Uint8Array): void {
  const text = new TextDecoder('latin1').decode(begin.slice(0, lookedAt));
  const what = foreign.find(([pattern]) => pattern.test(text))?.[1];
  if (what === undefined) return;
  throw new SimsightError(
    'unsupported-construct',
    `${name} was handed ${what} as nvcc makes it, which Simsight cannot execute.`,
    'For the recording, make the file with "simsight nvcc -fatbin KERNELS.cu -o FILE" in place of nvcc: that keeps the source, which is compiled when it is loaded.',
  );
}

/** The image at an address of the program's; an error code for what is none. */
export function imageAt(context: CudaContext, name: string, address: number): Uint8Array | number {
  const { memory } = context;
  if (!memory.contains(address, 1)) return InvalidValue;
  const begin = memory.bytes(address, Math.min(lookedAt, memory.byteLength - address)).slice();
  const bytes = begin.length < imageLineBytes ? null : imageBytes(begin);
  if (bytes === null) {
    if (isPtx(begin)) return imageOfPtx(memory.text(address));
    refuseForeign(name, begin);
    return invalidImage;
  }
  return memory.contains(address, bytes) ? memory.bytes(address, bytes).slice() : invalidImage;
}

export function imageIn(context: CudaContext, name: string, file: number): Uint8Array | number {
  const image = context.readFile(context.memory.text(file));
  if (image === null) return cudaError.FileNotFound;
  if (imageBytes(image) === image.length) return image;
  if (isPtx(image)) return imageOfPtx(new TextDecoder().decode(image).replace(/\0[^]*/, ''));
  refuseForeign(name, image);
  return invalidImage;
}

function load(context: CudaContext, target: number, image: Uint8Array | number): number {
  if (typeof image === 'number') return image;
  if (target === 0) return InvalidValue;
  const names = context.options.loadImage?.(image);
  if (!names) return cudaError.NotSupported;
  const managed = context.device.variables.find(
    ({ name, managed }) => managed && [...names.variables.values()].includes(name),
  );
  if (managed)
    throw new SimsightError(
      'unsupported-construct',
      `The managed variable ${managed.name} is in a module that the program loads, which is not simulated.`,
      'Make it a __device__ variable, or have it in a source of the program itself.',
    );
  const handle = context.newHandle();
  const { context: current, current: device } = context.thread;
  const owner = (current ?? context.primaryOf(device)).handle;
  context.modules.set(handle, { ...names, handle, context: owner, functions: new Map() });
  context.memory.setWord(target, handle);
  return Success;
}

/** Its functions are gone; its variables keep their memory, which nothing names any more. */
export function unload(context: CudaContext, module: ModuleState): void {
  for (const handle of module.functions.values()) context.kernels.delete(handle);
  context.modules.delete(module.handle);
}

/** Handle of a function of a module; null where it has none of that name. */
function functionOf(context: CudaContext, module: ModuleState, name: string): number | null {
  const known = module.functions.get(name);
  if (known !== undefined) return known;
  const own = module.kernels.get(name);
  if (own === undefined) return null;
  const handle = context.newFunctionHandle();
  context.kernels.set(handle, own);
  module.functions.set(name, handle);
  return handle;
}

const giveFunction: ApiFunction = (context, _call, target, handle, name) => {
  const module = context.modules.get(handle!);
  if (!module) return InvalidResourceHandle;
  if (target === 0 || name === 0) return InvalidValue;
  const found = functionOf(context, module, context.memory.text(name!));
  if (found === null) return notFound;
  context.memory.setWord(target!, found);
  return Success;
};

const giveVariable: ApiFunction = (context, _call, target, size, handle, name) => {
  const module = context.modules.get(handle!);
  if (!module) return InvalidResourceHandle;
  if (name === 0) return InvalidValue;
  const text = context.memory.text(name!);
  // Static ones outside of namespaces have their plain names with nvcc.
  const own = module.variables.get(text) ?? module.variables.get(`_ZL${text.length}${text}`);
  const all = context.device.variables.filter((variable) => variable.name === own);
  const found = all.find(({ gpu = 0 }) => gpu === context.current.index);
  if (own === undefined || !found) return notFound;
  if (target !== 0) context.memory.setWord(target!, found.address);
  if (size !== 0) context.memory.setWord(size!, found.size);
  return Success;
};

const countFunctions: ApiFunction = (context, _call, target, handle) => {
  const module = context.modules.get(handle!);
  if (!module) return InvalidResourceHandle;
  context.memory.setU32(target!, module.kernels.size);
  return Success;
};

const listFunctions: ApiFunction = (context, _call, target, count, handle) => {
  const module = context.modules.get(handle!);
  if (!module) return InvalidResourceHandle;
  const names = [...module.kernels.keys()].slice(0, count!);
  names.forEach((name, i) => context.memory.setWord(target! + 8 * i, functionOf(context, module, name)!));
  return Success;
};

const unloadModule: ApiFunction = (context, _call, handle) => {
  const module = context.modules.get(handle!);
  if (!module) return InvalidResourceHandle;
  unload(context, module);
  return Success;
};

/** `CUjit_option`: addresses of logs, and how long they are. */
const jitOption = { infoLog: 3, infoLogBytes: 4, errorLog: 5, errorLogBytes: 6 };
const mostJitOptions = 64;

/** Nothing is said: kernels are compiled, or refused, elsewhere. */
function emptyLogs(context: CudaContext, count: number, options: number, values: number): void {
  const { memory } = context;
  for (let i = 0; i < Math.min(count, mostJitOptions); i++) {
    const [option, value] = [memory.u32(options + 4 * i), values + 8 * i];
    const log = memory.word(value);
    if (option === jitOption.infoLogBytes || option === jitOption.errorLogBytes) memory.setWord(value, 0);
    else if ((option === jitOption.infoLog || option === jitOption.errorLog) && log !== 0) memory.bytes(log, 1)[0] = 0;
  }
}

/** `CU_JIT_INPUT_LIBRARY`. */
const libraryInput = 4;
/** What kernels that launch kernels are linked with: it is part of the simulated GPU. */
const isDeviceRuntime = (context: CudaContext, type: number, file: number): boolean =>
  type === libraryInput && /(?:^|[/\\])(?:lib)?cudadevrt\.(?:a|lib)$/.test(context.memory.text(file));

/** Takes an image to link. */
function addToLink(context: CudaContext, handle: number, image: Uint8Array | number): number {
  const linker = context.linkers.get(handle);
  if (!linker) return InvalidResourceHandle;
  if (typeof image === 'number') return image;
  linker.images.push(image);
  return Success;
}

const completeLink: ApiFunction = (context, _call, handle, target, size) => {
  const linker = context.linkers.get(handle!);
  if (!linker) return InvalidResourceHandle;
  if (target === 0 || linker.images.length === 0) return InvalidValue;
  const image = linker.images.length > 1 ? joinedImages(linker.images) : linker.images[0]!;
  if (image === null) return invalidImage;
  linker.address ||= context.malloc(image.length);
  if (linker.address === 0) return cudaError.MemoryAllocation;
  context.memory.bytes(linker.address, image.length).set(image);
  context.memory.setWord(target!, linker.address);
  if (size !== 0) context.memory.setWord(size!, image.length);
  return Success;
};

const fromMemory = (name: string): CudaCall =>
  unmeasured((context, _call, target, image) => load(context, target!, imageAt(context, name, image!)));
const fromFile = (name: string): CudaCall =>
  unmeasured((context, _call, target, file) => load(context, target!, imageIn(context, name, file!)));

export const moduleCalls: Record<string, CudaCall> = {
  cuModuleLoad: fromFile('cuModuleLoad'),
  cuModuleLoadData: fromMemory('cuModuleLoadData'),
  cuModuleLoadDataEx: unmeasured((context, _call, target, image, count, options, values) => {
    emptyLogs(context, count!, options!, values!);
    return load(context, target!, imageAt(context, 'cuModuleLoadDataEx', image!));
  }),
  cuModuleLoadFatBinary: fromMemory('cuModuleLoadFatBinary'),
  cuModuleUnload: unmeasured(unloadModule),
  cuModuleGetFunction: unmeasured(giveFunction),
  cuModuleGetFunctionCount: unmeasured(countFunctions),
  cuModuleEnumerateFunctions: unmeasured(listFunctions),
  cuModuleGetGlobal_v2: unmeasured(giveVariable),
  cuLinkCreate_v2: unmeasured((context, _call, count, options, values, target) => {
    if (target === 0) return InvalidValue;
    emptyLogs(context, count!, options!, values!);
    const handle = context.newHandle();
    context.linkers.set(handle, { images: [], address: 0 });
    context.memory.setWord(target!, handle);
    return Success;
  }),
  cuLinkAddData_v2: unmeasured((context, _call, handle, _type, image) =>
    addToLink(context, handle!, imageAt(context, 'cuLinkAddData', image!)),
  ),
  cuLinkAddFile_v2: unmeasured((context, _call, handle, type, file) =>
    isDeviceRuntime(context, type!, file!)
      ? Success
      : addToLink(context, handle!, imageIn(context, 'cuLinkAddFile', file!)),
  ),
  cuLinkComplete: unmeasured(completeLink),
  cuLinkDestroy: unmeasured((context, _call, handle) => {
    const linker = context.linkers.get(handle!);
    if (!linker) return InvalidResourceHandle;
    if (linker.address !== 0) context.free(linker.address);
    context.linkers.delete(handle!);
    return Success;
  }),
  cuLibraryLoadData: fromMemory('cuLibraryLoadData'),
  cuLibraryLoadFromFile: fromFile('cuLibraryLoadFromFile'),
  cuLibraryUnload: unmeasured(unloadModule),
  cuLibraryGetKernel: unmeasured(giveFunction),
  cuLibraryGetKernelCount: unmeasured(countFunctions),
  cuLibraryEnumerateKernels: unmeasured(listFunctions),
  cuLibraryGetGlobal: unmeasured(giveVariable),
  cuLibraryGetModule: unmeasured((context, _call, target, handle) => {
    if (!context.modules.has(handle!)) return InvalidResourceHandle;
    context.memory.setWord(target!, handle!);
    return Success;
  }),

  // The runtime's, since CUDA 13. Their kernels can be launched, too, where it wants the address of a kernel.
  cudaLibraryLoadData: fromMemory('cudaLibraryLoadData'),
  cudaLibraryLoadFromFile: fromFile('cudaLibraryLoadFromFile'),
  cudaLibraryUnload: unmeasured(unloadModule),
  cudaLibraryGetKernel: unmeasured(giveFunction),
  cudaLibraryGetKernelCount: unmeasured(countFunctions),
  cudaLibraryEnumerateKernels: unmeasured(listFunctions),
  cudaLibraryGetGlobal: unmeasured(giveVariable),
};
