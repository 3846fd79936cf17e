/**
 * WebAssembly's instructions as far as a pass over code has to know them: where each ends, and what it does to memory.
 * WebAssembly Core Specification 3.0, "Binary Format", "Instructions".
 */
import { SimsightError } from './errors.ts';
import type { Reader } from './wasm-binary.ts';

/** Memory access that has to be handled before the instruction is executed. */
export type MemoryAccess =
  /** The address is on top of the stack, `above` an operand of this type. */
  | { type: 'access'; write: boolean; bytes: number; offset: number; above: ValueType | null }
  /** Target, source and number of bytes are on the stack. */
  | { type: 'copy' }
  /** Target, value and number of bytes. */
  | { type: 'fill' };

/** Value types as the binary format encodes them. */
export const valueType = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;
export type ValueType = keyof typeof valueType;

/** Opcodes at which control flow joins or splits, calls among them: a straight run of code ends with these. */
const endsRun = new Set([
  ...[0x00, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f],
  ...[0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x18, 0x19, 0x1f],
]);

/** They say where operands are, and cost a processor nothing of their own: nop, end, drop, locals, constants. */
const isFree = (opcode: number): boolean =>
  [0x01, 0x02, 0x03, 0x05, 0x0b, 0x1a].includes(opcode) ||
  (opcode >= 0x20 && opcode <= 0x22) ||
  (opcode >= 0x41 && opcode <= 0x44);

export interface Instruction {
  opcode: number;
  access: MemoryAccess | null;
  endsRun: boolean;
  /** Instructions that a processor would execute for it: 1, or 0. */
  operations: number;
  /** It reads what other threads may write, in one atomic step. */
  isAtomicRead: boolean;
}

const loadBytes = [4, 8, 4, 8, 1, 1, 2, 2, 1, 1, 2, 2, 4, 4];
const storeBytes = [4, 8, 4, 8, 1, 2, 1, 2, 4];
const stored: ValueType[] = ['i32', 'i64', 'f32', 'f64', 'i32', 'i32', 'i64', 'i64', 'i64'];
/** Bytes of vector loads 0 to 10. */
const vectorLoadBytes = [16, 8, 8, 8, 8, 8, 8, 1, 2, 4, 8];

function unknown(opcode: number): never {
  throw new SimsightError(
    'internal',
    `A compiled program has an instruction that is not known here (0x${opcode.toString(16)}).`,
    'This is a bug in Simsight: please report it.',
  );
}

/** Alignment and offset. */
function offsetOf(reader: Reader): number {
  const flags = reader.u32();
  if (flags & 0x40) reader.skipNumber();
  return reader.u32();
}

const access = (write: boolean, bytes: number, offset: number, above: ValueType | null): MemoryAccess => ({
  type: 'access',
  write,
  bytes,
  offset,
  above,
});

/** Reads past one instruction. */
export function readInstruction(reader: Reader): Instruction {
  const opcode = reader.byte();
  const operation = opcode === 0xfe ? reader.bytes[reader.at]! : 0;
  const found = readImmediates(reader, opcode);
  return {
    ...{ opcode, access: found, endsRun: endsRun.has(opcode), operations: isFree(opcode) ? 0 : 1 },
    isAtomicRead: (operation >= atomic.load && operation < atomic.store) || operation >= atomic.update,
  };
}

