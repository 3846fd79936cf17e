/**
 * Locals of WebAssembly functions that take turns. The code generator without its optimizations gives each value a local of its own, and
 * V8 takes no function with more than 50,000, which one kernel of a sort has. A value that is set and used in one straight run of
 * code is nobody else's: its local can be that of the next one of its type. One pass over the code, in time that grows with it alone.
 */
import { Reader, Writer } from '../base/wasm-binary.ts';
import { readInstruction } from '../base/wasm-instructions.ts';

const section = { type: 1, function: 3, code: 10 } as const;
const headerBytes = 8;
const local = { get: 0x20, tee: 0x22 } as const;
/** Of the instructions that end a run, those after which it goes on as far as locals are concerned. */
const calls: readonly number[] = [0x10, 0x11];

/** The module with shared locals in all its functions, which do what they did. */
export function shareLocals(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Writer();
  out.all(module.subarray(0, headerBytes));
  const reader = new Reader(module, headerBytes);
  /** Numbers of parameters of each type, then of each function. */
  let [ofTypes, ofFunctions]: number[][] = [[], []];
  while (reader.at < reader.end) {
    const id = reader.byte();
    const content = reader.part(reader.u32());
    out.byte(id);
    if (id === section.code) {
      out.sized(codeOf(content, ofFunctions!));
      continue;
    }
    out.sized(module.subarray(content.at, content.end));
    if (id === section.type) ofTypes = vector(content, parametersOf);
    if (id === section.function) ofFunctions = vector(content, () => ofTypes![content.u32()]!);
  }
  return new Uint8Array(out.written);
}

function vector<T>(reader: Reader, read: (reader: Reader) => T): T[] {
  return Array.from({ length: reader.u32() }, () => read(reader));
}

/** Reads a function's type. */
function parametersOf(reader: Reader): number {
  reader.byte();
  const parameters = reader.u32();
  reader.skip(parameters);
  reader.skip(reader.u32());
  return parameters;
}

function codeOf(content: Reader, parameters: readonly number[]): Uint8Array {
  const functions = new Writer();
  functions.u32(content.u32());
  for (const count of parameters) functions.sized(sharedIn(content.part(content.u32()), count));
  return functions.written;
}

/** Where a function's code has locals that are no parameters: position and length of the number, and the number from the first such local. */
interface Accesses {
  at: number[];
  end: number[];
  of: number[];
}

/** A function's body with fewer locals. */
function sharedIn(body: Reader, parameters: number): Uint8Array {
  const types: number[] = [];
  for (let groups = body.u32(); groups > 0; groups--) {
    const [count, type] = [body.u32(), body.byte()];
    for (let i = 0; i < count; i++) types.push(type);
  }
  const [start, end] = [body.at, body.end];
  const { accesses, isPassing, last } = accessesIn(body, parameters, types.length);
  const places = placesOf(types, accesses, isPassing, last);
  const order = [...places.counts.keys()];
  const base = new Map<number, number>();
  let next = parameters;
  for (const type of order) {
    base.set(type, next);
    next += places.counts.get(type)!;
  }
  const out = new Writer();
  out.u32(order.length);
  for (const type of order) out.u32(places.counts.get(type)!).byte(type);
  let done = start;
  for (const [i, at] of accesses.at.entries()) {
    const index = accesses.of[i]!;
    out.all(body.bytes.subarray(done, at)).u32(base.get(types[index]!)! + places.of[index]!);
    done = accesses.end[i]!;
  }
  return out.all(body.bytes.subarray(done, end)).written;
}

/** All accesses, and of each local whether it passes a value within one run of code and nowhere else, and the position of its last one. */
function accessesIn(
  body: Reader,
  parameters: number,
  count: number,
): { accesses: Accesses; isPassing: Uint8Array; last: Int32Array } {
  const accesses: Accesses = { at: [], end: [], of: [] };
  const isPassing = new Uint8Array(count).fill(1);
  const runOf = new Int32Array(count).fill(-1);
  const last = new Int32Array(count);
  let run = 0;
  while (body.at < body.end) {
    const opcode = body.bytes[body.at]!;
    if (opcode < local.get || opcode > local.tee) {
      if (readInstruction(body).endsRun && !calls.includes(opcode)) run++;
      continue;
    }
    body.byte();
    const { at } = body;
    const index = body.u32() - parameters;
    if (index < 0) continue;
    accesses.at.push(at);
    accesses.end.push(body.at);
    accesses.of.push(index);
    // What is read before it is set in its run is from before, or the zero that it begins with.
    if (runOf[index] === -1 && opcode !== local.get) runOf[index] = run;
    else if (runOf[index] !== run) isPassing[index] = 0;
    last[index] = at;
  }
  return { accesses, isPassing, last };
}

/** The place of each local among those of its type, and how many each type needs. */
function placesOf(
  types: readonly number[],
  accesses: Accesses,
  isPassing: Uint8Array,
  last: Int32Array,
): { of: Int32Array; counts: Map<number, number> } {
  const of = new Int32Array(types.length).fill(-1);
  const counts = new Map<number, number>();
  const free = new Map(types.map((type): [number, number[]] => [type, []]));
  for (const [i, index] of accesses.of.entries()) {
    const type = types[index]!;
    if (of[index] === -1) {
      const again = isPassing[index] === 1 ? free.get(type)!.pop() : undefined;
      of[index] = again ?? counts.get(type) ?? 0;
      if (again === undefined) counts.set(type, of[index]! + 1);
    }
    if (isPassing[index] === 1 && last[index] === accesses.at[i]) free.get(type)!.push(of[index]!);
  }
  return { of, counts };
}
