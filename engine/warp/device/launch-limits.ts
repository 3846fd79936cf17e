/** Limits of what a program's kernels may do, and where execution is when one is reached. */
import { SimsightError } from '../../base/errors.ts';
import type { PassedOptions } from '../../model/record-options.ts';
import { whereText, type Whereabouts } from '../faults.ts';
import { blockCounterBytes } from '../layout.ts';
import type { ModuleKernel } from '../module.ts';

export class LaunchLimits {
  private readonly memory: WebAssembly.Memory;
  private readonly options: PassedOptions;
  private readonly nameOf: (kernel: ModuleKernel) => string;
  /** Somebody asks for the end. */
  private readonly isStopped: () => boolean;
  /** Warp instructions of launches that have ended. */
  private executed = 0;
  private launched = 0;
  /** The kernel that is being executed, and the address of the counters of its blocks of code. */
  private underWay: { kernel: ModuleKernel; counts: number } | null = null;

  constructor(
    memory: WebAssembly.Memory,
    options: PassedOptions,
    nameOf: (kernel: ModuleKernel) => string,
    isStopped: () => boolean,
  ) {
    this.memory = memory;
    this.options = options;
    this.nameOf = nameOf;
    this.isStopped = isStopped;
  }

  /** @throws SimsightError 'budget-exceeded' beyond `maxKernels`, and where somebody asks for the end. */
  countKernel(): void {
    this.checkStopped();
    const { maxKernels = Infinity } = this.options;
    if (++this.launched <= maxKernels) return;
    throw new SimsightError(
      'budget-exceeded',
      `The program was stopped: it launched more than ${maxKernels} kernels.`,
      'Allow more with --max-kernels, or let the program do less.',
    );
  }

  begin(kernel: ModuleKernel, counts: number): void {
    this.underWay = { kernel, counts };
  }

  end(): void {
    this.underWay = null;
  }

  /** Adds what a launch has executed. */
  add(warpInstructions: number): void {
    this.executed += warpInstructions;
  }

  /** @throws SimsightError 'budget-exceeded' beyond `maxInstructions`, of which the launch under way has executed `more`. */
  check(more = 0): void {
    const { maxInstructions = Infinity } = this.options;
    if (maxInstructions === Infinity || this.executed + more <= maxInstructions) return;
    throw new SimsightError(
      'budget-exceeded',
      `The program was stopped: its kernels executed more than ${maxInstructions} warp instructions${whereText(this.whereabouts())}.`,
      'Allow more with --max-instructions, or use smaller problem sizes.',
    );
  }

  private checkStopped(): void {
    if (this.isStopped())
      throw new SimsightError('budget-exceeded', `The recording was stopped${whereText(this.whereabouts())}.`);
  }

  /** Checks like {@link check}, in the midst of a launch. */
  checkUnderWay(): void {
    this.checkStopped();
    if (this.underWay === null || this.options.maxInstructions === undefined) return;
    const { kernel, counts } = this.underWay;
    const view = new DataView(this.memory.buffer);
    const soFar = kernel.blocks.reduce((sum, { mix, counted }) => {
      const times = Number(view.getBigUint64(counts + counted * blockCounterBytes, true));
      return sum + times * mix.reduce((all, amount) => all + amount, 0);
    }, 0);
    this.check(soFar);
  }

  /**
   * The kernel that is being executed, and the place in it that has been executed most often, which is in the innermost loop. Null
   * outside of kernels.
   */
  whereabouts(): Whereabouts | null {
    if (this.underWay === null) return null;
    const { kernel, counts } = this.underWay;
    const times = new BigUint64Array(this.memory.buffer);
    const timesOf = (block: number): bigint => times[(counts + block * blockCounterBytes) / 8]!;
    let most = 0;
    kernel.blocks.forEach((_, block) => {
      if (timesOf(block) > timesOf(most)) most = block;
    });
    const places = kernel.machine?.blocks[most]?.instructions.flatMap(({ place }) => place ?? []) ?? [];
    return { kernel: this.nameOf(kernel), place: places[0] ?? kernel.place };
  }
}
