/** The timeline on a GPU, by Pixi: one mesh of all rectangles, one of all glyphs. Drawn when told to, never by a clock of its own. */
import 'pixi.js/unsafe-eval';
import { Application, Graphics, Ticker } from 'pixi.js';
import { LabelMesh } from './label-mesh.ts';
import type { RectBatch } from './rect-batch.ts';
import { RectMesh } from './rect-mesh.ts';
import type { Frame, Surface, SurfaceOptions } from './surface.ts';

export class GpuSurface implements Surface {
  readonly #app: Application;
  readonly #fills = new Graphics();
  readonly #rects = new RectMesh();
  readonly #labels: LabelMesh;
  readonly #marks = new Graphics();

  private constructor(app: Application, { fontFamily, pixelRatio }: SurfaceOptions) {
    this.#app = app;
    this.#labels = new LabelMesh(fontFamily, pixelRatio);
    app.stage.eventMode = 'none';
    app.stage.addChild(this.#fills, this.#rects.mesh, this.#labels.mesh, this.#marks);
  }

  static async create(host: HTMLElement, options: SurfaceOptions): Promise<GpuSurface> {
    const app = new Application();
    await app.init({
      // As a list: a single preference falls back to a 2D canvas, which draws no meshes and says nothing.
      preference: ['webgl'],
      width: Math.max(1, host.clientWidth),
      height: Math.max(1, host.clientHeight),
      resolution: options.pixelRatio,
      autoDensity: true,
      antialias: false,
      autoStart: false,
      sharedTicker: false,
      eventMode: 'none',
      eventFeatures: { move: false, globalMove: false, click: false, wheel: false },
    });
    // Pixi's own clock would wake the page 60 times a second for its housekeeping; draw() does that instead.
    Ticker.system.autoStart = false;
    Ticker.system.stop();
    app.canvas.setAttribute('aria-hidden', 'true');
    app.canvas.dataset.drawnBy = 'gpu';
    host.append(app.canvas);
    return new GpuSurface(app, options);
  }

  get canvas(): HTMLCanvasElement {
    return this.#app.canvas;
  }

  advance(character: string): number {
    return this.#labels.advance(character);
  }

  load(batch: RectBatch, origin: number): void {
    this.#rects.load(batch, origin);
  }

  draw(frame: Frame): void {
    const app = this.#app;
    const { width, height, pixelRatio } = frame;
    if (width !== app.screen.width || height !== app.screen.height || pixelRatio !== app.renderer.resolution) {
      app.renderer.resize(width, height, pixelRatio);
      this.#labels.usePixelRatio(pixelRatio);
    }
    app.renderer.background.color = frame.background;
    this.#fills.clear();
    for (const fill of frame.fills)
      this.#fills.rect(fill.x, fill.y, fill.width, fill.height).fill({ color: fill.colour, alpha: fill.alpha });
    this.#rects.place(frame);
    this.#labels.load(frame.texts);
    this.#marks.clear();
    for (const mark of frame.marks) {
      const closed = mark.shape === 'area' || mark.closed;
      this.#marks.poly([...mark.points], closed);
      if (mark.shape === 'area') this.#marks.fill(mark.colour);
      else
        this.#marks.stroke({
          ...{ color: mark.colour, width: mark.lineWidth, alpha: mark.alpha },
          join: closed ? 'miter' : 'round',
        });
    }
    Ticker.system.update(performance.now());
    app.render();
  }

  destroy(): void {
    this.#app.stage.removeChildren();
    this.#rects.destroy();
    this.#labels.destroy();
    for (const graphics of [this.#fills, this.#marks]) graphics.destroy();
    this.#app.destroy({ removeView: true });
  }
}
