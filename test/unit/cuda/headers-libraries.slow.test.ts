/** The headers of the toolkit beyond the runtime's: each compiles in both passes, and the host's half precision is exact. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runHostProgram } from '../../../engine/cuda/index.ts';
import { fakeRun } from './fakes.ts';
import { compileText } from './program.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'headers', `${name}.cu`), 'utf8');

/** Device code that the use of each header must contain. */
const expected: Record<string, string[]> = {
  half: ['fadd contract <2 x half>', 'fmul contract bfloat', '@llvm.fma.f16', '@llvm.maxnum.v2bf16', 'atomicrmw fadd'],
  wmma: ['wmma.m16n16k16.mma.row.col.f32.f32', 'wmma.m8n32k16.mma.row.col.u8', 'mma.row.col.tf32', 'mma.row.col.f64'],
  groups_and_pipelines: ['grid_arrivals', '@llvm.nvvm.cp.async.cg.shared.global.16', '@llvm.nvvm.mbarrier.arrive'],
  random: ['__simsight_xorwow_subsequences'],
  textures: ['define'],
  blas: ['define'],
  intrinsics: ['st.global.cs', '__nv_fadd_rz', '@llvm.nvvm.redux.sync.add'],
};

describe('library headers', () => {
  for (const [name, parts] of Object.entries(expected))
    test(name, async () => {
      const program = await compileText(fixture(name));
      expect(program.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      const { ir, later } = program.device[0]!;
      // Where kernels are left for later, all of them.
      const all = [ir, ...(await Promise.all((later?.names ?? []).map((kernel) => later!.irOf(kernel))))].join('\n');
      for (const part of parts) expect(all).toContain(part);
    });

  test('half and bfloat16 on the host: every value, and rounding in every direction', async () => {
    const program = await compileText(fixture('rounding'));
    const { options, system } = fakeRun(program.host);
    await runHostProgram(options);
    expect(system.output.stdout.trimEnd().split('\n')).toEqual([
      `half 0 ${reference(5, 10)}`,
      `bfloat16 0 ${reference(8, 7)}`,
      '3c01 fc00',
      '4.875 3.375 5.0625 1',
    ]);
  });
});

// ---- the same numbers, from the definition of the formats ----
const words = new DataView(new ArrayBuffer(4));
const bitsOf = (f: number) => (words.setFloat32(0, f), words.getUint32(0));
const floatOf = (bits: number) => (words.setUint32(0, bits >>> 0), words.getFloat32(0));

/** The checksum that `rounding.cu` prints. All values as a sorted table; rounding is the choice between two neighbours. */
function reference(exponentBits: number, fractionBits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const infinity = (2 ** exponentBits - 1) << fractionBits;
  const valueOf = (bits: number) => {
    const exponent = (bits & 0x7fff) >> fractionBits;
    const fraction = bits & (2 ** fractionBits - 1);
    const size =
      (bits & 0x7fff) === infinity
        ? Infinity
        : exponent === 0
          ? fraction * 2 ** (1 - bias - fractionBits)
          : (2 ** fractionBits + fraction) * 2 ** (exponent - bias - fractionBits);
    return bits & 0x8000 ? -size : size;
  };
  const isNaNBits = (bits: number) => (bits & 0x7fff) > infinity;
  let hash = 2166136261;
  const add = (value: number) => (hash = Math.imul(hash ^ value, 16777619));
  for (let i = 0; i < 65536; i++) {
    if (isNaNBits(i)) continue;
    add(bitsOf(valueOf(i)));
    const above = (i + 1) & 0xffff;
    if ((i & 0x7fff) === 0x7fff || isNaNBits(above) || !Number.isFinite(valueOf(above))) continue;
    const middle = (valueOf(i) + valueOf(above)) / 2;
    for (let k = -1; k <= 1; k++) {
      const x = floatOf(bitsOf(middle) + k);
      // Among i and its neighbours away from zero and towards it.
      const near = [above, i, i & 0x7fff ? i - 1 : i ^ 0x8000, i ^ 0x8000].filter((bits) => !isNaNBits(bits));
      const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
      const own = near.filter((bits) => (bits & 0x8000) === sign);
      const below = Math.max(...own.map((bits) => bits & 0x7fff).filter((bits) => valueOf(bits) <= Math.abs(x)));
      const exact = valueOf(below) === Math.abs(x);
      const low = below | sign;
      const high = exact ? low : low + 1;
      const toLow = Math.abs(x) - valueOf(below);
      const toHigh = valueOf(high & 0x7fff) - Math.abs(x);
      add(toLow < toHigh || (toLow === toHigh && low % 2 === 0) ? low : high);
      add(low);
      add(sign ? low : high);
      add(sign ? high : low);
    }
  }
  return hash >>> 0;
}
