/**
 * A simulated GPU's memory and its kernels: allocates, launches, counts. Synchronous, deterministic, no notion of time.
 *
 *   const device = Device.create([module], { memoryBytes: 8 * 2 ** 30 });
 *   const a = device.allocate(4096);
 *   new Float32Array(device.memory.buffer, a, 1024).set(input);
 *   const counts = device.launch({ kernel: '_Z3addPf', grid, block, dynamicSharedBytes: 0, parameters }, geometry);
 */
import { lineBytes, warpSize } from '../model/geometry.ts';
import { cudaError } from '../model/cuda-errors.ts';
import { SimsightError } from '../base/errors.ts';
import { importsFor } from '../base/program-imports.ts';
import type {
  CacheGeometry,
  DeviceCheck,
  DeviceVariable,
  KernelCounts,
  KernelDescription,
  KernelLaunch,
  LaunchClock,
  OnChildLaunch,
} from '../model/execution.ts';
import type { TraceRequest } from '../model/kernel-timing.ts';
import { executionProgress } from '../model/execution-progress.ts';
import type { PassedOptions } from '../model/record-options.ts';
import { stoppedClock, WarpClocks } from './clock.ts';
import { Crew, type StartCrewThread } from './crew.ts';
import { CrewSharing } from './device/crew-sharing.ts';
import { GridExecution } from './device/grid-execution.ts';
import { Fault, kernelError } from './device/kernel-errors.ts';
import { collectCounts } from './device/kernel-counts.ts';
import { KernelTimes } from './device/kernel-times.ts';
import { L2History, type LaunchNumbers } from './device/l2-history.ts';
import { LaunchLimits } from './device/launch-limits.ts';
import {
  clearLaunch,
  KnownPlaces,
  placeLaunch,
  writeExecution,
  writeLaunch,
  type LaunchPlaces,
  type ManagedPages,
  type PlacedLaunch,
} from './device/launch-places.ts';
import { LoadedModules, type LoadedKernel, type LoadedUnit } from './device/loaded-modules.ts';
import { DeviceMemory } from './device/memory.ts';
import { isPaged } from './device/paging.ts';
import { RepeatedLaunches, type NewLaunch } from './device/repeated-launches.ts';
import { touchedPages } from './device/touched-pages.ts';
import { undefinedText, type Whereabouts } from './faults.ts';
import { checkBit, managedPageBytes, siteCounterBytes, siteCounterField } from './layout.ts';
import type { DeviceModule, KernelSource, ModuleKernel, ModuleUnit } from './module.ts';
import type { SecondFunctions } from './second-functions.ts';
import { SystemCalls } from './system-calls.ts';
import { Tracer } from './trace.ts';

/** Limits of every CUDA device since Fermi. */
const maxThreadsPerBlock = 1024;

/** Options of a device. Those that the recording was given are among them: `maxInstructions`, `maxMemoryBytes`, `executeAll`, `allowOverruns`. */
export interface DeviceOptions extends PassedOptions {
  /** Simulated capacity, bytes. */
  memoryBytes: number;
  /** GPUs beside the first, which share its addresses. */
  others?: readonly { memoryBytes: number }[];
  checks?: readonly DeviceCheck[];
  /** Names for messages by mangled name. */
  names?: ReadonlyMap<string, string>;
  /** Threads that execute one grid; default: one per core. Nothing but time depends on it. */
  threads?: number;
  /** Starts such a thread, where the executing one may start none. */
  startThread?: StartCrewThread;
  /** Grids that take longer than this are executed by several threads. */
  aloneMilliseconds?: number;
  /** Is told, once for each place, where results are undefined on this GPU. */
  onUndefined?: (text: string) => void;
  /** Compiles a unit that comes without its WebAssembly, when one of its kernels is first launched. */
  compile?: (unit: ModuleUnit) => Uint8Array;
  /** The module for paged memory, when a kernel of it is launched while there is some. Without it, 4 GiB are all that there is. */
  paged?: (module: DeviceModule) => DeviceModule;
  /** Makes a kernel that its module leaves for later, when something about it is first asked. */
  later?: KernelSource;
  /** Device memory is paged from the beginning, with so many frames. */
  frames?: number;
  /** For others to look at meanwhile: see {@link executionProgress}. */
  progress?: Float64Array<SharedArrayBuffer>;
}

