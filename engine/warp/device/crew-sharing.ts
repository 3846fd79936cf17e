/** Decides which grids several threads execute, and sees to it that none takes longer so. Nothing but time depends on it. */
import type { Crew, GridRun } from '../crew.ts';
import type { ModuleKernel } from '../module.ts';

/** Blocks of a kernel that one thread executed, and how long that took: the last ones weigh most, as first ones are slow. */
interface Pace {
  blocks: number;
  milliseconds: number;
  /** Milliseconds, of all. */
  total: number;
}

/** What is known of a kernel. */
interface Kind {
  alone: Pace;
  /** Milliseconds that several threads have taken since they were tried last, and how many more than one would have. */
  crew: { total: number; lost: number };
  grids: number;
  /** {@link Pace.total} of one thread, from which on several are tried again. */
  again: number;
}

const noTry = { total: 0, lost: 0 };
const perBlock = ({ blocks, milliseconds }: Pace): number => (blocks > 0 ? milliseconds / blocks : Infinity);

/** Until several threads have taken so long, starting them weighs too much to call them slower. */
const settledMilliseconds = 250;
/** Pieces of grids that take one thread less say little of several, which have to begin together: by the least that several are worth. */
const tellingPiece = 4;
/** After several threads were in vain, one goes on for so many times as long as was lost: what comes later may be otherwise. */
const patience = 20;
/** Of what was lost or won with a grid, so much is remembered after the next: others may have the cores for a while. */
const remembered = 0.9;
/** Of the grids after the first few, every so many begins on one thread, to compare. */
const comparing = { first: 4, every: 8 };

/** A grid that several threads may execute. */
export interface SharedGrid {
  kernel: ModuleKernel;
  grid: GridRun;
  /** Blocks of it were executed on one thread first, to compare, or need not be. */
  measured: boolean;
  /** Executes blocks on this thread. */
  alone: (first: number, end: number) => void;
  /** Hears how many are done. */
  tell: (done: number) => void;
}

export class CrewSharing {
  private readonly crew: Pick<Crew, 'parts' | 'run'>;
  /** Grids that take longer than this are worth several threads. */
  private readonly aloneMilliseconds: number;
  private readonly now: () => number;
  private readonly kinds = new Map<ModuleKernel, Kind>();

  /** `now`: milliseconds. */
  constructor(crew: Pick<Crew, 'parts' | 'run'>, aloneMilliseconds = 4, now = (): number => performance.now()) {
    this.crew = crew;
    this.aloneMilliseconds = aloneMilliseconds;
    this.now = now;
  }

  /** Begins a grid; true where its first blocks need not be executed on one thread, as enough is known of the kernel's others. */
  begin(kernel: ModuleKernel): boolean {
    const kind = this.kindOf(kernel);
    kind.grids++;
    return kind.grids > comparing.first && kind.grids % comparing.every !== 0;
  }

  /** Worth several threads, as far as can be told before. */
  isWorthIt(kernel: ModuleKernel, blocks: number, smCount: number): boolean {
    if (this.crew.parts < 2 || !kernel.byBlocks) return false;
    return blocks >= 2 * Math.min(smCount, 16);
  }

  /** Executes blocks on several threads, unless that turns out to be slower. */
  run(shared: SharedGrid, first: number, end: number): void {
    const { kernel, grid, tell } = shared;
    const kind = this.kindOf(kernel);
    const expected = (from: number): number => (end - from) * perBlock(kind.alone);
    const isShort = shared.measured && expected(first) < this.aloneMilliseconds;
    if (isShort || kind.alone.total < kind.again) return this.oneThread(kind, shared, first, end);
    const next = shared.measured ? first : this.measure(kind, first, () => this.aWhile(shared, first, end));
    shared.measured = true;
    if (next === end) return;
    const each = kind.alone.blocks > 0 ? perBlock(kind.alone) : 0;
    const start = this.now();
    const rest = this.crew.run(grid, next, end, tell, each);
    const spent = this.now() - start;
    if (rest < end) {
      // They got in each other's way, or wrote too much.
      kind.again = kind.alone.total + patience * spent;
      this.oneThread(kind, shared, rest, end);
    } else if (expected(first) >= tellingPiece * this.aloneMilliseconds) this.judge(kind, spent, expected(next));
  }

  /** After several threads have executed blocks that one is expected to take so long for. */
  private judge(kind: Kind, spent: number, expected: number): void {
    const { crew, alone } = kind;
    crew.lost = remembered * crew.lost + spent - expected;
    crew.total += spent;
    if (crew.total > settledMilliseconds && crew.lost > 0) kind.again = alone.total + patience * crew.lost;
  }

  private oneThread(kind: Kind, { alone }: SharedGrid, first: number, end: number): void {
    const { total } = kind.alone;
    this.measure(kind, first, () => (alone(first, end), end));
    // What is known of several threads is old.
    if (total < kind.again && kind.alone.total >= kind.again) kind.crew = { ...noTry };
  }

  /** Has one thread execute the blocks from one on, up to the one that `work` returns. */
  private measure({ alone }: Kind, from: number, work: () => number): number {
    const start = this.now();
    const next = work();
    const milliseconds = this.now() - start;
    alone.blocks = alone.blocks / 2 + next - from;
    alone.milliseconds = alone.milliseconds / 2 + milliseconds;
    alone.total += milliseconds;
    return next;
  }

  private kindOf(kernel: ModuleKernel): Kind {
    let kind = this.kinds.get(kernel);
    if (kind === undefined) {
      kind = { alone: { blocks: 0, milliseconds: 0, total: 0 }, crew: { ...noTry }, grids: 0, again: 0 };
      this.kinds.set(kernel, kind);
    }
    return kind;
  }

  /**
   * Executes blocks for a while, in case they are done by then; returns the first that remains. One, then two, then four: a grid of as many blocks
   * as there are SMs may have long ones.
   */
  private aWhile({ alone }: SharedGrid, first: number, end: number): number {
    const start = this.now();
    let next = first;
    for (let blocks = 1; next < end && this.now() - start < this.aloneMilliseconds; blocks *= 2) {
      const stop = Math.min(end, next + blocks);
      alone(next, stop);
      next = stop;
    }
    return next;
  }
}
