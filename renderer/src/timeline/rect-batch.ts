/**
 * The rectangles of a frame: what is drawn, hit-tested, labelled and told to tests, as a struct of arrays. Built anew
 * when data, rows, theme or highlights change; panning and zooming only move it (see rect-mesh.ts).
 */
import { drawnKinds, type TrackWindow } from '../../../engine/model/timeline.ts';
import { eventColour, type Colour, type Theme } from './colours.ts';
import { patternOf } from './patterns.ts';
import type { Row } from './row-layout.ts';

export interface RectBatch {
  count: number;
  /** Nanoseconds, cut to the range that the batch was built for. */
  starts: Float64Array;
  ends: Float64Array;
  /** Pixels from the top of the first row. */
  tops: Float32Array;
  bottoms: Float32Array;
  colours: Uint32Array;
  /** Drawn over the colour: see patterns.ts. */
  patterns: Uint8Array;
  /** 1: belongs to what is emphasised, or nothing is. 0: drawn dimmed. */
  emphasised: Uint8Array;
  /** Where a rectangle comes from: `windows[windowOf[i]]`, event `indexOf[i]` in it. */
  windows: TrackWindow[];
  windowOf: Uint16Array;
  indexOf: Uint32Array;
}

export interface BatchRequest {
  rows: readonly Row[];
  /** The data to draw for a track, undefined while there is none. */
  windowOf(track: number): TrackWindow | undefined;
  from: number;
  to: number;
  theme: Theme;
  /** The emphasis by label and full name, and for several events drawn as one by track and time; null: no emphasis. */
  emphasis: {
    matches(label: string, fullName: string): boolean;
    contains?(track: number, fromNs: number, toNs: number): boolean;
  } | null;
  /** Another colour than their own for events of a name; null: their own. */
  tint?: Tint | null;
}
export type Tint = (label: string, fullName: string) => Colour | null;

/** A merged rectangle is never lower than this, however idle its span was: nothing may vanish. */
const leastMergedHeight = 0.22;

export function buildRects(request: BatchRequest): RectBatch {
  const { rows, from, to, theme, emphasis } = request;
  const windows: TrackWindow[] = [];
  const parts: { row: Row; window: TrackWindow }[] = [];
  let capacity = 0;
  for (const row of rows) {
    for (const track of row.sources) {
      const window = request.windowOf(track);
      if (!window || window.count === 0) continue;
      parts.push({ row, window });
      capacity += window.count;
    }
  }
  const batch: RectBatch = {
    count: 0,
    starts: new Float64Array(capacity),
    ends: new Float64Array(capacity),
    tops: new Float32Array(capacity),
    bottoms: new Float32Array(capacity),
    colours: new Uint32Array(capacity),
    patterns: new Uint8Array(capacity),
    emphasised: new Uint8Array(capacity),
    windows,
    windowOf: new Uint16Array(capacity),
    indexOf: new Uint32Array(capacity),
  };
  let at = 0;
  for (const { row, window } of parts) {
    const slot = windows.push(window) - 1;
    const labelEmphasis =
      emphasis && window.labels.map((label, i) => emphasis.matches(label, window.fullNames[i] ?? label));
    const tints = request.tint && window.labels.map((label, i) => request.tint!(label, window.fullNames[i] ?? label));
    const gap = row.laneHeight > 12 && row.lanes > 1 ? 2 : row.lanes > 1 ? 1 : 0;
    for (let i = 0; i < window.count; i++) {
      const start = window.starts[i]!;
      const end = start + window.durations[i]!;
      if (end < from || start > to) continue;
      const labelIndex = window.labelIndex[i]!;
      batch.starts[at] = Math.max(start, from);
      batch.ends[at] = Math.min(end, to);
      const { top, bottom } = window.bases ? columnOf(row, window, i) : laneOf(row, window, i, gap);
      if (window.bases && top === bottom) continue;
      batch.tops[at] = top;
      batch.bottoms[at] = bottom;
      const tint = window.kinds[i]! < drawnKinds.column ? tints?.[labelIndex] : null;
      batch.colours[at] =
        tint ?? eventColour(window.kinds[i]!, window.flavours[i]!, window.labels[labelIndex] ?? '', theme);
      batch.patterns[at] = patternOf(window.kinds[i]!, window.labels[labelIndex] ?? '');
      const stands =
        !labelEmphasis ||
        window.kinds[i]! >= drawnKinds.column ||
        labelEmphasis[labelIndex] ||
        (window.merged[i]! > 1 && emphasis?.contains?.(window.track, start, end));
      batch.emphasised[at] = stands ? 1 : 0;
      batch.windowOf[at] = slot;
      batch.indexOf[at] = i;
      at++;
    }
  }
  batch.count = at;
  return batch;
}

