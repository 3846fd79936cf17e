/** The rows of the minimap: a line per row with events, the busiest ones when there are too many for its height. */
import type { Track, TrackWindow } from '../../../engine/model/timeline.ts';
import { cssColour, eventColour, type Theme } from './colours.ts';

export function overviewTracks(tracks: readonly Track[], most = 14): number[] {
  const leaves = tracks.filter((track) => track.lanes > 0 && track.eventCount > 0);
  if (leaves.length <= most) return leaves.map(({ id }) => id);
  const busiest = new Set([...leaves].sort((a, b) => b.busy - a.busy).slice(0, most));
  return leaves.filter((track) => busiest.has(track)).map(({ id }) => id);
}

/** Draws the whole trace into `area`; `spanNs` is the time of its whole width. */
export function drawOverview(
  context: CanvasRenderingContext2D,
  windows: readonly TrackWindow[],
  area: { x: number; y: number; width: number; height: number },
  startNs: number,
  spanNs: number,
  theme: Theme,
): void {
  const lane = area.height / Math.max(1, windows.length);
  const thickness = Math.max(1, Math.min(5, lane - (lane > 2.5 ? 1 : 0)));
  for (const [row, window] of windows.entries()) {
    const y = area.y + row * lane + (lane - thickness) / 2;
    for (let i = 0; i < window.count; i++) {
      const x = area.x + ((window.starts[i]! - startNs) / spanNs) * area.width;
      const width = Math.max(1, (window.durations[i]! / spanNs) * area.width);
      const label = window.labels[window.labelIndex[i]!] ?? '';
      context.globalAlpha = window.merged[i]! > 1 ? 0.35 + 0.65 * Math.min(1, window.busy[i]!) : 1;
      context.fillStyle = cssColour(eventColour(window.kinds[i]!, window.flavours[i]!, label, theme));
      context.fillRect(x, y, width, thickness);
    }
  }
  context.globalAlpha = 1;
}
