/**
 * A pass over the code of the compiled host program, by request:
 *
 * - accesses: before each load, store, copy and fill, an address between {@link hostSymbols.first} and that many bytes
 *   further calls what is in the table {@link hostSymbols.touch}, with address, bytes and 1 for reading, 2 for writing. So
 *   the runtime learns what the host does with managed memory; see host-accesses.ts.
 * - operations: at the beginning of each straight run of code, its operations are added to {@link hostSymbols.operations}.
 *   What WebAssembly does without a processor (locals, constants) does not count.
 *
 * - polls: before each atomic instruction that reads inside a loop, what is in the table {@link hostSymbols.poll} is called:
 *   other host threads get their turn, as they have to change what the loop waits for.
 *
 * Nothing in the program is renumbered: what is added comes last in its section.
 *
 *   const module = await WebAssembly.compile(instrument(host, { accesses: true, operations: false }));
 */
import { SimsightError } from '../../base/errors.ts';
import { importKinds, importsIn, Reader, sectionsOf, Writer } from '../../base/wasm-binary.ts';
import {
  readInstruction,
  valueType,
  type Instruction,
  type MemoryAccess,
  type ValueType,
} from '../../base/wasm-instructions.ts';

export interface Instrumentation {
  accesses: boolean;
  operations: boolean;
  polls?: boolean;
}

/** Symbols that the program exports then. */
export const hostSymbols = {
  /** Globals: first address that is looked at, and how many bytes from there. */
  first: '__simsight_first',
  bytes: '__simsight_bytes',
  /** Tables whose one entry is called. */
  touch: '__simsight_touch',
  poll: '__simsight_poll',
  /** A global of 64 bits. */
  operations: '__simsight_operations',
} as const;

export const accessMask = { read: 1, write: 2 } as const;

const section = { type: 1, import: 2, function: 3, table: 4, global: 6, export: 7, code: 10 } as const;
const names = { [section.type]: 'types', [section.table]: 'tables', [section.global]: 'globals' } as Record<
  number,
  string
>;

/** Numbers of what the pass adds. */
interface Added {
  touchType: number;
  touchTable: number;
  pollType: number;
  pollTable: number;
  first: number;
  bytes: number;
  operations: number;
}

export function instrument(host: Uint8Array, wanted: Instrumentation): Uint8Array<ArrayBuffer> {
  const sections = sectionsOf(host);
  const find = (id: number): Reader => {
    const found = sections.find((each) => each.id === id);
    if (!found) throw fault(`The host program has no ${names[id] ?? `section ${id}`}.`);
    return new Reader(host, found.at, found.end);
  };
  const parameters = parametersOfTypes(find(section.type));
  const imported = countImports(find(section.import));
  const typesOfFunctions = numbersOf(find(section.function));
  const globals = imported.globals + find(section.global).u32();
  const tables = imported.tables + find(section.table).u32();
  const added: Added = {
    touchType: parameters.length,
    touchTable: tables,
    pollType: parameters.length + 1,
    pollTable: tables + 1,
    first: globals,
    bytes: globals + 1,
    operations: globals + 2,
  };

  const out = new Writer().all(host.subarray(0, 8));
  for (const { id, at, end } of sections) {
    const reader = new Reader(host, at, end);
    const content = new Writer();
    if (id === section.type) addTo(content, reader, 2).all(touchType).all(pollType);
    else if (id === section.table) addTo(content, reader, 2).all(functionTable).all(functionTable);
    else if (id === section.global) addTo(content, reader, 3).all(zeroGlobals);
    else if (id === section.export) addExports(addTo(content, reader, 5), added);
    else if (id === section.code) {
      const count = reader.u32();
      content.u32(count);
      const pass = new CodePass(wanted, added);
      for (let i = 0; i < count; i++) {
        content.sized(pass.body(reader.part(reader.u32()), parameters[typesOfFunctions[i]!]!));
      }
    } else content.all(host.subarray(at, end));
    out.byte(id).sized(content.written);
  }
  return out.written.slice();
}

