/** CUDA source text to a simulated device, for tests: the app's own headers and flags, real Clang. */
import { dirname } from 'node:path';
import { compilerPath } from '../../../engine/base/compiler-paths.ts';
import { runCached } from '../../../engine/compile/cache.ts';
import { deviceArguments } from '../../../engine/compile/flags.ts';
import { compileIrToWasm } from '../../../engine/compile/index.ts';
import { withStandardHeaders } from '../../../engine/compile/precompiled.ts';
import { gatherFiles, layOut } from '../../../engine/compile/sources.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import type { WidenOptions } from '../../../engine/kernels/module.ts';
import { buildDeviceModule } from '../../../engine/kernels/module.ts';
import { Device } from '../../../engine/warp/device.ts';
import type { CacheGeometry, Dim3, KernelCounts, KernelDescription } from '../../../engine/model/execution.ts';
import { cacheFolder, folderOfText } from '../../setup/kept.ts';
import { write } from '../cuda/program.ts';

export const caches: CacheGeometry = { smCount: 4, l1Bytes: 128 << 10, l2Bytes: 4 << 20 };

/** The folder follows from the text, so that the cache answers the next run of the tests. */
export async function deviceIr(source: string, name = 'kernels.cu'): Promise<string> {
  const path = write(folderOfText(source), name, source);
  const request = { sources: [path], includeFolders: [], defines: [], computeCapability: { major: 8, minor: 0 } };
  const translation = {
    request,
    source: compilerPath(path),
    includeFolders: [],
    sourceFolder: compilerPath(dirname(path)),
  };
  const userFiles = gatherFiles(path, { includeFolders: [] });
  const pass = { arguments: deviceArguments(translation), files: layOut(userFiles), outputs: ['-'] };
  const result = await runCached(pass, { cacheFolder }, (run) =>
    withStandardHeaders(run, translation, 'device', userFiles, { cacheFolder }),
  );
  if (result.outcome !== 'success') throw new Error(result.messages);
  return new TextDecoder().decode(result.outputs[0]?.[1]);
}

export async function compileModule(source: string, options: WidenOptions = {}): Promise<DeviceModule> {
  return buildDeviceModule(await deviceIr(source), {
    ...options,
    sourceName: 'kernels.cu',
    toWasm: (unit) => compileIrToWasm(unit, { cacheFolder }),
  });
}

export const createDevice = async (source: string): Promise<Device> =>
  Device.create([await compileModule(source)], { memoryBytes: 1 << 30 });

/** The same with paged memory, in so many frames. */
export async function createPagedDevice(source: string, frames: number): Promise<Device> {
  const [module, paged] = await Promise.all([compileModule(source), compileModule(source, { paged: true })]);
  return Device.create([module], { memoryBytes: 2 ** 36, frames, paged: () => paged });
}

export type Numbers =
  | Float32Array
  | Float64Array
  | Int32Array
  | Uint32Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | BigInt64Array
  | BigUint64Array;

/** Copies an array to the device. */
export function upload(device: Device, data: Numbers): number {
  const address = device.allocateAnywhere(data.byteLength, 0);
  if (address === null) throw new Error('out of device memory');
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  let done = 0;
  for (const piece of device.pieces(address, bytes.length, true)) {
    piece.set(bytes.subarray(done, done + piece.length));
    done += piece.length;
  }
  return address;
}
export function download<T extends Numbers>(device: Device, address: number, like: T): T {
  const copy = like.slice() as T;
  const bytes = new Uint8Array(copy.buffer);
  let done = 0;
  for (const piece of device.pieces(address, copy.byteLength, false)) {
    bytes.set(piece, done);
    done += piece.length;
  }
  return copy;
}

export const dim = (x: number, y = 1, z = 1): Dim3 => ({ x, y, z });
/** A float argument; plain numbers are 32-bit integers or pointers. */
export const f32 = (value: number): Uint8Array => new Uint8Array(new Float32Array([value]).buffer);
export const f64 = (value: number): Uint8Array => new Uint8Array(new Float64Array([value]).buffer);

/** Launches the kernel whose mangled name holds `name`. */
export function launch(
  device: Device,
  names: string[],
  name: string,
  grid: Dim3,
  block: Dim3,
  args: (number | Uint8Array)[],
  dynamicSharedBytes = 0,
  geometry: CacheGeometry = caches,
): KernelCounts {
  const kernel = names.find((candidate) => candidate === name || candidate.startsWith(`_Z${name.length}${name}`));
  if (kernel === undefined) throw new Error(`no kernel ${name}`);
  const parameters = packed(device.kernel(kernel) ?? { parameters: [], parameterBytes: 0 }, args);
  return device.launch({ kernel, grid, block, dynamicSharedBytes, parameters }, geometry);
}

/** A 32-bit integer, or an address beyond. */
const bytesOf = (value: number): Uint8Array =>
  new Uint8Array(value < 2 ** 32 ? new Int32Array([value]).buffer : new BigUint64Array([BigInt(value)]).buffer);

/** Parameters of a kernel as they lie in memory: addresses, 32-bit integers, or bytes. */
export function packed(
  { parameters: places, parameterBytes }: Pick<KernelDescription, 'parameters' | 'parameterBytes'>,
  args: (number | Uint8Array)[],
): Uint8Array {
  const bytes = new Uint8Array(parameterBytes);
  args.forEach((value, i) => {
    const own = typeof value === 'number' ? bytesOf(value) : value;
    bytes.set(own, places[i]?.offset ?? 0);
  });
  return bytes;
}

/** Transpose of an n × n matrix by 32 × 8 threads, through shared memory without bank conflicts. */
export const transposeKernel = `__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
`;
