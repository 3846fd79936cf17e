/**
 * Functions before they are inlined: inline PTX and calls through pointers become plain code, and recursive functions are
 * found. A call through a pointer is a switch over every function of that type whose address is taken, so lanes with
 * different targets part and meet again like at any other branch.
 */
import { freshName, startNames } from './fresh-names.ts';
import { lowerAssembly } from './ptx/lower.ts';
import { rewriteCalls } from './memory-calls.ts';
import type { Block, FunctionIr, Instruction, ModuleIr, Value } from './ir.ts';
import { i32, makeInstruction, typeText } from './ir.ts';

/** Addresses of functions as data: small numbers that are no addresses of memory. */
export function functionAddress(module: ModuleIr, name: string): number | null {
  const index = tablesOf(module).order.get(name);
  return index === undefined ? null : 16 * (index + 1);
}

interface Tables {
  order: Map<string, number>;
  addressTaken: FunctionIr[];
  prepared: Map<string, FunctionIr>;
  recursive: Set<string> | null;
}
const tables = new WeakMap<ModuleIr, Tables>();

function tablesOf(module: ModuleIr): Tables {
  const known = tables.get(module);
  if (known !== undefined) return known;
  const taken = new Set<string>();
  const visit = (value: Value): void => {
    if (value.kind === 'global') taken.add(value.name);
    else if (value.kind === 'expression') value.operands.forEach(visit);
    else if (value.kind === 'aggregate') value.elements.forEach(visit);
  };
  for (const variable of module.globals.values()) if (variable.initializer !== null) visit(variable.initializer);
  for (const fn of module.functions.values())
    for (const block of fn.blocks) for (const instruction of block.instructions) instruction.operands.forEach(visit);
  const made: Tables = {
    order: new Map([...module.functions.keys()].map((name, i) => [name, i])),
    addressTaken: [...module.functions.values()].filter(({ name, isKernel }) => taken.has(name) && !isKernel),
    prepared: new Map(),
    recursive: null,
  };
  tables.set(module, made);
  return made;
}

/** `fn` without inline PTX and without calls through pointers. */
export function plainFunction(module: ModuleIr, fn: FunctionIr): FunctionIr {
  const { prepared } = tablesOf(module);
  let result = prepared.get(fn.name);
  if (result === undefined) {
    startNames();
    result = resolvePointers(module, lowerAssembly(rewriteCalls(fn), module.pointerBytes));
    prepared.set(fn.name, result);
  }
  return result;
}

const isIndirect = ({ op, callee, operands }: Instruction): boolean =>
  op === 'call' && callee === '' && operands[0] !== undefined && operands[0].kind !== 'asm';

function resolvePointers(module: ModuleIr, fn: FunctionIr): FunctionIr {
  if (!fn.blocks.some((block) => block.instructions.some(isIndirect))) return fn;
  const blocks: Block[] = [];
  const lastPart = new Map<string, string>();
  for (const source of fn.blocks) {
    let current: Block = { name: source.name, instructions: [] };
    blocks.push(current);
    for (const instruction of source.instructions) {
      if (!isIndirect(instruction)) {
        current.instructions.push(instruction);
        continue;
      }
      const [pointer, ...args] = instruction.operands as [Value, ...Value[]];
      const { place } = instruction;
      const targets = tablesOf(module).addressTaken.filter(
        (candidate) =>
          candidate.parameters.length === args.length &&
          typeText(candidate.returns) === typeText(instruction.type) &&
          candidate.parameters.every(({ type }, i) => typeText(type) === typeText((args[i] as Value).type)),
      );
      const call = freshName('indirect');
      const name = (part: string | number): string => `${call}.${part}`;
      const address: Value = { kind: 'local', name: name('address'), type: i32 };
      const after: Block = { name: name('after'), instructions: [] };
      const wrong: Block = {
        name: name('wrong'),
        instructions: [
          makeInstruction('call', { callee: 'simsight.bad.call', place }),
          makeInstruction('br', { labels: [after.name], place }),
        ],
      };
      current.instructions.push(
        makeInstruction('ptrtoint', { name: address.name, type: i32, operands: [pointer], place }),
        makeInstruction('switch', {
          operands: [address],
          labels: [wrong.name, ...targets.map((_, i) => name(i))],
          cases: targets.map((target) => BigInt(functionAddress(module, target.name) ?? 0)),
          place,
        }),
      );
      const results: { value: Value; label: string }[] = [
        { value: { kind: 'zero', type: instruction.type }, label: wrong.name },
      ];
      blocks.push(wrong);
      targets.forEach((target, i) => {
        const value: Value = { kind: 'local', name: name(`value${i}`), type: instruction.type };
        const isVoid = instruction.type.kind === 'void';
        blocks.push({
          name: name(i),
          instructions: [
            makeInstruction('call', {
              ...instruction,
              name: isVoid ? null : value.name,
              callee: target.name,
              operands: args,
            }),
            makeInstruction('br', { labels: [after.name], place }),
          ],
        });
        results.push({ value, label: name(i) });
      });
      if (instruction.name !== null)
        after.instructions.push(
          makeInstruction('phi', {
            name: instruction.name,
            type: instruction.type,
            operands: results.map(({ value }) => value),
            labels: results.map(({ label }) => label),
            place,
          }),
        );
      blocks.push(after);
      current = after;
    }
    lastPart.set(source.name, current.name);
  }
  for (const block of blocks)
    for (const phi of block.instructions)
      if (phi.op === 'phi' && !phi.labels.some((label) => label.startsWith('.indirect') && label.endsWith('.wrong')))
        phi.labels = phi.labels.map((label) => lastPart.get(label) ?? label);
  return { ...fn, blocks };
}

/** Functions that can come back to themselves; these are called, all others are inlined. */
export function recursiveFunctions(module: ModuleIr): Set<string> {
  const own = tablesOf(module);
  if (own.recursive !== null) return own.recursive;
  const calls = new Map<string, string[]>();
  const calleesOf = (fn: FunctionIr): string[] => {
    let list = calls.get(fn.name);
    if (list === undefined) {
      const targets = new Set<string>();
      const signatures: Instruction[] = [];
      for (const block of fn.blocks)
        for (const instruction of block.instructions) {
          if (instruction.op !== 'call') continue;
          if (module.functions.has(instruction.callee)) targets.add(instruction.callee);
          else if (isIndirect(instruction)) signatures.push(instruction);
        }
      for (const { operands, type } of signatures)
        for (const target of own.addressTaken)
          if (target.parameters.length === operands.length - 1 && typeText(target.returns) === typeText(type))
            targets.add(target.name);
      list = [...targets];
      calls.set(fn.name, list);
    }
    return list;
  };
  const recursive = new Set<string>();
  for (const fn of module.functions.values()) {
    if (fn.isKernel) continue;
    const seen = new Set<string>();
    const stack = [...calleesOf(fn)];
    while (stack.length > 0) {
      const name = stack.pop() ?? '';
      if (seen.has(name)) continue;
      seen.add(name);
      const next = module.functions.get(name);
      if (next !== undefined) stack.push(...calleesOf(next));
    }
    if (seen.has(fn.name)) recursive.add(fn.name);
  }
  own.recursive = recursive;
  return recursive;
}
