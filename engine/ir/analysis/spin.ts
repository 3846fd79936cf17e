/**
 * Loops in which a warp may wait for others: for a lock, a flag, a queue. Lanes run in lock step and warps in turn here, so
 * such loops must let others run, as the independent thread scheduling of hardware since Volta does.
 *
 * A loop whose lanes leave at different times is made part of a *fair* loop with the same head, which reaches to the end of
 * what surrounds it or to the next operation of the whole warp. Lanes that have left the inner loop may go on within it
 * (and release the lock, say) while others still spin; at its end all meet again. The other analyses see a loop that lanes
 * leave at different times, which is what it is.
 */
import type { Block, Instruction } from '../ir.ts';
import type { Flow, Loop } from './flow.ts';
import { contains, loopsOf } from './flow.ts';

export interface SpinLoop {
  head: number;
  /** One past the last block of the loop proper, and of the fair loop around it. */
  end: number;
  fairEnd: number;
  /** It waits for a barrier in the block's own shared memory, and for nothing else. */
  within: boolean;
  /** It changes nothing, and reads the same places each time. */
  idle: boolean;
  /** And it remembers nothing: until others write what it reads, it goes around as before. */
  polls: boolean;
  /** It leaves what it finds as it is, in the end as well: no lock is taken. */
  reads: boolean;
}

/** Tests of such barriers. */
const testsBarrier = /mbarrier\.(test|try)[._]wait/;

/** Operations that act on the lanes of a warp, or of a block, together. */
export const actsTogether = ({ op, callee, operands }: Instruction): boolean =>
  op === 'call' &&
  (/^llvm\.nvvm\.(bar|barrier|shfl|vote|match|redux|wmma|mma|ldmatrix)|^simsight\.(barrier|warp)/.test(callee) ||
    (operands[0]?.kind === 'asm' && /shfl|vote|match|redux|bar|mma/.test(operands[0].text)));

/** True of what a loop that waits for others has: it reads what they write, and says so to the compiler. */
function mayWait(instruction: Instruction, used: Set<string>): boolean {
  const { op, callee, operands, name } = instruction;
  if (op === 'load') return instruction.volatile;
  if (op === 'cmpxchg') return true;
  if (op === 'atomicrmw') return name !== null && used.has(name);
  if (op === 'fence') return true;
  if (op !== 'call') return false;
  if (operands[0]?.kind === 'asm')
    return testsBarrier.test(operands[0].text) || /\b(ld|atom|membar|fence|nanosleep)\b/.test(operands[0].text);
  return testsBarrier.test(callee) || /^llvm\.nvvm\.(nanosleep|membar|fence)/.test(callee);
}

export function namesUsed(blocks: Block[]): Set<string> {
  const used = new Set<string>();
  const visit = (value: Instruction['operands'][number]): void => {
    if (value.kind === 'local') used.add(value.name);
    else if (value.kind === 'expression') value.operands.forEach(visit);
    else if (value.kind === 'aggregate') value.elements.forEach(visit);
  };
  for (const { instructions } of blocks) for (const { operands } of instructions) operands.forEach(visit);
  return used;
}

export function hasWaits(blocks: Block[]): boolean {
  const used = namesUsed(blocks);
  return blocks.some(({ instructions }) => instructions.some((instruction) => mayWait(instruction, used)));
}

export const arithmetic = new Set(
  'add sub mul udiv sdiv urem srem shl lshr ashr and or xor icmp select phi freeze trunc zext sext getelementptr ptrtoint extractvalue'.split(
    ' ',
  ),
);

const launchConstant = /^llvm\.nvvm\.read\.ptx\.sreg\.n?(cta|t)id\./;

/** True if a loop waits for barriers in the block's shared memory. */
function waitsWithin(flow: Flow, loop: Loop, used: Set<string>): boolean {
  const inside = flow.blocks.filter(({ index }) => contains(loop, index)).flatMap(({ block }) => block.instructions);
  return (
    inside.some(({ callee }) => testsBarrier.test(callee)) &&
    inside.every((each) => !mayWait(each, used) || testsBarrier.test(each.callee) || /nanosleep/.test(each.callee))
  );
}

/**
 * True if what a loop was entered with decides how often lanes go around: whatever it reads meanwhile, it waits for nobody. Where
 * its ends alone decide (around loops that wait within their block, or in front of a barrier), only what leaves it matters: the
 * inner ones end.
 */
function isCounted(flow: Flow, loop: Loop, endsDecide: boolean): boolean {
  const inside = flow.blocks.filter(({ index }) => contains(loop, index));
  const definitions = new Map(
    inside.flatMap(({ block }) => block.instructions.map((instruction) => [instruction.name, instruction])),
  );
  const heads = new Set(flow.blocks[loop.head]!.block.instructions);
  const seen = new Set<string>();
  const isKnown = (value: Instruction['operands'][number]): boolean => {
    if (value.kind !== 'local' || seen.has(value.name)) return true;
    seen.add(value.name);
    const instruction = definitions.get(value.name);
    if (instruction === undefined || launchConstant.test(instruction.callee)) return true;
    if (endsDecide && instruction.op === 'phi' && !heads.has(instruction)) return false;
    return arithmetic.has(instruction.op) && instruction.operands.every(isKnown);
  };
  const ends = inside.some(({ successors }) => successors.some((target) => !contains(loop, target)));
  const deciding = endsDecide
    ? inside.filter(({ successors }) => successors.some((target) => !contains(loop, target)))
    : inside;
  return (
    ends &&
    deciding.every(({ terminator }) => /^(br|switch)$/.test(terminator.op) && terminator.operands.every(isKnown))
  );
}

