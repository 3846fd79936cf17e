/** The steps that bring a kernel's IR into the form that the analyses and the widening expect. */
import type { Block, FunctionIr, Instruction, ModuleIr, Type, Value } from './ir.ts';
import { int, intConstant, i32, joinLastParts, makeInstruction, pointerType, unsupported } from './ir.ts';
import { placeProducts } from './contraction.ts';
import { parameterSpace, Pointers } from './addresses.ts';
import { mergeEqual } from './equal.ts';
import { inlineCalls } from './inline.ts';
import { freshName, startNames } from './fresh-names.ts';
import { copyParameters } from './parameter-copies.ts';
import { joinAccesses } from './vectorize.ts';
import { splitWideDivisions } from './wide-divisions.ts';
import { actsTogether, hasWaits } from './analysis/spin.ts';

/** `bar.sync` with a number of threads. */
export const isCountedBarrier = (instruction: Instruction): boolean =>
  instruction.op === 'call' && /^llvm\.nvvm\.barrier\.cta\.sync\.(aligned\.)?count$/.test(instruction.callee);

/** Calls at which a warp stops until its block's other warps have come as far. */
export const isBarrier = (instruction: Instruction): boolean =>
  (instruction.op === 'call' &&
    /^llvm\.nvvm\.barrier(0$|\.cta\.sync\.(aligned\.)?all$|\.sync$)/.test(instruction.callee)) ||
  isCountedBarrier(instruction);

/** `bar.arrive`: what it does has a place of its own in traces, at the end of its block. */
export const isArrival = ({ op, callee }: Instruction): boolean =>
  op === 'call' && /^llvm\.nvvm\.barrier\.cta\.arrive\./.test(callee);

const barrierWithSum = /^llvm\.nvvm\.barrier(?:0|\.cta\.red)\.(popc|and|or)(?:\.aligned)?(?:\.all)?$/;

/** `__syncthreads_count` and the like: each thread adds before the barrier and reads the sum behind it. */
function splitReduction(instruction: Instruction): Instruction[] {
  const kind = barrierWithSum.exec(instruction.callee)?.[1];
  const predicate = instruction.operands.at(-1);
  if (instruction.op !== 'call' || kind === undefined || predicate === undefined) return [instruction];
  const { place } = instruction;
  return [
    makeInstruction('call', { callee: `simsight.barrier.add.${kind}`, operands: [predicate], place }),
    makeInstruction('call', { callee: 'llvm.nvvm.barrier.cta.sync.aligned.all', operands: [intConstant(0)], place }),
    makeInstruction('call', { ...instruction, callee: `simsight.barrier.sum.${kind}`, operands: [] }),
  ];
}

export function prepareKernel(module: ModuleIr, kernel: FunctionIr): FunctionIr {
  const fn = inlineCalls(module, kernel);
  startNames();
  copyParameters(fn);
  const pointers = new Pointers(module, fn);
  for (const block of fn.blocks) {
    block.instructions = block.instructions
      .flatMap((instruction) => expandCopies(module, fn, instruction, pointers))
      .flatMap(splitWide)
      .flatMap(splitReduction);
    if (!fn.isKernel && block.instructions.some(isBarrier))
      throw unsupported(
        'a barrier in a recursive function',
        fn.name,
        block.instructions.find(isBarrier)?.place ?? fn.place,
      );
  }
  mergeEqual(fn);
  joinAccesses(module, fn);
  placeProducts(fn, (instruction) => isBarrier(instruction) || isArrival(instruction) || actsTogether(instruction));
  return splitAtBarriers(splitWideDivisions(fn));
}

const i64 = int(64);
const i128 = int(128);
const pairOfWords: Type = { kind: 'vector', count: 2, element: i64 };

/** Loads and stores of 128-bit integers as two words, which is what ptxas makes of them. */
function splitWide(instruction: Instruction): Instruction[] {
  const { op, accessType, operands, place } = instruction;
  if ((op !== 'load' && op !== 'store') || accessType?.kind !== 'int' || accessType.bits !== 128) return [instruction];
  const list: Instruction[] = [];
  const emit = (made: string, type: Type, inputs: Value[], name = freshName('wide')): Value => {
    list.push(makeInstruction(made, { name, type, operands: inputs, place }));
    return { kind: 'local', name, type };
  };
  const align = Math.min(instruction.align, 16);
  if (op === 'load') {
    const words = freshName('wide');
    const fields = { name: words, type: pairOfWords, accessType: pairOfWords, align };
    list.push(makeInstruction('load', { ...instruction, ...fields }));
    const [low, high] = [0, 1].map((i) =>
      emit('zext', i128, [
        emit('extractelement', i64, [{ kind: 'local', name: words, type: pairOfWords }, intConstant(i)]),
      ]),
    ) as [Value, Value];
    emit('or', i128, [low, emit('shl', i128, [high, intConstant(64, i128)])], instruction.name!);
    return list;
  }
  const [value, pointer] = operands as [Value, Value];
  const low = emit('trunc', i64, [value]);
  const high = emit('trunc', i64, [emit('lshr', i128, [value, intConstant(64, i128)])]);
  const first = emit('insertelement', pairOfWords, [{ kind: 'undef', type: pairOfWords }, low, intConstant(0)]);
  const both = emit('insertelement', pairOfWords, [first, high, intConstant(1)]);
  list.push(makeInstruction('store', { ...instruction, accessType: pairOfWords, align, operands: [both, pointer] }));
  return list;
}

