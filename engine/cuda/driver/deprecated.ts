/**
 * Functions of the driver API that CUDA calls deprecated (launches as they were before CUDA 4, properties in one struct), and those for what Simsight
 * does not have, which programs that look up the whole driver by name insist on.
 */
import type { ApiCall } from '../../system/types.ts';
import { CUdevprop } from '../runtime/abi.ts';
import type { CudaCall, QueryFunction } from '../runtime/api.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { propertyValues } from '../runtime/device-properties.ts';
import { kernelCalls, kernelOf, launchKernel } from '../runtime/launch.ts';
import { driverCode, likeRuntime, queryOfRuntime, unmeasured } from './codes.ts';
import { launchRow } from './functions.ts';

const { Success, InvalidValue, InvalidDevice, InvalidResourceHandle, NotSupported } = cudaError;
/** `CUDA_ERROR_INVALID_CONTEXT`. */
const invalidContext = cudaError.DeviceUninitialized;

/** What calls have set for the launches of a function. */
interface Settings {
  block: { x: number; y: number; z: number };
  sharedBytes: number;
  parameters: Uint8Array;
}

const settingsOf = new WeakMap<CudaContext, Map<number, Settings>>();

/** The settings of a function; null for what is none. */
function settings(context: CudaContext, fn: number): Settings | null {
  if (!kernelOf(context, fn)) return null;
  let all = settingsOf.get(context);
  if (!all) settingsOf.set(context, (all = new Map()));
  let own = all.get(fn);
  if (!own) all.set(fn, (own = { block: { x: 1, y: 1, z: 1 }, sharedBytes: 0, parameters: new Uint8Array() }));
  return own;
}

const setting =
  (set: (own: Settings, context: CudaContext, args: number[]) => void): QueryFunction =>
  (context, fn, ...args) => {
    const own = settings(context, fn!);
    if (!own) return InvalidResourceHandle;
    set(own, context, args);
    return Success;
  };

/** Puts bytes at an offset of the parameters, which grow as they have to. */
function put(own: Settings, offset: number, bytes: Uint8Array): void {
  const all = new Uint8Array(Math.max(own.parameters.length, offset + bytes.length));
  all.set(own.parameters);
  all.set(bytes, offset);
  own.parameters = all;
}

const setWord = setting((own, _context, [offset, word]) =>
  put(own, offset!, new Uint8Array(Uint32Array.of(word!).buffer)),
);

function launch(context: CudaContext, call: ApiCall, fn: number, width: number, height: number, stream: number) {
  const own = settings(context, fn);
  if (!own) return InvalidResourceHandle;
  const { block, sharedBytes: dynamicSharedBytes, parameters } = own;
  const grid = { x: width, y: height, z: 1 };
  return driverCode(
    launchKernel(
      context,
      call,
      fn,
      { grid, block, dynamicSharedBytes, cooperative: false },
      ({ parameterBytes }) => (parameters.length < parameterBytes ? InvalidValue : parameters.slice(0, parameterBytes)),
      stream,
    ),
  );
}

export const deprecatedCalls: Record<string, CudaCall> = {
  cuLaunch: { ...launchRow, run: (context, call, fn) => launch(context, call, fn!, 1, 1, 0) },
  cuLaunchGrid: {
    ...launchRow,
    run: (context, call, fn, width, height) => launch(context, call, fn!, width!, height!, 0),
  },
  cuLaunchGridAsync: {
    ...{ ...launchRow, stream: 3 },
    run: (context, call, fn, width, height, stream) => launch(context, call, fn!, width!, height!, stream!),
  },
  cuFuncSetSharedMemConfig: likeRuntime(kernelCalls.cudaFuncSetSharedMemConfig!),
  // A context that is attached to is the current one; how often is not counted.
  cuCtxAttach: unmeasured((context, _call, target, flags) => {
    if (target === 0 || flags !== 0) return InvalidValue;
    context.memory.setWord(target!, context.thread.context!.handle);
    return Success;
  }),
  cuCtxDetach: unmeasured((context, _call, handle) => (context.contexts.has(handle!) ? Success : invalidContext)),
};

