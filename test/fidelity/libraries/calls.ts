/** Calls of cuBLAS that were measured on an H200, as the models of the library see them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../engine/base/paths.ts';
import {
  gemvCall,
  geamCall,
  gerCall,
  isVectorRoutine,
  vectorCall,
  vectorOf,
} from '../../../engine/cuda/libraries/timing/calls.ts';
import { gemmClassOf } from '../../../engine/cuda/libraries/timing/gemm.ts';
import type { GemmCall, GemmType, StreamCall } from '../../../engine/cuda/libraries/timing/types.ts';

/** Name, threads of a block, registers, bytes of shared memory. */
type KernelRow = [name: string, threads: number, registers: number, shared: number];
type Row = [
  ...[id: number, routine: string, type: string, ta: number, tb: number, m: number, n: number, k: number],
  ...[batch: number, extra: number, kernels: [kernel: number, ns: number, x: number, y: number, z: number][]],
];

export interface MeasuredKernel {
  name: string;
  threads: number;
  registers: number;
  shared: number;
  ns: number;
  grid: [number, number, number];
}

export interface MeasuredCall {
  id: number;
  routine: string;
  type: string;
  shape: string;
  /** Used for the parameters; the others for nothing but the error. */
  seen: boolean;
  /** Without memsets and copies. */
  kernels: MeasuredKernel[];
  /** Nanoseconds of all its kernels together. */
  total: number;
  gemm?: GemmCall;
  /** Class of products, or kind of stream. */
  key: string;
  stream?: StreamCall;
}

/** Half of all calls, by a hash of their number. */
const isSeen = (id: number): boolean => Math.floor(((id * 2654435761) % 4294967296) / 65536) % 2 === 0;

export function measuredCalls(): MeasuredCall[] {
  const file = join(root, 'test', 'reference', 'h200', 'libraries.json');
  const { kernels, rows } = JSON.parse(readFileSync(file, 'utf8')) as { kernels: KernelRow[]; rows: Row[] };
  return rows.map((row) => {
    const [id, routine, type, ta, tb, m, n, k, batch, extra, launched] = row;
    const all = launched.map(([kernel, ns, ...grid]) => {
      const [name, threads, registers, shared] = kernels[kernel]!;
      return { name, threads, registers, shared, ns, grid };
    });
    const own = all.filter(({ name }) => !name.startsWith('mem'));
    const shape = `${'nt'[ta]}${'nt'[tb]} ${m}x${n}x${k}${batch > 1 ? ` of ${batch}` : ''}`;
    const call = { id, routine, type, shape, seen: isSeen(id), kernels: own };
    const total = own.reduce((sum, { ns }) => sum + ns, 0);
    if (!/^(gemm(SB|B)?|lt)$/.test(routine)) {
      const stream = streamOf(routine, type as 's' | 'd', { ta, tb, m, n, extra });
      return { ...call, total, key: stream.key, stream };
    }
    const gemm: GemmCall = {
      type: type as GemmType,
      ...{ transposedA: ta === 1, transposedB: tb === 1, m, n, k, batch },
      ...{ lda: ta ? k : m, ldb: tb ? n : k, ldc: m },
      readsC: routine !== 'lt' && extra === 1,
      hasEpilogue: routine === 'lt' && extra !== 1,
    };
    const key = gemmClassOf(gemm);
    const isVector = m === 1 || n === 1;
    return { ...call, total, key, gemm, ...(isVector ? { stream: vectorOf(gemm) } : {}) };
  });
}

function streamOf(
  routine: string,
  type: 's' | 'd',
  { ta, tb, m, n, extra }: { ta: number; tb: number; m: number; n: number; extra: number },
): StreamCall {
  if (isVectorRoutine(routine)) {
    const increments = /^(axpy|dot|copy|swap)$/.test(routine) ? [extra, extra] : [extra];
    return vectorCall(routine, type, n, increments);
  }
  if (routine === 'gemv') return gemvCall(type, ta === 1, m, n);
  if (routine === 'ger') return gerCall(type, m, n);
  return geamCall(type, { ta: ta === 1, tb: tb === 1, adds: extra === 1 }, m, n);
}
