/** The state of the simulated CUDA runtime of one program, and what its calls share. */
import { BulkMemory } from '../../base/bulk-memory.ts';
import { SimsightError } from '../../base/errors.ts';
import { harmlessLine } from '../../base/harmless.ts';
import type { ApiCall, EventId, StreamId, SystemSimulator } from '../../system/types.ts';
import type { Failure } from '../../model/events.ts';
import { legacyStreamOf } from '../../system/types.ts';
import { nvLinkBetween } from '../../gpus/nvlink.ts';
import type { GpuDescription } from '../../gpus/types.ts';
import type { Dim3, KernelLaunch } from '../../model/execution.ts';
import type { CudaDevice, HostProgramOptions, LoadedNames, UncheckedLaunches } from '../types.ts';
import type { KernelModel } from '../../model/kernel-timing.ts';
import { Allocations } from './allocations.ts';
import type { Capture } from './capture.ts';
import { DeferredWork } from './deferred-work.ts';
import { DeviceState } from './device-state.ts';
import { cudaError, errorName, errorText, isSticky } from '../../model/cuda-errors.ts';
import type { Executable, Graph, GraphNode } from './graph.ts';
import { letGo, type GraphAllocation, type Reservation } from './graph-memory.ts';
import type { HostMemory } from './host-memory.ts';
import type { Pool } from './pools.ts';
import type { SharedMemory } from './shared-memory.ts';
import { ThreadState } from './thread-state.ts';
import { Fills } from './fills.ts';
import { TimedOnly } from './timed-only.ts';
import type { ArrayState, TextureState } from './textures.ts';
import { unfinishedWork } from './unfinished-work.ts';
import type { UserObject } from './user-objects.ts';
import { VirtualMemory } from './virtual-memory.ts';

export interface EventState {
  id: EventId;
  /** Ordinal of its device. */
  device: number;
  timing: boolean;
  recorded: boolean;
  /** Recorded in a stream that was being captured: the nodes that it stands for. */
  captured: { capture: Capture; nodes: GraphNode[] } | null;
  /** Times that it is yet to be recorded, in streams that are behind deferred work. */
  deferred: number;
}

export interface StreamState {
  id: StreamId;
  /** Ordinal of its device. */
  device: number;
  flags: number;
  priority: number;
}

/** A context of the driver API: a device's primary one, or one that `cuCtxCreate` made. */
export interface ContextState {
  handle: number;
  device: DeviceState;
  isPrimary: boolean;
}

/** A module of the driver API, which a program loaded. */
export interface ModuleState extends LoadedNames {
  handle: number;
  /** Handle of its context. */
  context: number;
  /** Handles of its functions by their names in the image. */
  functions: Map<string, number>;
}

/** `CUlinkState`: the images that it was given, and where what is linked of them is in the program's memory. */
export interface LinkState {
  images: Uint8Array[];
  address: number;
}

export interface DeviceAllocation {
  /** Ordinal. */
  device: number;
  pool: Pool | null;
  graph?: GraphAllocation;
  /** True for the memory of a `cudaArray`. */
  isArray?: true;
  /** Mapped by `cuMemMap`: only `cuMemUnmap` frees it. */
  isMapped?: true;
  /** Handle of the context that it is gone with, where `cuCtxCreate` made one. */
  context?: number;
}

export interface DeviceSymbol {
  name: string;
  /** Addresses by device. */
  addresses: number[];
  size: number;
}

export interface LaunchConfiguration {
  grid: Dim3;
  block: Dim3;
  sharedBytes: number;
  stream: number;
}

/** `cudaFuncSetAttribute` and `cudaFuncSetCacheConfig` of one kernel. */
export interface KernelAttributes {
  maxDynamicSharedBytes: number | null;
  preferredCarveout: number;
  cacheConfig: number;
}