/** A launch, and what follows it. */
interface Request {
  launch: KernelLaunch;
  caches: CacheGeometry;
  onChild: OnChildLaunch;
  trace: TraceRequest | null;
  clock: LaunchClock;
  /** Of a grid that costs more some blocks are enough. */
  mostCost: number;
  /** As if nothing had happened afterwards. */
  rehearsal: boolean;
}

/** L2 is empty, or has lines that others than launches wrote. */
interface L2Changes {
  isEmpty: boolean;
  written: readonly { first: number; end: number }[];
}

/** Whether nothing but its results suffers where blocks of a launch are left out. */
const mayBeIncomplete = ({ cooperative }: KernelLaunch, { asksTime, mayLaunch }: ModuleKernel): boolean =>
  cooperative !== true && asksTime !== true && mayLaunch !== true;

const refuseChildren: OnChildLaunch = () => cudaError.LaunchFailure;

export class Device {
  /** Device memory: a device pointer is an address in it. Its `buffer` changes whenever memory grows. */
  readonly memory: WebAssembly.Memory;
  /** printf and malloc of kernels. */
  readonly calls: SystemCalls;
  private readonly options: DeviceOptions;
  private readonly allocations: DeviceMemory;
  private readonly places: KnownPlaces;
  private readonly modules: LoadedModules;
  private readonly limits: LaunchLimits;
  private readonly kernelTimes: KernelTimes;
  private readonly crew: Crew;
  private readonly sharing: CrewSharing | null;
  /** L2 history by GPU. */
  private readonly l2: L2History[];
  private launches = 0;
  private readonly repeated: RepeatedLaunches;
  private managedPages: ManagedPages = { first: 0, pages: 0 };
  private readonly toldUndefined = new Set<string>();
  /** Tracer of the launch under way, if its blocks are traced. */
  private tracer: Tracer | null = null;
  private clock = new WarpClocks(stoppedClock);

  private constructor(options: DeviceOptions) {
    this.options = options;
    const { memoryBytes, others = [], maxMemoryBytes, maxInstructions = Infinity, checks = [], frames } = options;
    const capacities = [memoryBytes, ...others.map((gpu) => gpu.memoryBytes)];
    this.allocations = new DeviceMemory(capacities, maxMemoryBytes, frames, options.allowOverruns);
    this.places = new KnownPlaces(this.allocations);
    this.memory = this.allocations.wasm;
    this.l2 = Array.from({ length: this.allocations.gpuCount }, () => new L2History());
    this.repeated = new RepeatedLaunches(this.allocations, options.sample === true);
    const isStopped = (): boolean => (options.progress?.[executionProgress.stop] ?? 0) !== 0;
    this.limits = new LaunchLimits(this.memory, options, (kernel) => this.nameOf(kernel), isStopped);
    this.kernelTimes = new KernelTimes(options.progress);
    this.crew = new Crew(this.memory, options.threads, options.startThread);
    const isAlone = maxInstructions !== Infinity || checks.length > 0;
    this.sharing = isAlone ? null : new CrewSharing(this.crew, options.aloneMilliseconds);
    this.calls = new SystemCalls(this.memory, {
      allocate: (bytes) => this.allocate(bytes, 0, this.allocations.current),
      free: (address) => this.free(address),
    });
    this.modules = new LoadedModules(this.allocations, {
      compile: options.compile,
      paged: options.paged,
      later: options.later,
      imports: (module, more) => this.importsOf(module, more),
    });
  }

  static create(modules: DeviceModule[], options: DeviceOptions): Device {
    const device = new Device(options);
    for (const module of modules) device.modules.load(module);
    device.kernelTimes.name(modules);
    return device;
  }

  /** One more module, whose kernels have names that no other has. */
  load(module: DeviceModule): void {
    this.modules.load(module);
    this.kernelTimes.name([module]);
  }

  private importsOf(module: WebAssembly.Module, more: SecondFunctions): WebAssembly.Imports {
    return importsFor(module, {
      env: {
        memory: this.memory,
        fault: (code: number, site: number, address: number) => {
          throw new Fault(code, site, address);
        },
        tick: () => this.limits.checkUnderWay(),
        sequence: () => Atomics.add(this.crew.sequence, 0, 1),
        drain: () => this.tracer?.drain(),
        clock: (estimate: number, block: number, warp: number, reading: number) =>
          this.clock.read(estimate, block >>> 0, warp, reading),
        page_in: (page: number) => this.allocations.paging?.bringIn(page >>> 0) ?? 0,
        ...this.calls.imports,
        ...more,
      },
    });
  }

