/** The pass over the host program's code: what it does stays the same, and accesses and operations are told. */
import { beforeAll, describe, expect, test } from 'vitest';
import { HostAccesses } from '../../../engine/cuda/host-code/accesses.ts';
import { HostExports } from '../../../engine/cuda/host-exports.ts';
import { Reader, Writer } from '../../../engine/base/wasm-binary.ts';
import { withTiers } from '../../../engine/cuda/host-code/tiers.ts';
import { hostSymbols, instrument } from '../../../engine/cuda/host-code/instrument.ts';
import { runHostProgram } from '../../../engine/cuda/index.ts';
import { defaultHost } from '../../../engine/system/hosts.ts';
import { Device } from '../../../engine/warp/device.ts';
import { fakeRun } from './fakes.ts';
import { compileText } from './program.ts';

const widths = `#include <cstdio>
#include <cstring>
#include <cstdint>
#define EXPORT(name) extern "C" __attribute__((export_name(#name)))
#define ACCESSES(T, R) \\
  EXPORT(load_##T) R load_##T(const volatile T *p) { return *p; } \\
  EXPORT(store_##T) void store_##T(volatile T *p, R v) { *p = (T)v; } \\
  EXPORT(far_##T) void far_##T(volatile T *p, R v) { p[3] = (T)v + p[5]; }
typedef int8_t i8; typedef uint8_t u8; typedef int16_t i16; typedef uint16_t u16; typedef int32_t i32; typedef int64_t i64;
typedef float f32; typedef double f64;
ACCESSES(i8, int) ACCESSES(u8, int) ACCESSES(i16, int) ACCESSES(u16, int) ACCESSES(i32, int) ACCESSES(f32, float) ACCESSES(f64, double)
EXPORT(load_i64) double load_i64(const volatile i64 *p) { return (double)*p; }
EXPORT(store_i64) void store_i64(volatile i64 *p, double v) { *p = (i64)v; }
EXPORT(wide) double wide(const volatile i8 *a, const volatile u8 *b, const volatile i16 *c, const volatile u16 *d, const volatile i32 *e, const volatile uint32_t *f) {
  return (double)((i64)*a + (i64)*b + (i64)*c + (i64)*d + (i64)*e + (i64)*f);
}
EXPORT(narrow) void narrow(volatile u8 *a, volatile u16 *b, volatile uint32_t *c, double v) { i64 x = (i64)v; *a = x; *b = x; *c = x; }
EXPORT(copy) void copy(void *to, const void *from, int n) { memmove(to, from, n); }
EXPORT(fill) void fill(void *to, int v, int n) { memset(to, v, n); }
EXPORT(sum) int sum(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int main() { char text[64]; snprintf(text, 64, "%d %g", 5, 2.5); printf("%s %zu\\n", text, strlen(text)); }
`;

const managedMemory = 'int *p; cudaMallocManaged(&p, 8192); p[5] = 3; p[1030] = p[5];';

/** Somewhere that the program does not use: the middle of its stack. */
const place = 3 << 20;
/** Addresses have 64 bits. */
const asArgument = (arg: number): number | bigint => (arg >= place ? BigInt(arg) : arg);

type Call = (...args: number[]) => number;

interface Host {
  call: Record<string, Call>;
  memory: DataView;
  instance: WebAssembly.Instance;
  faults: [address: number, bytes: number, mask: number][];
  accesses: HostAccesses | null;
}

async function instantiate(code: Uint8Array<ArrayBuffer>, watched: boolean): Promise<Host> {
  const module = await WebAssembly.compile(code);
  const imports: Record<string, Record<string, unknown>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
  const instance = await WebAssembly.instantiate(module, imports as WebAssembly.Imports);
  const faults: Host['faults'] = [];
  const accesses = watched ? new HostAccesses(new HostExports(instance), (...fault) => void faults.push(fault)) : null;
  const memory = new DataView((instance.exports['memory'] as WebAssembly.Memory).buffer);
  const call = Object.fromEntries(
    Object.entries(instance.exports).map(([name, value]) => [
      name,
      (...args: number[]) => (value as (...words: (number | bigint)[]) => number)(...args.map(asArgument)),
    ]),
  );
  return { call, memory, instance, faults, accesses };
}

