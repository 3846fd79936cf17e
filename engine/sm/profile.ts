/** Profile of a kernel, instruction by instruction: exact counts of its execution, and the warp states of the simulated SM. */
import { spelled } from '../model/opcodes.ts';
import { operandsOf } from '../isa/operands.ts';
import { placesOf } from '../isa/places.ts';
import type { KernelProfile, ProfiledBranch, ProfiledInstruction } from '../model/kernel-profile.ts';
import type { KernelCounts, KernelMachine } from '../model/execution.ts';
import { warpStates } from '../model/warp-states.ts';
import type { SmResult } from './core/types.ts';
import type { Detail } from '../model/record-options.ts';
import { lanesByEdge } from './lane-flow.ts';
import { spillOf } from './spills.ts';
import type { TimelineWriter } from '../model/warp-timeline.ts';

export function profileOf(
  machine: KernelMachine,
  counts: KernelCounts,
  result: SmResult,
  origins: Int32Array,
  timeline: TimelineWriter,
  smCount: number,
  detail: Detail,
): KernelProfile {
  const isSumsOnly = detail === 'counters';
  const operands = operandsOf(machine.blocks);
  const places = placesOf(machine.blocks);
  const instructions = machine.blocks.flatMap(({ instructions, predicatedBy, copies }, b) => {
    const { times = 0, lanes = 0, on = 0, partial = 0 } = counts.places?.blocks[b] ?? {};
    return instructions.map((instruction, i): ProfiledInstruction => {
      const { access, accesses, every } = instruction;
      const place = places[b]![i];
      const spilled = spillOf(instruction, times > 0);
      const sites = access === null ? [] : (counts.places?.sites.slice(access, access + accesses) ?? []);
      const share = copies.length > 0 ? 1 / every : 1;
      return {
        opcode: spelled(instruction),
        operands: operands[b]![i]!,
        block: b,
        file: place?.file ?? null,
        line: place?.line ?? null,
        executed: times * share,
        threads: lanes * share,
        threadsOn: (predicatedBy === null ? lanes : on) * share,
        partial: partial * share,
        sectors: sites.reduce((sum, { sectors }) => sum + sectors, 0) + Math.round(times * share * spilled.sectors),
        wavefronts: sites.reduce((sum, { wavefronts }) => sum + wavefronts, 0),
        idealWavefronts: sites.reduce((sum, { idealWavefronts }) => sum + idealWavefronts, 0),
        states: {},
        samples: isSumsOnly ? [] : [...sites.flatMap(({ samples }) => samples), ...spilled.samples],
      };
    });
  });
  const share = result.instructions / Math.max(1, counts.warpInstructions);
  const { perInstruction } = result;
  origins.forEach((origin, i) => {
    const { states } = instructions[origin]!;
    warpStates.forEach((state, k) => {
      const cycles = perInstruction?.warpCycles[i * warpStates.length + k] ?? 0;
      if (cycles > 0) states[state] = (states[state] ?? 0) + cycles / share;
    });
  });
  const ofSm = Math.ceil(counts.blocks / smCount);
  return {
    instructions,
    cycles: result.cycles,
    share: Math.min(1, (share * counts.blocks) / ofSm),
    blocks: Array.from(result.blockStart, (start, i) => ({ block: i * smCount, start, end: result.blockEnd[i]! })),
    warps: isSumsOnly ? [] : timeline.finish(),
    issues: isSumsOnly ? [] : timeline.finishIssues(origins),
    mix: timeline.finishMix(),
    warpCycles: isSumsOnly ? 0 : Math.min(result.cycles, timeline.until),
    branches: branchesOf(machine, counts),
    sharedArrays: machine.sharedArrays,
  };
}

/** Counts of branches: blocks that end in a branch to one of two others. */
function branchesOf({ blocks, successors }: KernelMachine, { places }: KernelCounts): ProfiledBranch[] {
  if (!places) return [];
  const edges = lanesByEdge(
    places.blocks.map(({ on }) => on),
    successors,
  );
  let first = 0;
  return blocks.flatMap(({ instructions }, b): ProfiledBranch[] => {
    const at = instructions.findIndex(({ opcode }) => opcode === 'BRA');
    const instruction = first + at;
    first += instructions.length;
    const targets = successors[b] ?? [];
    if (at < 0 || targets.length !== 2) return [];
    const { times, diverged } = places.blocks[b]!;
    const behind = Math.max(0, targets.indexOf(b + 1));
    const [notTaken, taken] = [edges[b]![behind]!, edges[b]![1 - behind]!];
    return [{ instruction, executed: times, diverged, taken, notTaken }];
  });
}
