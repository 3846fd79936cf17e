/** Decides which grids several threads execute, and sees to it that none takes longer so. Nothing but time depends on it. */
import type { Crew, GridRun } from '../crew.ts';
import type { ModuleKernel } from '../module.ts';

/** Blocks of a kernel that were executed in one way, and how long that took: the last ones weigh most, as first ones are slow. */
interface Pace {
  blocks: number;
  milliseconds: number;
  /** Milliseconds, of all. */
  total: number;
}

const perBlock = ({ blocks, milliseconds }: Pace): number => (blocks > 0 ? milliseconds / blocks : Infinity);

/** Until then, starting the threads weighs too much for several of them to be called slower. */
const settledMilliseconds = 250;

/** A grid that several threads may execute. */
export interface SharedGrid {
  kernel: ModuleKernel;
  grid: GridRun;
  /** Blocks of this grid were executed on one thread first, to compare. */
  measured: boolean;
  /** Executes blocks on this thread. */
  alone: (first: number, end: number) => void;
  /** Hears how many are done. */
  tell: (done: number) => void;
}

function measure(of: Pace, from: number, work: () => number): number {
  const start = performance.now();
  const next = work();
  const milliseconds = performance.now() - start;
  of.blocks = of.blocks / 2 + next - from;
  of.milliseconds = of.milliseconds / 2 + milliseconds;
  of.total += milliseconds;
  return next;
}

export class CrewSharing {
  private readonly crew: Crew;
  /** Grids that take longer than this are worth several threads. */
  private readonly aloneMilliseconds: number;
  /** Kernels that stay on one thread: their blocks got in each other's way, or several were not faster. */
  private readonly refused = new Set<ModuleKernel>();
  private readonly paces = new Map<ModuleKernel, { alone: Pace; crew: Pace }>();

  constructor(crew: Crew, aloneMilliseconds = 4) {
    this.crew = crew;
    this.aloneMilliseconds = aloneMilliseconds;
  }

  /** Worth several threads, as far as can be told before. */
  isWorthIt(kernel: ModuleKernel, blocks: number, smCount: number): boolean {
    if (this.crew.parts < 2 || !kernel.byBlocks || this.refused.has(kernel)) return false;
    return blocks >= 2 * Math.min(smCount, 16);
  }

  /** Executes blocks on several threads, unless that turns out to be slower. */
  run(shared: SharedGrid, first: number, end: number): void {
    const { kernel, alone } = shared;
    const pace = this.paceOf(kernel);
    const isShort = (end - first) * perBlock(pace.alone) < this.aloneMilliseconds;
    if (shared.measured && isShort) return alone(first, end);
    const next = shared.measured ? first : measure(pace.alone, first, () => this.aWhile(shared, first, end));
    shared.measured = true;
    const expected = pace.alone.blocks > 0 ? perBlock(pace.alone) : 0;
    const rest = measure(pace.crew, next, () => this.crew.run(shared.grid, next, end, shared.tell, expected));
    const isSlower = pace.crew.total > settledMilliseconds && perBlock(pace.alone) < perBlock(pace.crew);
    if (rest < end || isSlower) this.refused.add(kernel);
    if (rest < end) alone(rest, end);
  }

  private paceOf(kernel: ModuleKernel): { alone: Pace; crew: Pace } {
    let pace = this.paces.get(kernel);
    if (pace === undefined) {
      const none: Pace = { blocks: 0, milliseconds: 0, total: 0 };
      pace = { alone: { ...none }, crew: { ...none } };
      this.paces.set(kernel, pace);
    }
    return pace;
  }

  /**
   * Executes blocks for a while, in case they are done by then; returns the first that remains. One, then two, then four: a grid of as many blocks
   * as there are SMs may have long ones.
   */
  private aWhile({ alone }: SharedGrid, first: number, end: number): number {
    const start = performance.now();
    let next = first;
    for (let blocks = 1; next < end && performance.now() - start < this.aloneMilliseconds; blocks *= 2) {
      const stop = Math.min(end, next + blocks);
      alone(next, stop);
      next = stop;
    }
    return next;
  }
}
