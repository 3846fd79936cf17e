/** Last bounds of the window, `window.json` in the data folder. A broken or missing file counts as none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../engine/base/replace-file.ts';

export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}
export interface KeptBounds {
  /** When it is not maximized. */
  bounds: Bounds;
  isMaximized: boolean;
}

export const smallest = { width: 720, height: 480 };

/** A further window does not cover the one before it. */
const stepAside = 28;
export const beside = ({ x, y, ...size }: Bounds): Bounds => ({ x: x + stepAside, y: y + stepAside, ...size });

const fileIn = (folder: string): string => join(folder, 'window.json');

export function readBounds(folder: string): KeptBounds | null {
  try {
    const { bounds, isMaximized } = JSON.parse(readFileSync(fileIn(folder), 'utf8')) as KeptBounds;
    const { x, y, width, height } = bounds;
    if (![x, y, width, height].every(Number.isSafeInteger)) return null;
    return { bounds: { x, y, width, height }, isMaximized: isMaximized === true };
  } catch {
    return null;
  }
}

export function keepBounds(folder: string, kept: KeptBounds): void {
  try {
    replaceFile(fileIn(folder), `${JSON.stringify(kept)}\n`);
  } catch {
    // A home that cannot be written must not keep a window from closing.
  }
}

/**
 * All of it on one display, that with most of it: displays may have gone or changed since. Not larger than that display's
 * work area, and where no display has any of it, in the middle of the first.
 */
export function placeOnDisplays(bounds: Bounds, workAreas: readonly Bounds[]): Bounds {
  const areas = workAreas.toSorted((a, b) => overlap(bounds, b) - overlap(bounds, a));
  const [area] = areas;
  if (!area) return bounds;
  const width = Math.min(Math.max(bounds.width, smallest.width), area.width);
  const height = Math.min(Math.max(bounds.height, smallest.height), area.height);
  if (overlap(bounds, area) === 0) {
    const [x, y] = [area.x + (area.width - width) / 2, area.y + (area.height - height) / 2];
    return { x: Math.round(x), y: Math.round(y), width, height };
  }
  return {
    x: Math.min(Math.max(bounds.x, area.x), area.x + area.width - width),
    y: Math.min(Math.max(bounds.y, area.y), area.y + area.height - height),
    width,
    height,
  };
}

function overlap(a: Bounds, b: Bounds): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}
