/** How long the executed launches of each kernel took, told while the next is under way. Nothing depends on it. */
import { executionProgress } from '../../model/execution-progress.ts';
import type { DeviceModule, ModuleKernel } from '../module.ts';

export class KernelTimes {
  private readonly progress: Float64Array | undefined;
  private readonly numbers = new Map<string, number>();
  private readonly times = new Map<string, { launches: number; milliseconds: number }>();
  private underWay = '';
  private since = 0;

  constructor(progress: Float64Array | undefined) {
    this.progress = progress;
  }

  /** Numbers the kernels of a program. */
  name(modules: readonly DeviceModule[]): void {
    for (const { kernels, later = [] } of modules)
      for (const name of [...kernels.map((kernel) => kernel.name), ...later])
        this.numbers.set(name, this.numbers.size + 1);
  }

  begin({ name }: ModuleKernel): void {
    const { launches, milliseconds } = this.timesOf(name);
    this.underWay = name;
    this.since = performance.now();
    this.progress?.set([this.numbers.get(name) ?? 0, launches, milliseconds], executionProgress.kernel);
  }

  end(): void {
    const times = this.timesOf(this.underWay);
    times.launches++;
    times.milliseconds += performance.now() - this.since;
    this.progress?.set([0], executionProgress.kernel);
  }

  private timesOf(name: string): { launches: number; milliseconds: number } {
    let times = this.times.get(name);
    if (times === undefined) this.times.set(name, (times = { launches: 0, milliseconds: 0 }));
    return times;
  }
}
