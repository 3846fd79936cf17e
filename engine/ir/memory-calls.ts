/** Intrinsic calls that are memory instructions under another name: what follows sees loads, stores and atomics. */
import { freshName } from './fresh-names.ts';
import type { Block, FunctionIr, Instruction, Type, Value } from './ir.ts';
import { i1, int, intConstant, makeInstruction } from './ir.ts';

const atomicName =
  /^llvm\.nvvm\.atomic\.(?:load\.)?(add|exch|max|min|inc|dec|and|or|xor|cas)\.(?:gen\.([if])\.(?:cta|sys)|(?:32))\b/;

export function rewriteCalls(fn: FunctionIr): FunctionIr {
  const isOurs = ({ op, callee }: Instruction): boolean =>
    op === 'call' && /^llvm\.nvvm\.(atomic\.|ld[gu]\.|cp\.async\.c[ag]\.)/.test(callee);
  if (!fn.blocks.some((block) => block.instructions.some(isOurs))) return fn;
  const blocks = fn.blocks.map((block): Block => ({
    name: block.name,
    instructions: block.instructions.flatMap((instruction) =>
      isOurs(instruction) ? rewrite(instruction) : [instruction],
    ),
  }));
  return { ...fn, blocks };
}

/** Also for calls that inline PTX was translated to. */
export function rewrite(instruction: Instruction): Instruction[] {
  const { callee, operands, type, name, place } = instruction;
  const [pointer, first, second] = operands;
  const atomic = atomicName.exec(callee);
  if (atomic !== null && pointer !== undefined && first !== undefined) {
    const isFloat = type.kind !== 'int';
    if (atomic[1] === 'cas' && second !== undefined) {
      const pair = freshName('atomic');
      const both: Type = { kind: 'struct', fields: [type, i1], packed: false };
      return [
        makeInstruction('cmpxchg', {
          name: pair,
          type: both,
          accessType: type,
          operands: [pointer, first, second],
          place,
        }),
        makeInstruction('extractvalue', {
          name,
          type,
          operands: [{ kind: 'local', name: pair, type: both }],
          indices: [0],
          place,
        }),
      ];
    }
    const op =
      { inc: 'uinc_wrap', dec: 'udec_wrap', exch: 'xchg' }[atomic[1] ?? ''] ?? `${isFloat ? 'f' : ''}${atomic[1]}`;
    return [
      makeInstruction('atomicrmw', { name, type, accessType: type, predicate: op, operands: [pointer, first], place }),
    ];
  }
  if (/^llvm\.nvvm\.ld[gu]\./.test(callee) && pointer !== undefined) {
    const align = first?.kind === 'int' ? Number(first.value) : 0;
    return [makeInstruction('load', { name, type, accessType: type, align, operands: [inSpace(pointer, 1)], place })];
  }
  const copy = /^llvm\.nvvm\.cp\.async\.(ca|cg)\.shared\.global\.(4|8|16)(\.s)?/.exec(callee);
  if (copy !== null && pointer !== undefined && first !== undefined)
    return copyNow(instruction, Number(copy[2]), copy[3] !== undefined, copy[1] === 'cg');
  return [instruction];
}

const inSpace = (pointer: Value, space: number): Value =>
  pointer.type.kind === 'ptr' ? { ...pointer, type: { ...pointer.type, space } } : pointer;

/** LDGSTS: a load, past L1 where it is to be, and a store; bytes behind the source's size are zero. */
function copyNow({ operands, place }: Instruction, bytes: number, partial: boolean, pastL1: boolean): Instruction[] {
  const [to, from, size] = operands as [Value, Value, Value | undefined];
  const words = bytes / 4;
  const type: Type = words === 1 ? int(32) : { kind: 'vector', count: words, element: int(32) };
  const list: Instruction[] = [];
  const emit = (op: string, of: Type, inputs: Value[], fields: Partial<Instruction> = {}): Value => {
    const name = freshName('copy.async');
    list.push(makeInstruction(op, { name, type: of, operands: inputs, place, ...fields }));
    return { kind: 'local', name, type: of };
  };
  // The source is not read where its size is zero, so the address may be anything: read the target then.
  let source = inSpace(from, 1);
  if (partial && size !== undefined) {
    const empty = emit('icmp', i1, [size, intConstant(0)], { predicate: 'eq' });
    const generic = inSpace(to, 0).type;
    source = emit('select', generic, [
      empty,
      emit('addrspacecast', generic, [to]),
      emit('addrspacecast', generic, [from]),
    ]);
  }
  let value = emit('load', type, [source], { accessType: type, align: bytes, volatile: pastL1 });
  if (partial && size !== undefined) {
    let sum: Value = { kind: 'undef', type };
    for (let k = 0; k < words; k++) {
      const word = words === 1 ? value : emit('extractelement', int(32), [value, intConstant(k)]);
      const inside = emit('icmp', i1, [size, intConstant(4 * k)], { predicate: 'ugt' });
      const kept = emit('select', int(32), [inside, word, intConstant(0)]);
      sum = words === 1 ? kept : emit('insertelement', type, [sum, kept, intConstant(k)]);
    }
    value = sum;
  }
  // One instruction on hardware: the load counts, the store's traffic does too.
  list.push(
    makeInstruction('store', {
      operands: [value, inSpace(to, 3)],
      accessType: type,
      align: bytes,
      flags: ['async'],
      place,
    }),
  );
  return list;
}