/** Remedies for launches that are refused, by error code. */
const launchRemedies: Readonly<Record<number, string>> = {
  [cudaError.InvalidConfiguration]:
    'Check grid and block against the limits of the GPU: threads per block, and blocks of at least one thread.',
  [cudaError.LaunchOutOfResources]: 'Launch smaller blocks, or give the kernel __launch_bounds__.',
  [cudaError.InvalidValue]:
    'Check grid, block and dynamic shared memory; more than 48 KB of it need cudaFuncSetAttribute(…, cudaFuncAttributeMaxDynamicSharedMemorySize, …).',
  [cudaError.CooperativeLaunchTooLarge]:
    'Launch at most as many blocks as cudaOccupancyMaxActiveBlocksPerMultiprocessor says for all SMs.',
};

/** Handles are small numbers that no valid address of the program collides with: its first KiB holds no data. */
const firstHandle = 0x10;
/** No table has so many functions. */
const firstFunction = 2 ** 40;

/** Bytes of the host or of a device that a program may copy. */
export interface RangeOfBytes {
  /** Some of them, one piece after the other; `writes`: they are to be written to, otherwise they must not be. */
  pieces: (offset: number, bytes: number, writes: boolean) => Iterable<Uint8Array>;
}

export class CudaContext {
  readonly system: SystemSimulator;
  /** When the kernels of the present call would have ended, ns, if each had the GPU for itself: for the clocks of the next. */
  kernelsEnd = 0;
  /** The memory of all devices, and what executes their kernels. */
  readonly device: CudaDevice;
  readonly devices: readonly DeviceState[];
  /** What the host waits with until it has written what a kernel waits for. */
  readonly deferred = new DeferredWork((stream) => this.isBlocking(stream));
  /** A kernel that does nothing but wait may be executed later. */
  mayWait = false;
  /** State of the running host thread. */
  thread: ThreadState;
  private readonly threads = new Set<ThreadState>();
  /** Contexts of the driver API by handle: the primary ones of all devices first. */
  readonly contexts = new Map<number, ContextState>();
  readonly options: HostProgramOptions;
  memory!: HostMemory;
  private bulkMemory: BulkMemory | null = null;
  malloc!: (bytes: number) => number;
  free!: (address: number) => void;
  /** The whole of a file that the program may read; null where it cannot. */
  readFile!: (name: string) => Uint8Array | null;
  /** The program's functions by their pointers; null where there is none. */
  functionOf!: (pointer: number) => ((...args: (number | bigint)[]) => unknown) | null;
  /** Pointer to a function of the driver, whose name is at the address, see engine/compile/entry-points.ts; 0 where there is none. */
  entryPoint!: (name: number, version: number, isPerThread: boolean) => number;

  /**
   * Device allocations: whose memory each is; its pool if it was allocated in stream order; its graph allocation if a graph allocated it.
   */
  readonly deviceAllocations = new Allocations<DeviceAllocation>();
  /** Managed memory, and pinned memory as kernels see it. */
  shared!: SharedMemory;
  readonly managed = new Allocations<{ flags: number; advice: Map<number, number>; prefetched: number }>();
  /** `registered`: the program's own memory, pinned later by `cudaHostRegister`. */
  readonly pinned = new Allocations<{ registered: boolean; flags: number }>();
  readonly streams = new Map<number, StreamState>();
  /** `cudaAccessPolicyWindow` of streams that were given one. */
  readonly accessWindows = new Map<StreamId, Uint8Array>();
  /** The notice that such windows change nothing is there. */
  saidOfWindows = false;
  /** The notice that programmatic dependent launches do not overlap is there. */
  saidOfProgrammatic = false;
  readonly events = new Map<number, EventState>();
  readonly kernels = new Map<number, string>();
  readonly symbols = new Map<number, DeviceSymbol>();
  readonly captures = new Set<Capture>();
  readonly graphs = new Map<number, Graph>();
  readonly graphNodes = new Map<number, GraphNode>();
  /** Addresses of memory that graphs allocate. */
  readonly graphPlaces = new Allocations<Reservation>();
  /** Number of nodes that allocate, by address. */
  readonly allocatingNodes = new Map<number, number>();
  readonly executables = new Map<number, Executable>();
  readonly userObjects = new Map<number, UserObject>();
  readonly pools = new Map<number, Pool>();
  readonly arrays = new Map<number, ArrayState>();
  readonly textures = new Map<number, TextureState>();
  readonly virtualMemory = new VirtualMemory();
  /** Linkers of the driver API, by handle. */
  readonly linkers = new Map<number, LinkState>();
  /** Modules of the driver API, by handle. */
  readonly modules = new Map<number, ModuleState>();
  /** A function of the host's runs in stream order: CUDA calls are not allowed. */
  inHostFunction = false;
  /** Callback for when one begins, and when none runs any more. */
  onHostFunction: () => void = () => undefined;
  /** Strings handed to the program, by text: they are never freed. */
  readonly texts = new Map<string, number>();
  /** Where launches may be timed alone; else null. */
  readonly timedOnly: TimedOnly | null;
  readonly fills = new Fills();
  private nextHandle = firstHandle;
  private lastGraph = 0;
  /** The latest that works on something. */
  call: ApiCall | null = null;
  /** The grid that is being executed. */
  running: { launch: KernelLaunch; stream: StreamId } | null = null;
  /** Launches by `<<<…>>>` that failed since the program last asked for errors. */
  uncheckedLaunches: UncheckedLaunches | null = null;