describe('a real program', () => {
  let host: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    host = (await compileText(widths)).host;
  });

  test.each([
    { managed: false, hostRate: 2 },
    { managed: true, hostRate: undefined },
    { managed: true, hostRate: 2 },
  ])('runs as before, with time for what it did: %o', async ({ managed, hostRate }) => {
    const program = managed ? widths.replace('int main() {', `int main() { ${managedMemory}`) : widths;
    const device = Device.create([], { memoryBytes: 2 ** 31 });
    const { options, system } = fakeRun((await compileText(program)).host);
    const { exitCode } = await runHostProgram({ ...options, device, ...(hostRate === undefined ? {} : { hostRate }) });
    expect(exitCode).toBe(0);
    expect(system.output.stdout).toBe('5 2.5 5\n');
    // One fault of the host, and some hundreds of operations.
    const calls = system.calls.length * 1000;
    const { firstOfAllocation, block, toHost, zero } = defaultHost.managed.cpuFault;
    const fault = managed ? firstOfAllocation + block + Math.round(8192 / toHost + 8192 / zero) : 0;
    const work = system.now - calls - fault;
    if (hostRate === undefined) expect(work).toBe(0);
    else expect(work).toBeGreaterThan(300);
  });

  test('every width of loads and stores gives what it gave, and faults once where it may not go', async () => {
    const [plain, checked] = [
      await instantiate(host, false),
      await instantiate(instrument(host, { accesses: true, operations: false }), true),
    ];
    checked.accesses!.watch(place, 8192);
    const bytesOf = { i8: 1, u8: 1, i16: 2, u16: 2, i32: 4, f32: 4, f64: 8, i64: 8 };
    for (const mask of [0, 1, 2, 3]) {
      checked.accesses!.protect(place / 4096, mask);
      for (const [type, bytes] of Object.entries(bytesOf)) {
        for (const side of [plain, checked]) side.call[`store_${type}`]!(place + 64, -77);
        expect(checked.faults.splice(0)).toEqual(mask & 2 ? [[place + 64, bytes, 2]] : []);
        const [before, after] = [plain, checked].map((side) => side.call[`load_${type}`]!(place + 64));
        expect(after).toBe(before);
        expect(checked.faults.splice(0)).toEqual(mask & 1 ? [[place + 64, bytes, 1]] : []);
      }
    }
    // Offsets of an instruction are part of the address.
    checked.call['far_f64']!(place + 64, 2);
    expect(checked.faults.splice(0)).toEqual([
      [place + 64 + 40, 8, 1],
      [place + 64 + 24, 8, 2],
    ]);
    // Loads that widen, stores that narrow.
    const six = [1, 2, 4, 8, 16, 32].map((offset) => place + offset * 8);
    for (const side of [plain, checked]) {
      six.forEach((address, i) => side.memory.setInt32(address, -1 - i, true));
      side.call['narrow']!(place + 512, place + 520, place + 528, -3);
    }
    expect(checked.faults.splice(0).map(([, bytes]) => bytes)).toEqual([1, 2, 4]);
    expect(checked.call['wide']!(...six)).toBe(plain.call['wide']!(...six));
    expect(checked.faults.splice(0).map(([, bytes]) => bytes)).toEqual([1, 1, 2, 2, 4, 4]);
    expect(checked.memory.getFloat64(place + 512, true)).toBe(plain.memory.getFloat64(place + 512, true));
  });

  test('an access that begins on a page and ends on the next, and addresses nobody watches', async () => {
    const { call, faults, accesses } = await instantiate(instrument(host, { accesses: true, operations: false }), true);
    accesses!.watch(place, 8192);
    accesses!.protect(place / 4096 + 1, 3);
    call['load_f64']!(place + 4092);
    call['load_i32']!(place + 4092);
    call['store_u8']!(place + 4096, 1);
    accesses!.protect(place / 4096 + 8, 3);
    call['load_i32']!(place + 8 * 4096);
    expect(faults).toEqual([
      [place + 4092, 8, 1],
      [place + 4096, 1, 2],
    ]);
  });

  test('copies and fills', async () => {
    const { call, faults, accesses, memory } = await instantiate(
      instrument(host, { accesses: true, operations: false }),
      true,
    );
    accesses!.watch(place, 1 << 20);
    accesses!.protect(place / 4096 + 2, 3);
    call['fill']!(place, 7, 100);
    expect(faults).toEqual([]);
    call['fill']!(place, 9, 3 * 4096);
    // However the library does it, the page is written before anything is read.
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.every(([, , mask]) => mask === 2)).toBe(true);
    faults.length = 0;
    call['copy']!(place + 32768, place, 3 * 4096);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.every(([, , mask]) => mask === 1)).toBe(true);
    expect(memory.getUint8(place + 32768 + 3 * 4096 - 1)).toBe(9);
  });

  test('operations are counted, the same each time', async () => {
    const changed = instrument(host, { accesses: false, operations: true });
    const count = async (n: number) => {
      const { call, instance } = await instantiate(changed, false);
      expect(call['sum']!(n)).toBe((n * (n - 1)) / 2);
      return Number((instance.exports[hostSymbols.operations] as WebAssembly.Global<'i64'>).value);
    };
    // Loops may be unrolled, by powers of two.
    const [few, more, most] = [await count(64), await count(128), await count(192)];
    expect(most - more).toBe(more - few);
    expect((more - few) / 64).toBeGreaterThanOrEqual(3);
    expect(await count(64)).toBe(few);
  });
});

