/** Interfaces that the simulated CUDA runtime needs from the parts around it. */
import type { GpuDescription } from '../gpus/types.ts';
import type { PassedOptions } from '../model/record-options.ts';
import type { RunTimeModule, RunTimeSource } from '../model/run-time-compilation.ts';
import type { SystemSimulator } from '../system/types.ts';
import type {
  CacheGeometry,
  DeviceVariable,
  KernelCounts,
  KernelDescription,
  KernelLaunch,
  LaunchClock,
  OnChildLaunch,
} from '../model/execution.ts';
import type { TraceRequest, KernelModel } from '../model/kernel-timing.ts';
import type { WritableFolder } from './linux/files.ts';

/**
 * Memory of GPUs and their kernels, as `engine/warp` provides them. Where there are several GPUs, they share its addresses, and
 * are named by their ordinals.
 */
export interface CudaDevice {
  readonly memory: WebAssembly.Memory;
  readonly variables: readonly DeviceVariable[];
  /**
   * null when memory is exhausted. `lowest`: only addresses from there on. Without `gpu`: memory that all of them see; managed
   * memory may be more than the GPU has.
   */
  allocate(bytes: number, lowest?: number, gpu?: number, managed?: boolean): number | null;
  /** The same for `cudaMalloc` and its like, wherever there is room: what is paged is not in `memory`. */
  allocateAnywhere(bytes: number, gpu: number): number | null;
  /** The bytes of a range of device memory, one piece after the other; `writes`: they are to be written to, otherwise they must not be. */
  pieces(address: number, bytes: number, writes: boolean): Iterable<Uint8Array>;
  isPaged(address: number): boolean;
  /** These bytes of `memory` were written to otherwise than in {@link pieces}. */
  changed?(address: number, bytes: number): void;
  /** Page-locked memory of the host that kernels can reach from now on, or no longer. */
  ownByHost?(address: number, bytes: number, owned: boolean): void;
  /** Moves a variable, with what it holds; false when something else lies there. */
  moveVariable(variable: DeviceVariable, address: number): boolean;
  free(address: number): boolean;
  /** Takes addresses without memory; null when there are none left. */
  reserve(bytes: number): number | null;
  unreserve(address: number, bytes: number): void;
  /** Memory at addresses that were reserved, until it is freed; false when the device is full. */
  place(address: number, bytes: number, gpu?: number): boolean;
  /** True if there is a kernel of that name; its description may be a while in the making. */
  hasKernel(name: string): boolean;
  kernel(name: string): KernelDescription | undefined;
  /**
   * Runs the grid to its end. A kernel that faults throws a `SimsightError` with the code `kernel-failed`; its
   * `cudaError`, where present, is the CUDA error that hardware would report (700, 716, 719 …). What the kernel
   * launches itself goes to `onChild`. Of a grid that costs more than `mostCost`
   * (model/execution-cost.ts) some blocks are enough, see {@link KernelCounts.executedShare}.
   */
  launch(
    launch: KernelLaunch,
    geometry: CacheGeometry,
    onChild?: OnChildLaunch,
    trace?: TraceRequest | null,
    clock?: LaunchClock,
    mostCost?: number,
  ): KernelCounts;
  /** Executes the blocks that `trace` asks for as if nothing had happened; null where that cannot be done. */
  rehearse?(
    launch: KernelLaunch,
    geometry: CacheGeometry,
    trace: TraceRequest,
    clock: LaunchClock,
  ): KernelCounts | null;
  /** Copies to and from the host go through L2: so many bytes of device memory, which take the place of what is there. */
  moved?(bytes: number, gpu?: number): void;
  /** A memset or a copy within the device wrote these bytes, which are in L2 now as if a kernel had stored them. */
  wrote?(address: number, bytes: number, gpu?: number): void;
  /** A number that another one follows whenever memory may have changed, by whatever it was; null where that is not counted. */
  changes?(): number | null;
  /** Linear memory that launches may have changed since this was last asked: pieces that do not overlap, in the order of addresses. */
  takeChanged(): readonly { address: number; bytes: number }[];
  /** Allows or forbids kernels of a GPU to access the memory of another. */
  setPeerAccess?(gpu: number, peer: number, enabled: boolean): void;
  /** The same of one allocation. */
  setAccess?(address: number, gpu: number, enabled: boolean): void;
  /** Managed memory can be here: launches say which of its pages they touched. */
  watchManaged?(address: number, bytes: number): void;
  /** The kernel that is being executed, and where in it. */
  whereabouts?(): { place: { file: string; line: number } | null } | null;
  /** Returns what kernels printed since the last call. */
  takeOutput?(): string;
}

/** Options of a host program. Those that the recording was given are among them: `hostRate`, `carveout`, `extraSharedBytes`. */
export interface HostProgramOptions extends PassedOptions {
  /** The linked program. */
  host: Uint8Array<ArrayBuffer>;
  /** `argv[0]`. */
  programName: string;
  arguments: string[];
  /** `NAME=VALUE`. Nothing else of the environment is visible. */
  environment: string[];
  /** The folder that the program may read, as its working directory; null: none. */
  folder: string | null;
  /** A folder that it may write to; null: none. */
  writable: WritableFolder | null;
  /** Real paths of files and folders that it may read besides. */
  readable?: readonly string[];
  gpu: GpuDescription;
  device: CudaDevice;
  system: SystemSimulator;
  model: KernelModel;
  /** Further GPUs: devices 1 and up. */
  others?: readonly { gpu: GpuDescription; model: KernelModel }[];
  /**
   * Loads a module image into the device, see {@link file://../base/module-image.ts}: every call one of its own. Errors: those of its
   * compilation.
   */
  loadImage?: (image: Uint8Array) => LoadedNames;
  /** Compiles a text into a module image. Errors: those of the compiler that are not the text's. */
  compileText?: (source: RunTimeSource) => RunTimeModule;
  /** Callback for calls that profilers mark a range with; `cudaProfilerStart` and `cudaProfilerStop`. */
  onProfiler?: (active: boolean) => void;
  /** Callback for kernels of which launches are timed from now on, and not executed (`sample`). */
  onTimedOnly?: (kernel: string) => void;
  /** Stream 0 is the default stream of the host thread, not the legacy one: `nvcc --default-stream per-thread`. */
  perThreadStreams?: boolean;
  /** Starts the program by calling `run`, where a limit is set on it. */
  start?: (run: () => void) => void;
}

/** Kernels and variables of a module that was loaded: names in the image, and those that the device has for them. */
export interface LoadedNames {
  kernels: ReadonlyMap<string, string>;
  variables: ReadonlyMap<string, string>;
}

/** Kernels that could not be launched: what the program never found out. */
export interface UncheckedLaunches {
  /** Mangled name of the first. */
  kernel: string;
  code: number;
  count: number;
}

export interface HostProgramResult {
  exitCode: number;
  uncheckedLaunches: UncheckedLaunches | null;
  /** A file that it asked for and may not read, as it named it. */
  outside: string | null;
}
