/** The words and colours that tables of events have for one. */
import { eventKinds, type EventKind } from '../../../engine/model/event-kinds/index.ts';
import { flavours, type Track } from '../../../engine/model/timeline.ts';
import { cssColour, eventColour, type Theme } from '../timeline/colours.ts';

/** As on the timeline; the direction of a copy is in its full name, `[CUDA memcpy Host-to-Device]`. */
export function eventSwatch(kind: EventKind, name: string, fullName: string, theme: Theme): string {
  const direction = fullName.toLowerCase();
  const flavour = kind === 'memcpy' ? flavours.findIndex((each) => direction.includes(each)) : 0;
  return cssColour(eventColour(eventKinds.indexOf(kind), Math.max(0, flavour), name, theme));
}

/** The process or GPU that a row belongs to: the row at the top above it. */
export function rootOf(tracks: readonly Track[], id: number): Track | undefined {
  let track = tracks[id];
  while (track && track.parent !== null) track = tracks[track.parent];
  return track;
}

/** Exactly this name, as a search: `/^void add\(int\)$/`. */
export function exactly(name: string): string {
  return `/^${name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/`;
}
