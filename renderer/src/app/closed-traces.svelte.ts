/** The traces on the screen before they were closed or replaced, so that they come back as they were left: view, selection, comparison. */
import type { Comparing } from '../compare/comparing.svelte.ts';
import type { PanelTab } from '../trace/panel-tabs.ts';
import type { OpenTrace } from '../trace/open-trace.svelte.ts';

export interface ClosedTraces {
  traces: readonly OpenTrace[];
  comparing: Comparing | null;
  isLinked: boolean;
  active: number;
  tab: PanelTab;
}

/** Each holds what it has read of its events. */
const mostClosed = 5;

export class RecentlyClosed {
  /** The latest first. */
  #sets = $state.raw<readonly ClosedTraces[]>([]);

  /** Titles of what comes back next; null where nothing does. */
  get next(): string | null {
    return this.#sets[0]?.traces.map(({ info }) => info.title).join(' ↔ ') ?? null;
  }

  add(closed: ClosedTraces): void {
    this.#sets = [closed, ...this.#sets].slice(0, mostClosed);
  }

  /** The latest; what it takes the place of comes back last, so that all can be gone through. */
  take(instead: ClosedTraces | null): ClosedTraces | null {
    const [latest, ...rest] = this.#sets;
    if (!latest) return null;
    this.#sets = instead ? [...rest, instead] : rest;
    return latest;
  }
}
