/** Inline PTX, matrices, calls that stay calls, device printf and heap, narrow floats: against computations here. */
import { beforeAll, describe, expect, it } from 'vitest';
import { formatDeviceText } from '../../../engine/warp/printf.ts';
import { parseAssembly } from '../../../engine/ir/ptx/parse.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { Device } from '../../../engine/warp/device.ts';
import { compileModule, dim, download, launch as launchOn, upload } from './cuda.ts';

const source = `
__global__ void bits(const unsigned *in, unsigned *o) {
  unsigned t = threadIdx.x, a = in[t], b = in[t + 32], c = in[t + 64], r;
  asm("lop3.b32 %0, %1, %2, %3, 0xca;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); o[t] = r;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); o[t + 32] = r;
  asm("prmt.b32 %0, %1, %2, 0x7a31;" : "=r"(r) : "r"(a), "r"(b)); o[t + 64] = r;
  asm("bfe.s32 %0, %1, 7, 9;" : "=r"(r) : "r"(a)); o[t + 96] = r;
  asm("bfi.b32 %0, %1, %2, 20, 40;" : "=r"(r) : "r"(a), "r"(b)); o[t + 128] = r;
  asm("{ .reg .pred p; setp.lt.and.u32 p, %1, %2, 1; @p mov.u32 %0, 7; @!p add.u32 %0, %1, %2; }" : "=r"(r) : "r"(a), "r"(b)); o[t + 160] = r;
  asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(t + 8)); o[t + 192] = r;
  asm("{ .reg .u32 lo; add.cc.u32 lo, %1, %2; addc.u32 %0, 0, 0; }" : "=r"(r) : "r"(a), "r"(b)); o[t + 224] = r;
  asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); o[t + 256] = r;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p st.global.u32 [%0+4], 9; }" :: "l"(o + 288 + t), "r"(t & 1));
}
__global__ void rounded(const float *in, float *o) {
  int t = threadIdx.x;
  float a = in[t], b = in[t + 32];
  o[t] = __fadd_rz(a, b); o[t + 32] = __fmul_ru(a, b); o[t + 64] = __fdiv_rd(a, b); o[t + 96] = __fmaf_rz(a, b, 1.f);
  o[t + 128] = a * b + o[t + 160];
}
__global__ void halves(const float *in, float *o, unsigned short *h) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  __fp16 x = (__fp16)in[t];
  o[t] = (float)x;
  h[t] = __builtin_bit_cast(unsigned short, x);
}
__global__ void matrix(const unsigned *a, const unsigned *b, float *d) {
  int t = threadIdx.x;
  float c[4] = {1, 2, 3, 4};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[t]), "r"(a[t + 32]), "r"(a[t + 64]), "r"(a[t + 96]), "r"(b[t]), "r"(b[t + 32]));
  for (int i = 0; i < 4; i++) d[t + 32 * i] = c[i];
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int deep(int n, int *below) { int own[4]; for (int i = 0; i < 4; i++) own[i] = n + i + (below ? below[3 - i] : 0); return n ? deep(n - 1, own) : own[0] + own[3]; }
typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ Function functions[] = {twice, square, fibonacci};
struct Shape { __device__ virtual int area(int) const = 0; };
struct Box : Shape { __device__ int area(int x) const override { return x * 4; } };
struct Disc : Shape { __device__ int area(int x) const override { return x * 3; } };
__global__ void calls(int *o, int wrong) {
  int t = threadIdx.x;
  o[t] = fibonacci(t % 12);
  o[t + 32] = functions[t % 3](t % 9);
  Box box; Disc disc;
  const Shape *shape = t & 1 ? (const Shape *)&box : &disc;
  o[t + 64] = shape->area(t);
  o[t + 96] = deep(t % 20, nullptr);
  if (wrong) ((Function)(unsigned long)wrong)(1);
}
__global__ void endless(int *o) { o[0] = deep(1 << 20, nullptr); }
__global__ void print(int n) { if (threadIdx.x % 16 < n) printf("%d: %5.2f|%-4s|%c|%lld|%x|%%\\n", threadIdx.x, threadIdx.x * 0.5, "ab", 'a' + threadIdx.x, 1LL << 40, 255); }
__global__ void heap(int **kept, int *o) {
  int *p = new int[threadIdx.x + 1];
  for (int i = 0; i <= threadIdx.x; i++) p[i] = i;
  o[threadIdx.x] = p[threadIdx.x];
  if (threadIdx.x & 1) delete[] p; else kept[threadIdx.x] = p;
  if (malloc(1 << 30) != nullptr) o[threadIdx.x] = -1;
}
`;

