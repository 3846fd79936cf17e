/** The metrics by which lines and machine instructions of a kernel can be coloured: values, words for them, and which is the worst. */
import type { KernelPlace, KernelView } from '../../../engine/model/kernel-view.ts';
import { formatCount } from '../../../engine/model/format.ts';

export const placeMetrics = {
  cycles: {
    title: 'Warp cycles',
    isShare: true,
    hint: 'Share of all warp time, stalled or not: what a sampling profiler sees',
  },
  stalls: {
    title: 'Stalled warp cycles',
    isShare: true,
    hint: 'Share of the time in which resident warps did not issue',
  },
  executed: { title: 'Instructions executed', isShare: false, hint: 'Warp instructions of the whole grid' },
  threads: { title: 'Threads per instruction', isShare: false, hint: 'Out of 32: fewer where branches diverge' },
  branches: {
    title: 'Divergent branches',
    isShare: false,
    hint: 'Share of branch executions that split a warp',
  },
  sectors: {
    title: 'Sectors per request',
    isShare: false,
    hint: 'Sectors of 32 bytes that one warp access touches',
  },
  wavefronts: {
    title: 'Wavefronts per request',
    isShare: false,
    hint: 'Shared-memory passes per warp access: without conflicts 1, mostly 2 for 64-bit and 4 for 128-bit accesses',
  },
  conflicts: {
    title: 'Bank conflicts per request',
    isShare: false,
    hint: 'Shared-memory passes beyond those that the same number of words takes in distinct banks',
  },
} as const;
export type PlaceMetric = keyof typeof placeMetrics;

export interface Measured<Place extends KernelPlace> {
  place: Place;
  /** The value of the metric, as `text` says it: shares are of all places; 0 where it says nothing. */
  value: number;
  /** The share of the worst, from 0 to 1. */
  heat: number;
  text: string;
}

export const cyclesOf = ({ states }: KernelPlace): number => states.reduce((sum, [, cycles]) => sum + cycles, 0);

/** Each place with its value of a metric; for `threads` few are worse than many. */
export function placesOf<Place extends KernelPlace>(places: readonly Place[], metric: PlaceMetric): Measured<Place>[] {
  const amounts = places.map((place) => valueOf(place, metric));
  const all = amounts.reduce((sum, value) => sum + value, 0);
  const values = isShareOfAll(metric) ? amounts.map((amount) => share(amount, all)) : amounts;
  const most = Math.max(...values, 0);
  return places.map((place, i) => {
    const value = values[i]!;
    const heat = heatOf(place, metric, value, most);
    return { place, value, heat, text: textOf(value, metric) };
  });
}

/** The heat of a place; for memory, the part that would not be if lanes lay as they should. */
function heatOf(place: KernelPlace, metric: PlaceMetric, value: number, most: number): number {
  switch (metric) {
    case 'threads':
      return value > 0 ? (32 - value) / 31 : 0;
    case 'cycles':
    case 'stalls':
      return value;
    case 'sectors':
      return Math.max(0, share(place.sectors - place.idealSectors, place.sectors));
    case 'wavefronts':
    case 'conflicts':
      return share(conflictsOf(place), place.wavefronts);
    default:
      return share(value, most);
  }
}

/** Where the fewest passes are not recorded, one for each request would be. */
const conflictsOf = ({ wavefronts, idealWavefronts }: KernelPlace): number => Math.max(0, wavefronts - idealWavefronts);

/** Cycles in which it issued are not stalled. */
const selected = 'Selected';
const isShareOfAll = (metric: PlaceMetric): boolean => placeMetrics[metric].isShare;
const share = (value: number, of: number): number => (of > 0 ? value / of : 0);

function valueOf(place: KernelPlace, metric: PlaceMetric): number {
  switch (metric) {
    case 'cycles':
      return cyclesOf(place);
    case 'stalls':
      return place.states.reduce((sum, [state, cycles]) => sum + (state === selected ? 0 : cycles), 0);
    case 'executed':
      return place.executed;
    case 'branches':
      return share(place.divergedBranches, place.branches);
    case 'threads':
      return share(place.threads, place.executed);
    case 'sectors':
      return share(place.sectors, place.sectorRequests);
    case 'wavefronts':
      return share(place.wavefronts, place.wavefrontRequests);
    case 'conflicts':
      return share(conflictsOf(place), place.wavefrontRequests);
  }
}

/** The text of a {@link Measured.value}; empty where it says nothing. */
export function textOf(value: number, metric: PlaceMetric): string {
  if (value === 0) return '';
  if (isShareOfAll(metric) || metric === 'branches') return `${(100 * value).toFixed(1)} %`;
  if (metric === 'executed') return formatCount(Math.round(value));
  return value.toFixed(Number.isInteger(value) ? 0 : 2);
}

/** The state that a place's warps were mostly in: `Long Scoreboard 81 %`. */
export function mostly(place: KernelPlace): { state: string; percent: number } | null {
  const all = cyclesOf(place);
  const [most] = place.states.toSorted(([, a], [, b]) => b - a);
  return most && all > 0 ? { state: most[0], percent: (100 * most[1]) / all } : null;
}

/**
 * The same lines of another recording's source, by what stands in them: the same text in a file of the same name, the n-th such line of
 * the one being the n-th of the other. Lines that were changed have none.
 */
export function linesBefore(now: Sources, before: Sources): Map<string, string> {
  const key = (file: string, line: number): string => `${file}:${line}`;
  const known = new Map<string, string>();
  const walk = (sources: Sources, use: (text: string, place: string) => void): void => {
    for (const { path, text } of sources) {
      const seen = new Map<string, number>();
      for (const [index, content] of text.split('\n').entries()) {
        const trimmed = content.trim();
        const nth = (seen.get(trimmed) ?? 0) + 1;
        seen.set(trimmed, nth);
        use(`${path.split('/').at(-1)} ${nth} ${trimmed}`, key(path, index + 1));
      }
    }
  };
  walk(before, (text, place) => known.set(text, place));
  const found = new Map<string, string>();
  walk(now, (text, place) => {
    const old = known.get(text);
    if (old !== undefined) found.set(place, old);
  });
  return found;
}

/** The same instruction of a baseline, by its number here: the n-th of its opcode at the same line; undefined where there is none. */
export function instructionsBefore(view: Coded, baseline: Coded): (index: number) => number | undefined {
  const same = linesBefore(view.sources, baseline.sources);
  const lineOf = ({ file, line }: KernelPlace): string => `${file}:${line}`;
  const there = new Map(nthAtLine(baseline.instructions, lineOf).map((name, i) => [name, i]));
  const names = nthAtLine(view.instructions, (place) => same.get(lineOf(place)) ?? '?');
  return (index) => there.get(names[index] ?? '');
}
type Coded = Pick<KernelView, 'sources' | 'instructions'>;

/** A name for each instruction: its line, its opcode, and which of that opcode at that line it is. */
function nthAtLine(instructions: readonly KernelInstruction[], lineOf: (place: KernelInstruction) => string): string[] {
  const seen = new Map<string, number>();
  return instructions.map((one) => {
    const name = `${lineOf(one)} ${one.opcode}`;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    return `${name} ${nth}`;
  });
}

type KernelInstruction = KernelView['instructions'][number];
type Sources = readonly { path: string; text: string }[];