  constructor(options: HostProgramOptions) {
    this.options = options;
    this.system = options.system;
    this.device = options.device;
    this.timedOnly = options.sample === true ? new TimedOnly(options.onTimedOnly) : null;
    const all = [{ gpu: options.gpu, model: options.model }, ...(options.others ?? [])];
    this.devices = all.map(({ gpu, model }, index) => new DeviceState(index, gpu, model));
    // 0 stands for none.
    for (const device of this.devices) {
      const handle = 1 + device.index;
      this.contexts.set(handle, { handle, device, isPrimary: true });
    }
    this.thread = this.startThread();
  }

  primaryOf({ index }: DeviceState): ContextState {
    return this.contexts.get(1 + index)!;
  }

  /** A call of the runtime has a context, whoever made it. */
  needContext(): void {
    const { contexts, current } = this.thread;
    if (contexts.length === 0) contexts.push(this.primaryOf(current));
  }

  /** `cudaSetDevice`: its primary context is the thread's. */
  choose(device: DeviceState): void {
    this.thread.current = device;
    this.thread.contexts.splice(-1, 1, this.primaryOf(device));
  }

  /** The device that the running host thread chose. */
  get current(): DeviceState {
    return this.thread.current;
  }

  /** Description of the current device. */
  get gpu(): GpuDescription {
    return this.current.gpu;
  }

  get model(): KernelModel {
    return this.current.model;
  }

  nextGraphId(): number {
    return ++this.lastGraph;
  }

  newHandle(): number {
    return this.nextHandle++;
  }

  /** Of a function of a module: beside the pointers of kernels, which are numbers of a table. */
  newFunctionHandle(): number {
    return firstFunction + this.newHandle();
  }

  get sticky(): number {
    return this.current.stickyError;
  }

  /** Error code that a call finds when it has waited for a device. */
  noticeFault(device: DeviceState = this.current): number {
    this.showOutput();
    if (device.pendingError !== 0) {
      if (isSticky(device.pendingError)) device.stickyError = device.pendingError;
      this.thread.lastError = device.pendingError;
      device.pendingError = 0;
      return this.thread.lastError;
    }
    return device.stickyError;
  }

  /** The buffer of device printf is written out when the host waits for the device. */
  private showOutput(): void {
    const text = this.device.takeOutput?.() ?? '';
    if (text !== '') this.system.console('stdout', text);
  }

  /** Work of a GPU failed; the program goes on, as it would on a GPU. */
  workFailed({ error, errorName, message }: Failure, device: DeviceState): void {
    if (device.pendingError === 0) device.pendingError = error;
    this.system.console('stderr', `Simsight: ${harmlessLine(message)} (${errorName})\n`);
  }

