/**
 * Tests if this machine's WebAssembly multiplies and adds with one rounding, as GPUs do (FFMA, DFMA). Relaxed SIMD leaves the choice to the
 * machine: x64 with FMA3 (since 2013) and every 64-bit ARM fuse. Elsewhere exact code is generated that takes longer, so that results are
 * the same everywhere.
 */

// (func (export "f") (param f32 f32 f32) (result f32)): f32x4.relaxed_madd of splats, lane 0.
const probe = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 8, 1, 96, 3, 125, 125, 125, 1, 125],
  ...[3, 2, 1, 0],
  ...[7, 5, 1, 1, 102, 0, 0],
  ...[10, 22, 1, 20, 0, 32, 0, 253, 19, 32, 1, 253, 19, 32, 2, 253, 19, 253, 133, 2, 253, 31, 0, 11],
);

let known: boolean | null = null;

export function hasFusedMultiplyAdd(): boolean {
  if (known === null) {
    try {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(probe));
      const f = instance.exports['f'] as (a: number, b: number, c: number) => number;
      const a = 1 + 2 ** -12;
      known = f(a, a, -Math.fround(a * a)) === 2 ** -24;
    } catch {
      known = false;
    }
  }
  return known;
}
