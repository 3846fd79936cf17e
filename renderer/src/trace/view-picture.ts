/** The view as a picture that other programs open: rows, ruler and events as they are on screen, as SVG and as PNG. */
import { formatTime } from '../../../engine/model/format.ts';
import { canvasColours, cssColour, type Colour, type Theme } from '../timeline/colours.ts';
import type { LegendEntry } from '../timeline/legend.ts';
import { isDark, marking, patterns, seamless } from '../timeline/patterns.ts';
import type { ScenePicture } from '../timeline/scene.ts';
import { rulerTicks } from '../timeline/ticks.ts';
import { xOf, type TimeWindow } from '../timeline/time-window.ts';

/** Rows of one trace: the pinned ones or the others. */
export interface PictureRegion {
  picture: ScenePicture;
  /** The title of each row of the picture. */
  titles: RowTitle[];
}
export interface RowTitle {
  title: string;
  subtitle: string;
  depth: number;
  /** The legend of the areas of a chart, if there are several. */
  legend: LegendEntry[];
}
export interface PicturePane {
  title: string;
  facts: string;
  window: TimeWindow;
  measured: { from: number; to: number } | null;
  regions: PictureRegion[];
}
export interface PictureOptions {
  theme: Theme;
  headerWidth: number;
}

const heights = { title: 30, ruler: 22 };
const inks = {
  dark: { text: '#dde4ec', quiet: '#9fabba', panel: '#12171d', accent: '#5aa9ff' },
  light: { text: '#17202b', quiet: '#4a5767', panel: '#f8f9fb', accent: '#1767cc' },
} as const;
const font = "font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\"";

