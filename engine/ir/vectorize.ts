/**
 * Joins loads, and stores, of neighbouring elements into 64- and 128-bit accesses, as NVPTX's load/store vectorizer does
 * on real builds: Clang hands over a `float4` as four scalars. Counts of requests and wavefronts depend on it.
 */
import type { Block, FunctionIr, Instruction, ModuleIr, Type, Value } from './ir.ts';
import { intConstant, makeInstruction, pointerType, sizeOf } from './ir.ts';
import { Pointers, type Address } from './addresses.ts';

interface Access {
  instruction: Instruction;
  position: number;
  offset: number;
}

const pure = new Set(
  'add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem fneg icmp fcmp select phi getelementptr alloca extractvalue insertvalue extractelement insertelement shufflevector freeze trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast'.split(
    ' ',
  ),
);
const pureCall =
  /^(__nv_|llvm\.(nvvm\.read|lifetime|assume|fma|fmuladd|sqrt|fabs|floor|ceil|rint|trunc|round|maxnum|minnum|maximum|minimum|umin|umax|smin|smax|abs|ct|fsh|bswap|bitreverse|copysign))/;

export function joinAccesses(module: ModuleIr, fn: FunctionIr): void {
  const pointers = new Pointers(module, fn);
  let made = 0;
  for (const block of fn.blocks) {
    const open = new Map<string, Access[]>();
    const groups: Access[][] = [];
    let kind = '';
    const close = (): void => {
      for (const accesses of open.values()) if (accesses.length > 1) groups.push(...runs(accesses, pointers));
      open.clear();
    };
    for (const [position, instruction] of block.instructions.entries()) {
      const { op } = instruction;
      if (op === 'load' || op === 'store') {
        if (kind !== op) close();
        kind = op;
        const type = instruction.accessType;
        const pointer = instruction.operands[op === 'load' ? 0 : 1];
        if (
          type === null ||
          pointer === undefined ||
          instruction.volatile ||
          !/^(int|float|double|ptr|half)$/.test(type.kind)
        ) {
          if (op === 'store') close();
          continue;
        }
        const place = pointers.place(pointer);
        if (place === null) {
          if (op === 'store') close();
          continue;
        }
        const { offset } = place;
        const key = `${place.key}|${type.kind}${sizeOf(type)}`;
        const list = open.get(key);
        // Stores may only pass stores of the same group: another base might be the same memory.
        if (op === 'store' && list === undefined) close();
        if (op === 'store' && list?.some((access) => access.offset === offset)) close();
        open.set(key, [...(open.get(key) ?? []), { instruction, position, offset }]);
      } else if (!pure.has(op) && !(op === 'call' && pureCall.test(instruction.callee))) close();
    }
    close();
    if (groups.length > 0) rewrite(block, groups, pointers, module, () => `.joined${made++}`);
  }
}

/** Splits accesses off one base into runs of 2 or 4 that an aligned vector access covers. */
function runs(accesses: Access[], pointers: Pointers): Access[][] {
  const sorted = accesses
    .filter((access, i) => accesses.findIndex((other) => other.offset === access.offset) === i)
    .sort((a, b) => a.offset - b.offset);
  const result: Access[][] = [];
  for (let i = 0; i < sorted.length;) {
    const first = sorted[i];
    if (first === undefined) break;
    const size = sizeOf(first.instruction.accessType ?? { kind: 'void' });
    const pointer = first.instruction.operands[first.instruction.op === 'load' ? 0 : 1];
    const align = Math.max(first.instruction.align, pointer ? pointers.alignment(pointer) : 1);
    let taken = 1;
    for (const count of [4, 2]) {
      if (count * size > 16 || align < count * size || i + count > sorted.length) continue;
      const run = sorted.slice(i, i + count);
      if (run.every((access, k) => access.offset === first.offset + k * size)) {
        result.push(run);
        taken = count;
        break;
      }
    }
    i += taken;
  }
  return result;
}

const pointerOf = ({ instruction: { op, operands } }: Access): Value => operands[op === 'load' ? 0 : 1]!;

/** Where a group begins: off the root of all, or off the pointer of the access at `at`, which is known there. */
function baseOf(group: Access[], at: number, pointers: Pointers): Address {
  const [first, ...rest] = group.map((access) => pointers.resolve(pointerOf(access))) as [Address, ...Address[]];
  if (rest.every(({ root }) => sameRoot(root, first.root))) return first;
  const here = group.find(({ position }) => position === at)!;
  return { root: pointerOf(here), offset: group[0]!.offset - here.offset };
}

const sameRoot = (a: Value, b: Value): boolean =>
  (a.kind === 'local' || a.kind === 'global') && a.kind === b.kind && a.name === b.name;

function rewrite(block: Block, groups: Access[][], pointers: Pointers, module: ModuleIr, fresh: () => string): void {
  const before = new Map<number, Instruction[]>();
  const replaced = new Map<number, Instruction[]>();
  for (const group of groups) {
    const first = group[0];
    if (first === undefined) continue;
    const { op, accessType, place } = first.instruction;
    const pointer = first.instruction.operands[op === 'load' ? 0 : 1];
    if (accessType === null || pointer === undefined) continue;
    const vector: Type = { kind: 'vector', count: group.length, element: accessType };
    const at = Math[op === 'load' ? 'min' : 'max'](...group.map((access) => access.position));
    const { root, offset } = baseOf(group, at, pointers);
    const base: Value = { kind: 'local', name: fresh(), type: pointerType(0, module.pointerBytes) };
    const joined: Value = { kind: 'local', name: fresh(), type: vector };
    const address = makeInstruction('getelementptr', {
      name: base.name,
      type: base.type,
      accessType: { kind: 'int', bits: 8 },
      operands: [root, intConstant(offset)],
      place,
    });
    if (op === 'load') {
      const load = makeInstruction('load', {
        name: joined.name,
        type: vector,
        accessType: vector,
        align: sizeOf(vector),
        operands: [base],
        place,
      });
      before.set(at, [...(before.get(at) ?? []), address, load]);
      for (const [index, { instruction, position }] of group.entries()) {
        replaced.set(position, [
          makeInstruction('extractelement', {
            name: instruction.name,
            type: accessType,
            operands: [joined, intConstant(index)],
            place: instruction.place,
          }),
        ]);
      }
    } else {
      const build: Instruction[] = [address];
      let value: Value = { kind: 'undef', type: vector };
      for (const [index, { instruction, position }] of group.entries()) {
        const element = instruction.operands[0];
        if (element === undefined) continue;
        const next: Value = { kind: 'local', name: index === group.length - 1 ? joined.name : fresh(), type: vector };
        build.push(
          makeInstruction('insertelement', {
            name: next.name,
            type: vector,
            operands: [value, element, intConstant(index)],
            place,
          }),
        );
        value = next;
        replaced.set(position, []);
      }
      build.push(
        makeInstruction('store', { operands: [joined, base], accessType: vector, align: sizeOf(vector), place }),
      );
      before.set(at, [...(before.get(at) ?? []), ...build]);
    }
  }
  block.instructions = block.instructions.flatMap((instruction, i) => [
    ...(before.get(i) ?? []),
    ...(replaced.get(i) ?? [instruction]),
  ]);
}
