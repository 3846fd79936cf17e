/** Faults of kernels, in the words of compute-sanitizer, and the CUDA error that the program gets for it. */
import { cudaError } from '../model/cuda-errors.ts';
import type { SourcePlace } from '../model/source-place.ts';
import { SimsightError } from '../base/errors.ts';
import type { ErrorPlace } from '../base/errors.ts';
import { faultCode, heapStart } from './layout.ts';
import type { ModuleKernel } from './module.ts';
import type { Site } from './widen/kernel/widened-kernel.ts';
import type { Dim3 } from '../model/execution.ts';

/** A kernel that a GPU would stop; `cudaError` is what the next call that waits for it returns. */
export class KernelError extends SimsightError {
  readonly cudaError: number;
  /** Until it was stopped it did nothing but wait for what another should write: it can be executed anew. */
  onlyWaited = false;
  constructor(code: number, message: string, remedy = '', place: ErrorPlace = {}) {
    super('kernel-failed', message, remedy, place);
    this.cudaError = code;
  }
}

/** A fault that `env.fault` found. */
export interface Fault {
  code: number;
  site: Site | undefined;
  address: number;
  size: number;
  thread: Dim3;
  block: Dim3;
  assertion: { text: string; file: string; line: number; function: string };
  /** Lanes that wait, those that they wait for, and where these are. */
  meeting: { waiting: number; missing: number; missingAt: Site | undefined };
  /** Site of the earlier access of a race. */
  other: Site | undefined;
}

/** An allocation near an address, for messages. */
export interface Neighbour {
  address: number;
  bytes: number;
  freed: boolean;
  /** The GPU in whose memory the address lies, where the one that accesses it may not. */
  of?: number;
  from?: number;
}

/** Beyond this, the nearest allocation says nothing about what went wrong. */
const farAway = 2 ** 20;
const hex = (value: number): string => `0x${value.toString(16)}`;
/** Messages get into traces, which name no folders of this machine. */
const basename = (path: string): string => path.replace(/^.*[\\/]/, '');
const triple = ({ x, y, z }: Dim3): string => `(${x},${y},${z})`;
const bytesText = (count: number): string => `${count} byte${count === 1 ? '' : 's'}`;

/** A fault with what its message is made of. */
interface Report {
  fault: Fault;
  /** Name of the kernel, as the program's source has it. */
  name: string;
  /** The allocation nearest to the address. */
  near: Neighbour | null;
  /** The thread, block, kernel and place, as compute-sanitizer words them. */
  where: string;
  at: ErrorPlace;
}

/** The error that a program gets for a fault of a kernel called `name`; `near` is the allocation nearest to the address. */
export function faultError(kernel: ModuleKernel, name: string, fault: Fault, near: Neighbour | null): KernelError {
  const { code, site, thread, block } = fault;
  const place = site?.place ?? kernel.place;
  const where = `by thread ${triple(thread)} in block ${triple(block)} of ${name}${place === null ? '' : ` (${basename(place.file)}:${place.line})`}`;
  const at: ErrorPlace = place === null ? {} : { file: place.file, line: place.line, column: place.column };
  const report: Report = { fault, name, near, where, at };
  switch (code) {
    case faultCode.globalRange:
    case faultCode.sharedRange:
    case faultCode.localRange:
    case faultCode.misaligned:
      return accessError(report);
    case faultCode.divergentBarrier:
    case faultCode.neverMeet:
    case faultCode.gridBarrier:
      return barrierError(report);
    case faultCode.assert:
      return assertionError(report);
    default:
      return threadError(report);
  }
}

const accessOf = (site: Site | undefined): string =>
  site?.kind === 'store' ? 'write' : site?.kind === 'atomic' ? 'atomic' : 'read';

/** The error for an address that the kernel may not access, or not in this size. */
function accessError({ fault, near, where, at }: Report): KernelError {
  const { code, site, address, size } = fault;
  const invalid = (space: string): string =>
    `Invalid __${space}__ ${accessOf(site)} of size ${bytesText(size)} ${where}: `;
  switch (code) {
    case faultCode.globalRange:
      return new KernelError(
        cudaError.IllegalAddress,
        `${invalid('global')}address ${hex(address)} ${outside(address, near)}.`,
        remedyOutside(address, near),
        at,
      );
    case faultCode.sharedRange:
      return new KernelError(
        cudaError.IllegalAddress,
        `${invalid('shared')}offset ${address | 0} is outside of the block's shared memory.`,
        'Check the index, and the size of dynamic shared memory at the launch.',
        at,
      );
    case faultCode.localRange:
      return new KernelError(
        cudaError.IllegalAddress,
        `${invalid('local')}the address is outside of the thread's local memory.`,
        'Check the index into arrays of the kernel.',
        at,
      );
    default:
      return new KernelError(
        cudaError.MisalignedAddress,
        `${invalid(site?.space === 3 ? 'shared' : site?.space === 5 ? 'local' : 'global')}address ${hex(address)} is misaligned.`,
        'An address must be a multiple of the size accessed.',
        at,
      );
  }
}

