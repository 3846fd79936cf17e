/**
 * Traffic of local memory: of variables that are no registers, which are executed and counted, and of spilled values, which the
 * machine code tells. All stores go through to L2, and stay in L1 (H200 reference, A8: lts__t_sectors_op_write is what is stored).
 */
import { wordBytes } from '../model/geometry.ts';
import type { KernelCounts } from '../model/execution.ts';

export interface LocalAccesses {
  requests: number;
  sectors: number;
  /** Sectors that were in L1. */
  hits: number;
}
export interface LocalTraffic {
  load: LocalAccesses;
  store: LocalAccesses;
}

/** A word of all lanes of a warp is a line. */
const sectorsPerWord = 4;

/** Traffic of variables in local memory: taken to stay in L1 once a warp has stored them (MODEL.md). `localBytes`: of each thread. */
export function variablesTraffic(
  { localLoad, localStore, warps }: Pick<KernelCounts, 'localLoad' | 'localStore' | 'warps'>,
  localBytes: number,
): LocalTraffic {
  const first = warps * Math.ceil(localBytes / wordBytes) * sectorsPerWord;
  return {
    load: { ...localLoad, hits: localLoad.sectors },
    store: { ...localStore, hits: Math.max(0, localStore.sectors - first) },
  };
}

export const together = (a: LocalTraffic, b: LocalTraffic): LocalTraffic => ({
  load: sumOf(a.load, b.load),
  store: sumOf(a.store, b.store),
});

const sumOf = (a: LocalAccesses, b: LocalAccesses): LocalAccesses => ({
  requests: a.requests + b.requests,
  sectors: a.sectors + b.sectors,
  hits: a.hits + b.hits,
});