/** Several traces stand one above the other. */
export function viewAsSvg(panes: readonly PicturePane[], { theme, headerWidth }: PictureOptions): string {
  const ink = inks[theme];
  const colours = canvasColours[theme];
  const plotWidth = panes[0]?.regions[0]?.picture.width ?? 0;
  const width = headerWidth + plotWidth;
  const out: string[] = [];
  let y = 0;
  const text = (x: number, at: number, content: string, more = ''): void => {
    out.push(`<text x="${round(x)}" y="${round(at)}" ${more}>${escaped(content)}</text>`);
  };
  for (const [i, pane] of panes.entries()) {
    out.push(`<rect x="0" y="${y}" width="${width}" height="${heights.title}" fill="${ink.panel}"/>`);
    text(10, y + 19, pane.title, `font-size="13" font-weight="600" fill="${ink.text}"`);
    text(width - 10, y + 19, pane.facts, `text-anchor="end" fill="${ink.quiet}"`);
    y += heights.title;
    const { ticks } = rulerTicks(pane.window, plotWidth);
    out.push(`<rect x="0" y="${y}" width="${width}" height="${heights.ruler}" fill="${ink.panel}"/>`);
    for (const { time, label } of ticks.filter((tick) => tick.label)) {
      const x = headerWidth + xOf(pane.window, plotWidth, time);
      if (x < headerWidth || x > width) continue;
      out.push(line(x, y + 4, y + heights.ruler, cssColour(colours.line)));
      text(x + 3, y + 14, label, `fill="${ink.quiet}"`);
    }
    y += heights.ruler;
    const from = y;
    for (const [r, region] of pane.regions.entries()) {
      const id = `pane${i}-${r}`;
      drawRegion(out, region, {
        id,
        y,
        headerWidth,
        theme,
        ticks: ticks.filter((tick) => tick.label),
        window: pane.window,
      });
      y += region.picture.height;
    }
    if (pane.measured) {
      const [a, b] = [pane.measured.from, pane.measured.to].map(
        (time) => headerWidth + Math.min(Math.max(0, xOf(pane.window, plotWidth, time)), plotWidth),
      );
      out.push(
        `<rect x="${round(a!)}" y="${from}" width="${round(Math.max(1, b! - a!))}" height="${y - from}" fill="${ink.accent}" fill-opacity="0.13" stroke="${ink.accent}"/>`,
      );
      const length = formatTime(pane.measured.to - pane.measured.from);
      text((a! + b!) / 2, from - 7, length, `text-anchor="middle" font-weight="600" fill="${ink.accent}"`);
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" font-size="11" ${font}>
<defs>${patternDefs()}</defs>
<rect width="${width}" height="${y}" fill="${cssColour(colours.background)}"/>
${out.join('\n')}
</svg>
`;
}

interface RegionPlace {
  id: string;
  y: number;
  headerWidth: number;
  theme: Theme;
  ticks: readonly { time: number }[];
  window: TimeWindow;
}

function drawRegion(out: string[], { picture, titles }: PictureRegion, place: RegionPlace): void {
  const { id, y, headerWidth, theme, window } = place;
  const { width, height } = picture;
  const colours = canvasColours[theme];
  const ink = inks[theme];
  out.push(
    `<clipPath id="${id}"><rect x="0" y="${y}" width="${headerWidth + width}" height="${height}"/></clipPath>`,
    `<clipPath id="${id}-names"><rect x="0" y="${y}" width="${headerWidth - 6}" height="${height}"/></clipPath>`,
    `<g clip-path="url(#${id})">`,
  );
  for (const row of picture.rows) {
    const top = y + row.top;
    const back = row.expandable ? cssColour(colours.groupRow) : 'none';
    out.push(`<rect x="0" y="${round(top)}" width="${headerWidth}" height="${row.height}" fill="${ink.panel}"/>`);
    if (row.expandable)
      out.push(`<rect x="${headerWidth}" y="${round(top)}" width="${width}" height="${row.height}" fill="${back}"/>`);
    out.push(
      `<rect x="0" y="${round(top + row.height - 1)}" width="${headerWidth + width}" height="1" fill="${cssColour(colours.line)}"/>`,
    );
  }
  for (const { time } of place.ticks) {
    const x = headerWidth + xOf(window, width, time);
    if (x >= headerWidth && x <= headerWidth + width) out.push(line(x, y, y + height, cssColour(colours.line)));
  }
  for (const rect of picture.rects) {
    const at = `x="${round(headerWidth + rect.x)}" y="${round(y + rect.y)}" width="${round(rect.width)}" height="${round(rect.height)}"`;
    const dimmed = rect.dimmed ? ' fill-opacity="0.22"' : '';
    out.push(`<rect ${at} fill="${cssColour(rect.colour)}"${dimmed}/>`);
    const marks = marksOver(rect.colour, rect.pattern);
    if (marks && (rect.pattern >= seamless || rect.width > 2)) out.push(`<rect ${at} fill="${marks}"${dimmed}/>`);
  }
  for (const label of picture.labels) {
    const at = `x="${round(headerWidth + label.x)}" y="${round(y + label.y + 4)}"`;
    out.push(`<text ${at} fill="${cssColour(label.colour)}">${escaped(label.text)}</text>`);
  }
  for (const box of picture.outlines) {
    out.push(
      `<rect x="${round(headerWidth + box.x - 1)}" y="${round(y + box.y - 1)}" width="${round(box.width + 2)}" height="${round(box.height + 2)}" fill="none" stroke="${cssColour(colours.accent)}" stroke-width="2"/>`,
    );
  }
  const path = (points: readonly number[]): string =>
    points
      .map((at, i) => `${i === 0 ? 'M' : i % 2 === 0 ? 'L' : ' '}${round(at + (i % 2 === 0 ? headerWidth : y))}`)
      .join('');
  for (const { line, head } of picture.arrows) {
    const accent = cssColour(colours.accent);
    out.push(`<path class="arrow" d="${path(line)}" fill="none" stroke="${accent}" stroke-opacity="0.9"/>`);
    out.push(`<path d="${path(head)}Z" fill="${accent}"/>`);
  }
  out.push(line(headerWidth - 0.5, y, y + height, cssColour(colours.line)), `<g clip-path="url(#${id}-names)">`);
  picture.rows.forEach((row, at) => drawTitle(out, row, titles[at]!, y, { ...place, height }));
  out.push('</g>', '</g>');
}

/** In the middle of what can be seen of the row. */
function drawTitle(
  out: string[],
  row: ScenePicture['rows'][number],
  { title, subtitle, depth, legend }: RowTitle,
  y: number,
  { headerWidth, theme, height }: RegionPlace & { height: number },
): void {
  const ink = inks[theme];
  const x = 8 + depth * 14;
  const [top, bottom] = [Math.max(0, row.top), Math.min(height, row.top + row.height)];
  const lines = legendLines(legend, headerWidth - x - 10);
  const hasBoth = subtitle !== '' && row.height >= 30;
  let at = y + (top + bottom) / 2 + (hasBoth ? -2 : 4) - lines.length * 6;
  const weight = row.expandable ? ' font-weight="600"' : '';
  out.push(`<text x="${x}" y="${round(at)}"${weight} fill="${ink.text}">${escaped(title)}</text>`);
  const small = (left: number, text: string): void => {
    out.push(`<text x="${round(left)}" y="${round(at)}" font-size="10" fill="${ink.quiet}">${escaped(text)}</text>`);
  };
  if (hasBoth) {
    at += 13;
    small(x, subtitle);
  }
  for (const entries of lines) {
    at += 12;
    for (const { left, label, colour, pattern } of entries) {
      const box = `x="${round(x + left)}" y="${round(at - 8)}" width="11" height="8"`;
      const marks = marksOver(colour, pattern);
      out.push(`<rect ${box} fill="${cssColour(colour)}"/>`);
      if (marks) out.push(`<rect ${box} fill="${marks}"/>`);
      small(x + left + 14, label);
    }
  }
}

/** Two lines at most, as on screen. */
function legendLines(legend: readonly LegendEntry[], room: number): (LegendEntry & { left: number })[][] {
  const lines: (LegendEntry & { left: number })[][] = [];
  let left = Infinity;
  for (const entry of legend) {
    const width = 22 + entry.label.length * 5.6;
    if (left + width > room) {
      if (lines.length === 2) break;
      lines.push([]);
      left = 0;
    }
    lines.at(-1)!.push({ ...entry, left });
    left += width;
  }
  return lines;
}

/** The marks to be drawn over a fill as its pattern; null where it has none. */
const marksOver = (fill: Colour, pattern: number): string | null =>
  pattern % seamless > patterns.none ? `url(#pattern-${pattern % seamless}-${isDark(fill) ? 'light' : 'dark'})` : null;

/** The same marks as the shader of rect-mesh.ts draws, over any colour. */
const patternDefs = (): string => defsOf('dark', '#000', 1 - marking.darker) + defsOf('light', '#fff', marking.lighter);
function defsOf(name: string, colour: string, opacity: number): string {
  const filled = `fill="${colour}" fill-opacity="${round(opacity)}"`;
  const stroke = `stroke="${colour}" stroke-opacity="${round(opacity)}"`;
  const tile = (pattern: number, width: number, height: number, content: string): string =>
    `<pattern id="pattern-${pattern}-${name}" width="${width}" height="${height}" patternUnits="userSpaceOnUse">${content}</pattern>`;
  return [
    tile(patterns.rising, 5, 5, `<path d="M-1 6L6 -1" ${stroke}/>`),
    tile(patterns.falling, 5, 5, `<path d="M-1 -1L6 6" ${stroke}/>`),
    tile(patterns.horizontal, 3, 3, `<rect width="3" height="1" ${filled}/>`),
    tile(patterns.vertical, 4, 4, `<rect width="1" height="4" ${filled}/>`),
    tile(patterns.dots, 4, 3, `<rect width="1" height="1" ${filled}/>`),
    tile(patterns.checks, 4, 4, `<path d="M0 0h2v2h-2zM2 2h2v2h-2z" ${filled}/>`),
    tile(patterns.wide, 12, 12, `<path d="M-2 14L14 -2" ${stroke} stroke-width="1.5"/>`),
  ].join('');
}

const line = (x: number, from: number, to: number, colour: string): string =>
  `<path d="M${round(x)} ${round(from)}V${round(to)}" stroke="${colour}" stroke-opacity="0.65"/>`;
const round = (value: number): number => Math.round(value * 100) / 100;
/** Names of kernels are full of angle brackets; control characters are not allowed even escaped. */
const escaped = (text: string): string =>
  text
    // eslint-disable-next-line no-control-regex -- these are what has to go
    .replaceAll(/[\u0000-\u001f]/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** At `scale` pixels to a CSS pixel. */
export async function svgAsPng(svg: string, scale: number): Promise<Blob> {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(image.src);
  }
}
