/** The timeline without a GPU: pixels painted by paint.ts, on a 2D canvas. Needs no WebGL. */
import { cssColour } from './colours.ts';
import { GlyphAtlas } from './glyph-atlas.ts';
import { GlyphPainter, paintFrame, type Pixels } from './paint.ts';
import { emptyBatch, type RectBatch } from './rect-batch.ts';
import type { Frame, Mark, Surface, SurfaceOptions } from './surface.ts';

export class CpuSurface implements Surface {
  readonly canvas = document.createElement('canvas');
  readonly #context: CanvasRenderingContext2D;
  readonly #fontFamily: string;
  #glyphs: GlyphPainter;
  #pixels: Pixels = { width: 0, height: 0, data: new Uint32Array(0) };
  #image: ImageData | null = null;
  #batch = emptyBatch;

  constructor(host: HTMLElement, { fontFamily, pixelRatio }: SurfaceOptions) {
    this.#fontFamily = fontFamily;
    this.#glyphs = new GlyphPainter(new GlyphAtlas(fontFamily, pixelRatio));
    // Kept in memory: with a GPU that is none, everything else takes longer.
    const context = this.canvas.getContext('2d', { alpha: false, willReadFrequently: true });
    if (!context) throw new Error('The timeline cannot be drawn: this browser provides no 2D canvas.');
    this.#context = context;
    this.canvas.setAttribute('aria-hidden', 'true');
    this.canvas.dataset.drawnBy = 'cpu';
    host.append(this.canvas);
  }

  advance(character: string): number {
    return this.#glyphs.atlas.advance(character);
  }

  load(batch: RectBatch): void {
    this.#batch = batch;
  }

  draw(frame: Frame): void {
    const image = this.#fit(frame);
    paintFrame(this.#pixels, this.#batch, frame, this.#glyphs);
    this.#context.putImageData(image, 0, 0);
    const { pixelRatio } = frame;
    this.#context.setTransform(pixelRatio, 0, 0, pixelRatio, 0, 0);
    for (const mark of frame.marks) this.#mark(mark);
  }

  #fit({ width, height, pixelRatio }: Frame): ImageData {
    if (pixelRatio !== this.#glyphs.atlas.pixelRatio)
      this.#glyphs = new GlyphPainter(new GlyphAtlas(this.#fontFamily, pixelRatio));
    const across = Math.max(1, Math.round(width * pixelRatio));
    const down = Math.max(1, Math.round(height * pixelRatio));
    if (this.#image?.width === across && this.#image.height === down) return this.#image;
    this.canvas.width = across;
    this.canvas.height = down;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const bytes = new Uint8ClampedArray(across * down * 4);
    this.#pixels = { width: across, height: down, data: new Uint32Array(bytes.buffer) };
    this.#image = new ImageData(bytes, across, down);
    return this.#image;
  }

  #mark(mark: Mark): void {
    const context = this.#context;
    const { points, colour } = mark;
    context.beginPath();
    for (let i = 0; i < points.length; i += 2) context.lineTo(points[i]!, points[i + 1]!);
    if (mark.shape === 'area') {
      context.fillStyle = cssColour(colour);
      context.fill();
      return;
    }
    if (mark.closed) context.closePath();
    context.globalAlpha = mark.alpha;
    context.lineWidth = mark.lineWidth;
    context.lineJoin = mark.closed ? 'miter' : 'round';
    context.strokeStyle = cssColour(colour);
    context.stroke();
    context.globalAlpha = 1;
  }

  destroy(): void {
    this.canvas.remove();
  }
}