/** (i32, i32, i32) -> () */
const touchType = Uint8Array.of(0x60, 3, 0x7f, 0x7f, 0x7f, 0);
/** () -> () */
const pollType = Uint8Array.of(0x60, 0, 0);
/** One function. */
const functionTable = Uint8Array.of(0x70, 1, 1, 1);
/** Three of 64 bits, all of which change. */
const zeroGlobals = Uint8Array.of(...[0, 1, 2].flatMap(() => [0x7e, 1, 0x42, 0, 0x0b]));

function fault(message: string): SimsightError {
  return new SimsightError('internal', message, 'This is a bug in Simsight: please report it.');
}

/** Copies a section with room for more at its end. */
function addTo(content: Writer, reader: Reader, more: number): Writer {
  return content.u32(reader.u32() + more).all(reader.bytes.subarray(reader.at, reader.end));
}

function addExports(content: Writer, added: Added): void {
  content.name(hostSymbols.touch).byte(1).u32(added.touchTable);
  content.name(hostSymbols.poll).byte(1).u32(added.pollTable);
  for (const name of ['first', 'bytes', 'operations'] as const) {
    content.name(hostSymbols[name]).byte(3).u32(added[name]);
  }
}

/** Number of parameters of each function type. */
function parametersOfTypes(reader: Reader): number[] {
  return Array.from({ length: reader.u32() }, () => {
    if (reader.byte() !== 0x60) throw fault('The host program has types other than those of functions.');
    const count = reader.u32();
    reader.skip(count);
    reader.skip(reader.u32());
    return count;
  });
}

function numbersOf(reader: Reader): number[] {
  return Array.from({ length: reader.u32() }, () => reader.u32());
}

function countImports(reader: Reader): { functions: number; tables: number; globals: number } {
  const kinds = importsIn(reader).map(({ kind }) => kind);
  const count = (wanted: number): number => kinds.filter((kind) => kind === wanted).length;
  const { function: functions, table, global } = importKinds;
  return { functions: count(functions), tables: count(table), globals: count(global) };
}

const op = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  try: 0x06,
  delegate: 0x18,
  tryTable: 0x1f,
  end: 0x0b,
  callIndirect: 0x11,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  i64Const: 0x42,
  i64EqualsZero: 0x50,
  i64LessUnsigned: 0x54,
  i64Add: 0x7c,
  i64Subtract: 0x7d,
  i64Or: 0x84,
  i64ShiftUnsigned: 0x88,
  i32Wrap: 0xa7,
  empty: 0x40,
} as const;

/** Locals that checks use: an address, two more words for copies, and an operand of each type. */
const temporaries: readonly ValueType[] = ['i64', 'i64', 'i64', 'i64', 'f32', 'f64', 'v128', 'i32'];
const operandAt = { i64: 3, f32: 4, f64: 5, v128: 6, i32: 7 } as const;

const opens = new Set<number>([op.block, op.loop, op.if, op.try, op.tryTable]);

class CodePass {
  private readonly wanted: Instrumentation;
  private readonly added: Added;
  private readonly out = new Writer();
  private readonly run = new Writer();
  private readonly whole = new Writer();
  /** Number of the first temporary of the function. */
  private temporary = 0;

  constructor(wanted: Instrumentation, added: Added) {
    this.wanted = wanted;
    this.added = added;
  }

