/** The whole recording at a glance: what threads called, and what each stream of each GPU did, over time. */
import { eventKinds, kindOf } from '../../model/event-kinds/index.ts';
import { failedFlavour, type Track, type TrackWindow } from '../../model/timeline.ts';
import type { SelectionSummary } from '../../model/event-queries.ts';
import { formatTime } from '../../model/format.ts';
import type { Trace } from '../../trace/trace.ts';
import type { Picture } from './document.ts';
import { Drawing, roundStep, widthOf } from './drawing.ts';
import { shortened } from './text.ts';

const size = { width: 1080, names: 190, right: 14, ruler: 24, gap: 5, header: 20 } as const;
const plotWidth = size.width - size.names - size.right;
const mostRows = 20;
const mostLanes = 6;
const kernelColours = 8;
const shownKinds: ReadonlySet<Track['kind']> = new Set(['thread', 'stream', 'graph-nodes', 'unified-memory']);

/** null where nothing happens. `groups`: sums of the whole recording, which say what kernels get the colours. */
export function timelinePicture(
  trace: Trace,
  groups: SelectionSummary['groups'],
  { fromNs, toNs }: { fromNs: number; toNs: number },
): { picture: Picture; rowsLeftOut: number } | null {
  const { tracks } = trace.info;
  if (!(toNs > fromNs)) return null;
  const resolution = (toNs - fromNs) / plotWidth;
  const candidates = tracks.filter(({ kind, eventCount }) => shownKinds.has(kind) && eventCount > 0);
  const rows = amongBusiest(candidates)
    .map((track) => ({ track, window: trace.window([track.id], fromNs, toNs, resolution)[0]! }))
    // The waits of streams show in what they do.
    .filter(({ window }) => window.kinds.some((kind) => eventKinds[kind] !== 'synchronization'));
  if (rows.length === 0) return null;
  const shown = busiest(rows);
  const colours = new Colours(groups);
  const drawing = new Drawing(size.width, 0);
  const x = (time: number): number => size.names + ((time - fromNs) / (toNs - fromNs)) * plotWidth;

  const places = placed(shown, tracks);
  const bottom = places.at(-1)!.y + places.at(-1)!.height + size.gap;
  const step = roundStep(((toNs - fromNs) / plotWidth) * 100);
  for (let time = Math.ceil(fromNs / step) * step; time <= toNs; time += step) {
    drawing.line(x(time), size.ruler - 6, x(time), bottom, 'grid');
    if (x(time) < size.width - 50) drawing.text(x(time) + 4, size.ruler - 9, formatTime(time), 'quiet small');
  }
  for (const place of places) {
    if (place.type === 'header') drawHeader(drawing, place, fromNs === 0);
    else drawRow(drawing, place, x, colours);
  }
  drawing.line(size.names, size.ruler, size.names, bottom, 'axis');
  drawing.height = colours.drawLegend(drawing, bottom + 14);
  const picture = drawing.picture('timeline', 'Timeline of the recording');
  const notLookedAt = Math.max(0, candidates.length - mostLookedAt);
  return { picture, rowsLeftOut: rows.length - shown.length + notLookedAt };
}

/** The most rows with events that are looked at: a file can have hundreds of thousands of streams, all unpacked to draw a few. */
const mostLookedAt = 2000;

function amongBusiest(tracks: readonly Track[]): readonly Track[] {
  if (tracks.length <= mostLookedAt) return tracks;
  const kept = new Set([...tracks].sort((a, b) => b.busy - a.busy).slice(0, mostLookedAt));
  return tracks.filter((track) => kept.has(track));
}

interface ShownRow {
  track: Track;
  window: TrackWindow;
}
type Place =
  | { type: 'header'; y: number; height: number; track: Track }
  | (ShownRow & { type: 'row'; y: number; height: number; laneHeight: number });

/** Busiest rows, in the order of the timeline. */
function busiest(rows: readonly ShownRow[]): ShownRow[] {
  const kept = new Set([...rows].sort((a, b) => b.track.busy - a.track.busy).slice(0, mostRows));
  return rows.filter((row) => kept.has(row));
}

