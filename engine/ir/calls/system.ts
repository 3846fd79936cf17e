/** Calls that the host answers, barriers in shared memory, copies in bulk. */
import type { Spelled } from '../../model/opcodes.ts';
import { family, type Row } from './called.ts';

const mbarrier = (name: string, kind: 'load' | 'store', opcode: Spelled, cost: { int?: number } = {}) =>
  family(new RegExp(`^(?:llvm\\.nvvm|simsight)\\.mbarrier\\.${name}(\\.shared)?(?:\\.p\\d+)?$`), () => ({
    uniformity: kind === 'load' ? 'operands' : 'divergent',
    cost,
    memory: { kind, pointer: 0, times: 1, unit: 'sync', opcode },
  }));
/** ptxas makes a loop of loads that takes one lane after the other. */
const bulkLoad = { cost: { int: 5, vote: 1, branch: 1 }, opcodes: { vote: 'VOTE' } } as const;

/**
 * Products of tiles, by kernels of libraries whose times are known: nothing of them is counted (cublas-tiles.cuh) but what it takes to execute
 * them, roughly, for sampled recordings.
 */
const multiplied = { cost: { fp32: 1000 } } as const;

/** Warp instructions are those of the call; what the library does inside is not known. */
export const system = {
  vprintf: { uniformity: 'divergent', cost: { int: 4, branch: 2 } },
  malloc: { also: '_Znwm _Znam _Znwj _Znaj', uniformity: 'divergent', cost: { int: 4, branch: 2 } },
  free: { also: '_ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvj _ZdaPvj', cost: { int: 2, branch: 2 } },
  __simsight_device_runtime: { uniformity: 'divergent', cost: { int: 4, branch: 2 } },
  __simsight_multiply_floats: multiplied,
  __simsight_multiply_doubles: multiplied,
  __simsight_multiply_ints: multiplied,
  'simsight.bad.call': { also: '__cxa_pure_virtual __cxa_deleted_virtual', cost: { branch: 1 } },
  // Of execution alone (ir/paged.ts).
  'simsight.paged': {},
  'simsight.bulk.commit': { machine: { code: [{ opcode: 'UTMACMDFLUSH' }] } },
  'simsight.bulk.wait': { machine: { code: [{ opcode: 'DEPBAR.LE.SB0', count: 0 }] } },
} satisfies Record<string, Row>;

export const systemFamilies = {
  // The state that init stores is made of the count.
  'mbarrier.init': mbarrier('init', 'store', 'SYNCS.EXCH.64', { int: 4 }),
  'mbarrier.arrive': mbarrier('arrive', 'store', 'SYNCS.ARRIVE.TRANS64.A1T0'),
  'mbarrier.arrive.drop': mbarrier('arrive\\.drop', 'store', 'SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0'),
  'mbarrier.arrive.counted': mbarrier('arrive\\.counted', 'store', 'SYNCS.ARRIVE.TRANS64'),
  'mbarrier.arrive.drop.counted': mbarrier('arrive\\.drop\\.counted', 'store', 'SYNCS.ARRIVE.TRANS64.OPTOUT'),
  'mbarrier.bytes': mbarrier('bytes', 'store', 'SYNCS.ARRIVE.TRANS64.RED.A0TX'),
  'mbarrier.test.wait': mbarrier('test\\.wait', 'load', 'SYNCS.PHASECHK.TRANS64'),
  'mbarrier.test.wait.parity': mbarrier('test\\.wait\\.parity', 'load', 'SYNCS.PHASECHK.TRANS64.TRYWAIT'),
  'mbarrier.pending.count': family(/^llvm\.nvvm\.mbarrier\.pending\.count$/, () => ({ cost: { int: 2 } })),
  'mbarrier.after.copies': family(/^llvm\.nvvm\.cp\.async\.mbarrier\.arrive(\.noinc)?(\.shared)?(?:\.p\d+)?$/, () => ({
    memory: { kind: 'store', pointer: 0, times: 1, unit: 'sync', opcode: 'ARRIVES.LDGSTSBAR.64' },
  })),
  'mbarrier.inval': family(/^llvm\.nvvm\.mbarrier\.inval(\.shared)?(?:\.p\d+)?$/, () => ({ cost: { int: 1 } })),
  'bulk.load': family(/^simsight\.bulk\.load$/, () => ({
    ...bulkLoad,
    memory: { kind: 'load', pointer: 1, times: 1, unit: 'bulk', opcode: 'UBLKCP.S.G' },
  })),
  // The size in units of 16 bytes.
  'bulk.store': family(/^simsight\.bulk\.store$/, () => ({
    cost: { int: 2 },
    memory: { kind: 'store', pointer: 0, times: 1, unit: 'bulk', opcode: 'UBLKCP.G.S' },
  })),
  // Of kernels of libraries whose times are known, like `multiplied`.
  'slice.load': family(/^__simsight_load_slice$/, () => ({
    ...bulkLoad,
    memory: { kind: 'load', pointer: 1, times: 1, unit: 'bulk', opcode: 'UBLKCP.S.G' },
  })),
  'bulk.prefetch': family(/^simsight\.bulk\.prefetch$/, () => ({
    ...bulkLoad,
    memory: { kind: 'load', pointer: 1, times: 1, unit: 'bulk', opcode: 'UBLKPF' },
  })),
};
