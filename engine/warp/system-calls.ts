/**
 * Requests of kernels to the host: printf, malloc and free, launches. Calls come lane by lane, in the order of execution.
 */
import { cudaError, errorName, errorText } from '../model/cuda-errors.ts';
import type { ModuleKernel } from './module.ts';
import { formatDeviceText } from './printf.ts';
import type { ChildLaunch, Prints } from '../model/execution.ts';

export interface Heap {
  allocate: (bytes: number) => number | null;
  free: (address: number) => boolean;
}

/** `cudaLimitMallocHeapSize`, default of every CUDA device. */
export const defaultHeapBytes = 8 << 20;
/** `cudaLimitPrintfFifoSize`, default; what does not fit overwrites the oldest on hardware, here it is left out. */
const outputLimit = 1 << 20;

/** Takes the launches of a kernel; the answer is a `cudaError_t`. */
type OnLaunch = (child: Omit<ChildLaunch, 'step'>) => number;

/** Handles of streams that kernels make, beyond those with a meaning of their own. */
const firstStream = 0x100;
const threadKey = (block: number, thread: number): number => block * 1024 + thread;

export class SystemCalls {
  private readonly memory: WebAssembly.Memory;
  private readonly heap: Heap;
  private readonly blocks = new Map<number, number>();
  /** Calls until now. */
  requests = 0;
  private heapBytes = 0;
  private output: string[] = [];
  private outputBytes = 0;
  /** Output of the current kernel: its lines, and by warp its calls and lines. */
  private lines = 0;
  private readonly printing = new Map<number, { calls: number; lines: number }>();
  private printer = { calls: 0, lines: 0 };
  heapLimit = defaultHeapBytes;
  /** True if output of kernels is dropped. */
  silent = false;
  private siblings: ModuleKernel[] = [];
  private onChild: OnLaunch = () => 0;
  /** Parameter buffers of launches that are being prepared. */
  private readonly buffers = new Set<number>();
  /** Error of the last launch that failed, by thread. */
  private readonly errors = new Map<number, number>();
  private streams = firstStream;
  /** Addresses of texts that kernels have asked for. */
  private readonly texts = new Map<string, number>();

  constructor(memory: WebAssembly.Memory, heap: Heap) {
    this.memory = memory;
    this.heap = heap;
  }

  /** Functions of the import module `env`. */
  readonly imports = {
    print: (format: number, values: number, warp: number, longBytes: number): number => {
      this.requests++;
      const view = new DataView(this.memory.buffer);
      const { text, count } = formatDeviceText(view, format >>> 0, values >>> 0, longBytes === 8 ? 8 : 4);
      if (warp !== -1) {
        this.printer = this.printing.get(warp) ?? { calls: 0, lines: 0 };
        this.printer.calls++;
        this.printing.set(warp, this.printer);
      }
      this.printer.lines++;
      this.lines++;
      if (!this.silent && this.outputBytes + text.length <= outputLimit) {
        this.output.push(text);
        this.outputBytes += text.length;
      }
      return count;
    },
    allocate: (bytes: number): number => {
      this.requests++;
      const size = bytes >>> 0;
      if (size === 0 || this.heapBytes + size > this.heapLimit) return 0;
      const address = this.heap.allocate(size);
      if (address === null) return 0;
      this.blocks.set(address, size);
      this.heapBytes += size;
      return address;
    },
    release: (address: number): number => {
      this.requests++;
      const size = this.blocks.get(address >>> 0);
      if (size === undefined) return 0;
      this.blocks.delete(address >>> 0);
      this.heapBytes -= size;
      this.heap.free(address >>> 0);
      return 1;
    },
    /** The device runtime: see simsight/device_runtime.h for the numbers and their arguments. */
    device_runtime: (call: number, a: number, b: number): number => {
      this.requests++;
      switch (call) {
        case 0:
          return this.parameterBuffer(a >>> 0);
        case 1:
          return this.launch(a >>> 0);
        case 2:
        case 3:
          return this.lastError(threadKey(a >>> 0, b >>> 0), call === 3);
        case 4:
          return this.streams++;
        default:
          return this.textOf(b === 1 ? errorName(a) : errorText(a));
      }
    },
  };

  /** Lines that the kernel has printed, and calls and lines of the warp with the most calls; null: nothing. */
  get prints(): Prints | null {
    if (this.lines === 0) return null;
    let most = { calls: 0, lines: 0 };
    for (const each of this.printing.values())
      if (each.calls > most.calls || (each.calls === most.calls && each.lines > most.lines)) most = each;
    return { lines: this.lines, callsOfWarp: most.calls, linesOfWarp: most.lines };
  }

  /** Before each kernel: what it may launch, and who takes it. */
  beginKernel(siblings: ModuleKernel[], onChild: OnLaunch): void {
    for (const buffer of this.buffers) this.heap.free(buffer);
    this.buffers.clear();
    this.errors.clear();
    this.lines = 0;
    this.printing.clear();
    this.siblings = siblings;
    this.onChild = onChild;
  }

  private parameterBuffer(bytes: number): number {
    const address = this.heap.allocate(Math.max(1, bytes));
    if (address === null) return 0;
    this.buffers.add(address);
    return address;
  }

  /** `at`: { kernel, parameters, grid, block, dynamic shared memory, stream, number of the block and the thread }. */
  private launch(at: number): number {
    const [code, buffer, gx, gy, gz, bx, by, bz, dynamicSharedBytes, stream, block, thread] = new Uint32Array(
      this.memory.buffer.slice(at, at + 48),
    ) as unknown as number[] & { length: 12 };
    const kernel = this.siblings.find((each) => each.code === code);
    let error = cudaError.InvalidDeviceFunction;
    if (kernel) {
      const parameters = new Uint8Array(this.memory.buffer.slice(buffer!, buffer! + kernel.parameterBytes));
      const grid = { x: gx!, y: gy!, z: gz! };
      const launch = { kernel: kernel.name, grid, block: { x: bx!, y: by!, z: bz! }, parameters };
      error = this.onChild({
        launch: { ...launch, dynamicSharedBytes: dynamicSharedBytes! },
        stream: stream!,
        block: block!,
        thread: thread!,
      });
    }
    if (this.buffers.delete(buffer!)) this.heap.free(buffer!);
    if (error !== 0) this.errors.set(threadKey(block!, thread!), error);
    return error;
  }

  private lastError(thread: number, take: boolean): number {
    const error = this.errors.get(thread) ?? 0;
    if (take) this.errors.delete(thread);
    return error;
  }

  /** Address of a text that stays; 0 where there is no memory for it. */
  private textOf(text: string): number {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    const bytes = Buffer.from(`${text}\0`);
    const address = this.heap.allocate(bytes.length);
    if (address === null) return 0;
    new Uint8Array(this.memory.buffer).set(bytes, address);
    this.texts.set(text, address);
    return address;
  }

  /** Returns what kernels printed since the last call: the program sees it when it waits for the device. */
  takeOutput(): string {
    const text = this.output.join('');
    this.output = [];
    this.outputBytes = 0;
    return text;
  }
}
