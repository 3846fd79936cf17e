/**
 * Which drawn rectangles a search stands out: those whose label matches, and those merged from several events of which one does. That
 * is known as long as all hits are; of more than the engine sends, what a merged rectangle stands for decides.
 */
import type { SearchResult } from '../../../engine/model/event-queries.ts';
import type { Track } from '../../../engine/model/timeline.ts';
import { rootOf } from './event-words.ts';
import type { Emphasis } from './open-trace.svelte.ts';

export function searchEmphasis(name: string, result: SearchResult, tracks: readonly Track[]): Emphasis {
  const names = Map.groupBy(result.names, ({ label }) => label);
  const matches = (label: string, fullName: string): boolean =>
    names.get(label)?.some((each) => each.fullName === fullName) ?? false;
  if (result.hits.length < result.count) return { name, matches };
  // Hits are named by their streams; the row of all kernels of a GPU shows them again.
  const kernelRows = new Map(
    tracks.flatMap((track) => (track.kind === 'kernels' ? [[rootOf(tracks, track.id)?.id, track.id] as const] : [])),
  );
  const starts = new Map<number, number[]>();
  const add = (track: number, startNs: number): void => {
    const list = starts.get(track);
    if (list) list.push(startNs);
    else starts.set(track, [startNs]);
  };
  // In order of time, as they come.
  for (const { ref, track, startNs } of result.hits) {
    add(track, startNs);
    const again = ref.kind === 'kernel' ? kernelRows.get(rootOf(tracks, track)?.id) : undefined;
    if (again !== undefined && again !== track) add(again, startNs);
  }
  return {
    name,
    matches,
    contains(track, from, to) {
      const list = starts.get(track);
      if (!list) return false;
      let [low, high] = [0, list.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle]! < from) low = middle + 1;
        else high = middle;
      }
      return low < list.length && list[low]! <= to;
    },
  };
}
