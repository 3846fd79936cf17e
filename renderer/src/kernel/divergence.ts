/** The loss of a kernel to lanes that had nothing to do. All pure. */
import { warpSize } from '../../../engine/model/geometry.ts';
import type { KernelBranch, KernelPlace, KernelView } from '../../../engine/model/kernel-view.ts';
import { cyclesOf } from './place-metrics.ts';

export interface PartialWarps {
  /** The share of the lanes of all warp instructions that worked, 0 to 1. */
  laneShare: number;
  /** Lanes that took part, by whether their predicate was on. */
  lanes: number;
  lanesOn: number;
  slots: number;
  /** The share of all warp-cycles of instructions without all of their 32 lanes, 0 to 1. */
  timeShare: number;
}

/** The share of a place's executions that have fewer than 32 lanes. */
const partOf = ({ executed, partial }: KernelPlace): number => (executed > 0 ? Math.min(1, partial / executed) : 0);

export function partialWarps(instructions: readonly KernelPlace[]): PartialWarps | null {
  let [slots, lanes, lanesOn, cycles, partial] = [0, 0, 0, 0, 0];
  for (const place of instructions) {
    slots += place.executed * warpSize;
    lanes += place.threads;
    lanesOn += place.threadsOn;
    const own = cyclesOf(place);
    cycles += own;
    partial += own * partOf(place);
  }
  if (slots === 0) return null;
  return { laneShare: lanesOn / slots, lanes, lanesOn, slots, timeShare: cycles > 0 ? partial / cycles : 0 };
}

/** The share of a branch's executions after which its warp was divided. */
export const divergedShare = ({ executed, diverged }: KernelBranch): number => (executed > 0 ? diverged / executed : 0);

/** The worst first: by how often warps were divided. */
export const branchesByDivergence = ({ branches }: KernelView): KernelBranch[] =>
  branches.filter(({ executed }) => executed > 0).sort((a, b) => b.diverged - a.diverged || b.executed - a.executed);

/** Branches with which of its line each is, in the order of the machine code. */
export function nthOfLine(branches: readonly KernelBranch[]): [nth: number, branch: KernelBranch][] {
  const seen = new Map<string, number>();
  return branches
    .toSorted((a, b) => a.instruction - b.instruction)
    .map((branch) => {
      const line = `${branch.file}:${branch.line}`;
      const nth = (seen.get(line) ?? 0) + 1;
      seen.set(line, nth);
      return [nth, branch];
    });
}

/** Lines at which fewer than 32 lanes work, or all lines, those with the most time in partial warps first. */
export function partialLines(
  lines: readonly KernelPlace[],
  onlyPartial = true,
): (KernelPlace & { lanesPerInstruction: number; cycles: number })[] {
  return lines
    .filter(
      ({ executed, threadsOn, line }) =>
        line !== null && executed > 0 && (!onlyPartial || threadsOn / executed < warpSize - 0.005),
    )
    .map((place) => ({
      ...place,
      lanesPerInstruction: place.threadsOn / place.executed,
      cycles: cyclesOf(place) * partOf(place),
    }))
    .sort((a, b) => b.cycles - a.cycles);
}
