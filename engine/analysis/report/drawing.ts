/**
 * A small SVG drawer: rectangles of one colour become one path, coordinates have a decimal at most, text is escaped.
 *
 *   const drawing = new Drawing(1000, 200);
 *   drawing.rect(0, 10, 50, 8, 'k0');
 *   drawing.text(4, 18, 'gemm', 'on');
 *   const picture = drawing.picture('timeline', 'Timeline of the recording');
 */
import type { Picture } from './document.ts';
import { colourStyle, pictureStyle } from './style.ts';
import { escaped, onOneLine } from './text.ts';

export class Drawing {
  readonly width: number;
  height: number;
  private readonly parts: string[] = [];
  private run: { colour: string; path: string } | null = null;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }

  /** `colour`: a name in `style.ts`. */
  rect(x: number, y: number, width: number, height: number, colour: string): void {
    if (this.run?.colour !== colour) {
      this.flush();
      this.run = { colour, path: '' };
    }
    this.run!.path += `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}z`;
  }

  line(x1: number, y1: number, x2: number, y2: number, classes: string): void {
    this.add(`<path class="${classes}" d="M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}"/>`);
  }

  text(x: number, y: number, text: string, classes = '', transform = ''): void {
    const place = transform === '' ? `x="${n(x)}" y="${n(y)}"` : `transform="${transform}"`;
    const named = classes === '' ? '' : ` class="${classes}"`;
    this.add(`<text ${place}${named}>${escaped(onOneLine(text))}</text>`);
  }

  /** Draws a shape with a title that is shown where a pointer rests. */
  shape(path: string, x: number, y: number, classes: string, title: string): void {
    const at = `translate(${n(x)} ${n(y)})`;
    this.add(
      `<path class="${classes}" d="${path}" transform="${at}"><title>${escaped(onOneLine(title))}</title></path>`,
    );
  }

  picture(name: string, title: string): Picture {
    this.flush();
    return { name, title, width: this.width, height: n(this.height), content: this.parts.join('\n') };
  }

  private add(part: string): void {
    this.flush();
    this.parts.push(part);
  }

  private flush(): void {
    if (this.run) this.parts.push(`<path class="f-${this.run.colour}" d="${this.run.path}"/>`);
    this.run = null;
  }
}

const n = (value: number): number => Math.round(value * 10) / 10;

/** Picture as an element of a page, whose style it takes. */
export function inlineSvg({ width, height, title, content }: Picture): string {
  const size = `viewBox="0 0 ${width} ${height}"`;
  return `<svg ${size} role="img" aria-label="${escaped(onOneLine(title))}" style="max-width:${width}px">\n${content}\n</svg>`;
}

/** Picture as a file of its own, which brings its style with it and follows the reader's theme. */
export function svgFile({ width, height, title, content }: Picture): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escaped(onOneLine(title))}</title>
<style>${colourStyle}
${pictureStyle}</style>
<rect class="f-bg" width="${width}" height="${height}"/>
${content}
</svg>
`;
}

/** The smallest of 1, 2, 5 · 10ⁿ that is not less. */
export function roundStep(least: number): number {
  const decade = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (decade * factor >= least * 0.999999) return decade * factor;
  return decade * 10;
}

/** About how wide text of a size is, in pixels. */
export const widthOf = (text: string, size = 11): number => text.length * size * 0.56;