let module: DeviceModule;
let device: Device;
const launch = (name: string, args: (number | Uint8Array)[], blocks = 1) =>
  launchOn(
    device,
    module.kernels.map((kernel) => kernel.name),
    name,
    dim(blocks),
    dim(32),
    args,
  );
const random = (count: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, i) => Math.imul(Math.imul(i + 1, 2654435761) ^ (i << 13), 2246822519));

beforeAll(async () => {
  module = await compileModule(source);
  device = Device.create([module], { memoryBytes: 1 << 28 });
});

describe('inline PTX', () => {
  it('parses registers, vectors, guards, addresses and cache hints', () => {
    const { statements, declarations } = parseAssembly(
      '{ .reg .b32 r<3>; @!p ld.global.nc.L2::128B.v2.f32 {r0,$1}, [$2 + -8]; // text\n setp.eq.f32 p|q, $0, 0f3F800000; }',
    );
    expect(declarations).toEqual([{ type: 'b32', names: ['r0', 'r1', 'r2'] }]);
    expect(statements.map(({ opcode, modifiers }) => [opcode, ...modifiers].join('.'))).toEqual([
      'ld.global.nc.L2::128B.v2.f32',
      'setp.eq.f32',
    ]);
    expect(statements[0]).toMatchObject({
      guard: { negated: true },
      operands: [
        { kind: 'vector', elements: [{ name: 'r0' }, { index: 1 }] },
        { kind: 'address', offset: -8 },
      ],
    });
    expect(statements[1]?.operands.map(({ kind }) => kind)).toEqual(['pair', 'operand', 'float']);
  });

  it('bit operations, guards and carries', () => {
    const input = random(96);
    const out = upload(device, new Uint32Array(352));
    launch('bits', [upload(device, input), out]);
    const got = download(device, out, new Uint32Array(352));
    for (let t = 0; t < 32; t++) {
      const [a, b, c] = [input[t] ?? 0, input[t + 32] ?? 0, input[t + 64] ?? 0];
      const bytes = [...Array(4).keys()].map((k) => (a >>> (8 * k)) & 255);
      bytes.push(...[...Array(4).keys()].map((k) => (b >>> (8 * k)) & 255));
      const sign = (bytes[2] ?? 0) & 128 ? 255 : 0;
      expect(got[t]).toBe(((a & b) | (~a & c)) >>> 0);
      expect(got[t + 32]).toBe((a ^ b ^ c) >>> 0);
      expect(got[t + 64]).toBe(
        ((bytes[1] ?? 0) | ((bytes[3] ?? 0) << 8) | (sign << 16) | ((bytes[7] ?? 0) << 24)) >>> 0,
      );
      expect(got[t + 96]).toBe(((a << 16) >> 23) >>> 0);
      expect(got[t + 128]).toBe(((b & 0xfffff) | (a << 20)) >>> 0);
      expect(got[t + 160]).toBe(a < b ? 7 : (a + b) >>> 0);
      expect(got[t + 192]).toBe(t + 8 > 31 ? 0 : (a << (t + 8)) >>> 0);
      expect(got[t + 224]).toBe(a + b > 0xffffffff ? 1 : 0);
      expect(got[t + 256]).toBe(Number(BigInt.asUintN(32, ((BigInt(a) * BigInt(b)) >> 32n) + BigInt(c))));
      if (t & 1) expect(got[t + 289]).toBe(9);
    }
  });
});