  private nameOf({ name }: ModuleKernel): string {
    return this.options.names?.get(name) ?? name;
  }

  get variables(): readonly DeviceVariable[] {
    return this.modules.variables;
  }

  hasKernel(name: string): boolean {
    return this.modules.has(name);
  }

  kernel(name: string): KernelDescription | undefined {
    return this.modules.kernel(name)?.kernel;
  }

  /** Moves a variable, with what it holds, before any kernel has run; false when something else lies there. */
  moveVariable(variable: DeviceVariable, address: number): boolean {
    return this.modules.moveVariable(variable, address);
  }

  /** Blocks that several threads executed side by side, of all launches. */
  get blocksSideBySide(): number {
    return this.crew.blocks;
  }

  /** Launches until now, and those of them that were not executed, as they did what an earlier one did. */
  get launchCounts(): { launches: number; repeated: number } {
    return { launches: this.launches, repeated: this.repeated.count };
  }

  /** Bytes allocated and not freed, as `cudaMemGetInfo` would see them missing. */
  get usedBytes(): number {
    return this.allocations.usedBytes;
  }

  /** See {@link DeviceMemory.allocate}. */
  allocate(bytes: number, lowest = 0, gpu?: number, managed = false): number | null {
    return this.allocations.allocate(bytes, lowest, gpu, managed);
  }

  /** See {@link DeviceMemory.allocateAnywhere}. */
  allocateAnywhere(bytes: number, gpu: number): number | null {
    return this.options.paged === undefined
      ? this.allocations.allocate(bytes, 0, gpu)
      : this.allocations.allocateAnywhere(bytes, gpu);
  }

  /** See {@link DeviceMemory.pieces}. */
  pieces(address: number, bytes: number, writes: boolean): Iterable<Uint8Array> {
    return this.allocations.pieces(address, bytes, writes);
  }

  /** These bytes of {@link memory} were written to otherwise than in {@link pieces}. */
  changed(address: number, bytes: number): void {
    this.allocations.onWrite(address, bytes);
  }

  /** True for addresses that are not those of {@link memory}. */
  isPaged(address: number): boolean {
    return isPaged(address);
  }

  /** False if `address` is not the start of an allocation. */
  free(address: number): boolean {
    return this.allocations.free(address);
  }

  /** Takes addresses without memory; null when there are none left. */
  reserve(bytes: number): number | null {
    return this.allocations.reserve(bytes);
  }

  unreserve(address: number, bytes: number): void {
    this.allocations.unreserve(address, bytes);
  }

  /** Memory at addresses that were reserved, until it is freed; false when the device is full. */
  place(address: number, bytes: number, gpu?: number): boolean {
    return this.allocations.place(address, bytes, gpu);
  }

  /** Allows or forbids kernels of one GPU to access the memory of another (`cudaDeviceEnablePeerAccess`). */
  setPeerAccess(gpu: number, peer: number, enabled: boolean): void {
    this.allocations.setPeerAccess(gpu, peer, enabled);
  }

  /** Allows or forbids kernels of a GPU to access an allocation of another (`cudaMemPoolSetAccess`). */
  setAccess(address: number, gpu: number, enabled: boolean): void {
    this.allocations.setAccess(address, gpu, enabled);
  }

  /** Page-locked memory of the host that kernels can reach from now on, or no longer. */
  ownByHost(address: number, bytes: number, owned: boolean): void {
    // The caches move.
    if (!this.allocations.hasOwners) for (const history of this.l2) history.forget();
    this.allocations.ownByHost(address, bytes, owned);
  }

  /** Copies to and from the host moved so many bytes through L2. */
  moved(bytes: number, gpu = 0): void {
    this.l2[gpu]!.copied(bytes);
  }

  /** A memset or a copy within the device wrote these bytes. */
  wrote(address: number, bytes: number, gpu = 0): void {
    // Lines of L2 are those of frames.
    if (!isPaged(address)) this.l2[gpu]!.wrote(address, bytes);
  }

  /** Linear memory that launches may have changed since this was last asked. */
  takeChanged(): readonly { address: number; bytes: number }[] {
    return this.repeated.takeChanged();
  }

