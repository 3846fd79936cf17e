/** What lines and machine instructions of a kernel can be coloured by: values, words for them, and which is the worst. */
import type { KernelPlace } from '../../../engine/api/types.ts';
import { formatCount } from '../format.ts';

export const placeMetrics = {
  cycles: { title: 'Warp cycles', hint: 'Share of all the time that warps spent, waiting or not' },
  executed: { title: 'Instructions executed', hint: 'Warp instructions of the whole grid' },
  threads: { title: 'Threads per instruction', hint: 'Of 32: fewer where branches diverge' },
  sectors: { title: 'Sectors per request', hint: 'Sectors of 32 bytes that one access of a warp touches' },
  wavefronts: {
    title: 'Wavefronts per request',
    hint: 'Passes of shared memory for one access of a warp: more than 1 where banks conflict',
  },
} as const;
export type PlaceMetric = keyof typeof placeMetrics;

export interface Measured<Place extends KernelPlace> {
  place: Place;
  /** Of the metric; 0 where it says nothing. */
  value: number;
  /** Of the worst, from 0 to 1. */
  heat: number;
  text: string;
}

export const cyclesOf = ({ states }: KernelPlace): number => states.reduce((sum, [, cycles]) => sum + cycles, 0);

/** Each place with its value of a metric; for `threads` few are worse than many. */
export function placesOf<Place extends KernelPlace>(places: readonly Place[], metric: PlaceMetric): Measured<Place>[] {
  const all = places.reduce((sum, place) => sum + cyclesOf(place), 0);
  const values = places.map((place) => valueOf(place, metric));
  const most = Math.max(...values, 0);
  return places.map((place, i) => {
    const value = values[i]!;
    const heat =
      metric === 'threads'
        ? value > 0
          ? (32 - value) / 31
          : 0
        : metric === 'cycles'
          ? share(value, all)
          : share(value, most);
    return { place, value, heat, text: textOf(value, metric, all) };
  });
}

const share = (value: number, of: number): number => (of > 0 ? value / of : 0);

function valueOf(place: KernelPlace, metric: PlaceMetric): number {
  switch (metric) {
    case 'cycles':
      return cyclesOf(place);
    case 'executed':
      return place.executed;
    case 'threads':
      return share(place.threads, place.executed);
    case 'sectors':
      return share(place.sectors, place.sectorRequests);
    case 'wavefronts':
      return share(place.wavefronts, place.wavefrontRequests);
  }
}

function textOf(value: number, metric: PlaceMetric, all: number): string {
  if (value === 0) return '';
  if (metric === 'cycles') return `${(100 * share(value, all)).toFixed(1)} %`;
  if (metric === 'executed') return formatCount(Math.round(value));
  return value.toFixed(Number.isInteger(value) ? 0 : 2);
}

/** What a place's warps mostly did: `Long Scoreboard 81 %`. */
export function mostly(place: KernelPlace): { state: string; percent: number } | null {
  const all = cyclesOf(place);
  const [most] = place.states.toSorted(([, a], [, b]) => b - a);
  return most && all > 0 ? { state: most[0], percent: (100 * most[1]) / all } : null;
}
