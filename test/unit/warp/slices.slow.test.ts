/** Slices of matrices, as kernels of libraries with known times load them: each element at its place, whichever way, in linear and in paged memory. */
import { expect, test } from 'vitest';
import { createDevice, createPagedDevice, dim, download, launch, upload, type Numbers } from './cuda.ts';

const size = 24;
const depth = 10;
/** Places of columns in shared memory; of the widest elements. */
const bytes = size * depth * 8;

const source = `
extern "C" __device__ void __simsight_load_slice(void *, const void *, unsigned long, int, int, int, int);
extern "C" __global__ void slice(unsigned *out, const char *from, unsigned long pitch, int lines, int elements, int kind) {
  __shared__ unsigned to[${bytes} / 4];
  for (int i = threadIdx.x; i < ${bytes} / 4; i += 32) to[i] = 0x7fc00001;
  __syncwarp();
  __simsight_load_slice(to, from, pitch, lines, elements, ${size}, kind);
  __syncwarp();
  for (int i = threadIdx.x; i < ${bytes} / 4; i += 32) out[i] = to[i];
}
`;
const long = (value: number): Uint8Array => new Uint8Array(new BigUint64Array([BigInt(value)]).buffer);

/** 65,536 bytes and some from line to line: lines, and elements of a line, lie in different pages. */
const pitch = 65_536 - 16;
const memory = new Uint8Array(pitch * 32).map((_, i) => ((i * 2654435761) >>> 13) & 0x7b);

const float = (bits: number): number => new Float32Array(new Uint32Array([bits]).buffer)[0]!;
const view = new DataView(memory.buffer);
interface Kind {
  name: string;
  bytes: number;
  read: (at: number) => number;
  to: (values: number[]) => Numbers;
}
const half = (bits: number): number => {
  const [exponent, mantissa] = [(bits >> 10) & 31, bits & 1023];
  return exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25);
};
const kinds: readonly Kind[] = [
  { name: 'floats', bytes: 4, read: (at) => view.getFloat32(at, true), to: (v) => new Float32Array(v) },
  { name: 'doubles', bytes: 8, read: (at) => view.getFloat64(at, true), to: (v) => new Float64Array(v) },
  { name: 'halves', bytes: 2, read: (at) => half(view.getUint16(at, true)), to: (v) => new Float32Array(v) },
  {
    ...{ name: 'bfloats', bytes: 2, read: (at) => float(view.getUint16(at, true) << 16) },
    to: (v) => new Float32Array(v),
  },
  { name: 'bytes', bytes: 1, read: (at) => view.getInt8(at), to: (v) => new Int32Array(v) },
];

test.each(['linear', 'paged'])('in %s memory', async (way) => {
  const device = await (way === 'paged' ? createPagedDevice(source, 24) : createDevice(source));
  const from = upload(device, memory);
  expect(from >= 2 ** 32).toBe(way === 'paged');
  const out = upload(device, new Uint8Array(bytes));
  for (const [number, { name, bytes: own, read, to }] of kinds.entries()) {
    for (const across of [false, true]) {
      for (const rows of [size, 5]) {
        // A line begins before the end of a page.
        const start = pitch - 3 * own;
        const at = start - (start % own);
        const [lines, elements] = across ? [rows, depth] : [depth, rows];
        const kind = number + (across ? 8 : 0);
        launch(device, ['slice'], 'slice', dim(1), dim(32), [out, from + at, long(pitch), lines, elements, kind]);
        const values = Array.from({ length: size * depth }, (_, i) => {
          const [row, column] = [i % size, Math.floor(i / size)];
          const [line, element] = across ? [row, column] : [column, row];
          return row < rows ? read(at + line * pitch + element * own) : 0;
        });
        const expected = to(values);
        expect(download(device, out, expected), `${name} ${across} ${rows}`).toEqual(expected);
      }
    }
  }
});
