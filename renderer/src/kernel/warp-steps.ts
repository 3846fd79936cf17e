/**
 * The history of one warp, instruction by instruction, with what it waited for before each, and which warps used the issue slot meanwhile:
 * how latency was hidden, or not. All pure. One sub-partition issues at most one instruction per cycle.
 */
import type { WarpIssues, WarpWindow } from '../../../engine/model/kernel-view.ts';

export interface Wait {
  /** Index of {@link WarpWindow.states}. */
  state: number;
  from: number;
  to: number;
}
export interface WarpStep {
  /** When it was issued. */
  cycle: number;
  /** Index into the kernel's machine code. */
  instruction: number;
  /** Between the issue before, or the start of the window, and this one. */
  waits: Wait[];
  /** Their cycles, of which some warp of the sub-partition issued in so many. */
  waited: number;
  /** The first wait began before what is known here. */
  isCut: boolean;
  covered: number;
  /** Warps that issued these, the busiest first. */
  by: { slot: number; issues: number }[];
}

const selected = 0;
const nobody = -1;

/** The slot that issued in each cycle of the window, or -1. */
export function issuedBy({ from, to }: Pick<WarpWindow, 'from' | 'to'>, issues: WarpIssues): Int16Array {
  const slots = new Int16Array(Math.max(0, to - from)).fill(nobody);
  for (let i = 0; i < issues.count; i++) {
    const at = issues.cycles[i]! - from;
    if (at >= 0 && at < slots.length) slots[at] = issues.slots[i]!;
  }
  return slots;
}

/**
 * Those that were issued from a cycle on, in the order of time. The window must be exact, of one sub-partition; it should begin earlier,
 * for the waits before the first.
 */
export function stepsOf(window: WarpWindow, issues: WarpIssues, slot: number, first: number): WarpStep[] {
  const slots = issuedBy(window, issues);
  const waits: Wait[] = [];
  for (let i = 0; i < window.count; i++) {
    if (window.slots[i] !== slot || window.states[i] === selected) continue;
    const from = Math.max(window.from, window.starts[i]!);
    const to = Math.min(window.to, window.starts[i]! + window.durations[i]!);
    if (from < to) waits.push({ state: window.states[i]!, from, to });
  }
  let next = 0;
  const steps: WarpStep[] = [];
  for (let i = 0; i < issues.count; i++) {
    if (issues.slots[i] !== slot) continue;
    const cycle = issues.cycles[i]!;
    const before: Wait[] = [];
    for (; next < waits.length && waits[next]!.from < cycle; next++) before.push(waits[next]!);
    if (cycle < first) continue;
    const isCut = window.from > 0 && before[0]?.from === window.from;
    steps.push({
      isCut,
      cycle,
      instruction: issues.instructions[i]!,
      waits: before,
      ...coverOf(before, slots, window.from),
    });
  }
  return steps;
}

function coverOf(
  waits: readonly Wait[],
  slots: Int16Array,
  start: number,
): Pick<WarpStep, 'waited' | 'covered' | 'by'> {
  const issues = new Map<number, number>();
  let [waited, covered] = [0, 0];
  for (const { from, to } of waits) {
    waited += to - from;
    for (const slot of slots.subarray(from - start, to - start)) {
      if (slot === nobody) continue;
      covered++;
      issues.set(slot, (issues.get(slot) ?? 0) + 1);
    }
  }
  const by = [...issues].map(([slot, count]) => ({ slot, issues: count }));
  return { waited, covered, by: by.sort((a, b) => b.issues - a.issues || a.slot - b.slot) };
}

/** The slot that issued most from a cycle on; the first of several; null where nobody did. */
export function busiestSlot(
  { count, cycles, slots }: Pick<WarpIssues, 'count' | 'cycles' | 'slots'>,
  first: number,
): number | null {
  const counts = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    if (cycles[i]! >= first) counts.set(slots[i]!, (counts.get(slots[i]!) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([a, x], [b, y]) => y - x || a - b);
  return most?.[0] ?? null;
}