/** `llvm.memcpy` and friends of constant size, as words (bytes where nothing is known of the alignment). */
function expandCopies(
  { pointerBytes }: ModuleIr,
  fn: FunctionIr,
  instruction: Instruction,
  pointers: Pointers,
): Instruction[] {
  const kind = /^llvm\.(memcpy|memmove|memset)\./.exec(instruction.callee)?.[1];
  if (instruction.op !== 'call' || kind === undefined) return [instruction];
  const [to, from, size] = instruction.operands;
  if (to === undefined || from === undefined || size === undefined) throw unsupported(kind, fn.name, instruction.place);
  // Parameters are read by loads alone.
  const isParameter = kind !== 'memset' && pointers.space(from) === parameterSpace;
  if (size.kind !== 'int' || (size.value > 512n && !isParameter))
    return [
      makeInstruction('call', { ...instruction, callee: `simsight.${kind === 'memset' ? 'memset' : 'memmove'}` }),
    ];
  const total = Number(size.value);
  const { place } = instruction;
  const loads: Instruction[] = [];
  const stores: Instruction[] = [];
  const pointer = pointerType(0, pointerBytes);
  const at = (base: Value, offset: number, list: Instruction[]): Value => {
    const name = freshName('copy');
    list.push(
      makeInstruction('getelementptr', {
        name,
        type: pointer,
        accessType: int(8),
        operands: [base, intConstant(offset)],
        place,
      }),
    );
    return { kind: 'local', name, type: pointer };
  };
  // Clang says what it knows of the pointer's type; where it leads may be better.
  const alignmentOf = (pointer: Value, said = 1): number =>
    Math.max(1, said, Math.min(16, pointers.alignment(pointer)));
  const toAlign = alignmentOf(to, instruction.indices[0]);
  const fromAlign = kind === 'memset' ? 1 : alignmentOf(from, instruction.indices[1]);
  const width = total % 4 === 0 && Math.min(toAlign, kind === 'memset' ? 4 : fromAlign) >= 4 ? 4 : 1;
  /** Alignment of `base + offset`; tells the joining of accesses where 128-bit ones are possible. */
  const alignAt = (base: number | undefined, offset: number): number =>
    Math.max(width, Math.min(base ?? 1, 16, offset === 0 ? 16 : offset & -offset));
  const type = int(width * 8);
  for (let offset = 0; offset < total; offset += width) {
    let value: Value;
    if (kind === 'memset') {
      if (from.kind === 'int')
        value = intConstant(BigInt.asUintN(8, from.value) * (width === 4 ? 0x1010101n : 1n), type);
      else if (width === 1) value = from;
      else {
        const wide = freshName('copy');
        value = { kind: 'local', name: freshName('copy'), type: i32 };
        loads.push(makeInstruction('zext', { name: wide, type: i32, operands: [from], place }));
        loads.push(
          makeInstruction('mul', {
            name: value.name,
            type: i32,
            operands: [{ kind: 'local', name: wide, type: i32 }, intConstant(0x1010101)],
            place,
          }),
        );
      }
    } else {
      const source = at(from, offset, loads);
      value = { kind: 'local', name: freshName('copy'), type };
      loads.push(
        makeInstruction('load', {
          name: value.name,
          type,
          accessType: type,
          align: alignAt(fromAlign, offset),
          operands: [source],
          place,
        }),
      );
    }
    const target = at(to, offset, stores);
    stores.push(
      makeInstruction('store', { accessType: type, align: alignAt(toAlign, offset), operands: [value, target], place }),
    );
  }
  return [...loads, ...stores];
}

/**
 * Ends a block after each barrier, so that the place where a warp resumes is the beginning of a block. Where lanes may spin,
 * what a warp does together begins a block, too: lanes that are ahead wait in front of it for those behind.
 */
function splitAtBarriers(fn: FunctionIr): FunctionIr {
  const blocks: Block[] = [];
  const waits = hasWaits(fn.blocks);
  const lastPart = new Map<string, string>();
  for (const block of fn.blocks) {
    let current: Block = { name: block.name, instructions: [] };
    blocks.push(current);
    let parts = 0;
    const split = ({ place }: Instruction): void => {
      const next: Block = { name: `${block.name}.barrier${++parts}`, instructions: [] };
      current.instructions.push(makeInstruction('br', { labels: [next.name], place }));
      blocks.push(next);
      current = next;
    };
    for (const instruction of block.instructions) {
      const last = current.instructions.at(-1);
      if (waits && actsTogether(instruction) && last !== undefined && last.op !== 'phi' && !actsTogether(last))
        split(instruction);
      current.instructions.push(instruction);
      if (isBarrier(instruction) || isArrival(instruction)) split(instruction);
    }
    lastPart.set(block.name, current.name);
  }
  joinLastParts(blocks, lastPart);
  return { ...fn, blocks };
}
