/**
 * Processes and threads of a Chrome trace: their ids may be any number or text, ours are 24 bits each. What fits is kept; all else
 * gets a number from the top, and its own text as its name.
 */
import { globalIdOf } from '../../model/nsight-codes.ts';
import { Unpaired } from './range-pairs.ts';

const ids = 2 ** 24;
/** The most processes, and threads in each: a file with more has made them up, and the rest share one. */
const mostProcesses = 4096;
const mostThreads = 65536;

export interface ChromeThread {
  process: ChromeProcess;
  globalTid: number;
  name: string;
  /** True for a thread of the GPU rather than of the host, whatever else has its id. */
  isGpu: boolean;
  hasRows: boolean;
  readonly unpaired: Unpaired;
  /** Numbers of shapes that were used before. */
  shapes: Map<number, number>;
}

export interface ChromeProcess {
  number: number;
  globalPid: number;
  name: string;
  /** The number of its rows of each kind: work of a GPU, calls of the CUDA API, ranges, and those among them that only hosts have. */
  deviceRows: number;
  calls: number;
  ranges: number;
  hostRows: number;
  /** The device that it stands for, once one is known. */
  device: number | null;
  threads: Map<number | string, ChromeThread>;
  gpuThreads: Map<number | string, ChromeThread>;
  taken: Set<number>;
}

export class ChromeThreads {
  readonly processes = new Map<number | string, ChromeProcess>();
  private readonly taken = new Set<number>();

  process(id: number | string): ChromeProcess {
    const found = this.processes.get(id);
    if (found) return found;
    if (this.processes.size >= mostProcesses && id !== others) return this.process(others);
    const number = numberOf(id, this.taken);
    const name = number === id ? '' : nameOf(id);
    const process: ChromeProcess = {
      ...{ number, globalPid: globalIdOf(number, 0), name, device: null },
      ...{ deviceRows: 0, calls: 0, ranges: 0, hostRows: 0 },
      ...{ threads: new Map(), gpuThreads: new Map(), taken: new Set() },
    };
    this.processes.set(id, process);
    return process;
  }

  thread(process: ChromeProcess, id: number | string, isGpu = false): ChromeThread {
    const threads = isGpu ? process.gpuThreads : process.threads;
    const found = threads.get(id);
    if (found) return found;
    if (threads.size >= mostThreads && id !== others) return this.thread(process, others, isGpu);
    const number = numberOf(id, process.taken);
    const thread: ChromeThread = {
      ...{ process, globalTid: globalIdOf(process.number, number), name: number === id ? '' : nameOf(id) },
      ...{ isGpu, hasRows: false, unpaired: new Unpaired(), shapes: new Map() },
    };
    threads.set(id, thread);
    return thread;
  }

  *threads(): Generator<ChromeThread> {
    for (const { threads, gpuThreads } of this.processes.values()) {
      yield* threads.values();
      yield* gpuThreads.values();
    }
  }
}

const others = 'others';

const nameOf = (id: number | string): string => String(id) || 'without a name';

function numberOf(id: number | string, taken: Set<number>): number {
  let number = typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < ids && !taken.has(id) ? id : -1;
  if (number < 0) for (number = ids - 1 - taken.size; taken.has(number);) number--;
  taken.add(number);
  return number;
}