  /** Records the failure of work that is not shown on the GPU's rows, likewise. */
  failedUnseen(code: number, message: string, device: DeviceState): void {
    const failure: Failure = { error: code, errorName: errorName(code), message, remedy: '', place: null };
    this.workFailed(failure, device);
    this.system.failed({ kernel: null, failure });
  }

  /** A launch that came to nothing: the program gets the code. */
  launchRefused(kernel: string, code: number): void {
    const [name, text] = [errorName(code), errorText(code)];
    const message = `The launch was refused: ${text}.`;
    const remedy = launchRemedies[code] ?? 'Check what the launch asks for, and the code that it returns.';
    this.system.failed({ kernel, failure: { error: code, errorName: name, message, remedy, place: null } });
  }

  /** A limit of the recording has ended the program: what it was in the middle of is shown. */
  stoppedBy({ message, remedy }: SimsightError): void {
    const { running, call } = this;
    if (running === null || call === null) return;
    const place = this.device.whereabouts?.()?.place ?? null;
    const { launch, stream } = running;
    const failure: Failure = { error: 0, errorName: '', message, remedy, place };
    this.system.launch(call, { ...unfinishedWork(this, launch, failure), stream });
    this.system.endApi(call, 0);
  }

  noteError(code: number): void {
    if (code !== cudaError.Success) this.thread.lastError = code;
  }

  /** A launch whose code nobody sees. */
  noteUncheckedLaunch(kernel: string, code: number): void {
    this.uncheckedLaunches ??= { kernel, code, count: 0 };
    this.uncheckedLaunches.count++;
  }

  peekError(): number {
    this.uncheckedLaunches = null;
    return this.sticky !== 0 ? this.sticky : this.thread.lastError;
  }

  takeError(): number {
    const code = this.peekError();
    this.thread.lastError = 0;
    return code;
  }

  /** `cudaDeviceReset`: of the current device, whose kernels have ended. */
  reset(): void {
    this.showOutput();
    const { index, peers } = this.current;
    const own = <State extends { device: number }>(states: Map<number, State>): [number, State][] =>
      [...states].filter(([, { device }]) => device === index);
    for (const { start, info } of [...this.deviceAllocations.list]) {
      if (info.device === index && !info.isMapped) this.freeDevice(start);
    }
    for (const [handle, { id }] of own(this.streams)) {
      this.system.destroyStream(id);
      this.streams.delete(handle);
    }
    for (const { defaultStreams } of this.threads) {
      const stream = defaultStreams.get(this.current);
      if (stream) this.system.destroyStream(stream.id);
      defaultStreams.delete(this.current);
    }
    for (const [handle, { id }] of own(this.events)) {
      this.system.destroyEvent(id);
      this.events.delete(handle);
    }
    for (const peer of peers) this.device.setPeerAccess?.(index, peer, false);
    this.captures.clear();
    this.current.reset();
    this.thread.lastError = 0;
  }

  /** A function of the program. Errors: `host-program-failed` where the pointer is none. */
  functionAt(pointer: number): (...args: (number | bigint)[]) => unknown {
    const target = this.functionOf(pointer);
    if (target) return target;
    const message = `The program handed the invalid function pointer 0x${pointer.toString(16)} to the CUDA runtime.`;
    throw new SimsightError('host-program-failed', message, 'Check the callbacks that are passed to CUDA calls.');
  }

  /** Calls a function of the program; addresses among the arguments are made with `asWord`. */
  callHost(pointer: number, ...args: (number | bigint)[]): void {
    const target = this.functionAt(pointer);
    const outer = this.inHostFunction;
    this.inHostFunction = true;
    this.onHostFunction();
    try {
      target(...args);
    } finally {
      this.inHostFunction = outer;
      this.onHostFunction();
    }
  }

  /** The capture that a stream takes part in. */
  captureOf(stream: number): Capture | null {
    if (this.captures.size === 0) return null;
    const id = this.streamOf(stream);
    for (const capture of this.captures) if (id !== null && capture.tails.has(id)) return capture;
    return null;
  }

  /** Host memory that is neither page-locked nor managed. */
  isPageable(address: number): boolean {
    return !this.pinned.find(address, 1) && !this.managed.find(address, 1);
  }

