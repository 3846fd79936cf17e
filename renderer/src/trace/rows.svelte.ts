/* eslint-disable svelte/prefer-svelte-reactivity -- sets and maps here are replaced as a whole */
/** The rows of a trace on screen: the pinned ones, and all others below them. */
import type { Track } from '../../../engine/model/timeline.ts';
import { arrangePins, arrangeRows, siblingsOf, type RowArrangement } from '../timeline/row-arrangement.ts';
import type { RowLayout } from '../timeline/row-layout.ts';
import type { TimelineScene } from '../timeline/scene.ts';
import type { StepKind } from '../timeline/view-history.ts';
import type { PlacedRows, RowPlace } from '../timeline/view.svelte.ts';

/** A part of the screen with rows that is scrolled by itself. */
export class RowRegion {
  scrollTop = $state(0);
  /** The height of what can be seen, CSS pixels; set by the pane. */
  viewportHeight = $state(400);
  /** Set while the rows are drawn. */
  scene: TimelineScene | null = null;
  /** The row that has the focus, or had it last. */
  focused = $state<number | null>(null);
  readonly #layout: RowLayout;

  constructor(layout: () => RowLayout) {
    this.#layout = $derived(layout());
  }

  get layout(): RowLayout {
    return this.#layout;
  }

  scrollBy(pixels: number): void {
    const last = Math.max(0, this.layout.height - this.viewportHeight);
    this.scrollTop = Math.min(last, Math.max(0, this.scrollTop + pixels));
  }

  /** Scrolls as little as needed. */
  reveal(track: number, above = 0): void {
    const row = this.layout.rowOfTrack.get(track) ?? this.layout.rows.find((each) => each.track.id === track);
    if (!row) return;
    if (row.top - above < this.scrollTop) this.scrollTop = Math.max(0, row.top - above);
    else if (row.top + row.height > this.scrollTop + this.viewportHeight)
      this.scrollTop = row.top + row.height - this.viewportHeight;
  }
}

/** Rows of a trace. Each change that a user makes is a step that can be undone. */
export class TraceRows implements PlacedRows {
  #arrangement = $state.raw<RowArrangement>() as RowArrangement;
  readonly #tracks: () => readonly Track[];
  readonly #step: (kind: StepKind, change: () => void) => void;
  readonly main: RowRegion;
  readonly pins: RowRegion;

