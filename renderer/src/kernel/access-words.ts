/** A sampled access in words and figures. All pure. */
import type { KernelAccess, SampledAccess, SharedLayout } from '../../../engine/model/kernel-accesses.ts';
import { formatBytes } from '../../../engine/model/format.ts';

/** The efficiency: full when accesses fill their sectors, and wavefronts all banks. */
export interface Efficiency {
  /** Used of ideal, 0 to 1; more than 1 never. */
  share: number;
  text: string;
}

/** The average per access of an instruction, of the whole grid. */
export const perRequest = ({ sectors, wavefronts, executed }: Counted): number =>
  executed > 0 ? (sectors > 0 ? sectors : wavefronts) / executed : 0;

type Counted = Pick<KernelAccess, 'sectors' | 'wavefronts' | 'executed'>;

/** `1 sector`, `32 wavefronts`. */
export const counted = (count: number, what: 'sector' | 'wavefront'): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

/** The efficiency of all its samples together. */
export function efficiencyOf(samples: readonly SampledAccess[]): Efficiency {
  let [ideal, taken] = [0, 0];
  for (const { global, shared } of samples) {
    ideal += global?.idealSectors ?? shared?.idealWavefronts ?? 0;
    taken += global?.sectors ?? shared?.wavefronts.length ?? 0;
  }
  const share = taken > 0 ? Math.min(1, ideal / taken) : 1;
  return { share, text: `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %` };
}

const patternWords: Record<NonNullable<SampledAccess['global']>['pattern'], string> = {
  broadcast: 'Broadcast: all lanes read the same address, which lies in one sector.',
  coalesced: 'Coalesced: lanes are adjacent, and every byte moved is used.',
  misaligned: 'Misaligned: lanes are adjacent, but do not begin at a sector boundary.',
  strided: 'Strided: lanes are apart by',
  scattered: 'Scattered: the addresses of lanes follow no pattern.',
  single: 'One lane: no other lane competes with it.',
  'same address': 'Same address: L2 serializes the lanes, one pass each.',
  colliding: 'Contended: L2 serializes lanes that share an address, one pass each.',
};

export function describeGlobal({ pattern, strideBytes }: NonNullable<SampledAccess['global']>): string {
  return pattern === 'strided' && strideBytes !== null
    ? `${patternWords.strided} ${formatBytes(Math.abs(strideBytes))}; most sectors are used only in part.`
    : patternWords[pattern];
}

export function describeShared({ wavefronts, idealWavefronts }: NonNullable<SampledAccess['shared']>): string {
  const { length } = wavefronts;
  const passes = length === 1 ? 'One wavefront' : `${length} wavefronts`;
  if (length <= idealWavefronts) return `${passes}: no bank conflicts.`;
  const most = idealWavefronts === 1 ? 'one would do' : `${idealWavefronts} would do`;
  return `${passes}, where ${most} if lanes were spread over all banks: a ${length}-way conflict.`;
}

export function describeLayout({ kind, bytes, rowBytes }: SharedLayout): string {
  return kind === 'pad'
    ? `${formatBytes(bytes)} of padding after each row of ${formatBytes(rowBytes)}`
    : `XOR swizzle: in row r, of ${formatBytes(rowBytes)}, the ${formatBytes(bytes)} chunk c moves to c XOR r`;
}

/** `0–31`, `0, 4, 8`, `3`. */
export function describeLanes(mask: number): string {
  const lanes = Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);
  const runs: [number, number][] = [];
  for (const lane of lanes) {
    const last = runs.at(-1);
    if (last && last[1] + 1 === lane) last[1] = lane;
    else runs.push([lane, lane]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
export const lanesIn = (mask: number): number[] =>
  Array.from({ length: 32 }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);

/** The words that lanes ask for, by where they begin; lanes that ask for the same together. */
export function wordsOf(access: SampledAccess): { address: number; lanes: number; count: number }[] {
  const found = new Map<number, number>();
  for (const lane of lanesIn(access.lanes)) {
    const address = access.addresses[lane]!;
    found.set(address, ((found.get(address) ?? 0) | (1 << lane)) >>> 0);
  }
  return [...found].map(([address, lanes]) => ({ address, lanes, count: lanesIn(lanes).length }));
}
