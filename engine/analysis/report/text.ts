/** Makes text of recordings harmless: names of kernels, output of programs and titles may hold anything. */

/**
 * Control characters are shown as their pictures (U+2400 …), and what would turn the direction of text around, or is no character at
 * all, as the replacement character. Line breaks and tabs stay.
 */
export const visible = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    // eslint-disable-next-line no-control-regex -- these are what has to go
    .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replaceAll('\u007f', '\u2421')
    .replaceAll(
      /[\u0080-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e0fff}]/gu,
      '\ufffd',
    );

export const onOneLine = (text: string): string => visible(text).replaceAll(/[\n\t]/g, ' ');

/** For HTML and SVG, in elements and in quoted attributes alike. */
export const escaped = (text: string): string =>
  visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** Escapes text for a line of GitHub's Markdown: no markup, no link that nobody wrote, and nobody is notified. */
export const markdownText = (text: string): string =>
  onOneLine(text)
    .replaceAll(/[\\`*_[\]<>|~&#$]/g, String.raw`\$&`)
    // Addresses become links by themselves.
    .replaceAll(/:(?=\/\/)|(?<=mailto|xmpp):/gi, String.raw`\:`)
    .replaceAll(/(?<=www)\./gi, String.raw`\.`)
    // Mentions are looked for after markup is done with.
    .replaceAll('@', '@\u200b')
    // Lists and underlines of headings.
    .replace(/^(\s*)([-+=])(?=\s|[-+=]|$)/, String.raw`$1\$2`)
    .replace(/^(\s*\d+)([.)])(?=\s|$)/, String.raw`$1\$2`);

/** Length of the longest run of backquotes. */
const mostBackquotes = (text: string): number =>
  (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);

/** Between more backquotes than it holds; of a table, where bars would end the cell. */
export function markdownCode(text: string, inTable: boolean): string {
  const line = onOneLine(text);
  if (line.trim() === '') return '';
  const fence = '`'.repeat(mostBackquotes(line) + 1);
  const padded = /^`|`$/.test(line) ? ` ${line} ` : line;
  return `${fence}${inTable ? padded.replaceAll('|', String.raw`\|`) : padded}${fence}`;
}

export function markdownFenced(text: string, language = ''): string {
  const body = visible(text);
  const fence = '`'.repeat(Math.max(2, mostBackquotes(body)) + 1);
  return `${fence}${language}\n${body.endsWith('\n') || body === '' ? body : `${body}\n`}${fence}`;
}

export { cutOff as shortened } from '../../base/harmless.ts';
