/** Simulated against measured durations as a picture: one dot per kernel, both axes logarithmic. */
import type { CaseRow, Summary } from './summary.ts';

const side = 640;
const margin = { left: 64, top: 56, right: 190, bottom: 48 };
/** Distinguishable also with red-green blindness (Okabe and Ito). */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'];

/** Kernels by suite; those of other sizes than measured are left out. SVG text. */
export function chart(
  suites: ReadonlyMap<string, readonly CaseRow[]>,
  { mape, p90_abs_error, cases }: Summary,
): string {
  const timed = [...suites].map(([suite, rows]) => ({
    suite,
    rows: rows.flatMap(({ name, measured, simulated, error }) =>
      measured === null || simulated === null || error === null ? [] : [{ name, measured, simulated, error }],
    ),
  }));
  const all = timed.flatMap(({ rows }) => rows.flatMap(({ measured, simulated }) => [measured, simulated]));
  const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
  const at = (nanoseconds: number): number => ((Math.log10(nanoseconds) - low) / (high - low)) * side;
  const x = (value: number): string => (margin.left + at(value)).toFixed(1);
  const y = (value: number): string => (margin.top + side - at(value)).toFixed(1);
  const decades = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const [first, last] = [10 ** low, 10 ** high];
  const band = (factor: number): string =>
    `<line x1="${x(first)}" y1="${y(first * factor)}" x2="${x(last)}" y2="${y(last * factor)}" class="band"/>`;

  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side + margin.left + margin.right} ${side + margin.top + margin.bottom}" font-family="system-ui, sans-serif" font-size="12">`,
    '<style>.grid{stroke:#8884}.same{stroke:#888}.band{stroke:#888;stroke-dasharray:4 4}text{fill:#777}circle{fill-opacity:.7}</style>',
    `<clipPath id="plot"><rect x="${margin.left}" y="${margin.top}" width="${side}" height="${side}"/></clipPath>`,
    `<text x="${margin.left}" y="22" font-size="16">Kernels of the H200 reference: simulated against measured</text>`,
    `<text x="${margin.left}" y="42">${cases} kernels, mean absolute error ${percent(mape)}, 90th percentile ${percent(p90_abs_error)}; dashed: ±15 %</text>`,
    ...decades.flatMap((value) => [
      `<line x1="${x(value)}" y1="${margin.top}" x2="${x(value)}" y2="${margin.top + side}" class="grid"/>`,
      `<line x1="${margin.left}" y1="${y(value)}" x2="${margin.left + side}" y2="${y(value)}" class="grid"/>`,
      `<text x="${x(value)}" y="${margin.top + side + 18}" text-anchor="middle">${duration(value)}</text>`,
      `<text x="${margin.left - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${duration(value)}</text>`,
    ]),
    `<text x="${margin.left + side / 2}" y="${margin.top + side + 38}" text-anchor="middle">measured</text>`,
    `<text transform="translate(14 ${margin.top + side / 2}) rotate(-90)" text-anchor="middle">simulated</text>`,
    '<g clip-path="url(#plot)">',
    `<line x1="${x(first)}" y1="${y(first)}" x2="${x(last)}" y2="${y(last)}" class="same"/>`,
    band(1.15),
    band(1 / 1.15),
    ...timed.flatMap(({ rows }, i) =>
      rows.map(
        ({ name, measured, simulated, error }) =>
          `<circle cx="${x(measured)}" cy="${y(simulated)}" r="4" fill="${colours[i % colours.length]}"><title>${escaped(name)}: ${duration(measured)} measured, ${duration(simulated)} simulated (${error > 0 ? '+' : ''}${percent(error)})</title></circle>`,
      ),
    ),
    '</g>',
    ...timed.flatMap(({ suite, rows }, i) => [
      `<circle cx="${margin.left + side + 20}" cy="${margin.top + 8 + 20 * i}" r="4" fill="${colours[i % colours.length]}"/>`,
      `<text x="${margin.left + side + 30}" y="${margin.top + 12 + 20 * i}">${escaped(suite)} (${rows.length})</text>`,
    ]),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function duration(nanoseconds: number): string {
  const [value, unit] =
    nanoseconds >= 1e6
      ? [nanoseconds / 1e6, 'ms']
      : nanoseconds >= 1e3
        ? [nanoseconds / 1e3, 'µs']
        : [nanoseconds, 'ns'];
  return `${Number(value.toPrecision(3))} ${unit}`;
}