  /** Adds a range of managed memory: launches say which of its pages they touched. */
  watchManaged(address: number, bytes: number): void {
    const first = Math.floor(address / managedPageBytes);
    const end = Math.ceil((address + bytes) / managedPageBytes);
    const before = this.managedPages;
    if (before.pages === 0) this.managedPages = { first, pages: end - first };
    else {
      const lowest = Math.min(first, before.first);
      this.managedPages = { first: lowest, pages: Math.max(end, before.first + before.pages) - lowest };
    }
  }

  /** Returns what kernels printed since the last call. */
  takeOutput(): string {
    return this.calls.takeOutput();
  }

  /** Position of the execution, for what is said when it is stopped: see {@link LaunchLimits.whereabouts}. */
  whereabouts(): Whereabouts | null {
    return this.limits.whereabouts();
  }

  /**
   * Runs a grid to its end. Throws 'kernel-failed' where a real device would report an error of the kernel. What it
   * launches itself is for the caller to run. Of a grid that costs more than `mostCost` some blocks are enough,
   * which then stand for the others.
   */
  launch(
    launch: KernelLaunch,
    caches: CacheGeometry,
    onChild: OnChildLaunch = refuseChildren,
    trace: TraceRequest | null = null,
    clock: LaunchClock = stoppedClock,
    mostCost = Infinity,
  ): KernelCounts {
    this.limits.countKernel();
    const counts = this.execute({ launch, caches, onChild, trace, clock, mostCost, rehearsal: false })!;
    this.launches++;
    this.options.progress?.set([this.launches, this.repeated.count], executionProgress.launches);
    return counts;
  }

  /**
   * Executes the blocks that `trace` asks for, and nothing else, as if nothing had happened afterwards: to find out when the
   * launch asks the time. Null where that cannot be done.
   */
  rehearse(launch: KernelLaunch, caches: CacheGeometry, trace: TraceRequest, clock: LaunchClock): KernelCounts | null {
    if (this.modules.kernel(launch.kernel)?.kernel.asksTime !== true || launch.cooperative === true) return null;
    return this.execute({ launch, caches, onChild: refuseChildren, trace, clock, mostCost: Infinity, rehearsal: true });
  }

  private execute(request: Request): KernelCounts | null {
    const { launch, trace } = request;
    const found = this.modules.executable(launch.kernel);
    if (found === undefined) throw new SimsightError('bad-request', `There is no kernel ${launch.kernel}.`);
    const { kernel } = found;
    const placed = this.placedLaunch(found, request);
    this.allocations.executeOn(placed.gpu);
    this.tracer = null;
    const places =
      trace === null
        ? this.places.of(placed)
        : placeLaunch(this.allocations, placed, (take) => {
            this.tracer = new Tracer(this.memory, kernel, trace, take);
          });
    try {
      return this.executePlaced(request, found, placed, places);
    } finally {
      if (places.borrowed !== null) this.allocations.giveBack(places.borrowed);
    }
  }

  private executePlaced(
    request: Request,
    found: LoadedKernel,
    placed: PlacedLaunch,
    places: LaunchPlaces,
  ): KernelCounts | null {
    const { launch, trace, rehearsal } = request;
    const { kernel } = found;
    const unit = this.modules.unitFor(found);
    const numbers = this.l2[placed.gpu]!.numbers(launch, rehearsal);
    const l2 = this.l2Changes(placed);
    const started = { placed, places, loaded: found, unit, ...numbers, requests: this.calls.requests };
    const kind = this.mayRepeat(request, kernel) ? this.repeated.kindOf(started) : null;
    let counts = kind === null || trace !== null ? null : this.repeated.unchanged(started, kind);
    if (counts !== null) return counts;
    this.settleL2(started, placed, numbers, l2, this.mayRepeatAny(request));
    const attempt = kind === null ? null : this.repeated.begin(started, kind);
    counts = attempt === null || trace !== null ? null : this.repeated.repeat(attempt);
    if (counts !== null) return counts;
    this.repeated.forgetL2();
    this.write(placed, places, unit);

    this.limits.begin(kernel, places.counts);
    const { tracer } = this;
    const clocks = new WarpClocks(request.clock, {
      keeps: tracer !== null && kernel.clockLoops.length > 0,
      rehearses: rehearsal,
      isBeside: kernel.waits,
    });
    this.clock = clocks;
    this.calls.beginKernel(found.module.kernels, (child) =>
      request.onChild({ ...child, step: clocks.launched(child.block, child.thread) }),
    );
    const { allocations: memory, options } = this;
    // Others may not come while a page is on its way.
    const sharing = memory.paging === null ? this.sharing : null;
    const { progress } = options;
    const execution = new GridExecution(placed, places, { memory, unit, clocks, trace, tracer, sharing, progress });
    this.kernelTimes.begin(kernel);
    if (rehearsal) {
      if (!this.rehearseBlocks(execution, places, unit)) return null;
    } else
      this.executeBlocks(
        execution,
        placed,
        places,
        unit,
        mayBeIncomplete(launch, kernel) ? request.mostCost : Infinity,
      );
    execution.end();
    this.kernelTimes.end();
    const result = this.result(placed, places, execution, rehearsal);
    if (execution.share < 1) {
      this.repeated.forgetL2();
      return { ...result, executedShare: execution.share };
    }
    if (attempt !== null) this.repeated.end(attempt, result, this.calls.requests);
    return result;
  }

