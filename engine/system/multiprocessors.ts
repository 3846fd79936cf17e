/**
 * Kernels side by side on the SMs, as a fluid: each takes a share of the GPU, and while it gets less than it could take it
 * runs slower in proportion. Hardware does this by blocks ("leftover policy": blocks of the oldest kernel first, others into
 * what is left); the shares are what that amounts to when blocks are many and short.
 *
 * Known error: a kernel of few long blocks keeps its SMs until they end, where the fluid would already flow; measured
 * cases of section C5 agree within 2 % because estimates give a kernel's last wave as a tail of its own.
 */
import { changeRate, endOfPhase, enterNextPhase } from './operations.ts';
import { Fifo } from './queues.ts';
import type { Operation } from './operations.ts';

/** CUDA C++ Programming Guide, technical specifications: resident grids per device, compute capability 6.1 and up. */
const residentGrids = 128;

/** Shares below this are rounding errors. */
const leastShare = 1e-9;

export class Multiprocessors {
  private readonly schedule: (time: number, kernel: Operation) => void;
  /** By priority (lower number first), then by order of start: the order in which shares are given. */
  private readonly running: Operation[] = [];
  /** Ready kernels, one queue per priority, in order of priority. */
  private readonly waiting: { priority: number; queue: Fifo<Operation> }[] = [];

  constructor(schedule: (time: number, kernel: Operation) => void) {
    this.schedule = schedule;
  }

  /** A kernel whose turn in its stream has come. */
  add(kernel: Operation, time: number): void {
    let index = 0;
    while (index < this.waiting.length && this.waiting[index]!.priority < kernel.priority) index++;
    if (this.waiting[index]?.priority !== kernel.priority) {
      this.waiting.splice(index, 0, { priority: kernel.priority, queue: new Fifo() });
    }
    this.waiting[index]!.queue.push(kernel);
    this.share(time);
  }

  /** The present phase of a kernel has ended; true when that was its last. */
  progress(kernel: Operation, time: number): boolean {
    const more = enterNextPhase(kernel, time);
    if (!more) this.running.splice(this.running.indexOf(kernel), 1);
    this.share(time);
    return !more;
  }

  /** Sum of the shares in use; for checks. */
  get sharesInUse(): number {
    return this.running.reduce((sum, kernel) => sum + kernel.rate * kernel.phases[0]!.share, 0);
  }

  private share(time: number): void {
    this.startWaiting(time);
    let left = 1;
    for (const kernel of this.running) {
      const wanted = kernel.phases[0]!.share;
      const granted = Math.min(wanted, left);
      left = Math.max(0, left - granted);
      const rate = granted > leastShare ? granted / wanted : 0;
      if (changeRate(kernel, rate, time)) this.schedule(endOfPhase(kernel), kernel);
    }
  }

  private startWaiting(time: number): void {
    for (const { priority, queue } of this.waiting) {
      while (queue.length > 0) {
        // Lower priorities give way, so only the share of equal and higher ones counts as taken.
        let free = 1;
        for (const kernel of this.running) if (kernel.priority <= priority) free -= kernel.phases[0]!.share;
        if (free <= leastShare || this.running.length >= residentGrids) return;
        this.start(queue.shift()!, time);
      }
    }
  }

  private start(kernel: Operation, time: number): void {
    kernel.start = time;
    enterNextPhase(kernel, time);
    let index = this.running.length;
    while (index > 0 && this.running[index - 1]!.priority > kernel.priority) index--;
    this.running.splice(index, 0, kernel);
  }
}
