/**
 * A report as one page: style and pictures are in it, nothing is fetched, nothing runs, and a policy in it sees to that even if a
 * writer of sections should ever forget to.
 */
import type { Bar, Block, Line, Piece, ReportDocument, Section } from './document.ts';
import { inlineSvg } from './drawing.ts';
import { colourStyle, fonts, pictureStyle } from './style.ts';
import { escaped } from './text.ts';

export function toHtml({ title, subtitle, blocks, sections }: ReportDocument): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="dark light">
<title>${escaped(title)}</title>
<style>
${colourStyle}
${pageStyle}
${pictureStyle}
</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
<p class="subtitle">${lineOf(subtitle)}</p>
</header>
<nav aria-label="Contents"><ul>${sections.map(({ id, title }) => `<li><a href="#${id}">${lineOf(title)}</a></li>`).join('')}</ul></nav>
<main>
${blocks.map(blockOf).join('\n')}
${sections.map((section) => sectionOf(section, 2)).join('\n')}
</main>
</body>
</html>
`;
}

function sectionOf({ id, title, blocks, sections = [] }: Section, level: number): string {
  const parts = [...blocks.map(blockOf), ...sections.map((section) => sectionOf(section, level + 1))];
  return `<section id="${id}">\n<h${level}>${lineOf(title)}</h${level}>\n${parts.join('\n')}\n</section>`;
}

const lineOf = (line: Line): string => line.map(pieceOf).join('');

function pieceOf(piece: Piece): string {
  if (typeof piece === 'string') return escaped(piece);
  const text = escaped(piece.text);
  if ('anchor' in piece) return `<a href="#${piece.anchor}">${text}</a>`;
  switch (piece.is) {
    case 'code':
      return `<code>${text}</code>`;
    case 'strong':
      return `<strong>${text}</strong>`;
    case 'quiet':
    case 'good':
    case 'bad':
      return `<span class="${piece.is}">${text}</span>`;
  }
}

function blockOf(block: Block): string {
  switch (block.type) {
    case 'text':
      return `<p>${lineOf(block.line)}</p>`;
    case 'list':
      return `<ul>${block.lines.map((line) => `<li>${lineOf(line)}</li>`).join('')}</ul>`;
    case 'notices':
      return `<ul class="notices">${block.lines.map((line) => `<li>${lineOf(line)}</li>`).join('')}</ul>`;
    case 'figures': {
      const figures = block.figures.map(
        ({ name, value, note }) =>
          `<div class="figure"><div class="name">${escaped(name)}</div><div class="value">${escaped(value)}</div><div class="note">${escaped(note)}</div></div>`,
      );
      return `<div class="figures">${figures.join('')}</div>`;
    }
    case 'facts': {
      const facts = block.facts.map(({ name, line }) => `<dt>${escaped(name)}</dt><dd>${lineOf(line)}</dd>`);
      return `<dl>${facts.join('')}</dl>`;
    }
    case 'table': {
      const side = (column: number): string => (block.columns[column]?.isNumber ? ' class="number"' : '');
      const head = block.columns.map(({ name }, i) => `<th scope="col"${side(i)}>${escaped(name)}</th>`).join('');
      const rows = block.rows.map(
        (row) => `<tr>${row.map((cell, i) => `<td${side(i)}>${lineOf(cell)}</td>`).join('')}</tr>`,
      );
      return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
    }
    case 'bars':
      return barsOf(block.title, block.bars);
    case 'picture':
      return `<figure class="picture">${inlineSvg(block.picture)}</figure>`;
    case 'code':
      return `<pre><code>${escaped(block.text)}</code></pre>`;
    case 'source': {
      const most = Math.max(...block.lines.map(({ share }) => share), 1);
      const rows = block.lines.map(
        ({ line, share, mostly, text }) =>
          `<tr><td class="number quiet">${line}</td><td class="number share">${share.toFixed(1)} %</td><td class="meter">${meter((100 * share) / most, 'stall')}</td><td class="quiet">${escaped(mostly)}</td><td class="line"><code>${escaped(text)}</code></td></tr>`,
      );
      return `<div class="wide"><table class="source"><caption>${escaped(block.file)}</caption><thead><tr><th scope="col" class="number">Line</th><th scope="col" class="number">Warp cycles</th><th></th><th scope="col">Mostly</th><th scope="col">Code</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
    }
  }
}

