/** Glyphs as the browser draws them at device resolution, each drawn once: text placed on whole device pixels is as crisp as the page's. */
import { fontSize } from './surface.ts';

export interface Glyph {
  /** Device pixels from the atlas's corner. */
  x: number;
  y: number;
  width: number;
  /** To the next glyph; has fractions. */
  advance: number;
}

export const atlasWidth = 1024;
export const atlasHeight = 512;

export class GlyphAtlas {
  readonly canvas = document.createElement('canvas');
  readonly pixelRatio: number;
  /** Device pixels; of every glyph. */
  readonly lineHeight: number;
  /** Counts the glyphs that were drawn. */
  version = 0;
  readonly #context: CanvasRenderingContext2D;
  readonly #glyphs = new Map<string, Glyph>();
  #x = 0;
  #y = 0;

  constructor(fontFamily: string, pixelRatio: number) {
    this.pixelRatio = pixelRatio;
    this.canvas.width = atlasWidth;
    this.canvas.height = atlasHeight;
    const context = this.canvas.getContext('2d', { willReadFrequently: true });
    if (!context) throw new Error('This browser provides no 2D canvas for text.');
    context.font = `${fontSize * pixelRatio}px ${fontFamily}`;
    context.textBaseline = 'alphabetic';
    context.fillStyle = '#ffffff';
    this.#context = context;
    this.lineHeight = Math.ceil(fontSize * pixelRatio * 1.35);
  }

  glyph(character: string): Glyph {
    let glyph = this.#glyphs.get(character);
    if (glyph) return glyph;
    const context = this.#context;
    const advance = context.measureText(character).width;
    const width = Math.ceil(advance) + 2;
    if (this.#x + width > atlasWidth) {
      this.#x = 0;
      this.#y += this.lineHeight + 1;
    }
    // A full atlas is thousands of different characters: show the rest as blanks.
    if (this.#y + this.lineHeight > atlasHeight) return { x: 0, y: 0, width: 0, advance };
    glyph = { x: this.#x, y: this.#y, width, advance };
    context.fillText(character, this.#x + 1, this.#y + Math.round(this.lineHeight * 0.76));
    this.#x += width + 1;
    this.#glyphs.set(character, glyph);
    this.version++;
    return glyph;
  }

  /** CSS pixels. */
  advance = (character: string): number => this.glyph(character).advance / this.pixelRatio;

  /** Coverage of each device pixel of a glyph, 0 to 255, line by line. */
  coverage({ x, y, width }: Glyph): Uint8Array {
    if (width === 0) return new Uint8Array(0);
    const { data } = this.#context.getImageData(x, y, width, this.lineHeight);
    return Uint8Array.from({ length: width * this.lineHeight }, (_, i) => data[i * 4 + 3]!);
  }

  /** Positions of the glyphs of a text: left edges and top in device pixels. */
  place(text: string, x: number, middle: number, put: (glyph: Glyph, x: number, y: number) => void): void {
    const top = Math.round(middle * this.pixelRatio - this.lineHeight / 2);
    let pen = x * this.pixelRatio;
    for (const character of text) {
      const glyph = this.glyph(character);
      put(glyph, Math.round(pen) - 1, top);
      pen += glyph.advance;
    }
  }
}
