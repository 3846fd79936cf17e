/** Which rectangles get their name written on them, where, and how much of it. */
import { isColumn, labelOf, placeOf, type RectBatch } from './rect-batch.ts';
import type { TimeWindow } from './time-window.ts';

export interface Label {
  index: number;
  text: string;
  x: number;
  top: number;
  bottom: number;
}
export interface LabelRequest {
  batch: RectBatch;
  window: TimeWindow;
  width: number;
  pixelRatio: number;
  /** Visible part, pixels from the top of the first row. */
  top: number;
  bottom: number;
  /** Advance of a character, CSS pixels. */
  advance(character: string): number;
}

/** More than this many make software-rendered frames slow and tell nobody anything. */
export const maxLabels = 300;
export const minLabelWidth = 40;
const padding = 4;
const leastHeight = 11;
const leastCharacters = 5;

/** The widest rectangles first. A label sticks to the window's left edge while its rectangle reaches in from there. */
export function chooseLabels(request: LabelRequest): Label[] {
  const { batch, window, width, pixelRatio } = request;
  const end = window.start + window.span;
  const leastNs = (minLabelWidth / width) * window.span;
  const found: { index: number; x: number; room: number }[] = [];
  for (let i = 0; i < batch.count; i++) {
    const start = batch.starts[i]!;
    const stop = batch.ends[i]!;
    // Cheap tests first: almost all rectangles of a busy frame are too short.
    if (stop - start < leastNs || stop < window.start || start > end || isColumn(batch, i)) continue;
    const height = batch.bottoms[i]! - batch.tops[i]!;
    if (height < leastHeight || batch.bottoms[i]! < request.top || batch.tops[i]! > request.bottom) continue;
    const place = placeOf(start, stop, window, width, pixelRatio);
    const left = Math.max(place.x, 0);
    const room = Math.min(place.x + place.width, width) - left;
    if (room >= minLabelWidth) found.push({ index: i, x: left + padding, room: room - 2 * padding });
  }
  if (found.length > maxLabels) {
    found.sort((a, b) => b.room - a.room);
    found.length = maxLabels;
  }
  const labels: Label[] = [];
  for (const { index, x, room } of found) {
    const text = cropText(labelOf(batch, index), room, request.advance);
    if (text) labels.push({ index, text, x, top: batch.tops[index]!, bottom: batch.bottoms[index]! });
  }
  return labels;
}

/** As much of `text` as fits, with an ellipsis; empty when that would be too little to mean anything. */
export function cropText(text: string, room: number, advance: (character: string) => number): string {
  const ellipsis = advance('…');
  let used = 0;
  /** Characters that fit together with an ellipsis. */
  let fitting = 0;
  for (let i = 0; i < text.length; i++) {
    used += advance(text[i]!);
    if (used + ellipsis <= room) fitting = i + 1;
    if (used > room) return fitting >= leastCharacters ? `${text.slice(0, fitting)}…` : '';
  }
  return text;
}
