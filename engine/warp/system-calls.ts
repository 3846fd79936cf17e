/** What kernels ask of the host: printf, malloc and free. Calls come lane by lane, in the order of execution. */
import { formatDeviceText } from './printf.ts';

export interface Heap {
  allocate: (bytes: number) => number | null;
  free: (address: number) => boolean;
}

/** `cudaLimitMallocHeapSize`, default of every CUDA device. */
export const defaultHeapBytes = 8 << 20;
/** `cudaLimitPrintfFifoSize`, default; what does not fit overwrites the oldest on hardware, here it is left out. */
const outputLimit = 1 << 20;

export class SystemCalls {
  private readonly memory: WebAssembly.Memory;
  private readonly heap: Heap;
  private readonly blocks = new Map<number, number>();
  private heapBytes = 0;
  private output: string[] = [];
  private outputBytes = 0;
  heapLimit = defaultHeapBytes;

  constructor(memory: WebAssembly.Memory, heap: Heap) {
    this.memory = memory;
    this.heap = heap;
  }

  /** Functions of the import module `env`. */
  readonly imports = {
    print: (format: number, values: number): number => {
      const { text, count } = formatDeviceText(new DataView(this.memory.buffer), format >>> 0, values >>> 0);
      if (this.outputBytes + text.length <= outputLimit) {
        this.output.push(text);
        this.outputBytes += text.length;
      }
      return count;
    },
    allocate: (bytes: number): number => {
      const size = bytes >>> 0;
      if (size === 0 || this.heapBytes + size > this.heapLimit) return 0;
      const address = this.heap.allocate(size);
      if (address === null) return 0;
      this.blocks.set(address, size);
      this.heapBytes += size;
      return address;
    },
    release: (address: number): number => {
      const size = this.blocks.get(address >>> 0);
      if (size === undefined) return 0;
      this.blocks.delete(address >>> 0);
      this.heapBytes -= size;
      this.heap.free(address >>> 0);
      return 1;
    },
  };

  /** What kernels printed since the last call: the program sees it when it waits for the device. */
  takeOutput(): string {
    const text = this.output.join('');
    this.output = [];
    this.outputBytes = 0;
    return text;
  }
}