describe('floating point', () => {
  it('rounds as asked, and contracts a product and a sum into one rounding', () => {
    const input = Float32Array.from(random(64), (x) => (x / 2 ** 32 - 0.4) * 10);
    const out = upload(device, new Float32Array(192).fill(-0.7));
    launch('rounded', [upload(device, input), out]);
    const got = download(device, out, new Float32Array(192));
    const step = (x: number, up: boolean): number => {
      const view = new DataView(new ArrayBuffer(4));
      view.setFloat32(0, x);
      view.setInt32(0, view.getInt32(0) + (x > 0 === up ? 1 : -1));
      return view.getFloat32(0);
    };
    const directed = (x: number, way: 'rz' | 'ru' | 'rd'): number => {
      const near = Math.fround(x);
      const up = way === 'ru' || (way === 'rz' && x < 0);
      return near === x || near > x === up ? near : step(near, up);
    };
    for (let t = 0; t < 32; t++) {
      const [a, b] = [input[t] ?? 0, input[t + 32] ?? 0];
      expect(got[t]).toBe(directed(a + b, 'rz'));
      expect(got[t + 32]).toBe(directed(a * b, 'ru'));
      expect(got[t + 64]).toBe(directed(a / b, 'rd'));
      expect(got[t + 96]).toBe(directed(a * b + 1, 'rz'));
      expect(got[t + 128]).toBe(Math.fround(a * b + Math.fround(-0.7)));
    }
  });

  it('converts every half, and to the nearest one', () => {
    const value = (h: number): number => {
      const [exponent, fraction] = [(h >> 10) & 31, h & 1023];
      const size =
        exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? Infinity : (1024 + fraction) * 2 ** (exponent - 25);
      return h & 0x8000 ? -size : size;
    };
    const all = [...Array(0x10000).keys()].filter((h) => (h & 0x7fff) <= 0x7c00);
    const between = all.filter((h) => (h & 0x7fff) < 0x7bff);
    const count = Math.ceil((all.length + between.length) / 32) * 32;
    const input = new Float32Array(count);
    input.set(all.map(value));
    input.set(
      between.map((h) => (value(h) + value(h + 1)) / 2),
      all.length,
    );
    const [o, h] = [upload(device, input), upload(device, new Uint16Array(count))];
    launch('halves', [upload(device, input), o, h], count / 32);
    const got = download(device, h, new Uint16Array(count));
    expect([...got.subarray(0, all.length)]).toEqual(all);
    expect([...download(device, o, input).subarray(0, all.length)]).toEqual(all.map(value));
    // Half way between two neighbours: to the even one.
    expect([...got.subarray(all.length, all.length + between.length)]).toEqual(between.map((x) => (x & 1 ? x + 1 : x)));
  });
});

it('mma.sync m16n8k16: layouts of A, B and C as the PTX ISA gives them', () => {
  const half = (x: number): number =>
    x === 0 ? 0 : ((Math.floor(Math.log2(x)) + 15) << 10) | ((x / 2 ** Math.floor(Math.log2(x)) - 1) * 1024);
  const A = (r: number, k: number): number => (r * 7 + k * 3) % 11;
  const B = (k: number, n: number): number => (k * 5 + n) % 9;
  const a = new Uint32Array(128);
  const b = new Uint32Array(64);
  for (let lane = 0; lane < 32; lane++) {
    const [g, t] = [lane >> 2, lane & 3];
    for (let j = 0; j < 4; j++) {
      const [r, k] = [g + 8 * (j & 1), 2 * t + 8 * (j >> 1)];
      a[lane + 32 * j] = half(A(r, k)) | (half(A(r, k + 1)) << 16);
      if (j < 2) b[lane + 32 * j] = half(B(2 * t + 8 * j, g)) | (half(B(2 * t + 8 * j + 1, g)) << 16);
    }
  }
  const out = upload(device, new Float32Array(128));
  const counts = launch('matrix', [upload(device, a), upload(device, b), out]);
  expect(counts.warpInstructionsByClass.tensor).toBe(1);
  const got = download(device, out, new Float32Array(128));
  for (let lane = 0; lane < 32; lane++)
    for (let i = 0; i < 4; i++) {
      const [r, n] = [(lane >> 2) + 8 * (i >> 1), 2 * (lane & 3) + (i & 1)];
      let sum = i + 1;
      for (let k = 0; k < 16; k++) sum += A(r, k) * B(k, n);
      expect(got[lane + 32 * i]).toBe(sum);
    }
});

