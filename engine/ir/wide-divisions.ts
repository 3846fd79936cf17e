/**
 * Divisions of 64 bits have two ways, as nvcc makes them: operands that fit 32 bits, which lanes decide for themselves, take a division of 32; others
 * the long way of some seventy instructions. Which lanes took which is counted and timed like any branch.
 *
 *   if ((a | b) >> 32) q = a / b;   else q = (unsigned)a / (unsigned)b;
 */
import { freshName } from './fresh-names.ts';
import type { Block, FunctionIr, Instruction, Type, Value } from './ir.ts';
import { i1, i32, int, intConstant, joinLastParts, longWay, makeInstruction } from './ir.ts';

const i64 = int(64);
const unsignedOf: Record<string, string> = { udiv: 'udiv', sdiv: 'udiv', urem: 'urem', srem: 'urem' };

const isWide = ({ op, type, operands }: Instruction): boolean =>
  unsignedOf[op] !== undefined && type.kind === 'int' && type.bits === 64 && operands[1]?.kind !== 'int';

/** The function with both ways; constant divisors are products. */
export function splitWideDivisions(fn: FunctionIr): FunctionIr {
  if (!fn.blocks.some(({ instructions }) => instructions.some(isWide))) return fn;
  const blocks: Block[] = [];
  const lastPart = new Map<string, string>();
  for (const block of fn.blocks) {
    let current: Block = { name: block.name, instructions: [] };
    blocks.push(current);
    for (const instruction of block.instructions) {
      if (!isWide(instruction)) {
        current.instructions.push(instruction);
        continue;
      }
      const parts = bothWays(current, instruction);
      blocks.push(...parts);
      current = parts.at(-1)!;
    }
    lastPart.set(block.name, current.name);
  }
  joinLastParts(blocks, lastPart);
  return { ...fn, blocks };
}

/** Ends the block with the decision; gives the two ways, and the block in which they meet. */
function bothWays(block: Block, division: Instruction): Block[] {
  const { op, operands, place } = division;
  const [a, b] = operands as [Value, Value];
  const emit = (into: Block, made: string, type: Type, inputs: Value[], fields: Partial<Instruction> = {}): Value => {
    const name = freshName('divided');
    into.instructions.push(makeInstruction(made, { name, type, operands: inputs, place, ...fields }));
    return { kind: 'local', name, type };
  };
  const [long, short, end] = ['long', 'short', 'end'].map((name): Block => ({
    name: freshName(`division.${name}`),
    instructions: [],
  })) as [Block, Block, Block];
  const high = emit(block, 'lshr', i64, [emit(block, 'or', i64, [a, b]), intConstant(32, i64)]);
  const isLong = emit(block, 'icmp', i1, [high, intConstant(0, i64)], { predicate: 'ne' });
  const jump = (from: Block, fields: Partial<Instruction>): number =>
    from.instructions.push(makeInstruction('br', { ...fields, place }));
  jump(block, { operands: [isLong], labels: [long.name, short.name] });
  const ofLong = emit(long, op, i64, [a, b], { flags: [longWay] });
  jump(long, { labels: [end.name] });
  const [shortA, shortB] = [a, b].map((value) => emit(short, 'trunc', i32, [value])) as [Value, Value];
  const ofShort = emit(short, 'zext', i64, [emit(short, unsignedOf[op]!, i32, [shortA, shortB])]);
  jump(short, { labels: [end.name] });
  end.instructions.push(
    makeInstruction('phi', {
      ...{ name: division.name, type: i64, place },
      ...{ operands: [ofLong, ofShort], labels: [long.name, short.name] },
    }),
  );
  return [long, short, end];
}