/** The error for threads that wait at barriers or for other lanes, and will for ever. */
function barrierError({ fault, name, where, at }: Report): KernelError {
  const { code, site, address, block } = fault;
  switch (code) {
    case faultCode.divergentBarrier:
      return new KernelError(
        cudaError.LaunchFailure,
        `Barrier error: divergent thread(s) in warp, __syncthreads() reached with only some of a warp's threads ${where}.`,
        'All threads of a block that have not returned must reach the same barrier.',
        at,
      );
    case faultCode.neverMeet: {
      const { waiting, missing, missingAt } = fault.meeting;
      return new KernelError(
        cudaError.LaunchFailure,
        `Barrier error: divergent thread(s) in warp, ${waitText(site, waiting)} for lanes ${lanesText(missing)} of mask ${hex(address >>> 0)}, and ${waitText(missingAt, missing)}, for ever: ${where}.`,
        'All lanes that the mask names and that have not returned must come to the same operation with the same mask; on hardware the kernel hangs.',
        at,
      );
    }
    default:
      return address === 1
        ? new KernelError(
            cudaError.LaunchFailure,
            `All resident blocks of ${name} wait for others, for ever: it waits for its whole grid, but more blocks were launched than the GPU can hold at a time.`,
            'Launch it with cudaLaunchCooperativeKernel, and at most as many blocks as occupancy calculations allow.',
            at,
          )
        : address === 2
          ? new KernelError(
              cudaError.LaunchFailure,
              `All blocks of ${name} that have not ended wait for what another should write, for ever.`,
              'All blocks must reach a barrier of the grid; who takes a lock must release it, and who waits for a flag needs somebody to set it.',
              at,
            )
          : new KernelError(
              cudaError.LaunchFailure,
              `Barrier error: some warps of block ${triple(block)} of ${name} wait at one barrier and others at another, for ever.`,
              'All threads of a block must reach the same barrier.',
              at,
            );
  }
}

/** The error for a failed assert(), in the words of the CUDA runtime. */
function assertionError({ fault, name, at }: Report): KernelError {
  const { text, file, line, function: plain } = fault.assertion;
  const { thread, block } = fault;
  // Clang knows the plain name; nvcc prints the signature, which is known of kernels.
  const inside = name.startsWith(`${plain}(`) ? `void ${name}` : plain;
  const lanes = (at: Dim3): string => `[${at.x},${at.y},${at.z}]`;
  return new KernelError(
    cudaError.Assert,
    `${basename(file)}:${line}: ${inside}: block: ${lanes(block)}, thread: ${lanes(thread)} Assertion \`${text}\` failed.`,
    '',
    at,
  );
}

/** The error for whatever else a thread did wrong. */
function threadError({ fault, where, at }: Report): KernelError {
  const { code, site, address, size } = fault;
  switch (code) {
    case faultCode.race:
      return new KernelError(
        cudaError.LaunchFailure,
        `Race on __shared__ memory: ${accessOf(site)} of ${bytesText(size)} at offset ${address} ${where} conflicts with the ${accessOf(fault.other)} of another warp${placeText(fault.other)} since the last barrier.`,
        'Put a __syncthreads() between the two accesses.',
        at,
      );
    case faultCode.stackOverflow:
      return new KernelError(
        cudaError.HardwareStackError,
        `The stack of a thread overflowed ${where}.`,
        'Recursive functions and arrays of variable size have 16 KiB per thread: use a loop, or smaller arrays.',
        at,
      );
    case faultCode.badCall:
      return new KernelError(
        cudaError.InvalidPc,
        `A call through a pointer that is no device function of this type ${where}.`,
        'Check the pointer: it is null, uninitialised or one of the host.',
        at,
      );
    case faultCode.notInMask:
      return new KernelError(
        cudaError.IllegalInstruction,
        `Invalid mask of ${site?.operation ?? 'an operation of the warp'}(): ${hex(address >>> 0)} does not name the lane that gives it, ${where}.`,
        'Each lane that calls it must be among those of the mask it gives, and all of them must give the same mask.',
        at,
      );
    case faultCode.badFree:
      return new KernelError(
        cudaError.LaunchFailure,
        `free() or delete of ${hex(address)}, which malloc() or new did not return or which is free already, ${where}.`,
        '',
        at,
      );
    default:
      return new KernelError(cudaError.LaunchFailure, `A trap stopped the kernel, ${where}.`, '', at);
  }
}

