/**
 * Rows and rectangles as pixels, computed here. With software GL that is several times faster than a mesh: a rectangle costs its pixels,
 * not two triangles. Looks as what gpu-surface.ts draws.
 */
import type { Glyph, GlyphAtlas } from './glyph-atlas.ts';
import { markColour, patternAnchor, patterns, seamless } from './patterns.ts';
import { gapFrom, type RectBatch } from './rect-batch.ts';
import { dimmedAlpha, type Frame, type Text } from './surface.ts';

/** Device pixels, 0xAABBGGRR, from the top left. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint32Array<ArrayBuffer>;
}
/** Edges in device pixels, right and bottom behind the last. */
interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** All of a frame but its marks. */
export function paintFrame(pixels: Pixels, batch: RectBatch, frame: Frame, glyphs: Pick<GlyphPainter, 'paint'>): void {
  const { pixelRatio } = frame;
  pixels.data.fill(abgr(frame.background));
  for (const { x, y, width, height, colour, alpha } of frame.fills) {
    // A pixel belongs to what covers its middle, as on a GPU.
    const area = { left: edge(x), top: edge(y), right: edge(x + width), bottom: edge(y + height) };
    if (clip(area, pixels)) fill(pixels, area, abgr(colour), alpha);
  }
  paintRects(pixels, batch, frame);
  for (const text of frame.texts) glyphs.paint(pixels, text);

  function edge(at: number): number {
    return Math.ceil(at * pixelRatio - 0.5);
  }
}

function paintRects(pixels: Pixels, batch: RectBatch, { window, width, scrollTop, pixelRatio }: Frame): void {
  const { starts, ends, tops, bottoms, colours, emphasised } = batch;
  const perNs = (width * pixelRatio) / window.span;
  const end = window.start + window.span;
  // An event that ends just before the window is widened to a pixel of it.
  const from = window.start - 2 / perNs;
  const top = scrollTop;
  const bottom = scrollTop + pixels.height / pixelRatio;
  const anchor = patternAnchor(window.start * perNs, pixelRatio);
  const area: Area = { left: 0, top: 0, right: 0, bottom: 0 };
  for (let i = 0; i < batch.count; i++) {
    if (starts[i]! > end || ends[i]! < from || tops[i]! > bottom || bottoms[i]! < top) continue;
    const pattern = batch.patterns[i]!;
    // The same arithmetic as placeOf in rect-batch.ts.
    const left = Math.round((starts[i]! - window.start) * perNs);
    let right = Math.round((ends[i]! - window.start) * perNs);
    if (pattern < seamless && right - left >= gapFrom * pixelRatio) right--;
    area.left = left;
    area.right = Math.max(right, left + 1);
    area.top = Math.ceil((tops[i]! - scrollTop) * pixelRatio - 0.5);
    area.bottom = Math.ceil((bottoms[i]! - scrollTop) * pixelRatio - 0.5);
    if (!clip(area, pixels)) continue;
    const alpha = emphasised[i] === 1 ? 1 : dimmedAlpha;
    fill(pixels, area, abgr(colours[i]!), alpha);
    const isMarked = marks[pattern % seamless];
    if (isMarked) {
      const marked = abgr(markColour(colours[i]!));
      const scrolled = scrollTop * pixelRatio;
      const from = pattern < seamless ? left : anchor;
      for (let y = area.top; y < area.bottom; y++) {
        const v = Math.floor((y + 0.5 + scrolled) / pixelRatio);
        for (let x = area.left; x < area.right; x++) {
          if (!isMarked(Math.floor((x + 0.5 - from) / pixelRatio), v)) continue;
          const at = y * pixels.width + x;
          pixels.data[at] = alpha === 1 ? marked : remarked(pixels.data[at]!, abgr(colours[i]!), marked, alpha);
        }
      }
    }
  }
}

export class GlyphPainter {
  readonly atlas: GlyphAtlas;
  readonly #coverage = new Map<Glyph, Uint8Array>();

  constructor(atlas: GlyphAtlas) {
    this.atlas = atlas;
  }

  paint({ width, height, data }: Pixels, { text, x, middle, colour }: Text): void {
    const above = abgr(colour);
    this.atlas.place(text, x, middle, (glyph, left, top) => {
      const coverage = this.#coverageOf(glyph);
      for (let v = Math.max(0, -top); v < this.atlas.lineHeight && top + v < height; v++) {
        for (let u = Math.max(0, -left); u < glyph.width && left + u < width; u++) {
          const covered = coverage[v * glyph.width + u]!;
          if (covered === 0) continue;
          const at = (top + v) * width + left + u;
          data[at] = mixed(data[at]!, above, covered / 255);
        }
      }
    });
  }

  #coverageOf(glyph: Glyph): Uint8Array {
    let coverage = this.#coverage.get(glyph);
    if (!coverage) this.#coverage.set(glyph, (coverage = this.atlas.coverage(glyph)));
    return coverage;
  }
}

/** The marks of each pattern: true where a CSS pixel is marked; as the shader in rect-mesh.ts has it. */
const marks: Readonly<Record<number, (x: number, y: number) => boolean>> = {
  [patterns.rising]: (x, y) => (x + y) % 5 === 0,
  [patterns.falling]: (x, y) => (x - y) % 5 === 0,
  [patterns.horizontal]: (_, y) => y % 3 === 0,
  [patterns.vertical]: (x) => x % 4 === 0,
  [patterns.dots]: (x, y) => x % 4 === 0 && y % 3 === 0,
  [patterns.checks]: (x, y) => ((x >> 1) + (y >> 1)) % 2 === 0,
  [patterns.wide]: (x, y) => (x + y) % 12 < 2,
};

function clip(area: Area, { width, height }: Pixels): boolean {
  if (area.left < 0) area.left = 0;
  if (area.top < 0) area.top = 0;
  if (area.right > width) area.right = width;
  if (area.bottom > height) area.bottom = height;
  return area.left < area.right && area.top < area.bottom;
}

function fill({ data, width }: Pixels, { left, top, right, bottom }: Area, colour: number, alpha: number): void {
  const isWide = right - left > 16;
  for (let line = top * width; line < bottom * width; line += width) {
    if (alpha < 1) for (let at = line + left; at < line + right; at++) data[at] = mixed(data[at]!, colour, alpha);
    else if (isWide) data.fill(colour, line + left, line + right);
    else for (let at = line + left; at < line + right; at++) data[at] = colour;
  }
}

const abgr = (rgb: number): number => (0xff000000 | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;

/** Both 0xAABBGGRR, opaque. */
function mixed(below: number, above: number, alpha: number): number {
  const channel = (shift: number): number => {
    const b = (below >>> shift) & 255;
    return Math.round(b + (((above >>> shift) & 255) - b) * alpha) << shift;
  };
  return (0xff000000 | channel(16) | channel(8) | channel(0)) >>> 0;
}
/** A pixel on which a fill already lies, as if it had been a mark. */
function remarked(pixel: number, filled: number, mark: number, alpha: number): number {
  const channel = (shift: number): number => {
    const more = (((mark >>> shift) & 255) - ((filled >>> shift) & 255)) * alpha;
    return Math.min(255, Math.max(0, Math.round(((pixel >>> shift) & 255) + more))) << shift;
  };
  return (0xff000000 | channel(16) | channel(8) | channel(0)) >>> 0;
}