function readImmediates(reader: Reader, opcode: number): MemoryAccess | null {
  if (opcode >= 0x28 && opcode <= 0x35) return access(false, loadBytes[opcode - 0x28]!, offsetOf(reader), null);
  if (opcode >= 0x36 && opcode <= 0x3e) {
    return access(true, storeBytes[opcode - 0x36]!, offsetOf(reader), stored[opcode - 0x36]!);
  }
  if (opcode >= 0x45 && opcode <= 0xc4) return null;
  switch (opcode) {
    case 0x00: // unreachable
    case 0x01: // nop
    case 0x05: // else
    case 0x0a: // throw_ref
    case 0x0b: // end
    case 0x0f: // return
    case 0x19: // catch_all
    case 0x1a: // drop
    case 0x1b: // select
    case 0xd1: // ref.is_null
    case 0xd3: // ref.eq
    case 0xd4: // ref.as_non_null
      return null;
    case 0x02: // block
    case 0x03: // loop
    case 0x04: // if
    case 0x06: // try
    case 0x07: // catch
    case 0x08: // throw
    case 0x09: // rethrow
    case 0x0c: // br
    case 0x0d: // br_if
    case 0x10: // call
    case 0x12: // return_call
    case 0x14: // call_ref
    case 0x15: // return_call_ref
    case 0x18: // delegate
    case 0x20: // local.get, local.set, local.tee, global.get, global.set, table.get, table.set
    case 0x21:
    case 0x22:
    case 0x23:
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x3f: // memory.size
    case 0x40: // memory.grow
    case 0x41: // i32.const
    case 0x42: // i64.const
    case 0xd0: // ref.null
    case 0xd2: // ref.func
    case 0xd5: // br_on_null
    case 0xd6: // br_on_non_null
      reader.skipNumber();
      return null;
    case 0x11: // call_indirect
    case 0x13: // return_call_indirect
      reader.skipNumber();
      reader.skipNumber();
      return null;
    case 0x0e: // br_table
      reader.skipNumbers();
      reader.skipNumber();
      return null;
    case 0x1c: // select of a type
      reader.skipNumbers();
      return null;
    case 0x1f: // try_table
      reader.skipNumber();
      for (let count = reader.u32(); count > 0; count--) {
        if (reader.byte() < 2) reader.skipNumber();
        reader.skipNumber();
      }
      return null;
    case 0x43: // f32.const
      reader.skip(4);
      return null;
    case 0x44: // f64.const
      reader.skip(8);
      return null;
    case 0xfc:
      return readBulk(reader);
    case 0xfd:
      return readVector(reader);
    case 0xfe:
      return readAtomic(reader);
    default:
      return unknown(opcode);
  }
}

/** The first instruction of each kind. */
const atomic = { fence: 0x03, load: 0x10, store: 0x17, update: 0x1e } as const;
const atomicBytes = [4, 8, 1, 2, 1, 2, 4];

/** Memory access of an atomic instruction. Only loads and stores are tracked for managed memory. */
function readAtomic(reader: Reader): MemoryAccess | null {
  const operation = reader.u32();
  if (operation === atomic.fence) {
    reader.skip(1);
    return null;
  }
  const offset = offsetOf(reader);
  if (operation < atomic.load || operation >= atomic.update) return null;
  if (operation < atomic.store) return access(false, atomicBytes[operation - atomic.load]!, offset, null);
  const width = (operation - atomic.store) as 0;
  return access(true, atomicBytes[width]!, offset, [1, 4, 5, 6].includes(width) ? 'i64' : 'i32');
}

function readBulk(reader: Reader): MemoryAccess | null {
  const operation = reader.u32();
  switch (operation) {
    case 8: // memory.init
    case 12: // table.init
    case 14: // table.copy
      reader.skipNumber();
      reader.skipNumber();
      return null;
    case 10:
      reader.skip(2);
      return { type: 'copy' };
    case 11:
      reader.skip(1);
      return { type: 'fill' };
    case 9: // data.drop
    case 13: // elem.drop
    case 15: // table.grow, table.size, table.fill
    case 16:
    case 17:
      reader.skipNumber();
      return null;
    default: // 0 to 7: conversions
      return operation <= 7 ? null : unknown(0xfc00 + operation);
  }
}

function readVector(reader: Reader): MemoryAccess | null {
  const operation = reader.u32();
  if (operation <= 10) return access(false, vectorLoadBytes[operation]!, offsetOf(reader), null);
  if (operation === 11) return access(true, 16, offsetOf(reader), 'v128');
  if (operation === 12 || operation === 13) reader.skip(16); // v128.const, i8x16.shuffle
  if (operation >= 21 && operation <= 34) reader.skip(1); // lanes
  // Loads and stores of one lane, of 1, 2, 4 and 8 bytes.
  if (operation >= 84 && operation <= 91) {
    const offset = offsetOf(reader);
    reader.skip(1);
    return access(operation >= 88, 1 << ((operation - 84) % 4), offset, 'v128');
  }
  if (operation === 92 || operation === 93) return access(false, operation === 92 ? 4 : 8, offsetOf(reader), null);
  return null;
}
