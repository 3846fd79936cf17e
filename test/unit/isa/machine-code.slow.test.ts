/** Machine code of small kernels against what nvcc makes of them for sm_90. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { MachineBlock, MachineInstruction } from '../../../engine/model/machine.ts';
import { spilledBytes } from '../../../engine/isa/machine.ts';
import { copiesOf } from '../../../engine/isa/copies.ts';
import { rowOf, spelled } from '../../../engine/model/opcodes.ts';
import { schedule } from '../../../engine/isa/schedule.ts';
import { widenModule } from '../../../engine/kernels/module.ts';
import { instruction } from '../sm/programs.ts';
import { deviceIr } from '../warp/cuda.ts';

const source = `
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
__global__ void saxpy(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ o, size_t n, float a) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) o[i] = a * x[i] + y[i];
}
__global__ void dot(const float *__restrict__ a, const float *__restrict__ b, float *c, int n) {
  int r = blockIdx.y * blockDim.y + threadIdx.y, k;
  float s = 0;
  for (k = 0; k < n; k++) s += a[r * n + k] * b[k * n + r];
  c[r] = s;
}
__global__ void arms(float *a, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = a[t];
  if (t == 3) s[t + 32] = a[t + n];
  __syncthreads();
  a[t] = s[t ^ 1];
}
__global__ void chain(float *a, float x) {
  float v = a[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 2000; i++) v = v * x + (float)i;
  a[threadIdx.x] = v;
}
__global__ void rows(const float *__restrict__ a, float *o, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += a[i];
  o[threadIdx.x] = s;
}
__global__ void known(const float *__restrict__ a, float *o) {
  float s = 0;
  for (int i = threadIdx.x; i < 64 * 32; i += 32) s = s * s + a[i & 31];
#pragma unroll 1
  for (int i = 0; i < 5; i++) s = s * 3.0f + a[i];
  o[threadIdx.x] = s;
}
__global__ void growing(unsigned *o, int n) {
  unsigned long long v = threadIdx.x + 1;
  unsigned k = 0;
  while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; k++; }
  o[threadIdx.x] = k;
}
__global__ void doubles(double *o) { double x = o[threadIdx.x]; o[threadIdx.x] = (x * 0.1 + 0.5) * x + 1.0 / 3; }
__global__ void sines(double *o) { o[threadIdx.x] = sin(o[threadIdx.x]); }
__global__ void halved(float *o) { int e; o[threadIdx.x] = frexpf(o[threadIdx.x], &e); o[threadIdx.x + 32] = e; }
__global__ void moved(char *o, int n) { __builtin_memmove(o, o + n, n); }
__global__ void shifts(unsigned *o) {
  unsigned v = o[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 16; i++) { v ^= v << 13; v ^= v >> 17; v ^= v << 5; }
  o[threadIdx.x] = v;
}
__global__ void halves(unsigned *o) {
  unsigned v = o[threadIdx.x];
  o[threadIdx.x] = __umulhi(v, 0xD2511F53u) ^ (v * 0xD2511F53u) ^ __umulhi(v, 12345u);
}
__constant__ unsigned table[256];
__global__ void horner(unsigned *o, int count) {
  unsigned sum = 0;
#pragma unroll 8
  for (int k = 0; k < count; ++k) sum = sum * threadIdx.x + table[k];
  o[threadIdx.x] = sum;
}
__global__ void entry(unsigned *o) { o[threadIdx.x] = table[o[threadIdx.x] & 255]; }
__global__ void linked(unsigned *o, unsigned at, int count) {
#pragma unroll 1
  for (int k = 0; k < count; ++k) at = table[at];
  *o = at;
}
__global__ void advanced(const float *x, float *o) {
  const float *row = x + blockIdx.x * 1024;
  o[threadIdx.x] = row[threadIdx.x] + row[threadIdx.x + 256];
}
__global__ void planes(const float *x, float *o, int n) {
  x += blockIdx.x * n + threadIdx.x;
  float s = 0;
#pragma unroll 1
  for (int z = 0; z < n; z++) {
    __syncthreads();
    s += x[z * n * n];
  }
  o[threadIdx.x] = s;
}
__global__ void beside(const float *x, float *o, int n) {
  const float *at = x + blockIdx.x * n + threadIdx.x;
  o[threadIdx.x] = *at + at[n];
}
__global__ void staged(const float4 *x, float4 *o) {
  __shared__ float4 own[512];
  __pipeline_memcpy_async(own + threadIdx.x, x + threadIdx.x, 16);
  __pipeline_memcpy_async(own + threadIdx.x + 256, x + threadIdx.x + 256, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  o[threadIdx.x] = own[threadIdx.x ^ 33];
}
__global__ void groups(unsigned *o) {
  const unsigned mask = 0xffu << (threadIdx.x & 24), v = o[threadIdx.x];
  const unsigned w = v + __shfl_xor_sync(mask, v, 1);
  o[threadIdx.x] = w + __shfl_xor_sync(mask, w, 2);
}
__global__ void ballots(unsigned *o) { o[threadIdx.x] = __ballot_sync(0xffu << (threadIdx.x & 24), o[threadIdx.x]); }
__global__ void together(unsigned *o) { o[threadIdx.x] = __match_any_sync(~0u, o[threadIdx.x]) + __reduce_add_sync(~0u, o[threadIdx.x]); }
__global__ void ranks(int *count, int *o) { o[atomicAdd(count, 1)] = threadIdx.x; }
__global__ void __launch_bounds__(1024) bounded(float *a) {
  float v[64];
#pragma unroll
  for (int i = 0; i < 64; i++) v[i] = a[i * 1024 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 64; i++) a[i * 1024 + threadIdx.x] = v[63 - i] * v[i];
}
`;

const kernels = new Map<string, { machine: readonly MachineBlock[]; registers: number }>();
let limited: (registers: number) => { machine: readonly MachineBlock[]; registers: number };
beforeAll(async () => {
  const ir = await deviceIr(source);
  for (const { name, machine, registersPerThread } of widenModule(ir, 'kernels.cu').kernels) {
    const short = /^_Z\d+([a-z]+)P/.exec(name)![1]!;
    kernels.set(short, { machine: machine!.blocks, registers: registersPerThread });
  }
  limited = (registers) => {
    const module = widenModule(ir, 'kernels.cu', { registerLimit: () => registers });
    const { machine, registersPerThread } = module.kernels.find(({ name }) => name.includes('bounded'))!;
    return { machine: machine!.blocks, registers: registersPerThread };
  };
});

const all = (name: string): MachineInstruction[] => kernels.get(name)!.machine.flatMap((block) => block.instructions);
const opcodes = (instructions: readonly MachineInstruction[]): string[] => instructions.map(spelled);
const count = (name: string, pattern: RegExp): number => opcodes(all(name)).filter((one) => pattern.test(one)).length;

describe('selection', () => {
  it('64-bit indices, as in the real code: 28 instructions, of which 2 loads, 1 store, 1 FFMA', () => {
    expect(Math.abs(all('saxpy').length - 28)).toBeLessThanOrEqual(2);
    expect([count('saxpy', /^LDG$/), count('saxpy', /^STG$/), count('saxpy', /^FFMA$/)]).toEqual([2, 1, 1]);
    // The comparison of 64 bits takes two; three addresses off one scaled index.
    expect(count('saxpy', /^ISETP/)).toBe(2);
    expect(count('saxpy', /^SHF/)).toBe(2);
    expect(kernels.get('saxpy')!.registers).toBe(16);
  });
  it('loads and stores of functions are those of SASS', () => {
    // Coefficients of the library's sine, and the stack pointer.
    expect(count('sines', /^LDC$/)).toBe(3 + 1);
    expect(opcodes(all('moved'))).toEqual(expect.arrayContaining(['LDG', 'STG']));
    expect(count('halved', /^STL$/)).toBe(1);
    expect(spilledBytes(kernels.get('halved')!.machine)).toBe(0);
    for (const name of ['sines', 'moved', 'halved']) expect(count(name, /^(LOAD|STORE)-/)).toBe(0);
  });
  it('loops that ptxas unrolls: loads of a row with constant distances, of a column with one IMAD.WIDE each', () => {
    const body = kernels.get('dot')!.machine.find(({ copies }) => copies.length > 0)!;
    const names = opcodes(body.instructions);
    const loads = names.filter((one) => one === 'LDG').length;
    expect(names.filter((one) => one === 'FFMA')).toHaveLength(loads / 2);
    const addresses = names.filter((one) => one === 'IMAD.WIDE').length;
    expect(addresses).toBeGreaterThanOrEqual(loads / 2);
    expect(addresses).toBeLessThanOrEqual(loads / 2 + 1);
    const overhead = opcodes(body.instructions.filter(({ every }) => every > 1));
    expect(overhead).toEqual(expect.arrayContaining(['ISETP', 'BRA']));
  });
  it('a pointer that was advanced: indices are added in 64 bits, and scaled; off one that is accessed itself, IMAD.WIDE', () => {
    // SASS of the labs' rowLargest: LEA (the row's number, shifted, and the thread's), IMAD.X, LEA, LEA.HI.X.
    const first = opcodes(all('advanced')).indexOf('LDG');
    const beforeIt = all('advanced').slice(0, first);
    expect(beforeIt.filter(({ reads }) => reads.includes('x')).map(spelled)).toEqual(['LEA', 'LEA']);
    // SASS of the labs' tiled stencil: in each plane IADD3, LEA.HI.X.SX32, LEA, LEA.HI.X; what does not change is in front of the loop.
    const loop = kernels.get('planes')!.machine.find(({ instructions }) => opcodes(instructions).includes('LDG'))!;
    const addresses = loop.instructions.filter(({ opcode }) => opcode === 'IADD3' || opcode === 'LEA');
    expect(opcodes(addresses).filter((one) => one === 'LEA')).toHaveLength(3);
    expect(opcodes(loop.instructions)).not.toContain('IMAD.WIDE');
    // SASS of the labs' stencilReadOnly.
    expect(all('beside').filter(({ opcode, reads }) => opcode === 'IMAD.WIDE' && reads.includes('n'))).toHaveLength(1);
  });
  it('three loads that nobody executes stand in front of the first of several LDGSTS', () => {
    const names = opcodes(all('staged'));
    expect(count('staged', /^LDGSTS/)).toBe(2);
    expect(count('staged', /^@!PT LDS$/)).toBe(3);
    expect(names.lastIndexOf('@!PT LDS')).toBeLessThan(names.findIndex((one) => one.startsWith('LDGSTS')));
  });
  it('loops that count by a constant: 16 copies, of which ptxas makes four of the four by the optimizer, and fewer for the rest', () => {
    const body = kernels.get('rows')!.machine.find(({ copies }) => copies.length > 0)!;
    expect(body.copies).toEqual([16, 8, 4]);
    const copied = copiesOf(body, 16, 1);
    const names = opcodes(copied);
    expect(names.filter((one) => one === 'LDG')).toHaveLength(16);
    expect(names.filter((one) => one === 'FADD')).toHaveLength(16);
    // One address, whose distances are constants, stands first; counting, comparing and jumping are done once.
    expect(copied[0]!.opcode).toBe('IMAD.WIDE');
    expect(names.filter((one) => /^(IMAD.WIDE|ISETP|BRA)$/.test(one))).toHaveLength(3);
    expect(
      copiesOf(body, 4, 1)
        .map(({ opcode }) => opcode)
        .filter((one) => one === 'LDG'),
    ).toHaveLength(4);
    expect(new Set(copied.flatMap(({ access }) => access ?? []))).toHaveProperty('size', 16);
  });
  it('constants at one address for all lanes: loaded by the uniform datapath; at others, or at loaded ones: by LDC', () => {
    const loop = kernels.get('horner')!.machine.find(({ instructions }) => opcodes(instructions).includes('LEA'))!;
    expect(opcodes(loop.instructions).filter((one) => /^U?LDC/.test(one))).toEqual(Array(8).fill('ULDC'));
    const loads = ['horner', 'entry', 'linked'].map((kernel) => count(kernel, /^LDC$/));
    expect(loads).toEqual([1, 2, 2]); // one of each is the stack pointer
  });
  it('not those of which the program says so', () => {
    expect(kernels.get('known')!.machine.filter(({ copies }) => copies.length > 0)).toHaveLength(1);
  });
  it('64-bit values that a loop multiplies take two registers', () => {
    expect(count('growing', /^ISETP/)).toBeGreaterThanOrEqual(3);
    expect(count('growing', /^SEL/)).toBeGreaterThanOrEqual(2);
  });
  it('doubles whose lower half is not zero are moved to registers first, half by half', () => {
    // 0.1 and 1/3; 0.5 fits the instruction.
    expect(count('doubles', /^UMOV/)).toBe(4);
  });
  it('shifts to the left go to the FMA pipe where the ALU has more to do', () => {
    expect(count('shifts', /^IMAD.SHL/)).toBe(32);
    expect(count('shifts', /^SHF/)).toBe(16);
  });
  it('both halves of a product are one multiplication', () => {
    // The address is another one.
    expect(count('halves', /^IMAD.WIDE/)).toBe(2);
    expect(count('halves', /^IMAD$/)).toBe(1);
  });
  it('returning atomics on one address: one lane adds, the others count', () => {
    expect(opcodes(all('ranks'))).toEqual(
      expect.arrayContaining(['VOTEU', 'FLO', 'POPC', 'ATOMG', 'SHFL', 'LOP3', 'IADD3']),
    );
  });
  it('masks of lanes’ own are compared once, as warpwide.cu has it', () => {
    const compared = ['REDUX', 'MATCH.ANY.MASK', 'VOTEU', 'LOP3', 'BRA.DIV'];
    expect(opcodes(all('groups'))).toEqual(expect.arrayContaining(compared));
    expect(count('groups', /^(BRA\.DIV|MATCH)/)).toBe(2);
    expect(count('groups', /^SHFL/)).toBe(2);
    // Votes of groups are taken one after the other, and need not know how many there are.
    expect(opcodes(all('ballots'))).toEqual(
      expect.arrayContaining(['REDUX', 'R2UR', 'BRA.DIV', 'WARPSYNC.COLLECTIVE.VOTE', 'VOTE']),
    );
    expect(count('ballots', /^MATCH/)).toBe(0);
  });
  it('matches and reductions of whole warps', () => {
    expect(count('together', /^MATCH\.ANY$/)).toBe(1);
    expect(count('together', /^REDUX/)).toBe(1);
    // Out of the uniform register.
    expect(count('together', /^MOV/)).toBe(1);
    expect(count('together', /DIV|COLLECTIVE/)).toBe(0);
  });
  it('shared memory has an address in its cluster', () => {
    for (const opcode of [/^S2UR$/, /^UMOV$/, /^ULEA$/]) expect(count('arms', opcode)).toBe(1);
  });
  it('short arms are guarded by a predicate and joined with what surrounds them', () => {
    const { machine } = kernels.get('arms')!;
    const arm = machine.findIndex(({ predicatedBy }) => predicatedBy !== null);
    expect(opcodes(machine[arm]!.instructions)).toEqual(expect.arrayContaining(['LDG', 'STS']));
    expect(machine.some(({ follows }) => follows === machine[arm]!.predicatedBy)).toBe(true);
    expect(count('arms', /^BRA|^BSSY/)).toBe(0);
  });
  it('chains of thousands of values', () => {
    expect(count('chain', /^FFMA$/)).toBeGreaterThanOrEqual(2000);
  });
  it('registers follow what is alive', () => {
    // 64 values that could all be alive, of which 32 in pairs would do: ptxas of CUDA 13 takes 32 registers.
    expect(kernels.get('bounded')!.registers).toBeGreaterThanOrEqual(32);
    expect(kernels.get('bounded')!.registers).toBeLessThanOrEqual(48);
    expect(kernels.get('arms')!.registers).toBe(16);
  });
});

describe('spills', () => {
  const localOf = ({ machine }: { machine: readonly MachineBlock[] }): { stores: number; loads: number } => {
    const code = machine.flatMap(({ instructions }) => opcodes(instructions));
    return {
      stores: code.filter((opcode) => opcode.startsWith('STL')).length,
      loads: code.filter((opcode) => opcode.startsWith('LDL')).length,
    };
  };

  it('as many values as do not fit, each stored once and loaded where it is used', () => {
    const [loose, tight] = [limited(64), limited(40)];
    expect(loose.registers).toBeLessThanOrEqual(64);
    expect(tight.registers).toBeLessThanOrEqual(40);
    const more = localOf(tight).stores - localOf(loose).stores;
    expect(more).toBeGreaterThanOrEqual(16);
    expect(more).toBeLessThanOrEqual(32);
    expect(localOf(tight).loads).toBeGreaterThanOrEqual(localOf(tight).stores);
  });

  it('nothing where there are registers enough', () => {
    expect(localOf(limited(255))).toEqual({ stores: 0, loads: 0 });
  });
});

describe('schedule', () => {
  it('starts loads before it waits for the first, and keeps dependences and the order of memory', () => {
    for (const { machine } of kernels.values()) {
      for (const { instructions } of machine) {
        const order = schedule([...instructions]);
        expect(new Set(order)).toEqual(new Set(instructions));
        const at = new Map(order.map((one, i) => [one, i]));
        instructions.forEach((one, i) => {
          for (const later of instructions.slice(i + 1, i + 40)) {
            const depends = later.reads.some((name) => one.writes.includes(name));
            const rewrites = instructions
              .slice(i + 1)
              .find(({ writes }) => writes.some((name) => one.writes.includes(name)));
            if (depends && rewrites === undefined) expect(at.get(one)).toBeLessThan(at.get(later)!);
          }
        });
        const stores = (list: MachineInstruction[]) => list.filter((one) => rowOf(one).memory?.access === 'store');
        expect(stores(order)).toEqual(stores(instructions));
      }
    }
    const body = kernels.get('dot')!.machine.find(({ copies }) => copies.length > 0)!;
    const names = opcodes(schedule([...body.instructions]));
    expect(names.lastIndexOf('LDG')).toBeLessThan(names.lastIndexOf('FFMA'));
    expect(names.indexOf('FFMA')).toBeGreaterThan(7);
  });
  it('fills the wait for a result with what does not need it', () => {
    const lines = ['#0 x = LDS p', 'y = FADD x', 'z = FADD y', 'a = FADD b', 'c = FADD d', 'e = FADD f'];
    expect(schedule(lines.map((line) => instruction(line))).map(({ writes }) => writes[0])).toEqual([
      'x',
      'a',
      'c',
      'e',
      'y',
      'z',
    ]);
  });
  it('keeps to a number of registers where that is possible', () => {
    const lines = Array.from({ length: 32 }, (_, i) => [`#${i} v${i} = LDG p`, `s = FFMA v${i} s`]).flat();
    const names = new Map(lines.map((_, i): [string, number] => [`v${i}`, 1]));
    const alive = (limit: number): number => {
      const pressure = { limit, words: names.set('s', 1), liveIn: new Set(['p', 's']), liveOut: new Set(['s']) };
      let [now, most] = [0, 0];
      for (const { opcode } of schedule(
        lines.map((line) => instruction(line)),
        256,
        pressure,
      ))
        most = Math.max(most, (now += opcode === 'LDG' ? 1 : -1));
      return most;
    };
    expect(alive(100)).toBe(32);
    expect(alive(9)).toBe(8);
  });
});
