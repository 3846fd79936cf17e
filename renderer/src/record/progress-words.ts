/** Speed of a recording and time that it still takes, in words. Pure. */
import type { Part, RecordPhase, RecordProgress } from '../../../engine/model/recording.ts';
import { formatCount, formatTime } from '../../../engine/model/format.ts';
import { formatTimeLeft } from '../format.ts';

/** Rates of what began just now say nothing (ms). */
const patienceMs = 1000;

/** `340 µs per second`, of simulated time; empty before it can be told. */
export function simulatedRate(simulatedNs: number, runMs: number): string {
  if (runMs < patienceMs || simulatedNs <= 0) return '';
  return `${formatTime(simulatedNs / (runMs / 1000))} per second`;
}

/** `14 per second` */
export function countRate(count: number, runMs: number): string {
  if (runMs < patienceMs || count <= 0) return '';
  const rate = count / (runMs / 1000);
  return `${rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate))} per second`;
}

/** `14 per second, 1,204 repeated` */
export function launchWords(launches: number, repeated: number, runMs: number): string {
  const rate = countRate(launches, runMs);
  if (repeated === 0) return rate;
  const words = `${formatCount(repeated)} repeated`;
  return rate === '' ? words : `${rate}, ${words}`;
}

export interface Pending {
  phase: RecordPhase;
  compiled: Part | null;
  /** Since the first of them was begun (ms). */
  compilingMs: number;
  blocks: Part | null;
  kernel: RecordProgress['kernel'];
  /** Since the grid was begun (ms). */
  gridMs: number;
}

/** Beyond this a sample is offered (ms). */
const longMs = 10_000;

/** Whether the program has run for long, or is going to: by the rest of its grid. */
export function isLong({ phase, blocks, gridMs }: Pending, runMs: number): boolean {
  if (phase !== 'run') return false;
  return runMs >= longMs || (blocks !== null && (leftMs(blocks, gridMs) ?? 0) >= longMs);
}

/** The known part of the time that is left: of kernels that are compiled and of the grid that is executed, never of the program. */
export function restOf({ phase, compiled, compilingMs, blocks, kernel, gridMs }: Pending): string {
  if (phase === 'store') return 'Almost done.';
  if (phase !== 'run') return 'Remaining time unknown.';
  const parts: string[] = [];
  if (compiled && compiled.done < compiled.total) {
    parts.push(`Kernels compiled: ${partWords(compiled, compilingMs)}`);
  }
  if (kernel && (kernel.meanMs >= patienceMs || gridMs >= patienceMs)) {
    const before = kernel.launches > 0 ? `, ${formatTimeLeft(kernel.meanMs / 1000)} each before` : '';
    parts.push(`Executing ${kernel.name}, launch ${formatCount(kernel.launches + 1)}${before}`);
  }
  if (blocks && blocks.done > 0 && gridMs >= patienceMs) {
    parts.push(`Blocks of this grid: ${partWords(blocks, gridMs)}`);
  }
  return [...parts, 'The end of the program cannot be predicted.'].join('. ');
}

/** `1,204 of 8,192, 12 s left` */
function partWords({ done, total }: Part, elapsedMs: number): string {
  const words = `${formatCount(done)} of ${formatCount(total)}`;
  const left = leftMs({ done, total }, elapsedMs);
  return left === null ? words : `${words}, ${formatTimeLeft(left / 1000)} left`;
}

/** Time that the rest of a part takes at its rate until now (ms); null before it can be told. */
const leftMs = ({ done, total }: Part, elapsedMs: number): number | null =>
  done <= 0 || elapsedMs < patienceMs ? null : ((total - done) * elapsedMs) / done;

/** Share of the part whose end is known, from 0 to 1; null where there is none. */
export function shareOfRun({ phase, compiled, blocks, gridMs }: Pending): number | null {
  if (phase !== 'run') return null;
  if (blocks && blocks.done > 0 && gridMs >= patienceMs) return blocks.done / blocks.total;
  return compiled && compiled.done < compiled.total ? compiled.done / compiled.total : null;
}