describe('calls', () => {
  it('recursion, tables of functions, virtual functions, locals of each depth', () => {
    const out = upload(device, new Int32Array(128));
    launch('calls', [out, 0]);
    const fibonacci = (n: number): number => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
    const deep = (n: number, below: number[] | null): number => {
      const own = [0, 1, 2, 3].map((i) => n + i + (below ? (below[3 - i] ?? 0) : 0));
      return n ? deep(n - 1, own) : (own[0] ?? 0) + (own[3] ?? 0);
    };
    const functions = [(x: number) => 2 * x, (x: number) => x * x, fibonacci];
    expect([...download(device, out, new Int32Array(128))]).toEqual([
      ...Array.from({ length: 32 }, (_, t) => fibonacci(t % 12)),
      ...Array.from({ length: 32 }, (_, t) => functions[t % 3]?.(t % 9)),
      ...Array.from({ length: 32 }, (_, t) => t * (t & 1 ? 4 : 3)),
      ...Array.from({ length: 32 }, (_, t) => deep(t % 20, null)),
    ]);
  });

  it('a wrong pointer and an endless recursion stop the kernel', () => {
    const out = upload(device, new Int32Array(128));
    expect(() => launch('calls', [out, 12345])).toThrow(/no device function of this type/);
    expect(() => launch('endless', [out])).toThrow(/stack/);
    launch('calls', [out, 0]);
  });
});

describe('system calls', () => {
  it('printf in the order of lanes', () => {
    launch('print', [2]);
    const line = (t: number): string =>
      `${t}: ${(t / 2).toFixed(2).padStart(5)}|ab  |${String.fromCharCode(97 + t)}|1099511627776|ff|%\n`;
    expect(device.takeOutput()).toBe([0, 1, 16, 17].map(line).join(''));
    expect(device.takeOutput()).toBe('');
  });

  it('formats as C does', () => {
    const view = new DataView(new ArrayBuffer(65536));
    const show = (format: string, ...values: (number | bigint | string)[]): string => {
      let text = 5000;
      const put = (value: string): number => {
        const at = text;
        new TextEncoder().encode(value).forEach((byte) => view.setUint8(text++, byte));
        view.setUint8(text++, 0);
        return at;
      };
      let at = 40000;
      for (const value of values) {
        if (typeof value === 'number' && Number.isInteger(value)) view.setInt32(at, value, true);
        else if (typeof value === 'string') view.setInt32(at, put(value), true);
        else at = Math.ceil(at / 8) * 8;
        if (typeof value === 'bigint') view.setBigInt64(at, value, true);
        else if (typeof value === 'number' && !Number.isInteger(value)) view.setFloat64(at, value, true);
        at += typeof value === 'bigint' || (typeof value === 'number' && !Number.isInteger(value)) ? 8 : 4;
      }
      return formatDeviceText(view, put(format), 40000, 4).text;
    };
    expect(show('%05d|%+d|% d|%-5d|%.3d', -42, 7, 7, 7, 7)).toBe('-0042|+7| 7|7    |007');
    expect(show('%u %hhu %hd %x %#X %o', -1, 300, 70000, 255, 255, 8)).toBe('4294967295 44 4464 ff 0XFF 10');
    expect(show('%llu %lld', -1n, -5n)).toBe('18446744073709551615 -5');
    expect(show('%f %.0f %e %g %g %G', 1.5, 2.5, 12345.678, 0.0001234, 1e-10, 1.5e-7)).toBe(
      '1.500000 2 1.234568e+04 0.0001234 1e-10 1.5E-07',
    );
    expect(show('%8.3s|%-6s|%*d|%p', 'abcdef', 'xy', 4, 7, 4096)).toBe('     abc|xy    |   7|0x1000');
    expect(show('%a %5c%%', 0.15625, 65)).toBe('0x1.4p-3     A%');
  });

  it('new and delete on a heap with a limit', () => {
    const before = device.usedBytes;
    const [kept, out] = [upload(device, new BigUint64Array(32)), upload(device, new Int32Array(32))];
    launch('heap', [kept, out]);
    expect(download(device, out, new Int32Array(32))).toEqual(Int32Array.from({ length: 32 }, (_, t) => t));
    expect(device.usedBytes - before).toBe(18 * 256);
    expect(
      new Int32Array(device.memory.buffer, Number(download(device, kept, new BigUint64Array(32))[30]), 31)[30],
    ).toBe(30);
  });
});
