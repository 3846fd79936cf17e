/** Colours and type of reports, the same in a page and in a picture that is a file. */

/** Colours by name of the variable: dark, light. */
const colours: Readonly<Record<string, readonly [dark: string, light: string]>> = {
  bg: ['#0d1116', '#ffffff'],
  panel: ['#141a21', '#f5f7f9'],
  line: ['#26303b', '#dfe4ea'],
  strong: ['#46535f', '#aab5c1'],
  text: ['#dde4ec', '#17202b'],
  quiet: ['#9aa7b6', '#52606f'],
  accent: ['#5aa9ff', '#1767cc'],
  good: ['#5ccb92', '#13784a'],
  bad: ['#f4858b', '#bb2a35'],
  warn: ['#e0b455', '#855600'],
  // Events: kernels in eight hues, the rest by what it is, as on the timeline of the app.
  k0: ['#6ea8fe', '#7db1f7'],
  k1: ['#f2a65a', '#f0aa5e'],
  k2: ['#c39bf5', '#c6a5f2'],
  k3: ['#62c8c0', '#67c6be'],
  k4: ['#e78bc0', '#e697c6'],
  k5: ['#b5c95f', '#b4c765'],
  k6: ['#8f9cf7', '#9ba6f5'],
  k7: ['#d9b08c', '#d8b592'],
  other: ['#8b98a8', '#a5b0bc'],
  failed: ['#d92d20', '#ff5a4a'],
  todevice: ['#55b87a', '#5fc187'],
  tohost: ['#e2788f', '#ea8fa2'],
  within: ['#93b84f', '#9cc15a'],
  fill: ['#58aeb6', '#66bac2'],
  launch: ['#56739e', '#9db8de'],
  wait: ['#94764a', '#e0c08c'],
  memory: ['#557f6e', '#9fccb8'],
  call: ['#5b6570', '#c3cbd3'],
  range: ['#6f6a8c', '#c1bcdb'],
  fault: ['#e5685a', '#e5685a'],
};
const variables = (index: 0 | 1): string =>
  Object.entries(colours)
    .map(([name, both]) => `--${name}:${both[index]}`)
    .join(';');

export const colourStyle = `:root{color-scheme:dark light;${variables(0)}}
@media (prefers-color-scheme:light){:root{${variables(1)}}}
@media print{:root{color-scheme:light;${variables(1)}}}`;

export const fonts = {
  text: "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif",
  mono: "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace",
};

/** The style of what `drawing.ts` writes. Colours are classes, so that a picture follows the theme. */
export const pictureStyle = `svg text{font:11px ${fonts.text};fill:var(--text)}
svg .small{font-size:10px}svg .quiet{fill:var(--quiet)}svg .bold{font-weight:600}svg .on{fill:#0b0f14}
svg .grid{stroke:var(--line);fill:none}svg .axis{stroke:var(--strong);fill:none}svg .panel{fill:var(--panel)}
svg .roof{stroke:var(--quiet);stroke-width:1.5;fill:none}svg .roof.chosen{stroke:var(--accent);stroke-width:2}
svg .dot{stroke:var(--bg);stroke-width:1.5}svg .start{text-anchor:start}svg .middle{text-anchor:middle}svg .end{text-anchor:end}
${Object.keys(colours)
  .map((name) => `svg .f-${name}{fill:var(--${name})}`)
  .join('')}`;
