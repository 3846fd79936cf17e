/**
 * A sweep as one file that needs nothing else: heat maps of each pair of axes, and the table of its jobs. Colours follow the
 * reader's light or dark theme; what is told by colour stands there in figures as well.
 */
import type { SweepRow, SweepView } from '../model/sweep.ts';
import { formatTime } from '../model/format.ts';
import { labelOf } from './axes.ts';
import { heatMapOf, pairsOf, shadeOf, varied, type HeatMap } from '../model/sweep-heat-map.ts';
import { visible } from '../analysis/report/text.ts';
import { remarkOf } from './text.ts';

/**
 * The scale from the best to the worst is mixed in OKLab. `turns`: from which share of the worst on text has to be the other
 * colour for a contrast of 4.5 (a test computes it for all shares).
 */
export const themes = {
  light: { best: '#00594e', worst: '#e9efee', turns: 0.265, onBest: '#ffffff', onWorst: '#000000' },
  dark: { best: '#4cd6c0', worst: '#1d2c2a', turns: 0.475, onBest: '#000000', onWorst: '#ffffff' },
} as const;
type Theme = keyof typeof themes;

const escaped = (text: string): string => visible(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

const colours = (theme: Theme, more: string): string => {
  const { best, worst, onBest, onWorst } = themes[theme];
  return `color-scheme:${theme};--best:${best};--worst:${worst};--on-best:${onBest};--on-worst:${onWorst};${more}`;
};

const style = `
:root{${colours('light', '--page:#fbfcfc;--text:#17201f;--soft:#5a6765;--line:#cfd8d6;--mark:#b3261e;--hatch:#c9d2d0')}}
@media (prefers-color-scheme:dark){:root{${colours('dark', '--page:#10181a;--text:#e6edeb;--soft:#9fb0ad;--line:#33423f;--mark:#ffb4a9;--hatch:#3a4a47')}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}h3{font-size:.95rem;margin:0 0 .25rem;font-weight:600}
p{margin:.25rem 0}.soft{color:var(--soft)}.best{font-size:1.15rem;margin:1rem 0}
.maps{display:flex;flex-wrap:wrap;gap:1.25rem;align-items:flex-start}figure{margin:0;max-width:100%;overflow-x:auto}
svg{display:block;font:13px system-ui,sans-serif;font-variant-numeric:tabular-nums}
svg text{fill:var(--text)}svg .axis{fill:var(--soft);font-weight:600}
rect.cell{fill:color-mix(in oklab,var(--best),var(--worst) var(--p));stroke:var(--page);stroke-width:2}
rect.none{fill:url(#hatch);stroke:var(--page);stroke-width:2}
rect.first{stroke:var(--mark);stroke-width:3}text.first{font-weight:700}
svg text.value{fill:var(--on-worst)}svg text.l{fill:var(--on-best)}
@media (prefers-color-scheme:dark){svg text.value{fill:var(--on-worst)}svg text.d{fill:var(--on-best)}svg text.l:not(.d){fill:var(--on-worst)}}
.scale{display:flex;align-items:center;gap:.5rem;margin:.5rem 0 1rem}
.scale i{width:12rem;height:.8rem;border-radius:2px;background:linear-gradient(in oklab to right,var(--best),var(--worst));border:1px solid var(--line)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:600}td.text,th.text{text-align:left;white-space:normal}
td.bar{width:22%;min-width:8rem;text-align:left}td.bar i{display:block;height:.7rem;border-radius:2px;background:var(--best);width:var(--w)}
tr.first td{font-weight:700}tr.first td:first-child{color:var(--mark)}
summary{cursor:pointer;margin:1rem 0 .5rem;font-weight:600}
`;

export function sweepHtml(view: SweepView): string {
  const { axes, rows, title, metricTitle } = view;
  const fixed = axes.filter(({ values }) => values.length === 1).map(({ name, values }) => `${name} = ${values[0]!}`);
  const counts = [
    `${view.done} done`,
    ...(view.failed > 0 ? [`${view.failed} failed`] : []),
    ...(view.missing > 0 ? [`${view.missing} missing`] : []),
  ];
  const timed = rows.filter(({ ns }) => ns !== null);
  const [best, worst] = [timed[0], timed.at(-1)];
  const [pair, ...otherPairs] = pairsOf(view);
  const names = ([across, down]: [number, number]): string => `${axes[down]!.name} × ${axes[across]!.name}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(`Sweep: ${title}`)}</title>
<style>${style}</style>
</head>
<body>
${hatch}
<h1>${escaped(title)}</h1>
<p class="soft">${escaped([`Compared by ${metricTitle}`, ...fixed, ...counts].join(' · '))}</p>
${best ? bestLine(view, best, worst!) : '<p class="best">No job has a time.</p>'}
${pair ? `<h2>${escaped(names(pair))}</h2>\n${scaleOf(best, worst)}${mapsOf(view, pair)}` : ''}
${otherPairs
  .map((each) => `<details><summary>${escaped(names(each))}</summary>\n${mapsOf(view, each)}</details>`)
  .join('\n')}
<h2>All jobs</h2>
${tableOf(view)}
<p class="soft">Times are simulated by Simsight.</p>
</body>
</html>
`;
}

/** For jobs without a time; once for all maps. */
const hatch = `<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="8" height="8" fill="transparent"/><rect width="3" height="8" style="fill:var(--hatch)"/></pattern></defs></svg>`;

function bestLine({ axes }: SweepView, best: SweepRow, worst: SweepRow): string {
  const label = labelOf(axes, best.point) || 'The only job';
  const more = worst.ratio! > 1 ? `, ${worst.ratio!.toFixed(2)} times as fast as the slowest` : '';
  return `<p class="best"><strong>Best: ${escaped(label)}</strong> with ${escaped(formatTime(best.ns!))}${more}</p>`;
}

function scaleOf(best: SweepRow | undefined, worst: SweepRow | undefined): string {
  if (!best || !worst || best.ns === worst.ns) return '';
  const [from, to] = [formatTime(best.ns!), formatTime(worst.ns!)].map(escaped);
  return `<p class="scale" aria-hidden="true">${from}<i></i>${to} <span class="soft">by ratio</span></p>\n`;
}

const cellHeight = 38;
const lineHeight = 22;
const letterWidth = 7.2;

function mapsOf(view: SweepView, [across, down]: [number, number]): string {
  const map = heatMapOf(view, across, down);
  const shade = shadeOf(view);
  const maps = map.facets.map(({ label, cells }) => {
    const head = label === '' ? '' : `<h3>${escaped(label)}</h3>\n`;
    return `<figure>\n${head}${svgOf(view, map, cells, shade, label)}\n</figure>`;
  });
  return `<div class="maps">\n${maps.join('\n')}\n</div>`;
}

function svgOf(
  { axes }: SweepView,
  { across, down }: HeatMap<number>,
  cells: (SweepRow | null)[][],
  shade: (row: SweepRow) => number | null,
  facet: string,
): string {
  const [x, y] = [axes[across]!, axes[down]!];
  const widest = (texts: readonly string[]): number =>
    Math.ceil(Math.max(...texts.map(({ length }) => length)) * letterWidth);
  const cellWidth = Math.max(88, widest(x.values) + 16);
  const left = Math.max(widest(y.values), widest([y.name])) + 16;
  const top = 2 * lineHeight;
  const [width, height] = [left + x.values.length * cellWidth + 2, top + y.values.length * cellHeight + 2];
  const middle = (i: number): number => left + (i + 0.5) * cellWidth;
  const text = (at: [number, number], words: string, more: string): string =>
    `<text x="${at[0]}" y="${at[1]}" ${more}>${escaped(words)}</text>`;
  const marks = [
    text([left + (x.values.length * cellWidth) / 2, 14], x.name, 'class="axis" text-anchor="middle"'),
    text([left - 8, top - 7], y.name, 'class="axis" text-anchor="end"'),
    ...x.values.map((value, i) => text([middle(i), top - 7], value, 'text-anchor="middle"')),
    ...y.values.map((value, j) => text([left - 8, top + (j + 0.5) * cellHeight + 4.5], value, 'text-anchor="end"')),
  ];
  const drawn: string[] = [];
  const above: string[] = [];
  cells.forEach((line, j) =>
    line.forEach((row, i) => {
      const [cellX, cellY] = [left + i * cellWidth, top + j * cellHeight];
      const share = row === null ? null : shade(row);
      const isBest = row?.ratio === 1;
      const box = `x="${cellX + 1}" y="${cellY + 1}" width="${cellWidth - 2}" height="${cellHeight - 2}" rx="3"`;
      const rect =
        share === null
          ? `<rect class="none" ${box}/>`
          : `<rect class="cell${isBest ? ' first' : ''}" ${box} style="--p:${(100 * share).toFixed(1)}%"/>`;
      const words = row?.ns == null ? (row?.status === 'failed' ? 'failed' : '–') : formatTime(row.ns);
      const kind = [
        share === null ? '' : 'value',
        ...(share === null ? [] : (['light', 'dark'] as const).map((t) => (share < themes[t].turns ? t[0]! : ''))),
        isBest ? 'first' : '',
      ];
      const where = `${y.name} = ${y.values[j]!}, ${x.name} = ${x.values[i]!}${facet === '' ? '' : `, ${facet}`}`;
      const why =
        row === null ? 'not run' : remarkOf(row) || `${formatTime(row.ns!)}, ${row.ratio!.toFixed(2)} × the best`;
      const label = text(
        [middle(i), cellY + cellHeight / 2 + 4.5],
        isBest ? `★ ${words}` : words,
        `text-anchor="middle" class="${kind.filter(Boolean).join(' ')}"`,
      );
      (isBest ? above : drawn).push(`<g><title>${escaped(`${where}: ${why}`)}</title>${rect}${label}</g>`);
    }),
  );
  const name = `${y.name} by ${x.name}${facet === '' ? '' : `, ${facet}`}`;
  return `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`Heat map: ${name}`)}">
${[...marks, ...drawn, ...above].join('\n')}
</svg>`;
}

function tableOf(view: SweepView): string {
  const { axes, rows } = view;
  const shown = varied(axes);
  const worst = Math.max(1, ...rows.flatMap(({ ratio }) => (ratio === null ? [] : [ratio])));
  const heads = ['', ...shown.map((i) => axes[i]!.name), 'Time', 'To best', '', 'Registers', 'Occupancy', ''];
  const last = heads.length - 1;
  const head = heads.map((name, i) => `<th${i === 0 || i === last ? ' class="text"' : ''}>${escaped(name)}</th>`);
  const lines = rows.map((row) => {
    const bar = row.ratio === null ? '' : `<i style="--w:${((100 * row.ratio) / worst).toFixed(1)}%"></i>`;
    const cells = [
      `<td class="text">${row.ratio === 1 ? '★' : ''}</td>`,
      ...shown.map((i) => `<td>${escaped(row.point[i]!)}</td>`),
      `<td>${row.ns === null ? '–' : escaped(formatTime(row.ns))}</td>`,
      `<td>${row.ratio === null ? '' : `${row.ratio.toFixed(2)} ×`}</td>`,
      `<td class="bar">${bar}</td>`,
      `<td>${row.registers ?? ''}</td>`,
      `<td>${row.occupancy === null ? '' : `${Math.round(row.occupancy)} %`}</td>`,
      `<td class="text">${escaped(remarkOf(row))}</td>`,
    ];
    return `<tr${row.ratio === 1 ? ' class="first"' : ''}>${cells.join('')}</tr>`;
  });
  return `<div class="wide"><table>\n<thead><tr>${head.join('')}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody>\n</table></div>`;
}
