/**
 * A report as GitHub's Markdown. Pictures are files beside it, under relative links, since GitHub shows neither SVG within Markdown nor
 * `data:` addresses. Bars are characters of a table, so that most of a report also survives in a comment or a mail.
 */
import type { WrittenReport } from '../../model/tables.ts';
import type { Block, Column, Line, Piece, ReportDocument, Section } from './document.ts';
import { svgFile } from './drawing.ts';
import { markdownCode, markdownFenced, markdownText } from './text.ts';

/** `pictureName`: how a picture's file is called. */
export function toMarkdown(
  document: ReportDocument,
  pictureName: (name: string) => string,
): Omit<WrittenReport, 'fileName'> {
  const pictures: WrittenReport['pictures'] = [];
  const parts: string[] = [`# ${markdownText(document.title)}`, lineOf(document.subtitle)];
  const add = (block: Block): void => {
    if (block.type !== 'picture') parts.push(blockOf(block));
    else {
      const fileName = pictureName(block.picture.name);
      pictures.push({ fileName, text: svgFile(block.picture) });
      parts.push(`![${markdownText(block.picture.title)}](${addressOf(fileName)})`);
    }
  };
  const addSection = ({ id, title, blocks, sections = [] }: Section, level: number): void => {
    parts.push(`<a id="${id}"></a>`, `${'#'.repeat(level)} ${lineOf(title)}`);
    for (const block of blocks) add(block);
    for (const section of sections) addSection(section, level + 1);
  };
  for (const block of document.blocks) add(block);
  for (const section of document.sections) addSection(section, 2);
  return { text: `${parts.filter((part) => part !== '').join('\n\n')}\n`, pictures };
}

const addressOf = (fileName: string): string =>
  encodeURIComponent(fileName).replaceAll('(', '%28').replaceAll(')', '%29');

const lineOf = (line: Line, inTable = false): string => line.map((piece) => pieceOf(piece, inTable)).join('');

function pieceOf(piece: Piece, inTable: boolean): string {
  if (typeof piece === 'string') return markdownText(piece);
  if ('anchor' in piece) return `[${markdownText(piece.text)}](#${piece.anchor})`;
  switch (piece.is) {
    case 'code':
      return markdownCode(piece.text, inTable);
    case 'strong':
      return `**${markdownText(piece.text)}**`;
    case 'quiet':
    case 'good':
    case 'bad':
      return markdownText(piece.text);
  }
}

function blockOf(block: Exclude<Block, { type: 'picture' }>): string {
  switch (block.type) {
    case 'text':
      return lineOf(block.line);
    case 'list':
      return block.lines.map((line) => `- ${lineOf(line)}`).join('\n');
    case 'notices':
      return block.lines.map((line) => `> ${lineOf(line)}`).join('\n>\n');
    case 'figures':
      return tableOf(
        [{ name: 'Figure' }, { name: 'Value', isNumber: true }, { name: '' }],
        block.figures.map(({ name, value, note }) => [[name], [{ text: value, is: 'strong' }], [note]]),
      );
    case 'facts':
      return block.facts.map(({ name, line }) => `- ${markdownText(name)}: ${lineOf(line)}`).join('\n');
    case 'table':
      return tableOf(block.columns, block.rows);
    case 'bars':
      return tableOf(
        [{ name: block.title }, { name: '' }, { name: '' }],
        block.bars.map(({ label, percent, text }) => [label, [barOf(percent)], [text]]),
      );
    case 'code':
      return markdownFenced(block.text);
    case 'source':
      return tableOf(
        [
          { name: 'Line', isNumber: true },
          { name: 'Warp cycles', isNumber: true },
          { name: 'Mostly' },
          { name: block.file },
        ],
        block.lines.map(({ line, share, mostly, text }) => [
          ...[[String(line)], [`${share.toFixed(1)} %`], [mostly]],
          [{ text: text.trim(), is: 'code' }],
        ]),
      );
  }
}

function tableOf(columns: readonly Column[], rows: readonly (readonly Line[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(columns.map(({ name }) => markdownText(name))),
    row(columns.map(({ isNumber }) => (isNumber ? '--:' : ':--'))),
    ...rows.map((cells) => row(cells.map((cell) => lineOf(cell, true)))),
  ].join('\n');
}

const cells = 20;
function barOf(percent: number): string {
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * cells);
  return '█'.repeat(filled) + '░'.repeat(cells - filled);
}
