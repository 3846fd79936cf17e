/** Results as people see them: sorted, with the best marked, over pairs of axes, in light and dark. */
import { expect, test } from 'vitest';
import type { SweepAxis, SweepRow, SweepView } from '../../../engine/model/sweep.ts';
import { pointsOf } from '../../../engine/sweep/axes.ts';
import { heatMapOf, pairsOf, shadeOf } from '../../../engine/model/sweep-heat-map.ts';
import { sweepHtml, themes } from '../../../engine/sweep/html.ts';
import { sweepCsv, sweepText } from '../../../engine/sweep/text.ts';

const axes: SweepAxis[] = [
  { kind: 'gpu', name: 'GPU', values: ['a100-80gb', 'h200'] },
  { kind: 'define', name: 'TILE', values: ['8', '16', '<32>'] },
  { kind: 'argument', name: 'BLOCK', values: ['64', '128', '256', '512'] },
  { kind: 'carveout', name: 'Carve-out', values: ['50'] },
];

/** The best at h200, 16, 256; twice as long for each step away; 512 of TILE 8 fails, 64 of it is yet to be run. */
function viewOf(some: SweepAxis[]): SweepView {
  const rows = pointsOf(some).map((point, i): SweepRow => {
    const at = (name: string): string => point[some.findIndex((axis) => axis.name === name)] ?? '';
    const steps =
      Number(at('GPU') === 'a100-80gb') +
      Number(at('TILE') !== '16') +
      Math.abs(Math.log2(Number(at('BLOCK') || 256) / 256));
    const isOdd = at('TILE') === '8' && ['512', '64'].includes(at('BLOCK'));
    const status = !isOdd ? 'done' : at('BLOCK') === '512' ? 'failed' : 'missing';
    const ns = isOdd ? null : 1000 * 2 ** steps;
    const error = status === 'failed' ? 'launch of "x", refused' : null;
    const figures = { durationNs: ns, gpuBusyNs: ns, kernelNs: ns, kernel: null, registers: null, occupancy: null };
    return { id: String(i), point, status, ns, ratio: ns === null ? null : ns / 1000, error, trace: null, ...figures };
  });
  rows.sort((a, b) => (a.ns ?? 1e9) - (b.ns ?? 1e9));
  const count = (status: string): number => rows.filter((row) => row.status === status).length;
  const counts = { done: count('done'), failed: count('failed'), missing: count('missing') };
  const named = {
    folder: '',
    title: 'app.cu & more',
    metric: 'kernels',
    metricTitle: 'time of all kernels',
    kernels: [],
  };
  return { ...named, axes: some, rows, ...counts };
}

test('pairs of axes that vary, the most values first, and a map for each combination of the others', () => {
  const view = viewOf(axes);
  expect(pairsOf(view)).toEqual([
    [2, 1],
    [2, 0],
    [1, 0],
  ]);
  const { facets } = heatMapOf(view, 2, 1);
  expect(facets.map(({ label }) => label)).toEqual(['GPU = a100-80gb', 'GPU = h200']);
  expect(facets[1]!.cells.map((line) => line.map((row) => row?.ns ?? row?.status))).toEqual([
    ['missing', 4000, 2000, 'failed'],
    [4000, 2000, 1000, 2000],
    [8000, 4000, 2000, 4000],
  ]);
  const shade = shadeOf(view);
  const shades = [1000, 4000, 16000].map((ns) => shade(view.rows.find((row) => row.ns === ns)!));
  expect(shades).toEqual([0, 0.5, 1]);
});

test('as text: a heat map where two axes vary', () => {
  expect(sweepText(viewOf(axes.slice(1))))
    .toBe(` ** Sweep: app.cu & more, Carve-out = 50; time of all kernels; 10 done, 1 failed, 1 missing

    TILE  BLOCK  Time  To best  Registers  Occupancy
 -  ----  -----  ----  -------  ---------  ---------  ----------------------
 *  16      256  1 µs    1.00x
    8       256  2 µs    2.00x
    16      128  2 µs    2.00x
    16      512  2 µs    2.00x
    <32>    256  2 µs    2.00x
    8       128  4 µs    4.00x
    16       64  4 µs    4.00x
    <32>    128  4 µs    4.00x
    <32>    512  4 µs    4.00x
    <32>     64  8 µs    8.00x
    8        64     -        -                        not run yet
    8       512     -        -                        launch of "x", refused

 TILE \\ BLOCK     64       128       256       512
 ------------  --------  --------  --------  --------
            8         -   4 µs ▓▓   2 µs ░░    failed
           16   4 µs ▓▓   2 µs ░░  *1 µs      2 µs ░░
         <32>   8 µs ██   4 µs ▓▓   2 µs ░░   4 µs ▓▓
`);
  expect(sweepText(viewOf(axes))).not.toContain('▓');
  expect(sweepCsv(viewOf(axes))).toContain(',,,,,,,failed,"launch of ""x"", refused",');
});

test('as one HTML file that loads nothing, with names as they are', () => {
  const html = sweepHtml(viewOf(axes));
  expect(html).not.toMatch(/<script|<link|<img|@import|url\((?!#)|https?:/);
  expect(html).not.toContain('<32>');
  expect(html).toContain('Best: GPU=h200, TILE=16, BLOCK=256');
  // Two GPUs by TILE and BLOCK, three TILEs by GPU and BLOCK, four BLOCKs by GPU and TILE.
  expect(html.match(/<svg [^>]*role="img"/g)).toHaveLength(2 + 3 + 4);
  expect(html.match(/<rect class="cell first"/g)).toHaveLength(3);
  expect(html.match(/id="hatch"/g)).toHaveLength(1);
  expect(html).toContain('TILE = 8, BLOCK = 512, GPU = h200: launch of &#34;x&#34;, refused');
  const open = [...html.matchAll(/<(\w+)[^>]*?(?<!\/)>/g)]
    .map(([, name]) => name!)
    .filter((name) => !/^(meta|i)$/.test(name));
  const closed = [...html.matchAll(/<\/(\w+)>/g)].map(([, name]) => name!).filter((name) => name !== 'i');
  expect(open.toSorted()).toEqual(closed.toSorted());
  expect(sweepHtml(viewOf(axes.slice(1, 2)))).not.toContain('role="img"');
});

/** OKLab as in CSS Color 4, for what `color-mix(in oklab, …)` gives. */
const linear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
type Three = [number, number, number];
const rgbOf = (hex: string): Three => [1, 3, 5].map((i) => linear(parseInt(hex.slice(i, i + 2), 16) / 255)) as Three;
function labOf([r, g, b]: Three): Three {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
function luminanceOfLab([L, a, b]: Three): number {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return luminance([
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]);
}
const luminance = ([r, g, b]: Three): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

test.each(Object.entries(themes))('in the %s theme every figure can be read on its colour (WCAG: 4.5)', (_, theme) => {
  const [best, worst] = [labOf(rgbOf(theme.best)), labOf(rgbOf(theme.worst))];
  for (let share = 0; share <= 1; share += 0.005) {
    const mixed = best.map((value, i) => value * (1 - share) + worst[i]! * share) as Three;
    const [text, ground] = [
      luminance(rgbOf(share < theme.turns ? theme.onBest : theme.onWorst)),
      luminanceOfLab(mixed),
    ];
    const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    expect(contrast, `at ${share}`).toBeGreaterThan(4.5);
  }
});