/** A module around one function; (address) -> () as type 0, () -> () as type 1. */
function moduleOf(code: number[]): Uint8Array<ArrayBuffer> {
  const out = new Writer().all(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const put = (id: number, ...bytes: number[]): void => void out.byte(id).sized(Uint8Array.from(bytes));
  const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
  put(1, 2, 0x60, 1, 0x7e, 0, 0x60, 0, 0);
  put(2, 1, ...name('env'), ...name('call'), 0, 1);
  put(3, 1, 0);
  put(4, 1, 0x70, 0, 1);
  put(5, 1, 4, 1);
  put(6, 1, 0x7f, 1, 0x41, 0, 0x0b);
  put(7, 2, ...name('memory'), 2, 0, ...name('f'), 0, 1);
  put(10, 1, code.length + 1, 0, ...code);
  return out.written.slice();
}

test('vectors, bulk memory and control flow with numbers of their own', async () => {
  const get = [0x20, 0];
  /** A constant address or size. */
  const word = 0x42;
  const code = [
    ...[...get, ...get, 0xfd, 0, 4, 0, 0xfd, 11, 4, 16], // v128.store offset=16 (v128.load)
    ...[...get, ...get, 0xfd, 8, 1, 2, 0xfd, 91, 3, 40, 1], // v128.store64_lane offset=40 1 (v128.load16_splat offset=2)
    ...[...get, ...get, 0xfd, 92, 2, 4, 0xfd, 84, 0, 60, 5, 0x1a], // v128.load8_lane offset=60 5, dropped
    ...[...get, 0x41, 5, word, 3, 0xfc, 11, 0], // memory.fill
    ...[word, 0xc0, 0, ...get, word, 8, 0xfc, 10, 0, 0], // memory.copy to 64
    ...[0x02, 0x40, ...get, 0xa7, 0x0e, 1, 0, 0, 0x0b], // br_table
    ...[0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x1a, 0x0b],
  ];
  const [plain, changed] = [moduleOf(code), instrument(moduleOf(code), { accesses: true, operations: true })];
  expect(WebAssembly.validate(plain)).toBe(true);
  const [before, after] = [await instantiate(plain, false), await instantiate(changed, true)];
  after.accesses!.watch(0, 4096);
  after.accesses!.protect(0, 3);
  for (const side of [before, after]) {
    for (let at = 0; at < 256; at++) side.memory.setUint8(at, at);
    (side.instance.exports['f'] as (address: bigint) => void)(128n);
  }
  for (let at = 0; at < 256; at++) expect(after.memory.getUint8(at)).toBe(before.memory.getUint8(at));
  expect(after.faults).toEqual([
    [128, 16, 1],
    [144, 16, 2],
    [130, 2, 1],
    [168, 8, 2],
    [132, 4, 1],
    [188, 1, 1],
    [128, 3, 2],
    [64, 8, 2],
    [128, 8, 1],
  ]);
});

describe('hints to V8', () => {
  const text = `#include <cstdio>
#include <vector>
#include <algorithm>
template <class T> __attribute__((noinline)) T total(const std::vector<T> &all) { T sum = 0; for (T each : all) sum = sum * 31 + each; return sum; }
__attribute__((noinline)) int once(int n) { return n * 3; }
extern "C" __attribute__((noinline)) int reference(const int *all, int n) { int sum = 0; for (int i = 0; i < n; i++) sum = sum * 37 + all[i]; return sum; }
int main(int argc, char **) {
  std::vector<int> all(1000 * argc);
  for (int i = 0; i < (int)all.size(); i++) all[i] = i * 7919 % 1013;
  std::sort(all.begin(), all.end());
  printf("%d %d %d\\n", total(all), once(argc), reference(all.data(), 1000));
}`;

  test('optimize what is the program’s own and has a loop', async () => {
    const { host } = await compileText(text);
    const module = new WebAssembly.Module(withTiers(host));
    const sectionOf = (name: string): Reader =>
      new Reader(new Uint8Array(WebAssembly.Module.customSections(module, name)[0]!));
    const reader = sectionOf('compilationHints');
    const hints = Array.from({ length: reader.u32() }, () => reader.byte());
    expect(reader.at).toBe(reader.end);
    const imports = WebAssembly.Module.imports(module).filter(({ kind }) => kind === 'function').length;
    const hinted: string[] = [];
    for (const names = sectionOf('name'); names.at < names.end;) {
      const kind = names.byte();
      const part = names.part(names.u32());
      for (let left = kind === 1 ? part.u32() : 0; left > 0; left--) {
        const index = part.u32();
        const { at, end } = part.part(part.u32());
        if (hints[index - imports]) hinted.push(Buffer.from(part.bytes.subarray(at, end)).toString());
      }
    }
    expect(hinted).toContainEqual(expect.stringMatching(/^int total<int>\(/));
    expect(hinted).toContainEqual(expect.stringMatching(/main/));
    expect(hinted).toContain('reference');
    // The libraries have hundreds of functions, loops in many.
    expect(hints.length).toBeGreaterThan(200);
    expect(hinted.length).toBeLessThan(6);
  });

  test('change nothing else', async () => {
    const { host } = await compileText(text);
    const others = (bytes: Uint8Array): number => bytes.length;
    const hinted = withTiers(host);
    const at = Buffer.from(hinted).indexOf('compilationHints');
    const size = others(hinted) - others(host);
    expect(at).toBeGreaterThan(0);
    // Identifier and size of the section, the length of its name.
    const from = Buffer.from(hinted)
      .subarray(0, at)
      .lastIndexOf(0, at - 2);
    expect(Buffer.concat([hinted.subarray(0, from), hinted.subarray(from + size)]).equals(Buffer.from(host))).toBe(
      true,
    );
  });
});
