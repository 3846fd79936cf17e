/** Virtual memory management of the driver API: `cuMemAddressReserve`, `cuMemCreate`, `cuMemMap` and their like. */
import { SimsightError } from '../../base/errors.ts';
import { CUmemAccessDesc, CUmemAllocationProp } from '../runtime/abi.ts';
import type { ApiFunction, CudaCall } from '../runtime/api.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { granularity } from '../runtime/virtual-memory.ts';
import { unmeasured } from './codes.ts';

const { Success, InvalidValue } = cudaError;

const allocationType = { pinned: 1 };
const locationType = { device: 1 };
const accessFlags = { none: 0, read: 1, readWrite: 3 };

const isWhole = (bytes: number): boolean => bytes > 0 && bytes % granularity === 0;

/** The device that `CUmemAllocationProp` asks for memory of; a negative error code where there can be none. */
function deviceOf(context: CudaContext, properties: number): number {
  if (properties === 0) return -InvalidValue;
  const { type, requestedHandleTypes, locationType: kind, locationId } = CUmemAllocationProp;
  const [asked, handles, where, id] = [type, requestedHandleTypes, kind, locationId].map((field) =>
    context.memory.u32(properties + field),
  ) as [number, number, number, number];
  if (asked !== allocationType.pinned) return -InvalidValue;
  // One process; and memory of the host, which CUDA allows since 12.2.
  if (handles !== 0 || where !== locationType.device) return -cudaError.NotSupported;
  return context.devices[id] ? id : -cudaError.InvalidDevice;
}

const reserve: ApiFunction = (context, _call, target, bytes, alignment, _address, flags) => {
  const isPower = Number.isInteger(Math.log2(alignment!));
  if (target === 0 || !isWhole(bytes!) || flags !== 0 || (alignment !== 0 && !isPower)) return InvalidValue;
  const address = context.virtualMemory.reserve(context, bytes!, Math.max(granularity, alignment!));
  if (address === null) {
    const gibibytes = (bytes! / 2 ** 30).toFixed(2);
    context.system.notice(
      `cuMemAddressReserve failed for ${gibibytes} GiB: what is reserved or mapped has 4 GiB of addresses here, all together.`,
    );
    return cudaError.MemoryAllocation;
  }
  context.memory.setWord(target!, address);
  return Success;
};

const create: ApiFunction = (context, _call, target, bytes, properties, flags) => {
  if (target === 0 || !isWhole(bytes!) || flags !== 0) return InvalidValue;
  const device = deviceOf(context, properties!);
  if (device < 0) return -device;
  const state = context.devices[device]!;
  if (bytes! > state.gpu.memory.capacityBytes - context.allocatedOn(state)) return cudaError.MemoryAllocation;
  const bytesOfProperties = context.memory.bytes(properties!, CUmemAllocationProp.bytes).slice();
  if (bytesOfProperties[CUmemAllocationProp.compressionType] !== 0) {
    context.system.notice('Compressible memory is simulated as any other: times are those without compression.');
  }
  const handle = context.newHandle();
  context.virtualMemory.create({ handle, bytes: bytes!, device, properties: bytesOfProperties });
  context.memory.setWord(target!, handle);
  return Success;
};

/** What one `CUmemAccessDesc` asks for. Errors: `unsupported-construct` for memory that may only be read. */
function setAccess(context: CudaContext, address: number, bytes: number, at: number): number {
  const word = (field: 'locationType' | 'locationId' | 'flags') => context.memory.field(at, CUmemAccessDesc, field);
  const [kind, device, flags] = [word('locationType'), word('locationId'), word('flags')];
  if (kind !== locationType.device) return cudaError.NotSupported;
  if (!context.devices[device]) return cudaError.InvalidDevice;
  if (flags === accessFlags.read)
    throw new SimsightError(
      'unsupported-construct',
      'cuMemSetAccess with CU_MEM_ACCESS_FLAGS_PROT_READ is not simulated: memory can be read and written, or neither.',
      'Use CU_MEM_ACCESS_FLAGS_PROT_READWRITE for the recording.',
    );
  if (flags !== accessFlags.none && flags !== accessFlags.readWrite) return InvalidValue;
  const others = context.virtualMemory.ownersIn(address, bytes).filter((owner) => owner !== device);
  if (others.some((owner) => !context.areJoined(device, owner))) return cudaError.InvalidDevice;
  return context.virtualMemory.setAccess(context, address, bytes, device, flags === accessFlags.readWrite);
}

const giveProperties: ApiFunction = (context, _call, target, handle) => {
  const memory = context.virtualMemory.find(handle!);
  if (target === 0 || !memory) return InvalidValue;
  context.memory.bytes(target!, memory.properties.length).set(memory.properties);
  return Success;
};

export const virtualMemoryCalls: Record<string, CudaCall> = {
  cuMemGetAllocationGranularity: unmeasured((context, _call, target, properties, option) => {
    const device = deviceOf(context, properties!);
    if (device < 0) return -device;
    if (target === 0 || option! > 1) return InvalidValue;
    context.memory.setWord(target!, granularity);
    return Success;
  }),
  cuMemAddressReserve: unmeasured(reserve),
  cuMemAddressFree: unmeasured((context, _call, address, bytes) =>
    context.virtualMemory.unreserve(context, address!, bytes!),
  ),
  cuMemCreate: unmeasured(create),
  cuMemRelease: unmeasured((context, _call, handle) => context.virtualMemory.release(handle!)),
  cuMemMap: unmeasured((context, _call, address, bytes, offset, handle, flags) =>
    offset !== 0 || flags !== 0 || !isWhole(bytes!)
      ? InvalidValue
      : context.virtualMemory.map(address!, bytes!, handle!),
  ),
  cuMemUnmap: unmeasured((context, _call, address, bytes) => context.virtualMemory.unmap(context, address!, bytes!)),
  cuMemSetAccess: unmeasured((context, _call, address, bytes, descriptions, count) => {
    if (descriptions === 0 || count === 0) return InvalidValue;
    for (let i = 0; i < count!; i++) {
      const code = setAccess(context, address!, bytes!, descriptions! + i * CUmemAccessDesc.bytes);
      if (code !== Success) return code;
    }
    return Success;
  }),
  cuMemGetAccess: unmeasured((context, _call, target, location, address) => {
    if (target === 0 || location === 0) return InvalidValue;
    const [kind, device] = [context.memory.u32(location!), context.memory.u32(location! + 4)];
    const allowed = kind === locationType.device ? context.virtualMemory.hasAccess(address!, device) : null;
    if (allowed === null) return InvalidValue;
    context.memory.setWord(target!, allowed ? accessFlags.readWrite : accessFlags.none);
    return Success;
  }),
  cuMemGetAllocationPropertiesFromHandle: unmeasured(giveProperties),
  cuMemRetainAllocationHandle: unmeasured((context, _call, target, address) => {
    const memory = context.virtualMemory.retain(address!);
    if (target === 0 || !memory) return InvalidValue;
    context.memory.setWord(target!, memory.handle);
    return Success;
  }),
};