  changes(): number | null {
    const { paging, hasOwners } = this.allocations;
    const isCounted = paging === null && !hasOwners && this.options.executeAll !== true;
    return isCounted ? this.repeated.allChanges() : null;
  }

  /** Whether a launch depends on nothing but itself and one GPU's memory and L2. */
  private mayRepeat(request: Request, { asksTime, mayLaunch }: ModuleKernel): boolean {
    return this.mayRepeatAny(request) && asksTime !== true && mayLaunch !== true;
  }

  private mayRepeatAny({ rehearsal }: Request): boolean {
    const { maxInstructions = Infinity, checks = [], executeAll = false } = this.options;
    const { paging, hasOwners } = this.allocations;
    const isFree = !executeAll && maxInstructions === Infinity && checks.length === 0;
    return isFree && !rehearsal && paging === null && !hasOwners;
  }

  private placedLaunch({ kernel, variables }: LoadedKernel, { launch, caches }: Request): PlacedLaunch {
    const { grid, block, gpu = 0 } = launch;
    const threads = block.x * block.y * block.z;
    const blocks = grid.x * grid.y * grid.z;
    if (!(threads >= 1 && threads <= maxThreadsPerBlock && blocks >= 1 && blocks < 2 ** 32)) {
      throw new SimsightError(
        'bad-request',
        `Invalid launch of ${launch.kernel}: ${blocks} blocks of ${threads} threads.`,
        'A block has 1 to 1024 threads.',
      );
    }
    return {
      ...{ kernel, name: this.nameOf(kernel), launch, caches, gpu, blocks, threads },
      warps: Math.ceil(threads / warpSize),
      variables: variables[gpu]!,
      managed: this.managedPages,
      raceChecks: this.raceChecks(kernel, launch),
    };
  }

  /** Checks to make on shared memory, as {@link checkBit}. Blocks that wait for others are executed together, and are not checked. */
  private raceChecks(kernel: ModuleKernel, launch: KernelLaunch): number {
    const { checks = [] } = this.options;
    if (checks.includes('racecheck')) return checkBit.racecheck;
    const isAlone = !kernel.waits && !kernel.otherBarriers && launch.cooperative !== true;
    return checks.includes('order') && isAlone ? checkBit.order : 0;
  }

  /** What others than launches have done to L2 since the last one. */
  private l2Changes({ gpu, caches }: PlacedLaunch): L2Changes {
    const history = this.l2[gpu]!;
    const changes = { isEmpty: history.begin(caches.l2Bytes), written: history.takeWritten() };
    if (changes.isEmpty || changes.written.length > 0) this.repeated.forgetL2();
    return changes;
  }