/** The lines of an event: its lane, or several; of merged ones as high as they are busy. */
export function laneOf(row: Row, window: TrackWindow, i: number, gap: number): { top: number; bottom: number } {
  const lane = row.flat ? 0 : Math.min(window.lanes[i]!, row.lanes - 1);
  const span = row.flat ? 1 : Math.min(window.spans?.[i] ?? 1, row.lanes - lane);
  const top = row.top + row.laneTop + lane * row.laneHeight;
  const bottom = top + span * row.laneHeight - gap;
  const share = window.merged[i]! > 1 ? Math.max(leastMergedHeight, Math.min(1, window.busy[i]!)) : 1;
  return { top: Math.round(bottom - (bottom - top) * share), bottom: Math.round(bottom) };
}

/** The lines of a column of a chart; more than the chart's most is cut off. */
function columnOf(row: Row, window: TrackWindow, i: number): { top: number; bottom: number } {
  const height = row.height - 2 * chartPadding;
  const foot = row.top + row.height - chartPadding;
  const lineOf = (share: number): number => Math.round(foot - Math.min(1, share) * height);
  const base = window.bases![i]!;
  const bottom = lineOf(base);
  const top = lineOf(base + window.busy[i]!);
  // The lowest area is seen wherever it is more than nothing.
  return { top: base === 0 ? Math.min(top, bottom - 1) : top, bottom };
}
const chartPadding = 3;

export const emptyBatch: RectBatch = buildRects({
  rows: [],
  windowOf: () => undefined,
  from: 0,
  to: 0,
  theme: 'dark',
  emphasis: null,
});

export function labelOf(batch: RectBatch, index: number): string {
  const window = batch.windows[batch.windowOf[index]!]!;
  return window.labels[window.labelIndex[batch.indexOf[index]!]!] ?? '';
}

export function fullNameOf(batch: RectBatch, index: number): string {
  const window = batch.windows[batch.windowOf[index]!]!;
  return window.fullNames[window.labelIndex[batch.indexOf[index]!]!] ?? labelOf(batch, index);
}

/** True if a rectangle is part of a chart. */
export const isColumn = (batch: RectBatch, index: number): boolean =>
  batch.windows[batch.windowOf[index]!]!.bases !== undefined;

/** Bytes per vertex: start and end as f32 relative to the batch's origin, y as f32, colour as RGB8, pattern and emphasis in one. */
export const vertexBytes = 16;

/**
 * Four vertices per rectangle: top left, top right, bottom right, bottom left. All four know start and end, because the
 * shader widens what is narrower than a pixel. Times are relative to `origin`: f32 has 24 bits, nanoseconds since the
 * start of a trace need more.
 */
export function writeVertices(batch: RectBatch, origin: number): Uint8Array<ArrayBuffer> {
  const bytes = new ArrayBuffer(Math.max(1, batch.count) * 4 * vertexBytes);
  const floats = new Float32Array(bytes);
  const words = new Uint32Array(bytes);
  for (let i = 0; i < batch.count; i++) {
    const start = batch.starts[i]! - origin;
    const end = batch.ends[i]! - origin;
    const rgb = batch.colours[i]!;
    // The shader takes both out of one byte.
    const alpha = (batch.patterns[i]! << 1) | batch.emphasised[i]!;
    const rgba = ((alpha << 24) | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
    for (let corner = 0; corner < 4; corner++) {
      const at = (i * 4 + corner) * 4;
      floats[at] = start;
      floats[at + 1] = end;
      floats[at + 2] = corner < 2 ? batch.tops[i]! : batch.bottoms[i]!;
      words[at + 3] = rgba;
    }
  }
  return new Uint8Array(bytes);
}

/** Position of a rectangle as the shader puts it, in CSS pixels from the left of the plot; for hit-testing, labels and tests. */
export function placeOf(
  start: number,
  end: number,
  window: { start: number; span: number },
  width: number,
  pixelRatio: number,
): { x: number; width: number } {
  const left = Math.round(((start - window.start) / window.span) * width * pixelRatio);
  const right = Math.round(((end - window.start) / window.span) * width * pixelRatio);
  const gap = right - left >= gapFrom * pixelRatio ? 1 : 0;
  return { x: left / pixelRatio, width: Math.max(1, right - left - gap) / pixelRatio };
}
/** Rectangles at least this wide (CSS pixels) end one device pixel early, so that neighbours stay apart. */
export const gapFrom = 3;