const placeText = (site: Site | undefined): string =>
  site?.place == null ? '' : ` at ${basename(site.place.file)}:${site.place.line}`;

/** "lanes 0-15 wait at __shfl_down_sync() at a.cu:6". */
function waitText(site: Site | undefined, lanes: number): string {
  return `lanes ${lanesText(lanes)} wait at ${site?.operation ?? 'a barrier'}()${placeText(site)}`;
}

/** The warning of an operation that some lanes of its mask have not come to, on a GPU before Volta. */
export function undefinedText(kernel: string, site: Site): string {
  return `${site.operation}()${placeText(site)} in ${kernel} was executed while lanes that its mask names were elsewhere: on GPUs before compute capability 7.0 its result is undefined. All lanes of the mask must come to it together.`;
}

/** Set bits as ranges: "0-7,16". */
function lanesText(bits: number): string {
  const ranges: string[] = [];
  for (let lane = 0; lane < 32; lane++) {
    if (((bits >>> lane) & 1) === 0) continue;
    const first = lane;
    while (lane < 31 && ((bits >>> (lane + 1)) & 1) === 1) lane++;
    ranges.push(first === lane ? String(first) : `${first}-${lane}`);
  }
  return ranges.join(',');
}

/** Below it, addresses are an index into a null pointer. */
const nullEnds = 4096;

/** No memory of a GPU begins below {@link heapStart}, but the host's does: variables, its stack, and what `malloc` gives first. */
const isOfHost = (address: number): boolean => address >= nullEnds && address < heapStart;

const isFar = (address: number, near: Neighbour | null): boolean =>
  near === null || Math.min(Math.abs(address - near.address), Math.abs(address - near.address - near.bytes)) > farAway;

function outside(address: number, near: Neighbour | null): string {
  const far = isOfHost(address)
    ? 'is out of bounds: it is one of the host, whose memory kernels cannot access'
    : 'is out of bounds';
  if (near === null) return far;
  const { address: start, bytes, freed } = near;
  if (isFar(address, near) && !freed) return far;
  if (near.of !== undefined) return `is memory of GPU ${near.of}, to which GPU ${near.from} has no peer access`;
  const what = `allocation at ${hex(start)} of ${bytesText(bytes)}${freed ? ', which was freed' : ''}`;
  if (address < start) return `is ${bytesText(start - address)} before the nearest ${what}`;
  if (address < start + bytes) return `is inside the ${what}`;
  return `is ${bytesText(address - start - bytes)} after the nearest ${what}`;
}

function remedyOutside(address: number, near: Neighbour | null): string {
  if (near?.of !== undefined)
    return `Call cudaDeviceEnablePeerAccess(${near.of}, 0) while GPU ${near.from} is the current one.`;
  if (address < nullEnds) return 'Check the pointer: it is null, or an index into a null pointer.';
  const goOn = 'A GPU may not notice, and would go on: --allow-overruns does, too.';
  if (near?.freed === true) return `Keep the memory until the last kernel that uses it has ended. ${goOn}`;
  if (isOfHost(address))
    return 'Copy the data to memory of cudaMalloc, or allocate it with cudaMallocManaged or cudaMallocHost; of memory that cudaHostRegister was called for, pass the address that cudaHostGetDevicePointer gives.';
  return `Check the index against the size that was allocated, and that the pointer is one of the device.${isFar(address, near) ? '' : ` ${goOn}`}`;
}

/** A kernel that is being executed, by its name in the source, and where in it. */
export interface Whereabouts {
  kernel: string;
  place: SourcePlace | null;
}

/** The part of a message that names the kernel within which a program is stopped; empty outside of kernels. */
export function whereText(where: Whereabouts | null): string {
  if (where === null) return '';
  const { kernel, place } = where;
  return `, and was in the kernel ${kernel}${place === null ? '' : `, most often at ${basename(place.file)}:${place.line}`}`;
}