/** Rows below the names of their process or GPU. */
function placed(rows: readonly ShownRow[], tracks: readonly Track[]): Place[] {
  const places: Place[] = [];
  let y: number = size.ruler;
  let above: Track | null = null;
  for (const { track, window } of rows) {
    const root = rootOf(track, tracks);
    if (root !== above) {
      places.push({ type: 'header', y, height: size.header, track: root });
      y += size.header + size.gap;
      above = root;
    }
    const lanes = lanesOf(track);
    const laneHeight = lanes === 1 ? 18 : lanes <= 3 ? 12 : 7;
    places.push({ type: 'row', y, height: lanes * laneHeight, laneHeight, track, window });
    y += lanes * laneHeight + size.gap;
  }
  return places;
}
const lanesOf = ({ lanes }: Track): number => Math.max(1, Math.min(lanes, mostLanes));

function rootOf(track: Track, tracks: readonly Track[]): Track {
  let at = track;
  while (at.parent !== null) at = tracks[at.parent]!;
  return at;
}

/** How busy a GPU is counts from the start of the recording: that is not said of a part. */
function drawHeader(drawing: Drawing, { y, track }: { y: number; track: Track }, isWhole: boolean): void {
  drawing.rect(0, y, size.width, size.header, 'panel');
  drawing.text(8, y + 14, shortened(track.title, 70), 'bold');
  const isTrue = isWhole || track.kind !== 'gpu';
  if (isTrue) drawing.text(size.width - size.right, y + 14, shortened(track.subtitle, 60), 'quiet end');
}

/** An event shorter than a pixel is as high as its share of that time. */
function drawRow(
  drawing: Drawing,
  { y, height, laneHeight, track, window }: Extract<Place, { type: 'row' }>,
  x: (time: number) => number,
  colours: Colours,
): void {
  drawing.text(20, y + height / 2 + 4, shortened(track.title, 25));
  const rects = new Map<string, [x: number, y: number, width: number, height: number][]>();
  const labels: (() => void)[] = [];
  for (let i = 0; i < window.count; i++) {
    const lane = window.lanes[i]!;
    if (lane >= mostLanes) continue;
    const label = window.labels[window.labelIndex[i]!]!;
    const colour = colours.of(window.kinds[i]!, window.flavours[i]!, label);
    const start = window.starts[i]!;
    const [left, right] = [x(start), x(start + window.durations[i]!)];
    const whole = window.merged[i]! <= 1;
    const high = (laneHeight - 1) * (whole ? 1 : Math.max(0.15, window.busy[i]!));
    const bottom = y + (lane + 1) * laneHeight - 1;
    const width = Math.max(right - left, 0.6);
    const list = rects.get(colour) ?? [];
    rects.set(colour, list);
    list.push([left, bottom - high, width, high]);
    if (whole && laneHeight >= 12 && widthOf(label) + 8 < width) {
      const at = bottom - laneHeight / 2 + 3.5;
      labels.push(() => drawing.text(left + 4, at, label, 'on small'));
    }
  }
  for (const [colour, list] of rects) for (const rect of list) drawing.rect(...rect, colour);
  for (const draw of labels) draw();
}

/** The kernels with the most time have a colour of their own. Remembers what was used, for the legend. */
class Colours {
  private readonly kernels: Map<string, string>;
  private readonly used = new Map<string, string>();

  constructor(groups: SelectionSummary['groups']) {
    const names = groups.filter(({ kind }) => kind === 'kernel').map(({ name }) => name);
    this.kernels = new Map([...new Set(names)].slice(0, kernelColours).map((name, i) => [name, `k${i}`]));
  }

  of(kind: number, flavour: number, label: string): string {
    const [colour, meaning] = this.meaningOf(kind, flavour, label);
    this.used.set(colour, meaning);
    return colour;
  }

  private meaningOf(kind: number, flavour: number, label: string): readonly [colour: string, meaning: string] {
    if (flavour === failedFlavour) return ['failed', 'failed'];
    const shown = kindOf[eventKinds[kind] ?? 'api'].picture(label, flavour);
    if (shown) return shown;
    const own = this.kernels.get(label);
    return own === undefined ? ['other', 'other kernels'] : [own, label];
  }

  /** Kernels first, by their time; gives the height of the picture. */
  drawLegend(drawing: Drawing, top: number): number {
    const order = (colour: string): number => (/^k\d$/.test(colour) ? Number(colour[1]) : kernelColours);
    let [x, y] = [size.names, top];
    for (const [colour, meaning] of [...this.used].sort(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1))) {
      const text = shortened(meaning, 44);
      const width = 16 + widthOf(text) + 16;
      if (x + width > size.width && x > size.names) [x, y] = [size.names, y + 17];
      drawing.rect(x, y, 10, 10, colour);
      drawing.text(x + 15, y + 9, text, 'quiet');
      x += width;
    }
    return y + 18;
  }
}