  /** The new body of a function, without its size; valid until the next call. */
  body(reader: Reader, parameters: number): Uint8Array {
    const { out, run, whole } = this;
    const start = reader.at;
    let groups = reader.u32();
    const groupsAt = reader.at;
    this.temporary = parameters;
    for (let left = groups; left > 0; left--) {
      this.temporary += reader.u32();
      reader.skip(1);
    }
    const codeAt = reader.at;
    out.clear();
    run.clear();
    let operations = 0;
    let checks = false;
    let polls = false;
    /** Enclosing control structures: true for loops. */
    const loops: boolean[] = [];
    const endRun = (): void => {
      if (this.wanted.operations && operations > 0) this.count(operations);
      out.all(run.written);
      run.clear();
      operations = 0;
    };
    while (reader.at < reader.end) {
      const at = reader.at;
      const instruction: Instruction = readInstruction(reader);
      if (this.wanted.accesses && instruction.access) {
        checks = true;
        this.check(instruction.access);
      }
      const { opcode } = instruction;
      if (opens.has(opcode)) loops.push(opcode === op.loop);
      else if (opcode === op.end || opcode === op.delegate) loops.pop();
      if (this.wanted.polls && instruction.isAtomicRead && loops.includes(true)) {
        polls = true;
        run.byte(op.i32Const).s32(0).byte(op.callIndirect).u32(this.added.pollType).u32(this.added.pollTable);
      }
      run.all(reader.bytes.subarray(at, reader.at));
      operations += instruction.operations;
      if (instruction.endsRun) endRun();
    }
    endRun();

    whole.clear();
    if (!checks && !polls && !this.wanted.operations) return reader.bytes.subarray(start, reader.end);
    if (checks) groups += temporaries.length;
    whole.u32(groups).all(reader.bytes.subarray(groupsAt, codeAt));
    if (checks) for (const type of temporaries) whole.u32(1).byte(valueType[type]);
    return whole.all(out.written).written;
  }

  private count(operations: number): void {
    const { operations: global } = this.added;
    this.out.byte(op.globalGet).u32(global).byte(op.i64Const).s32(operations).byte(op.i64Add);
    this.out.byte(op.globalSet).u32(global);
  }

  private local(opcode: number, temporary: number): Writer {
    return this.run.byte(opcode).u32(this.temporary + temporary);
  }

  private check(access: MemoryAccess): void {
    const { run } = this;
    const [target, size] = [0, 2];
    if (access.type !== 'access') {
      // A copy's second operand is an address as well, a fill's is a value of 32 bits.
      const source = access.type === 'copy' ? 1 : operandAt.i32;
      for (const temporary of [size, source, target]) this.local(op.localSet, temporary);
      this.touchRange(target, size, accessMask.write);
      if (access.type === 'copy') this.touchRange(source, size, accessMask.read);
      for (const temporary of [target, source, size]) this.local(op.localGet, temporary);
      return;
    }
    const { above, offset, bytes, write } = access;
    const address = (): void => {
      this.local(op.localGet, target);
      if (offset === 0) return;
      run.byte(op.i64Const).s53(offset).byte(op.i64Add);
    };
    const operand = above === null ? null : operandAt[above];
    if (operand !== null) this.local(op.localSet, operand);
    this.local(op.localSet, target);
    address();
    run.byte(op.globalGet).u32(this.added.first);
    run.byte(op.i64Subtract).byte(op.globalGet).u32(this.added.bytes);
    run.byte(op.i64LessUnsigned).byte(op.if).byte(op.empty);
    this.touch(address, { bytes }, write ? accessMask.write : accessMask.read);
    run.byte(op.end);
    this.local(op.localGet, target);
    if (operand !== null) this.local(op.localGet, operand);
  }

  /** Managed memory has addresses of 32 bits: what lies beyond is not looked at. */
  private touchRange(address: number, size: number, mask: number): void {
    const { run } = this;
    this.local(op.localGet, address);
    this.local(op.localGet, size);
    run.byte(op.i64Or).byte(op.i64Const).s32(32).byte(op.i64ShiftUnsigned).byte(op.i64EqualsZero);
    run.byte(op.if).byte(op.empty);
    this.touch(() => this.local(op.localGet, address), size, mask);
    run.byte(op.end);
  }

  /** `size`: a temporary, or a number of bytes. */
  private touch(address: () => unknown, size: number | { bytes: number }, mask: number): void {
    const wrap = (): unknown => this.run.byte(op.i32Wrap);
    address();
    wrap();
    if (typeof size === 'number') {
      this.local(op.localGet, size);
      wrap();
    } else this.run.byte(op.i32Const).s32(size.bytes);
    this.run.byte(op.i32Const).s32(mask).byte(op.i32Const).s32(0);
    this.run.byte(op.callIndirect).u32(this.added.touchType).u32(this.added.touchTable);
  }
}
