/** Rates over time of GPUs: bytes per nanosecond of all copies, or of all kernels, that go on at once. */
import { event } from './json-events.ts';

/** Events that a rate is the sum of: a file can say that all of its events overlap, and each is looked at for each other. */
const mostActive = 2048;

interface Span {
  start: number;
  end: number;
}

/** Bytes per time of all that goes on at once, from events in order of start. */
class Rate {
  private active: { end: number; rate: number }[] = [];
  private starts: { start: number; end: number; rate: number }[] = [];
  /** When it changes; infinite where it does no more. */
  next = Infinity;

  add({ start, end }: Span, bytes: number): void {
    if (!(end > start && bytes > 0)) return;
    this.starts.push({ start, end, rate: bytes / (end - start) });
    this.next = Math.min(this.next, start);
  }

  /** Times before `until` at which it changes, with what it is from then on: GB/s, which is bytes per nanosecond. */
  *changes(until: number): Generator<[number, number]> {
    let begun = 0;
    while (this.next < until) {
      const { next } = this;
      this.active = this.active.filter(({ end }) => end > next);
      for (; this.starts[begun]?.start === next; begun++)
        if (this.active.length < mostActive) this.active.push(this.starts[begun]!);
      this.next = this.active.reduce((first, { end }) => Math.min(first, end), this.starts[begun]?.start ?? Infinity);
      // Summed anew each time: no rest stays behind.
      yield [next, this.active.reduce((sum, { rate }) => sum + rate, 0)];
    }
    if (begun > 0) this.starts = this.starts.slice(begun);
  }
}

/** The rates of a GPU, which is a process in the exported trace, by their names. */
interface GpuRates {
  pid: number;
  rates: Map<string, Rate>;
}

/** The rates of all GPUs, written as they change. */
export class Rates {
  private readonly gpus = new Map<number, GpuRates>();
  /** GPUs whose rates are still to change, and the time of the first change. */
  private readonly moving = new Set<GpuRates>();
  private nextChange = Infinity;

  /** Adds what an event moves on a GPU. */
  move(pid: number, name: string, span: Span, bytes: number): void {
    let gpu = this.gpus.get(pid);
    if (!gpu) this.gpus.set(pid, (gpu = { pid, rates: new Map() }));
    let rate = gpu.rates.get(name);
    if (!rate) gpu.rates.set(name, (rate = new Rate()));
    rate.add(span, bytes);
    if (rate.next === Infinity) return;
    this.moving.add(gpu);
    this.nextChange = Math.min(this.nextChange, rate.next);
  }

  /** Changes before a time, GPU by GPU. Of thousands only those are looked at that move anything. */
  *until(time: number): Generator<string> {
    if (this.nextChange >= time) return;
    this.nextChange = Infinity;
    for (const gpu of [...this.moving].sort((a, b) => a.pid - b.pid)) {
      let next = Infinity;
      for (const [name, rate] of gpu.rates) {
        if (rate.next < time) {
          for (const [at, value] of rate.changes(time))
            yield event({ ph: 'C', name, pid: gpu.pid, args: { 'GB/s': value } }, at);
        }
        next = Math.min(next, rate.next);
      }
      this.nextChange = Math.min(this.nextChange, next);
      if (next === Infinity) this.moving.delete(gpu);
    }
  }
}