  /** All work of a device ends before the host goes on (`cudaDeviceSynchronize`, and `silent` where the trace does not say so). */
  waitForDevice(call: ApiCall, silent = false, index = this.current.index): void {
    this.deferred.end(() => !this.deferred.isOnDevice(index));
    this.system.synchronizeDevice(call, silent, index);
  }

  isBlocking(stream: StreamId): boolean {
    for (const { id, flags } of this.streams.values()) if (id === stream) return (flags & 1) === 0;
    return true;
  }

  priorityOf(stream: StreamId): number {
    for (const { id, priority } of this.streams.values()) if (id === stream) return priority;
    return 0;
  }

  /**
   * The stream behind a handle; null when there is none. 1 is the legacy default stream of the current device, 2 the thread's own,
   * 0 one of them.
   */
  streamOf(handle: number): StreamId | null {
    if (this.isLegacy(handle)) return legacyStreamOf(this.current.index);
    if (handle === 0 || handle === 2) return this.perThreadStream();
    return this.streams.get(handle)?.id ?? null;
  }

  /** True if a handle is that of the legacy default stream. */
  isLegacy(handle: number): boolean {
    return handle === 1 || (handle === 0 && !this.options.perThreadStreams && !this.thread.perThreadCall);
  }

  /** Runs with another device as the current one. */
  on<Result>(device: DeviceState | undefined, run: () => Result): Result {
    const { thread } = this;
    const { current } = thread;
    thread.current = device ?? current;
    try {
      return run();
    } finally {
      thread.current = current;
    }
  }

  /** A host thread begins, with device 0. */
  startThread(): ThreadState {
    const thread = new ThreadState(this.devices[0]!);
    this.threads.add(thread);
    return thread;
  }

  /** Its default streams go with it. */
  endThread(thread: ThreadState): void {
    this.threads.delete(thread);
    for (const { id } of thread.defaultStreams.values()) this.system.destroyStream(id);
  }

  /** Result of a call, answered once it has waited. */
  afterWait(call: ApiCall, answer: () => number): number {
    if (!call.waits?.length) return answer();
    call.answer = answer;
    return cudaError.Success;
  }

  /** True if one device can access the memory of another: where NVLink joins them. */
  areJoined(device: number, peer: number): boolean {
    const gpus = this.devices.map(({ gpu }) => gpu);
    return nvLinkBetween(gpus, device, peer) !== null;
  }

  /** The device of a stream that there is. */
  deviceOfStream(handle: number): DeviceState {
    return this.devices[this.streams.get(handle)?.device ?? this.current.index]!;
  }

  private perThreadStream(): StreamId {
    const { thread, current } = this;
    const { index: device } = current;
    let stream = thread.defaultStreams.get(current);
    if (!stream) {
      stream = {
        id: this.system.createStream({ nonBlocking: false, priority: 0, device }),
        device,
        flags: 0,
        priority: 0,
      };
      thread.defaultStreams.set(current, stream);
    }
    return stream.id;
  }

  /** For large parts of the host's and the devices' memory. */
  get bulk(): BulkMemory {
    return (this.bulkMemory ??= new BulkMemory(this.device.memory, this.memory.wasm));
  }

  /** Writes to the memory of a device, where it is not paged. */
  writeToDevice(address: number, bytes: Uint8Array): void {
    for (const piece of this.device.pieces(address, bytes.length, true)) piece.set(bytes);
  }

  /** Access to the bytes behind an address on one side; null where they do not all belong to it. */
  bytesAt(address: number, size: number, onDevice: boolean): RangeOfBytes | null {
    const onHost = (start: number): RangeOfBytes => ({
      pieces: (offset, bytes) => [this.memory.bytes(start + offset, bytes)],
    });
    if (this.shared.ranges.find(address, size)) return onHost(address);
    const elsewhere = onDevice ? this.registeredAt(address, size) : null;
    if (elsewhere !== null) return onHost(elsewhere);
    if (!onDevice) return this.memory.contains(address, size) ? onHost(address) : null;
    if (!this.isDeviceRange(address, size)) return null;
    return { pieces: (offset, bytes, writes) => this.device.pieces(address + offset, bytes, writes) };
  }

