/**
 * Values that did not fit into registers: what is moved is known from the machine code, since nothing of it is executed. A register of 32
 * lanes is one line of local memory.
 */
import { lineBytes, wordBytes } from '../model/geometry.ts';
import { linesOfSpill } from '../isa/machine.ts';
import type { MachineInstruction } from '../model/machine.ts';
import { rowOf } from '../model/opcodes.ts';
import type { SmResult } from './core/types.ts';
import type { LocalTraffic } from './local-memory.ts';
import type { AccessSample, KernelCounts, KernelMachine } from '../model/execution.ts';

const lineSectors = 4;

/** Sectors of one execution, and where lanes go: side by side, whatever the place. */
export function spillOf(
  instruction: MachineInstruction,
  isExecuted: boolean,
): { sectors: number; samples: AccessSample[] } {
  const lines = linesOfSpill(instruction);
  if (lines === 0) return { sectors: 0, samples: [] };
  const size = wordBytes * lines;
  const sample: AccessSample = {
    ...{ block: 0, warp: 0, size, space: 'local', lanes: 0xffff_ffff },
    addresses: Uint32Array.from({ length: lineBytes / wordBytes }, (_, lane) => lane * size),
  };
  return { sectors: lineSectors * lines, samples: isExecuted ? [sample] : [] };
}

/** Spill traffic of the whole grid, where it was counted block by block; `simulated` gives the share that hits L1. */
export function spillTraffic(
  { blocks }: KernelMachine,
  { places }: KernelCounts,
  simulated: SmResult['spills'],
): LocalTraffic {
  const counts = { load: { requests: 0, sectors: 0, hits: 0 }, store: { requests: 0, sectors: 0, hits: 0 } };
  if (!places) return counts;
  blocks.forEach(({ instructions, copies }, b) => {
    const { times } = places.blocks[b]!;
    for (const instruction of instructions) {
      const lines = linesOfSpill(instruction);
      if (lines === 0) continue;
      const sum = counts[rowOf(instruction).memory?.access === 'store' ? 'store' : 'load'];
      const executed = copies.length > 0 ? times / instruction.every : times;
      sum.requests += executed;
      sum.sectors += lineSectors * lines * executed;
    }
  });
  for (const what of ['load', 'store'] as const) {
    const { hits, sectors } = simulated[what];
    counts[what].hits = (counts[what].sectors * hits) / Math.max(1, sectors);
  }
  return counts;
}
