/**
 * Where a frame of the timeline is drawn. There are two kinds that look the same: one draws with Pixi on a GPU, the other paints pixels
 * itself, where there is no GPU: on remote desktops, in virtual machines and in CI browsers offer no WebGL or imitate it slowly.
 * See create-surface.ts.
 */
import type { RectBatch } from './rect-batch.ts';
import type { TimeWindow } from './time-window.ts';

/** A plain rectangle below those of the batch. */
export interface Fill {
  x: number;
  y: number;
  width: number;
  height: number;
  /** 0xRRGGBB, as all colours here. */
  colour: number;
  alpha: number;
}

/** One line of text. */
export interface Text {
  text: string;
  x: number;
  middle: number;
  colour: number;
}

/** Above all else. Points are x and y in turn. */
export type Mark = { colour: number; points: readonly number[] } & (
  { shape: 'line'; closed: boolean; lineWidth: number; alpha: number } | { shape: 'area' }
);

/** Sizes and places are CSS pixels from the drawing area's corner, unless they say otherwise. */
export interface Frame {
  background: number;
  /** In the order in which they cover each other. */
  fills: readonly Fill[];
  /** Time window of the batch. */
  window: TimeWindow;
  width: number;
  height: number;
  /** From the batch's first row. */
  scrollTop: number;
  /** Device pixels per CSS pixel. */
  pixelRatio: number;
  texts: readonly Text[];
  marks: readonly Mark[];
}

export interface Surface {
  readonly canvas: HTMLCanvasElement;
  /** The width of a character, CSS pixels. */
  advance(character: string): number;
  /** Takes new rectangles; `origin` is a time near those that will be seen. */
  load(batch: RectBatch, origin: number): void;
  draw(frame: Frame): void;
  destroy(): void;
}

export interface SurfaceOptions {
  fontFamily: string;
  pixelRatio: number;
}

/** The processor that draws the picture; 'automatic': the GPU where there is one. */
export type DrawnBy = 'automatic' | 'gpu' | 'cpu';

/** CSS pixels. */
export const fontSize = 11;
/** Alpha of rectangles that do not belong to what is emphasised. */
export const dimmedAlpha = 0.22;
