/**
 * Fills and copies large parts of WebAssembly's memories by its own instructions. On memory that threads share, those of typed arrays
 * go word by word, and fills byte by byte: 1.6 GB/s where this fills 13, and 5 where this copies 7 to 10.
 */

/** Smaller parts are done as fast by typed arrays. */
const fewestBytes = 1024;
/** More than any memory has, in pages. */
const mostPages = { i32: 65_536, i64: 262_144 };

const type = { i32: 0x7f, i64: 0x7e };

function leb(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest & 127) | 128);
  }
}
const counted = (bytes: readonly number[]): number[] => [...leb(bytes.length), ...bytes];
const vector = (items: readonly (readonly number[])[]): number[] => [...leb(items.length), ...items.flat()];
const named = (name: string): number[] => counted([...Buffer.from(name)]);
const section = (id: number, bytes: readonly number[]): number[] => [id, ...counted(bytes)];

type Address = keyof typeof mostPages;

/** An import of a memory, with the widest limits that its kind can have. */
function imported(name: string, memory: WebAssembly.Memory, address: Address): number[] {
  const isShared = memory.buffer instanceof SharedArrayBuffer;
  const flags = (isShared ? 3 : 0) | (address === 'i64' ? 4 : 0);
  return [...named('env'), ...named(name), 2, flags, 0, ...(isShared ? leb(mostPages[address]) : [])];
}

/** A function of three parameters that ends with one instruction on them. */
const body = (instruction: readonly number[]): number[] =>
  counted([0, 0x20, 0, 0x20, 1, 0x20, 2, ...instruction, 0x0b]);

type Parts = Record<string, (to: number | bigint, from: number | bigint, bytes: number) => void>;

/** `fill` and `copy` of a device's memory; with the host's, `toDevice` and `toHost` as well. Null where the memories are of other kinds. */
function instance(device: WebAssembly.Memory, host?: WebAssembly.Memory): Parts | null {
  const { i32, i64 } = type;
  const functions: [name: string, parameters: number[], instruction: number[]][] = [
    ['fill', [i32, i32, i32], [0xfc, 11, 0]],
    ['copy', [i32, i32, i32], [0xfc, 10, 0, 0]],
    ...(host === undefined
      ? []
      : ([
          ['toDevice', [i32, i64, i32], [0xfc, 10, 0, 1]],
          ['toHost', [i64, i32, i32], [0xfc, 10, 1, 0]],
        ] as [string, number[], number[]][])),
  ];
  const code = new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(functions.map(([, parameters]) => [0x60, ...counted(parameters), 0]))),
    ...section(
      2,
      vector([imported('device', device, 'i32'), ...(host === undefined ? [] : [imported('host', host, 'i64')])]),
    ),
    ...section(3, vector(functions.map((_, index) => [index]))),
    ...section(7, vector(functions.map(([name], index) => [...named(name), 0, index]))),
    ...section(10, vector(functions.map(([, , instruction]) => body(instruction)))),
  ]);
  try {
    const module = new WebAssembly.Module(code);
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
