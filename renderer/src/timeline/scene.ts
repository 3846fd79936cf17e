/**
 * One trace's drawing area: what is drawn where, on one of the surfaces of surface.ts. Draws when told to, never on its own: an idle
 * timeline costs nothing. Knows rows, rectangles and times, nothing of CUDA.
 */
import { drawnKinds, type EventRef, type TrackWindow } from '../../../engine/model/timeline.ts';
import { eventKinds } from '../../../engine/model/event-kinds/index.ts';
import { createSurface } from './create-surface.ts';
import { canvasColours, cssColour, labelColour, type Colour, type Theme } from './colours.ts';
import { hitTest } from './hit-test.ts';
import { chooseLabels, type Label } from './label-choice.ts';
import { seamless } from './patterns.ts';
import {
  buildRects,
  emptyBatch,
  fullNameOf,
  labelOf,
  laneOf as linesOf,
  placeOf,
  type RectBatch,
  type Tint,
} from './rect-batch.ts';
import { rowIndexAt, visibleRows, type Row, type RowLayout } from './row-layout.ts';
import type { DrawnBy, Fill, Frame, Mark, Surface } from './surface.ts';
import { timeAt, xOf, type TimeWindow } from './time-window.ts';

export interface SceneInput {
  layout: RowLayout;
  window: TimeWindow;
  width: number;
  height: number;
  scrollTop: number;
  durationNs: number;
  theme: Theme;
  /** Vertical lines. */
  gridTimes: readonly number[];
  windowOf(track: number): TrackWindow | undefined;
  /** Changes when `windowOf` gives newer data. */
  dataVersion: number;
  emphasis: Emphasis | null;
  /** The selected event first, then those correlated with it. */
  marked: readonly MarkedEvent[];
  hovered: Picked | null;
  tint: Tint | null;
  /** The events of another trace on the same rows, drawn behind. */
  ghost: Ghost | null;
}
export interface Ghost {
  /** In its own time, as wide as the scene. */
  window: TimeWindow;
  /** The window of the row that belongs to one of this trace's. */
  windowOf(track: number): TrackWindow | undefined;
}
/** The emphasised events; all else is dimmed. */
export interface Emphasis {
  matches(label: string, fullName: string): boolean;
  /** True if any of several events drawn as one belongs to it. */
  contains?(track: number, fromNs: number, toNs: number): boolean;
}
export interface MarkedEvent {
  ref: EventRef;
  track: number;
  startNs: number;
  durationNs: number;
}

/** The thing under the pointer. */
export interface Picked {
  /** The kernel that blocks and warps belong to; null for columns of a chart. */
  ref: EventRef | null;
  /** As in a window: an event's, or one of `drawnKinds`. */
  kind: number;
  /** The share of the chart's height that a column has. */
  share: number | null;
  track: number;
  label: string;
  /** Full name, where `label` is a short one. */
  fullName: string;
  startNs: number;
  durationNs: number;
  merged: number;
  busy: number;
  correlation: number;
  /** Index into the engine's `flavours`. */
  flavour: number;
}

/** An event that can be selected, or what belongs to one. */
export type PickedEvent = Picked & { ref: EventRef };

/** From cause to effect, x and y in turn: a line, and the triangle at its end. */
export interface Arrow {
  line: number[];
  head: number[];
}

/** A drawn rectangle as tests see it, in CSS pixels of the page. */
export interface SceneRect {
  track: string;
  trackId: number;
  row: number;
  kind: string;
  label: string;
  x: number;
  y: number;
  width: number;
  height: number;
  colour: string;
  merged: number;
  highlighted: boolean;
  /** Belongs to what is emphasised, or nothing is. */
  emphasised: boolean;
  startNs: number;
  durationNs: number;
}

/** The picture on screen, to be drawn by other means: CSS pixels from the drawing area's corner. */
export interface ScenePicture {
  width: number;
  height: number;
  rows: { top: number; height: number; expandable: boolean }[];
  /** `pattern` as in a batch. */
  rects: { x: number; y: number; width: number; height: number; colour: Colour; pattern: number; dimmed: boolean }[];
  labels: { text: string; x: number; y: number; colour: Colour }[];
  /** Around the selected event and what is correlated with it. */
  outlines: { x: number; y: number; width: number; height: number }[];
  /** From causes to effects. */
  arrows: Arrow[];
}