const barColours: Record<Bar['colour'], string> = { compute: 'k0', memory: 'k1', stall: 'k2' };

function barsOf(title: string, bars: readonly Bar[]): string {
  const rows = bars.map(
    ({ label, percent, text, colour }) =>
      `<tr><th scope="row">${lineOf(label)}</th><td class="meter">${meter(percent, colour)}</td><td class="quiet">${escaped(text)}</td></tr>`,
  );
  return `<table class="bars"><caption>${escaped(title)}</caption><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

/** A bar as a small picture: it is printed, unlike backgrounds. */
function meter(percent: number, colour: Bar['colour']): string {
  const width = Math.round(Math.min(100, Math.max(0, percent)) * 10) / 10;
  return `<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><path class="f-line" d="M0 0h100v10H0z"/><path class="f-${barColours[colour]}" d="M0 0h${width}v10H0z"/></svg>`;
}

const pageStyle = `*{box-sizing:border-box}
body{margin:0 auto;padding:28px 28px 60px;max-width:1136px;background:var(--bg);color:var(--text);font:14px/1.5 ${fonts.text};font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1{margin:0;font-size:25px;line-height:1.25}
h2{margin:44px 0 10px;padding-top:14px;border-top:1px solid var(--line);font-size:19px}
h3{margin:30px 0 8px;font-size:15.5px}
h4{margin:18px 0 6px;font-size:13px;color:var(--quiet)}
h1,h2,h3,h4{font-weight:650;break-after:avoid}
p{margin:8px 0}.subtitle{color:var(--quiet)}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
code,pre{font:12.5px/1.5 ${fonts.mono}}
code{overflow-wrap:anywhere}
pre{margin:8px 0;padding:10px 12px;background:var(--panel);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap}
pre code{overflow-wrap:anywhere}
nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;margin:14px 0 0;padding:0;list-style:none}
ul{margin:8px 0;padding-left:22px}
.notices{margin:14px 0;padding:10px 14px 10px 30px;border:1px solid var(--line);border-left:3px solid var(--warn);border-radius:6px;background:var(--panel)}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(168px,1fr));gap:10px;margin:18px 0}
.figure{padding:10px 14px;border:1px solid var(--line);border-radius:6px;background:var(--panel);break-inside:avoid}
.figure .name,.figure .note{color:var(--quiet);font-size:12px}
.figure .value{font-size:20px;font-weight:650;line-height:1.35}
dl{display:grid;grid-template-columns:max-content 1fr;gap:3px 20px;margin:10px 0}
dt{color:var(--quiet)}dd{margin:0}
table{border-collapse:collapse;font-size:13px}
.wide{overflow-x:auto;margin:10px 0}
.wide table{width:100%}
caption{padding:0 0 4px;text-align:left;color:var(--quiet);font-size:12px}
th{font-weight:600;text-align:left}thead th{color:var(--quiet);font-size:12px;white-space:nowrap;vertical-align:bottom}
th,td{padding:4px 14px 4px 0;vertical-align:top}
tbody td,tbody th{border-top:1px solid var(--line)}
tr{break-inside:avoid}
.number{text-align:right;white-space:nowrap}
.quiet{color:var(--quiet)}.good{color:var(--good)}.bad{color:var(--bad)}
.bars{width:100%;max-width:820px;margin:12px 0}
.bars th{width:1px;font-weight:400;white-space:nowrap}.bars th,.bars td{border:0;padding:2px 14px 2px 0;vertical-align:middle}
.bars td:last-child{width:1px;white-space:nowrap}
.meter svg{display:block;width:100%;min-width:80px;height:10px;border-radius:2px}
.source .meter{width:90px}.source td{vertical-align:middle;white-space:nowrap}
.source .line code{white-space:pre}
.picture{margin:12px 0;overflow-x:auto;break-inside:avoid}
.picture svg{display:block;width:100%;min-width:640px;height:auto}
@media(max-width:640px){body{padding:18px 14px 40px}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}}
@media print{@page{margin:14mm 12mm}body{padding:0;max-width:none;font-size:11px;print-color-adjust:exact;-webkit-print-color-adjust:exact}nav{display:none}h2{margin-top:26px}.picture svg{min-width:0}a{color:inherit}.wide,.picture{overflow:visible}pre,.source .line code{white-space:pre-wrap}}`;