/** Atomics that leave what they find, whatever that is. */
export const isIdle = ({ op, predicate, operands }: Instruction): boolean =>
  op === 'atomicrmw' &&
  operands[1]?.kind === 'int' &&
  operands[1].value === 0n &&
  /^(add|sub|or|xor|umax)$/.test(predicate);

/** And those that do so until others have changed it: locks that are tried. */
const mayBeIdle = (instruction: Instruction): boolean =>
  instruction.op === 'cmpxchg' || instruction.predicate === 'xchg' || isIdle(instruction);

const idleCall = /^llvm\.(nvvm\.(nanosleep|membar)|lifetime|assume|dbg)|^simsight\.paged$/;

/** See {@link SpinLoop.idle}; `alsoCalls`: functions that do not count as changing anything either. */
export function isIdleLoop(flow: Flow, loop: Loop, alsoCalls: RegExp | null = null): boolean {
  const inside = flow.blocks.filter(({ index }) => contains(loop, index));
  const made = new Set(inside.flatMap(({ block }) => block.instructions.map(({ name }) => name)));
  // An address that stays the same, whatever page it is of.
  for (const { block } of inside)
    for (const { name, callee, operands } of block.instructions)
      if (callee === 'simsight.paged' && operands.every((each) => each.kind !== 'local' || !made.has(each.name)))
        made.delete(name);
  const isFixed = (value: Instruction['operands'][number]): boolean =>
    value.kind === 'local'
      ? !made.has(value.name)
      : value.kind === 'expression' || value.kind === 'aggregate'
        ? ('operands' in value ? value.operands : value.elements).every(isFixed)
        : value.kind !== 'asm';
  return inside.every(({ block }) =>
    block.instructions.every((instruction) => {
      const { op, callee, operands } = instruction;
      if (op === 'load') return operands.every(isFixed);
      if (op === 'cmpxchg' || op === 'atomicrmw') return mayBeIdle(instruction) && operands.every(isFixed);
      if (op === 'call') return idleCall.test(callee) || alsoCalls?.test(callee) === true;
      return op === 'fence' || /^(br|switch)$/.test(op) || arithmetic.has(op);
    }),
  );
}

/** True if lanes that are at a block of a loop come to a barrier of their thread block before they go around once more. */
function meetsIn(flow: Flow, loop: Loop, from: number): boolean {
  for (let at = from; at >= 0 && contains(loop, at); at = flow.postDominator[at] ?? -1)
    if (flow.blocks[at]!.block.instructions.some(isBlockBarrier)) return true;
  return false;
}
const isBlockBarrier = ({ op, callee }: Instruction): boolean =>
  op === 'call' && /^llvm\.nvvm\.barrier(0$|\.cta\.sync\.(aligned\.)?all$|\.sync$)/.test(callee);

/** Finds the loops and puts fair loops around them. */
export function spinLoops(flow: Flow): SpinLoop[] {
  const used = namesUsed(flow.blocks.map(({ block }) => block));
  const waiting = new Set<Loop>();
  for (const block of flow.blocks) {
    if (block.loop === null || !block.block.instructions.some((instruction) => mayWait(instruction, used))) continue;
    for (const loop of loopsOf(block)) waiting.add(loop);
  }
  const together = flow.blocks.map(({ block }) => block.instructions.some(actsTogether));
  const result: SpinLoop[] = [];
  // Outer loops first; of those side by side, the first.
  /** All lanes meet each time around, and after each loop within it that may wait: nobody is ahead of what others wait for. */
  const meets = (loop: Loop): boolean =>
    [loop, ...[...waiting].filter(({ parent }) => parent === loop)].every(({ head }) => meetsIn(flow, loop, head));
  const spinning = [...waiting].filter((loop) => !isCounted(flow, loop, waitsWithin(flow, loop, used) || meets(loop)));
  for (const loop of spinning.sort((a, b) => a.head - b.head || b.end - a.end)) {
    const { head, end, parent } = loop;
    let fairEnd = end;
    const limit = parent?.end ?? flow.blocks.length;
    while (fairEnd < limit && !together[fairEnd]) fairEnd++;
    // Not through the middle of a loop that follows.
    for (const block of flow.blocks)
      for (const other of loopsOf(block))
        if (
          other !== loop &&
          other.parent === parent &&
          other.head < fairEnd &&
          other.end > fairEnd &&
          other.head >= end
        )
          fairEnd = other.head;
    const idle = isIdleLoop(flow, loop);
    const polls = idle && flow.blocks[head]!.block.instructions[0]!.op !== 'phi';
    const reads = flow.blocks.every(
      ({ index, block }) =>
        !contains(loop, index) ||
        block.instructions.every((each) => !/^(cmpxchg|atomicrmw)$/.test(each.op) || isIdle(each)),
    );
    result.push({ head, end, fairEnd, within: waitsWithin(flow, loop, used), idle, polls, reads });
    if (fairEnd === end) continue;
    const fair: Loop = { head, end: fairEnd, parent, fair: true };
    const loopsInside = new Set<Loop>();
    for (const block of flow.blocks) {
      if (!contains(fair, block.index)) continue;
      for (const other of loopsOf(block)) if (other.parent === parent && other !== fair) loopsInside.add(other);
      if (block.loop === parent) block.loop = fair;
    }
    for (const other of loopsInside) other.parent = fair;
  }
  return result;
}
