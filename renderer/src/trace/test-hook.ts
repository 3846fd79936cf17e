/**
 * The page's one test hook: `window.simsightScene()` tells what the timelines show, because a canvas tells nothing.
 * Read-only, plain data, CSS pixels of the page. Per visible trace, top to bottom:
 *
 *   { title, loading, window: { start, span }, scrollTop, rects: SceneRect[], pinned: SceneRect[], arrows, measured: { from, to } | null, ghosts }
 */
import type { Workspace } from '../app/workspace.svelte.ts';
import type { SceneRect } from '../timeline/scene.ts';
import type { TimeWindow } from '../timeline/time-window.ts';

export interface SceneOfTrace {
  title: string;
  /** Newer events are on their way, or there is nothing yet to draw them on. */
  loading: boolean;
  window: TimeWindow;
  /** The scroll position of the rows, CSS pixels. */
  scrollTop: number;
  rects: SceneRect[];
  /** On the rows that are pinned. */
  pinned: SceneRect[];
  /** Their corners, each from a cause to its effect. */
  arrows: { x: number; y: number }[][];
  measured: { from: number; to: number } | null;
  /** The ghosts of the other trace, behind these rows. */
  ghosts: { x: number; y: number; width: number; height: number }[];
}

export function installTestHook(workspace: Workspace): void {
  const hook = (): SceneOfTrace[] =>
    workspace.traces.map((trace) => ({
      title: trace.info.title,
      loading: !trace.loaded || trace.windows.loading || trace.rows.main.scene === null,
      window: { ...trace.view.window },
      scrollTop: trace.rows.main.scrollTop,
      rects: trace.rows.main.scene?.rects() ?? [],
      pinned: trace.rows.pins.scene?.rects() ?? [],
      arrows: trace.rows.main.scene?.arrows() ?? [],
      measured: trace.view.measured,
      ghosts: trace.rows.main.scene?.ghosts() ?? [],
    }));
  Object.defineProperty(window, 'simsightScene', { value: hook, configurable: true });
}
