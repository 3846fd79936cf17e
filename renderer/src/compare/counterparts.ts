/** Which row of one trace is which of another: where both are in rows that belong together, by kind and title, else by their order. */
import type { Track } from '../../../engine/model/timeline.ts';

/** Ids of `other`'s tracks by those of `own`. */
export function counterparts(own: readonly Track[], other: readonly Track[]): Map<number, number> {
  const found = new Map<number, number>();
  const below = (tracks: readonly Track[]): Map<number | null, Track[]> => Map.groupBy(tracks, ({ parent }) => parent);
  const [ownBelow, otherBelow] = [below(own), below(other)];
  const pair = (a: number | null, b: number | null): void => {
    const left = [...(otherBelow.get(b) ?? [])];
    const take = (fits: (track: Track) => boolean): Track | undefined => {
      const at = left.findIndex(fits);
      return at < 0 ? undefined : left.splice(at, 1)[0];
    };
    const mine = ownBelow.get(a) ?? [];
    const equal = mine.map((track) => take(({ kind, title }) => kind === track.kind && title === track.title));
    mine.forEach((track, i) => {
      const match = equal[i] ?? take(({ kind }) => kind === track.kind);
      if (!match) return;
      found.set(track.id, match.id);
      pair(track.id, match.id);
    });
  };
  pair(null, null);
  return found;
}
