/** Wording that the rules on accesses to global memory share: evidence and figures of some of a kernel's accesses. */
import type { FindingEvidence } from '../../model/findings.ts';
import type { WastefulAccess } from './access-patterns.ts';
import { isGlobalLoad, isGlobalStore, type KernelFacts } from './kernel-facts.ts';
import { counters, measured, timeOfWarps } from './kernel-rule.ts';

export const sumOf = <Key extends 'excess' | 'sectors' | 'ideal' | 'executed' | 'threadsOn'>(
  found: readonly Record<Key, number>[],
  what: Key,
): number => found.reduce((sum, one) => sum + one[what], 0);

/** Counters of loads and of stores, as far as the accesses are such; what they took and what they needed. */
export function sectorEvidence(kernel: KernelFacts, found: readonly WastefulAccess[]): FindingEvidence[] {
  const name = (what: 'requests' | 'sectors', kind: 'ld' | 'st'): string =>
    `l1tex__t_${what}_pipe_lsu_mem_global_op_${kind}.sum`;
  const loads = found.some(({ opcode }) => isGlobalLoad(opcode));
  const stores = found.some(({ opcode }) => isGlobalStore(opcode));
  const wait = kernel.waitForGlobal;
  return [
    ...(loads ? counters(kernel, name('sectors', 'ld'), name('requests', 'ld')) : []),
    ...(stores ? counters(kernel, name('sectors', 'st'), name('requests', 'st')) : []),
    measured('sectors of these accesses', sumOf(found, 'sectors'), 'count'),
    measured('sectors that they need', Math.round(sumOf(found, 'ideal')), 'count'),
    ...(wait === null ? [] : [timeOfWarps('waiting for global memory', wait)]),
  ];
}

/** Taken and needed, as text. */
export function sectorsPerRequest(found: readonly WastefulAccess[]): [actual: string, ideal: string] {
  const requests = Math.max(1, sumOf(found, 'executed'));
  const text = (value: number): string => String(Math.round((10 * value) / requests) / 10);
  return [text(sumOf(found, 'sectors')), text(sumOf(found, 'ideal'))];
}