/** On a dimmed rectangle, which is little more than the background of either theme. */
const dimmedText = 0x7d8794;

export class TimelineScene {
  readonly #surface: Surface;
  #batch: RectBatch = emptyBatch;
  #input: SceneInput | null = null;
  #pixelRatio: number;
  /** The input that the batch was built for. */
  #built: { input: SceneInput; from: number; to: number; top: number; bottom: number } | null = null;

  private constructor(surface: Surface, pixelRatio: number) {
    this.#surface = surface;
    this.#pixelRatio = pixelRatio;
  }

  static async create(
    host: HTMLElement,
    fontFamily: string,
    pixelRatio: number,
    drawnBy: DrawnBy,
  ): Promise<TimelineScene> {
    return new TimelineScene(await createSurface(host, { fontFamily, pixelRatio }, drawnBy), pixelRatio);
  }

  get canvas(): HTMLCanvasElement {
    return this.#surface.canvas;
  }

  draw(input: SceneInput): void {
    this.#input = input;
    this.#pixelRatio = window.devicePixelRatio || 1;
    if (this.#outdated(input)) this.#rebuild(input);
    const frame: Frame = {
      ...input,
      background: canvasColours[input.theme].background,
      pixelRatio: this.#pixelRatio,
      fills: [...fillsOf(input), ...ghostsOf(input)],
      texts: this.#chooseLabels(input).map(({ index, text, x, top, bottom }) => ({
        ...{ text, x, middle: (top + bottom) / 2 - input.scrollTop },
        colour: this.#labelColour(index),
      })),
      marks: this.#marksOf(input),
    };
    this.#surface.draw(frame);
  }

  #labelColour(index: number): Colour {
    return this.#batch.emphasised[index] === 1 ? labelColour(this.#batch.colours[index]!) : dimmedText;
  }

  #chooseLabels(input: SceneInput): Label[] {
    return chooseLabels({
      batch: this.#batch,
      window: input.window,
      width: input.width,
      pixelRatio: this.#pixelRatio,
      top: input.scrollTop,
      bottom: input.scrollTop + input.height,
      advance: (character) => this.#surface.advance(character),
    });
  }

  #outdated(input: SceneInput): boolean {
    const built = this.#built;
    if (!built) return true;
    const end = input.window.start + input.window.span;
    const zoom = input.window.span / built.input.window.span;
    return (
      built.input.dataVersion !== input.dataVersion ||
      built.input.layout !== input.layout ||
      built.input.theme !== input.theme ||
      built.input.emphasis !== input.emphasis ||
      built.input.tint !== input.tint ||
      input.window.start < built.from ||
      end > built.to ||
      zoom < 0.4 ||
      input.scrollTop < built.top ||
      input.scrollTop + input.height > built.bottom
    );
  }

  /** Half a window more on both sides, and a screen of rows above and below. */
  #rebuild(input: SceneInput): void {
    const { window, scrollTop, height } = input;
    const from = window.start - window.span / 2;
    const to = window.start + window.span * 1.5;
    const top = scrollTop - height;
    const bottom = scrollTop + height * 2;
    this.#batch = buildRects({
      rows: visibleRows(input.layout.rows, top, bottom),
      windowOf: input.windowOf,
      from,
      to,
      theme: input.theme,
      emphasis: input.emphasis,
      tint: input.tint,
    });
    this.#surface.load(this.#batch, window.start);
    this.#built = { input, from, to, top, bottom };
  }

  #marksOf(input: SceneInput): Mark[] {
    const marks: Mark[] = [];
    const { accent } = canvasColours[input.theme];
    const { hovered } = input;
    const hoveredAt = hovered?.ref
      ? this.#indicesOf(hovered.ref, hovered.kind).find(
          (index) => this.#trackOf(index) === hovered.track && this.#picked(index).startNs === hovered.startNs,
        )
      : undefined;
    if (hoveredAt !== undefined) {
      const colour = input.theme === 'dark' ? 0xffffff : 0x000000;
      marks.push(outline(this.#placeOf(hoveredAt, input), 0.5, { colour, lineWidth: 1, alpha: 0.75 }));
    }
    const places = input.marked.map((event) => this.#placeOfEvent(event, input));
    for (const [i, place] of places.entries()) {
      if (!place) continue;
      // On whole pixels: from two outside of the rectangle to one inside, or to its edge.
      const stroke = { colour: accent, lineWidth: i === 0 ? 3 : 2, alpha: 1 };
      const by = i === 0 ? 0.5 : 1;
      marks.push(outline(place, by, stroke));
      // Also on the other rows that show it, such as that of all kernels.
      const { ref, track } = input.marked[i]!;
      for (const index of this.#indicesOf(ref)) {
        if (this.#trackOf(index) !== track)
          marks.push(outline({ ...place, ...this.#linesOf(index, input) }, by, stroke));
      }
    }
    for (const { line, head } of this.#arrowsOf(input)) {
      marks.push(
        { shape: 'line', closed: false, lineWidth: 1, alpha: 0.9, colour: accent, points: line },
        { shape: 'area', colour: accent, points: head },
      );
    }
    return marks;
  }

  /** Between the selected event and those correlated with it. */
  #arrowsOf(input: SceneInput): Arrow[] {
    const [from, ...others] = input.marked.map((event) => this.#placeOfEvent(event, input));
    if (!from) return [];
    return others.flatMap((other, i) => {
      if (!other) return [];
      // Time runs from cause to effect: the API call began before what it started.
      const [a, b] = input.marked[0]!.startNs <= input.marked[i + 1]!.startNs ? [from, other] : [other, from];
      return arrow(a, b) ?? [];
    });
  }

  #placeOf(index: number, input: SceneInput): Place {
    const batch = this.#batch;
    const across = placeOf(batch.starts[index]!, batch.ends[index]!, input.window, input.width, this.#pixelRatio);
    return { ...across, ...this.#linesOf(index, input) };
  }

  #linesOf(index: number, input: SceneInput): { y: number; height: number } {
    const top = this.#batch.tops[index]!;
    return { y: top - input.scrollTop, height: this.#batch.bottoms[index]! - top };
  }

  #trackOf(index: number): number {
    return this.#batch.windows[this.#batch.windowOf[index]!]!.track;
  }

  /** The place of an event that may be merged into another, or outside of the window: by its own times, in its row. */
  #placeOfEvent(event: MarkedEvent, input: SceneInput): Place | null {
    const row = input.layout.rowOfTrack.get(event.track);
    if (!row) return null;
    const across = placeOf(
      event.startNs,
      event.startNs + event.durationNs,
      input.window,
      input.width,
      this.#pixelRatio,
    );
    // Far outside, floats lose their exactness and strokes their ends.
    const left = Math.max(-50, Math.min(across.x, input.width + 50));
    const right = Math.min(input.width + 50, Math.max(across.x + across.width, left + 1));
    const index = this.#indicesOf(event.ref).find((each) => this.#trackOf(each) === event.track);
    const lines = index === undefined ? laneOf(row, input.scrollTop) : this.#linesOf(index, input);
    return { ...lines, x: left, width: right - left };
  }

  /** Where an event is drawn by itself, or names what it was merged into. */
  #indicesOf(ref: EventRef, kind = eventKinds.indexOf(ref.kind)): number[] {
    const batch = this.#batch;
    const found: number[] = [];
    for (let i = 0; i < batch.count; i++) {
      const window = batch.windows[batch.windowOf[i]!]!;
      const at = batch.indexOf[i]!;
      if (window.rows[at] === ref.row && window.kinds[at] === kind) found.push(i);
    }
    return found;
  }

  /** `x`, `y`: CSS pixels from the drawing area's corner. */
  pick(x: number, y: number): Picked | null {
    const input = this.#input;
    if (!input) return null;
    const tolerance = (2.5 / input.width) * input.window.span;
    const contentY = y + input.scrollTop;
    if (rowIndexAt(input.layout.rows, contentY) < 0) return null;
    const index = hitTest(this.#batch, timeAt(input.window, input.width, x), contentY, tolerance);
    return index < 0 ? null : this.#picked(index);
  }

  #picked(index: number): Picked {
    const batch = this.#batch;
    const window = batch.windows[batch.windowOf[index]!]!;
    const at = batch.indexOf[index]!;
    const kind = window.kinds[at]!;
    return {
      ref: kind === drawnKinds.column ? null : { kind: eventKinds[kind] ?? 'kernel', row: window.rows[at]! },
      kind,
      share: window.bases ? window.busy[at]! : null,
      track: window.track,
      label: labelOf(batch, index),
      fullName: fullNameOf(batch, index),
      startNs: window.starts[at]!,
      durationNs: window.durations[at]!,
      merged: window.merged[at]!,
      busy: window.busy[at]!,
      correlation: window.correlations[at]!,
      flavour: window.flavours[at]!,
    };
  }

  /** For tests: everything that can be seen, as drawn last. */
  rects(): SceneRect[] {
    const input = this.#input;
    if (!input) return [];
    const titles = new Map(input.layout.rows.map((row) => [row.track.id, row.track.title]));
    const area = this.canvas.getBoundingClientRect();
    const marked = new Set(input.marked.map(({ ref }) => `${ref.kind}:${ref.row}`));
    const result: SceneRect[] = [];
    for (let i = 0; i < this.#batch.count; i++) {
      const place = this.#placeOf(i, input);
      if (place.x + place.width < 0 || place.x > input.width || place.y + place.height < 0 || place.y > input.height)
        continue;
      const event = this.#picked(i);
      const left = Math.max(0, place.x);
      result.push({
        track: titles.get(event.track) ?? '',
        trackId: event.track,
        row: event.ref?.row ?? 0,
        kind: nameOfKind(event.kind),
        label: event.label,
        x: area.left + left,
        y: area.top + place.y,
        width: Math.min(place.x + place.width, input.width) - left,
        height: place.height,
        colour: cssColour(this.#batch.colours[i]!),
        merged: event.merged,
        highlighted: event.ref !== null && marked.has(`${event.ref.kind}:${event.ref.row}`),
        emphasised: this.#batch.emphasised[i] === 1,
        startNs: event.startNs,
        durationNs: event.durationNs,
      });
    }
    return result;
  }

  /** For tests: what another trace has on these rows, in CSS pixels of the page. */
  ghosts(): { x: number; y: number; width: number; height: number }[] {
    if (!this.#input) return [];
    const area = this.canvas.getBoundingClientRect();
    return ghostsOf(this.#input).map(({ x, y, width, height }) => ({
      x: area.left + x,
      y: area.top + y,
      width,
      height,
    }));
  }

  /** For tests: the corners of each arrow, from the cause to the effect. */
  arrows(): { x: number; y: number }[][] {
    if (!this.#input) return [];
    const area = this.canvas.getBoundingClientRect();
    return this.#arrowsOf(this.#input).map(({ line }) =>
      line.flatMap((x, i) => (i % 2 === 0 ? [{ x: area.left + x, y: area.top + line[i + 1]! }] : [])),
    );
  }

  /** As drawn last; null before anything was. */
  picture(): ScenePicture | null {
    const input = this.#input;
    if (!input) return null;
    const { width, height, scrollTop, layout } = input;
    const batch = this.#batch;
    const isSeen = ({ x, y, width: w, height: h }: Place): boolean => x + w > 0 && x < width && y + h > 0 && y < height;
    const rects: ScenePicture['rects'] = [];
    for (let i = 0; i < batch.count; i++) {
      const place = this.#placeOf(i, input);
      if (!isSeen(place)) continue;
      const x = Math.max(0, place.x);
      // Columns of a chart are not kept apart.
      const gap = batch.patterns[i]! >= seamless && place.width > 1 ? 1 / this.#pixelRatio : 0;
      rects.push({
        ...{ x, y: place.y, width: Math.min(place.x + place.width + gap, width) - x, height: place.height },
        ...{ colour: batch.colours[i]!, pattern: batch.patterns[i]!, dimmed: batch.emphasised[i] !== 1 },
      });
    }
    return {
      ...{ width, height, rects },
      rows: visibleRows(layout.rows, scrollTop, scrollTop + height).map((row) => ({
        ...{ top: row.top - scrollTop, height: row.height, expandable: row.expandable },
      })),
      labels: this.#chooseLabels(input).map(({ index, text, x, top, bottom }) => ({
        ...{ text, x, y: (top + bottom) / 2 - scrollTop, colour: this.#labelColour(index) },
      })),
      outlines: input.marked
        .map((event) => this.#placeOfEvent(event, input))
        .filter((place): place is Place => place !== null && isSeen(place)),
      arrows: this.#arrowsOf(input),
    };
  }

  destroy(): void {
    this.#surface.destroy();
  }
}

const drawnNames = new Map<number, string>(Object.entries(drawnKinds).map(([name, kind]) => [kind, name]));
const nameOfKind = (kind: number): string => eventKinds[kind] ?? drawnNames.get(kind) ?? '';

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

function laneOf(row: Row, scrollTop: number): { y: number; height: number } {
  return { y: row.top + row.laneTop - scrollTop, height: row.laneHeight };
}

/** Rows of groups, lines between rows, the grid, and shade where there is no trace. */
function fillsOf(input: SceneInput): Fill[] {
  const { layout, theme, width, height, scrollTop } = input;
  const colours = canvasColours[theme];
  const fills: Fill[] = [];
  for (const row of visibleRows(layout.rows, scrollTop, scrollTop + height)) {
    const y = row.top - scrollTop;
    if (row.expandable) fills.push({ x: 0, y, width, height: row.height, colour: colours.groupRow, alpha: 1 });
    fills.push({ x: 0, y: y + row.height - 1, width, height: 1, colour: colours.line, alpha: 1 });
  }
  for (const time of input.gridTimes) {
    const x = Math.round(xOf(input.window, width, time));
    fills.push({ x, y: 0, width: 1, height, colour: colours.line, alpha: 0.65 });
  }
  const shade = { y: 0, height, colour: colours.line, alpha: 0.35 };
  const left = xOf(input.window, width, 0);
  const right = xOf(input.window, width, input.durationNs);
  if (left > 0) fills.push({ ...shade, x: 0, width: left });
  if (right < width) fills.push({ ...shade, x: right, width: width - right });
  return fills;
}

/** A little higher than what it is the ghost of, so that it is seen behind it as well. */
const ghostRim = 2;
const ghostAlpha = 0.38;

function ghostsOf({ ghost, layout, theme, width, height, scrollTop }: SceneInput): Fill[] {
  if (!ghost) return [];
  const fills: Fill[] = [];
  const colour = canvasColours[theme].ghost;
  for (const row of visibleRows(layout.rows, scrollTop, scrollTop + height)) {
    for (const track of row.sources) {
      const window = ghost.windowOf(track);
      // Charts of two traces over each other cannot be told apart.
      if (!window || window.bases) continue;
      let last = -1;
      for (let i = 0; i < window.count; i++) {
        const left = Math.max(0, xOf(ghost.window, width, window.starts[i]!));
        const right = Math.min(width, xOf(ghost.window, width, window.starts[i]! + window.durations[i]!));
        // A rectangle narrower than a pixel is seen once.
        if (right < 0 || left > width || (right - left < 1 && Math.floor(left) === last)) continue;
        last = Math.floor(left);
        const { top, bottom } = linesOf(row, window, i, 0);
        const [y, size] = [top - scrollTop - ghostRim, bottom - top + 2 * ghostRim];
        fills.push({ x: left, y, width: Math.max(1, right - left), height: size, colour, alpha: ghostAlpha });
      }
    }
  }
  return fills;
}

function outline(
  { x, y, width, height }: Place,
  by: number,
  stroke: { colour: number; lineWidth: number; alpha: number },
): Mark {
  const [left, top, right, bottom] = [x - by, y - by, x + width + by, y + height + by];
  return { shape: 'line', closed: true, points: [left, top, right, top, right, bottom, left, bottom], ...stroke };
}

/** An elbow that runs in the gap above (or below) the effect's lane, so that it crosses out no label there. */
function arrow(cause: Place, effect: Place): Arrow | null {
  if (Math.abs(cause.y - effect.y) < 2) return null;
  const down = effect.y > cause.y;
  const towards = down ? 1 : -1;
  const inside = (place: Place): number => Math.round(place.x + Math.min(place.width / 2, 8)) + 0.5;
  const from = { x: inside(cause), y: down ? cause.y + cause.height + 1 : cause.y - 1 };
  const tip = { x: inside(effect), y: down ? effect.y - 1 : effect.y + effect.height + 1 };
  const gap = Math.round(tip.y - towards * 5) + towards * 0.5;
  const base = tip.y - towards * 5;
  return {
    line: [from.x, from.y, from.x, gap, tip.x, gap, tip.x, tip.y],
    head: [tip.x, tip.y + towards, tip.x - 4, base, tip.x + 4, base],
  };
}