  /** Brings L2 into the state that the launch begins with, and writes what the runtime has to know of the launch for that. */
  private settleL2(
    { places, unit }: Pick<NewLaunch, 'places' | 'unit'>,
    placed: PlacedLaunch,
    numbers: LaunchNumbers,
    { isEmpty, written }: L2Changes,
    mayRepeat: boolean,
  ): void {
    const { l2Bytes } = placed.caches;
    const { address, bytes } = places.l2;
    if (isEmpty) this.allocations.bulk.fill(new Uint8Array(this.memory.buffer, address, bytes), 0);
    writeLaunch(this.allocations, placed, places, numbers);
    const stored = unit.instance.exports['stored'] as (launch: number, line: number, count: number) => void;
    // L2 holds only the end of ranges larger than it; a bit more than its size, as not all sets get equally many lines.
    const most = Math.ceil((1.25 * l2Bytes) / lineBytes);
    const lines = written.map(({ first, end }) => ({
      first: Math.max(first, end - most),
      count: Math.min(end - first, most),
    }));
    const store = (): void => lines.forEach(({ first, count }) => stored(places.launch, first, count));
    if (mayRepeat) this.repeated.store({ places, unit }, lines, store);
    else store();
  }

  /** Brings the rest of memory into the state that the launch begins with. */
  private write(placed: PlacedLaunch, places: LaunchPlaces, unit: LoadedUnit): void {
    const { allocations: memory } = this;
    clearLaunch(memory, placed, places);
    (unit.instance.exports['begin_launch'] as (launch: number) => void)(places.launch);
    writeExecution(memory, placed, places);
  }

  /** The traced blocks alone; then L2 and what they wrote are as before. False where they did not come to their end. */
  private rehearseBlocks(execution: GridExecution, { launch, l2 }: LaunchPlaces, unit: LoadedUnit): boolean {
    const bytes = new Uint8Array(this.memory.buffer);
    const before = bytes.slice(l2.address, l2.address + l2.bytes);
    let ended: boolean;
    this.calls.silent = true;
    try {
      ended = this.crew.rehearse(launch, () => void execution.executeTraced(() => undefined));
    } finally {
      this.calls.silent = false;
      bytes.set(before, l2.address);
    }
    unit.stackPointer.value = unit.stackTop;
    if (!ended) this.limits.end();
    return ended;
  }

  private executeBlocks(
    execution: GridExecution,
    { kernel, name, launch }: PlacedLaunch,
    places: LaunchPlaces,
    unit: LoadedUnit,
    mostCost: number,
  ): void {
    const { requests } = this.calls;
    try {
      execution.execute(mostCost);
    } catch (error) {
      unit.stackPointer.value = unit.stackTop;
      // A kernel that a limit stopped is still asked for its position.
      const isStopped = error instanceof SimsightError && error.code === 'budget-exceeded';
      if (!isStopped) this.limits.end();
      const thrown = kernelError(this.allocations, { kernel, name, block: launch.block, places }, error);
      if (this.calls.requests !== requests) thrown.onlyWaited = false;
      throw thrown;
    }
  }

  private result(
    { kernel, name, blocks, warps, managed }: PlacedLaunch,
    places: LaunchPlaces,
    { hottest }: GridExecution,
    rehearsal: boolean,
  ): KernelCounts {
    const { launch, counts, sites } = places;
    const executed = rehearsal ? (this.tracer?.traced ?? 0) : blocks;
    const result = collectCounts(this.memory, {
      ...{ kernel, launch, counts, sites, hottest },
      blocks: executed,
      warps: executed * warps,
      hasPeers: this.allocations.gpuCount > 1,
      hasHost: this.allocations.hasHostMemory,
      samples: rehearsal ? null : (this.tracer?.accessSamples() ?? null),
    });
    this.tellUndefined(kernel, name, sites);
    const { prints } = this.calls;
    if (prints !== null) result.prints = prints;
    if (managed.pages > 0) result.touched = touchedPages(this.memory, places, managed);
    if (!rehearsal) this.limits.add(result.warpInstructions);
    this.limits.check();
    this.limits.end();
    return result;
  }

  /** Operations of warps that found lanes of their masks elsewhere, on GPUs where that is undefined; each place once. */
  private tellUndefined(kernel: ModuleKernel, name: string, sites: number): void {
    const { onUndefined } = this.options;
    if (onUndefined === undefined) return;
    const counters = new BigUint64Array(this.memory.buffer);
    kernel.sites.forEach((site, i) => {
      if (
        site.operation === undefined ||
        counters[(sites + i * siteCounterBytes + siteCounterField.sectors) / 8] === 0n
      )
        return;
      const text = undefinedText(name, site);
      if (this.toldUndefined.has(text)) return;
      this.toldUndefined.add(text);
      onUndefined(text);
    });
  }
}