/** Texture and surface references, mipmaps, what other processes and graphics share, and the driver's own tables. */
const absent = [
  ...['cuGraphicsUnregisterResource', 'cuGraphicsSubResourceGetMappedArray', 'cuGraphicsResourceGetMappedPointer_v2'],
  ...['cuGraphicsResourceSetMapFlags_v2', 'cuGraphicsMapResources', 'cuGraphicsUnmapResources', 'cuGetExportTable'],
  ...['cuModuleGetTexRef', 'cuModuleGetSurfRef', 'cuParamSetTexRef', 'cuSurfRefSetArray', 'cuSurfRefGetArray'],
  ...['cuTexRefCreate', 'cuTexRefDestroy', 'cuTexRefSetArray', 'cuTexRefSetAddress_v2', 'cuTexRefSetAddress2D_v3'],
  ...['cuTexRefSetFormat', 'cuTexRefSetAddressMode', 'cuTexRefSetFilterMode', 'cuTexRefSetFlags', 'cuTexRefGetArray'],
  ...['cuTexRefGetAddress_v2', 'cuTexRefGetAddressMode', 'cuTexRefGetFilterMode', 'cuTexRefGetFormat'],
  ...['cuTexRefGetFlags', 'cuMipmappedArrayCreate', 'cuMipmappedArrayGetLevel', 'cuMipmappedArrayDestroy'],
  ...[
    'cuIpcGetEventHandle',
    'cuIpcOpenEventHandle',
    'cuIpcGetMemHandle',
    'cuIpcOpenMemHandle_v2',
    'cuIpcCloseMemHandle',
  ],
];

const fields = [
  ...(['maxThreadsPerBlock', 'maxThreadsDim', 'maxGridSize', 'sharedMemPerBlock', 'totalConstantMemory'] as const),
  ...(['SIMDWidth', 'memPitch', 'regsPerBlock', 'clockRate', 'textureAlign'] as const),
];
/** Names of `CUdevprop`'s fields in `cudaDeviceProp`, where they are others. */
const properties: Partial<Record<(typeof fields)[number], string>> = {
  ...{ totalConstantMemory: 'totalConstMem', SIMDWidth: 'warpSize', textureAlign: 'textureAlignment' },
};

export const deprecatedQueries: Record<string, QueryFunction> = {
  cuDeviceGetProperties: (context, target, device) => {
    const found = context.devices[device!];
    if (!found) return InvalidDevice;
    if (target === 0) return InvalidValue;
    const values = propertyValues(found.gpu, device);
    for (const field of fields) {
      const words = values.get(properties[field] ?? field)!;
      words.forEach((word, i) => context.memory.setU32(target! + CUdevprop[field] + 4 * i, word));
    }
    return Success;
  },
  cuCtxGetSharedMemConfig: queryOfRuntime('cudaDeviceGetSharedMemConfig'),
  cuCtxSetSharedMemConfig: queryOfRuntime('cudaDeviceSetSharedMemConfig'),
  cuFuncSetBlockShape: setting((own, _context, [x, y, z]) => {
    own.block = { x: x!, y: y!, z: z! };
  }),
  cuFuncSetSharedSize: setting((own, _context, [bytes]) => {
    own.sharedBytes = bytes!;
  }),
  cuParamSetSize: setting((own, _context, [bytes]) => {
    if (bytes! < own.parameters.length) own.parameters = own.parameters.slice(0, bytes);
    else put(own, bytes!, new Uint8Array());
  }),
  cuParamSeti: setWord,
  // Of a float the call gets the bits.
  cuParamSetf: setWord,
  cuParamSetv: setting((own, { memory }, [offset, address, bytes]) =>
    put(own, offset!, memory.bytes(address!, bytes!)),
  ),
  ...Object.fromEntries(absent.map((name) => [name, () => NotSupported])),
};
