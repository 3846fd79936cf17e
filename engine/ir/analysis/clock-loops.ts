/**
 * Loops that wait for a time: `while (clock64() - begin < cycles) {}`. How often a warp goes around follows from how fast it
 * gets on, so execution can say until when it waits and not how often it looks; the simulated SM finds that out. So it is with loops
 * that poll memory and give up after a time.
 */
import type { Block, Instruction, Value } from '../ir.ts';
import type { Flow, Loop } from './flow.ts';
import { contains, loopsOf } from './flow.ts';
import { arithmetic, isIdleLoop } from './spin.ts';

export interface ClockLoop {
  head: number;
  /** One past the last block. */
  end: number;
  /**
   * Each time around reads the clock once, and is forgotten by the next: the program cannot tell how often the warp went around,
   * and execution need not do it more than once.
   */
  silent: boolean;
  /** It reads memory each time around, the same places, and remembers nothing. */
  polls: boolean;
}

const readsClock = /^llvm\.(nvvm\.read\.ptx\.sreg\.(clock|globaltimer)|readcyclecounter)/;
const harmless = /^llvm\.(nvvm\.nanosleep|lifetime|assume|dbg)/;

const isRead = ({ op, callee }: Instruction): boolean => op === 'call' && readsClock.test(callee);

/** Number of clock reads in a block of code each time that a warp executes it. */
export const clockReads = ({ instructions }: Block): number => instructions.filter(isRead).length;

/**
 * Loops that do nothing but arithmetic, and whose end depends on what a clock showed in the same time around alone; and such that read
 * memory as well, which may end them before.
 */
export function clockLoops(flow: Flow): ClockLoop[] {
  const loops = new Set<Loop>(flow.blocks.flatMap(loopsOf));
  const isInner = (loop: Loop): boolean =>
    loop.fair !== true && ![...loops].some((other) => other !== loop && contains(loop, other.head));
  return [...loops]
    .filter((loop) => isInner(loop) && readsEachTime(flow, loop))
    .map((loop) => ({ loop, polls: pollsUntilTime(flow, loop) }))
    .filter(({ loop, polls }) => polls || waitsForTime(flow, loop))
    .map(({ loop: { head, end }, polls }) => ({
      ...{ head, end, polls },
      silent: !polls && isSilent(flow.blocks[head]!.block, end - head),
    }))
    .sort((a, b) => a.head - b.head);
}

/** True if no way around a loop leaves out its clock. */
function readsEachTime(flow: Flow, loop: Loop): boolean {
  const seen = new Set<number>();
  const queue = [loop.head];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const { block, successors } = flow.blocks[at]!;
    if (seen.has(at) || clockReads(block) > 0) continue;
    seen.add(at);
    for (const target of successors) {
      if (target === loop.head) return false;
      if (contains(loop, target)) queue.push(target);
    }
  }
  return true;
}

/** See {@link ClockLoop.polls}. */
function pollsUntilTime(flow: Flow, loop: Loop): boolean {
  const inside = flow.blocks.filter(({ index }) => contains(loop, index));
  return (
    inside.some(({ block }) => block.instructions.some(({ op }) => /^(load|cmpxchg|atomicrmw)$/.test(op))) &&
    !flow.blocks[loop.head]!.block.instructions.some(({ op }) => op === 'phi') &&
    isIdleLoop(flow, loop, readsClock) &&
    endsByClock(flow, loop).includes(true)
  );
}

const isSilent = (head: Block, blocks: number): boolean =>
  blocks === 1 &&
  clockReads(head) === 1 &&
  head.instructions.every(({ op, callee }) => op !== 'phi' && !/nanosleep/.test(callee));

function waitsForTime(flow: Flow, loop: Loop): boolean {
  const inside = flow.blocks.filter(({ index }) => contains(loop, index));
  const instructions = inside.flatMap(({ block }) => block.instructions);
  const doesNothing = instructions.every(
    (each) =>
      isRead(each) ||
      (each.op === 'call' ? harmless.test(each.callee) : arithmetic.has(each.op) || /^(br|switch)$/.test(each.op)),
  );
  if (!doesNothing) return false;
  const ends = endsByClock(flow, loop);
  return ends.length > 0 && ends.every((each) => each === true);
}

/** Of each end of a loop: true if it depends on a clock, null if on what an earlier time around left. */
function endsByClock(flow: Flow, loop: Loop): (boolean | null)[] {
  const inside = flow.blocks.filter(({ index }) => contains(loop, index));
  const instructions = inside.flatMap(({ block }) => block.instructions);
  const definitions = new Map(instructions.map((instruction) => [instruction.name, instruction]));
  const carried = new Set(flow.blocks[loop.head]!.block.instructions.filter(({ op }) => op === 'phi'));
  /** True if it depends on a clock; null if on what an earlier time around left. */
  const dependsOnClock = (value: Value): boolean | null => {
    if (value.kind !== 'local') return false;
    const instruction = definitions.get(value.name);
    if (instruction === undefined) return false;
    if (isRead(instruction)) return true;
    if (carried.has(instruction)) return null;
    const parts = instruction.operands.map(dependsOnClock);
    return parts.includes(null) ? null : parts.includes(true);
  };
  return inside
    .filter(({ successors }) => successors.some((target) => !contains(loop, target)))
    .map(({ terminator }) => {
      const parts = terminator.operands.map(dependsOnClock);
      return parts.includes(null) ? null : parts.includes(true);
    });
}