  /** `step` makes a step of a change. */
  constructor(tracks: () => readonly Track[], step: (kind: StepKind, change: () => void) => void) {
    this.#tracks = tracks;
    this.#step = step;
    this.#arrangement = {
      collapsed: closedAtFirst(tracks()),
      ...{ hidden: new Set(), pinned: [], order: new Map(), filter: '' },
    };
    this.main = new RowRegion(() => arrangeRows(tracks(), this.#arrangement));
    this.pins = new RowRegion(() => arrangePins(tracks(), this.#arrangement));
  }

  get arrangement(): RowArrangement {
    return this.#arrangement;
  }
  get place(): RowPlace {
    return { arrangement: this.#arrangement, scrollTop: this.main.scrollTop };
  }
  set place({ arrangement, scrollTop }: RowPlace) {
    this.#arrangement = arrangement;
    this.main.scrollTop = scrollTop;
  }
  #change(change: Partial<RowArrangement>): void {
    this.#step('jump', () => (this.#arrangement = { ...this.#arrangement, ...change }));
  }

  toggle(track: number): void {
    const collapsed = new Set(this.#arrangement.collapsed);
    if (!collapsed.delete(track)) collapsed.add(track);
    this.#change({ collapsed });
  }
  setCollapsed(track: number, collapsed: boolean): void {
    if (this.#arrangement.collapsed.has(track) !== collapsed) this.toggle(track);
  }
  /** Rows with others below them: all, or a row and those below it. */
  setAllCollapsed(isCollapsed: boolean, within: number | null = null): void {
    const tracks = this.#tracks();
    const parentOf = new Map(tracks.map(({ id, parent }) => [id, parent]));
    const isWithin = (id: number | null): boolean =>
      within === null || id === within || (id !== null && isWithin(parentOf.get(id) ?? null));
    const parents = [...new Set(tracks.flatMap(({ parent }) => (parent === null ? [] : [parent])))].filter((id) =>
      isWithin(id),
    );
    const collapsed = new Set(this.#arrangement.collapsed);
    for (const id of parents) {
      if (isCollapsed) collapsed.add(id);
      else collapsed.delete(id);
    }
    this.#step('jump', () => {
      this.#change({ collapsed });
      if (within === null) this.main.scrollTop = 0;
    });
  }

  isPinned(track: number): boolean {
    return this.#arrangement.pinned.includes(track);
  }
  setPinned(track: number, isPinned: boolean): void {
    const others = this.#arrangement.pinned.filter((id) => id !== track);
    this.#change({ pinned: isPinned ? [...others, track] : others });
  }

  get hiddenCount(): number {
    return this.#arrangement.hidden.size;
  }
  hide(track: number): void {
    this.#change({ hidden: new Set([...this.#arrangement.hidden, track]) });
  }
  showAll(): void {
    this.#change({ hidden: new Set() });
  }

  get filter(): string {
    return this.#arrangement.filter;
  }
  set filter(filter: string) {
    this.#step('typing', () => {
      this.#change({ filter });
      this.main.scrollTop = 0;
    });
  }

  /** Puts a row before one of its siblings, or last. */
  move(track: number, before: number | null): void {
    if (track === before) return;
    const siblings = siblingsOf(this.#tracks(), this.#arrangement, track).map(({ id }) => id);
    const others = siblings.filter((id) => id !== track);
    const at = before === null ? others.length : others.indexOf(before);
    if (at < 0) return;
    const parent = this.#tracks().find(({ id }) => id === track)?.parent ?? null;
    this.#change({ order: new Map([...this.#arrangement.order, [parent, others.toSpliced(at, 0, track)]]) });
  }
  /** One place up or down, past rows that cannot be seen; false at the end. */
  moveBy(track: number, direction: 1 | -1): boolean {
    const { hidden } = this.#arrangement;
    const siblings = siblingsOf(this.#tracks(), this.#arrangement, track).filter(({ id }) => !hidden.has(id));
    const at = siblings.findIndex(({ id }) => id === track);
    const to = at + direction;
    if (at < 0 || to < 0 || to >= siblings.length) return false;
    this.move(track, (direction < 0 ? siblings[to] : siblings[to + 1])?.id ?? null);
    return true;
  }

  get isArranged(): boolean {
    const { hidden, pinned, order } = this.#arrangement;
    return hidden.size > 0 || pinned.length > 0 || order.size > 0;
  }
  /** As the trace was opened. */
  reset(): void {
    const collapsed = closedAtFirst(this.#tracks());
    this.#step('jump', () => {
      this.#change({ collapsed, hidden: new Set(), pinned: [], order: new Map(), filter: '' });
      this.main.scrollTop = 0;
    });
  }

  /** Brings a row into sight, whatever keeps it out of it. */
  reveal(track: number): void {
    this.#step('jump', () => this.#reveal(track));
  }
  #reveal(track: number): void {
    const byId = new Map(this.#tracks().map((each) => [each.id, each]));
    const path: number[] = [];
    for (let id: number | null = track; id !== null; id = byId.get(id)?.parent ?? null) path.push(id);
    const { hidden } = this.#arrangement;
    if (path.some((id) => hidden.has(id)))
      this.#change({ hidden: new Set([...hidden].filter((id) => !path.includes(id))) });
    for (const id of path.slice(1)) this.setCollapsed(id, false);
    const isThere = (): boolean =>
      this.main.layout.rowOfTrack.has(track) || this.main.layout.rows.some((row) => row.track.id === track);
    if (!isThere() && this.filter) this.#change({ filter: '' });
    this.main.reveal(track);
  }
}

/** Nodes of graphs are shown when they are asked for: one launch is one range. */
function closedAtFirst(tracks: readonly Track[]): ReadonlySet<number> {
  return new Set(
    tracks.flatMap(({ kind, parent, id, closed }) => (kind === 'graph-nodes' ? [parent!] : closed ? [id] : [])),
  );
}