  /** The host's address of registered memory, by the device's. */
  private registeredAt(address: number, size: number): number | null {
    for (const { start, size: whole, info } of this.shared.ranges.list) {
      const offset = address - info.deviceAddress;
      if (start !== info.deviceAddress && offset >= 0 && offset + size <= whole) return start + offset;
    }
    return null;
  }

  /** The device whose memory lies at an address, an allocation or a variable; null where nothing does. */
  deviceAt(address: number): number | null {
    const found = this.deviceAllocations.find(address);
    if (found) return found.info.device;
    const variable = this.device.variables.find((v) => address >= v.address && address <= v.address + v.size);
    return variable ? (variable.gpu ?? 0) : null;
  }

  /** Bytes that a device has allocated; graphs have more than they use. */
  allocatedOn({ index, graphMemory }: DeviceState): number {
    return this.deviceAllocations.list.reduce(
      (sum, { size, info }) => sum + (info.device === index && !info.graph && !info.isMapped ? size : 0),
      graphMemory.bytes + this.virtualMemory.allocatedOn(index),
    );
  }

  /** Memory of a device that a program has from now on. */
  allocated(address: number, size: number, allocation: DeviceAllocation): void {
    const { context } = this.thread;
    const isOwned = context !== null && !context.isPrimary;
    const info = isOwned ? { ...allocation, context: context.handle } : allocation;
    this.deviceAllocations.add(address, size, info);
    this.noteMemory('allocation', address, size, info);
  }

  /** Says why an allocation fails that the GPU would have room for. */
  noticeFull(bytes: number, kind: 'device memory' | 'managed memory' | 'page-locked memory' | 'arrays'): void {
    const gibibytes = (bytes / 2 ** 30).toFixed(2);
    const isLinear = kind !== 'device memory' || this.devices.length > 1;
    const why = isLinear
      ? 'managed and page-locked memory, arrays, and the memory of several GPUs have 4 GiB of addresses here, all together'
      : 'this machine has no room for it';
    this.system.notice(`An allocation of ${gibibytes} GiB of ${kind} failed: ${why}.`);
  }

  private noteMemory(
    operation: 'allocation' | 'deallocation',
    address: number,
    bytes: number,
    { device: deviceId, isArray }: DeviceAllocation,
  ): void {
    this.system.memory({ operation, kind: isArray ? 'array' : 'device', deviceId, address, bytes });
  }

  /** Gives memory of a device back; false where no allocation starts. */
  freeDevice(address: number): boolean {
    const range = this.deviceAllocations.find(address);
    if (range?.start !== address || range.info.isMapped) return false;
    this.deviceAllocations.remove(address);
    this.noteMemory('deallocation', address, range.size, range.info);
    this.device.free(address);
    if (range.info.graph) letGo(this, range.info.graph.place);
    return true;
  }

  /** Takes memory that was mapped from its addresses, which stay reserved. */
  unmapped(address: number): void {
    const { size, info } = this.deviceAllocations.find(address)!;
    this.deviceAllocations.remove(address);
    this.noteMemory('deallocation', address, size, info);
    this.device.free(address);
  }

  /** True if a device owns all of the range: an allocation, or a variable. */
  isDeviceRange(address: number, size: number): boolean {
    // What is mapped side by side is one range to a program.
    if (this.deviceAllocations.find(address, size) ?? this.deviceAllocations.covers(address, size)) return true;
    return this.device.variables.some((v) => address >= v.address && address + size <= v.address + v.size);
  }

  /** A text in the program's memory, for calls that return `const char *`. */
  textAddress(text: string): number {
    let address = this.texts.get(text);
    if (address === undefined) {
      const bytes = new TextEncoder().encode(`${text}\0`);
      address = this.malloc(bytes.length);
      this.memory.bytes(address, bytes.length).set(bytes);
      this.texts.set(text, address);
    }
    return address;
  }
}
