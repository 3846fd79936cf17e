/**
 * Fills and copies large parts of WebAssembly's memories by its own instructions. On memory that threads share, those of typed arrays
 * go word by word, and fills byte by byte: 1.6 GB/s where this fills 13, and 5 where this copies 7 to 10.
 */
import { Writer } from './wasm-binary.ts';

/** Smaller parts are done as fast by typed arrays. */
const fewestBytes = 1024;
/** More than any memory has, in pages. */
const mostPages = { i32: 65_536, i64: 262_144 };

const type = { i32: 0x7f, i64: 0x7e };

type Address = keyof typeof mostPages;

/** An import of a memory, with the widest limits that its kind can have. */
function importMemory(out: Writer, name: string, memory: WebAssembly.Memory, address: Address): void {
  const isShared = memory.buffer instanceof SharedArrayBuffer;
  const flags = (isShared ? 3 : 0) | (address === 'i64' ? 4 : 0);
  out.name('env').name(name).byte(2).byte(flags).u32(0);
  if (isShared) out.u32(mostPages[address]);
}

/** Parameters of a function of three, and the instruction on them that is all that it does. */
interface BulkFunction {
  name: string;
  parameters: number[];
  instruction: number[];
}

const { i32, i64 } = type;
const ofDevice: readonly BulkFunction[] = [
  { name: 'fill', parameters: [i32, i32, i32], instruction: [0xfc, 11, 0] },
  { name: 'copy', parameters: [i32, i32, i32], instruction: [0xfc, 10, 0, 0] },
];
const ofBoth: readonly BulkFunction[] = [
  { name: 'toDevice', parameters: [i32, i64, i32], instruction: [0xfc, 10, 0, 1] },
  { name: 'toHost', parameters: [i64, i32, i32], instruction: [0xfc, 10, 1, 0] },
];

type Parts = Record<string, (to: number | bigint, from: number | bigint, bytes: number) => void>;

/** `fill` and `copy` of a device's memory; with the host's, `toDevice` and `toHost` as well. Null where the memories are of other kinds. */
function instance(device: WebAssembly.Memory, host?: WebAssembly.Memory): Parts | null {
  const functions = host === undefined ? ofDevice : [...ofDevice, ...ofBoth];
  const code = new Writer().all(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const section = <T>(id: number, items: readonly T[], write: (out: Writer, item: T, index: number) => void): void => {
    const content = new Writer().u32(items.length);
    items.forEach((item, index) => write(content, item, index));
    code.byte(id).sized(content.written);
  };
  section(1, functions, (out, { parameters }) => out.byte(0x60).sized(Uint8Array.from(parameters)).u32(0));
  section(2, host === undefined ? [device] : [device, host], (out, memory) =>
    importMemory(out, memory === device ? 'device' : 'host', memory, memory === device ? 'i32' : 'i64'),
  );
  section(3, functions, (out, _, index) => out.u32(index));
  section(7, functions, (out, { name }, index) => out.name(name).byte(0).u32(index));
  section(10, functions, (out, { instruction }) =>
    out.sized(Uint8Array.of(0, 0x20, 0, 0x20, 1, 0x20, 2, ...instruction, 0x0b)),
  );
  try {
    const module = new WebAssembly.Module(code.written.slice());
    return new WebAssembly.Instance(module, { env: { device, ...(host === undefined ? {} : { host }) } })
      .exports as Parts;
  } catch (error) {
    if (error instanceof WebAssembly.LinkError) return null;
    throw error;
  }
}

/** Work on parts of a device's memory, which has 32-bit addresses, and of the host's, which has 64-bit ones. */
export class BulkMemory {
  private readonly device: WebAssembly.Memory;
  private readonly host: WebAssembly.Memory | undefined;
  private readonly parts: Parts | null;

  constructor(device: WebAssembly.Memory, host?: WebAssembly.Memory) {
    this.device = device;
    this.host = host;
    this.parts = instance(device, host);
  }

  /** Fills a part of any memory with one byte. */
  fill(part: Uint8Array, value: number): void {
    const isOurs = this.parts !== null && part.length >= fewestBytes && part.buffer === this.device.buffer;
    if (isOurs) this.parts!['fill']!(part.byteOffset, value, part.length);
    else part.fill(value);
  }

  /** Copies a part of any memory to another one, as long. */
  copy(to: Uint8Array, from: Uint8Array): void {
    const way = from.length < fewestBytes ? undefined : this.wayOf(to, from);
    if (way === undefined || to.length !== from.length) return to.set(from);
    const address = (part: Uint8Array): number | bigint =>
      part.buffer === this.device.buffer ? part.byteOffset : BigInt(part.byteOffset);
    this.parts![way]!(address(to), address(from), from.length);
  }

  private wayOf(to: Uint8Array, from: Uint8Array): string | undefined {
    if (this.parts === null) return undefined;
    const [device, host] = [this.device.buffer, this.host?.buffer];
    if (to.buffer === device) return from.buffer === device ? 'copy' : from.buffer === host ? 'toDevice' : undefined;
    return to.buffer === host && from.buffer === device ? 'toHost' : undefined;
  }
}
