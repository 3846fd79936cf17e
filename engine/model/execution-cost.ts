/**
 * What it costs to execute something, in nanoseconds on one core, roughly (`npm run bench:functional`). Counted, not measured: sampled
 * recordings go by it, and are the same on any machine.
 */
import { instructionClasses, type InstructionClass, type KernelCounts } from './execution.ts';

const usual = 7;
const others: Partial<Record<InstructionClass, number>> = {
  fp64: 14,
  special: 30,
  conversion: 14,
  shuffle: 14,
  'atomic-global': 300,
  'atomic-shared': 150,
  tensor: 600,
  texture: 500,
};

/** Of a warp instruction, by its class. */
export const instructionCosts: readonly number[] = instructionClasses.map((name) => others[name] ?? usual);
/** Of a line that a warp asks for, beside its instruction. */
export const lineCost = 60;

/** Of a launch. */
export function costOf({ warpInstructionsByClass, globalLoad, globalStore, globalAtomic }: KernelCounts): number {
  const lines = globalLoad.lines + globalStore.lines + globalAtomic.lines;
  return instructionClasses.reduce(
    (sum, name, i) => sum + warpInstructionsByClass[name] * instructionCosts[i]!,
    lines * lineCost,
  );
}
