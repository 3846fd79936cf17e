/**
 * Text of other people, made harmless for terminals: names of kernels, ranges, threads and files may hold anything. A terminal takes
 * ESC and its like for orders (to write what is typed next, to change its title, to put text into the clipboard), and marks that turn
 * the direction of text make it look like another.
 *
 * They are shown as JSON writes them, `\u001b`: so what is JSON stays that, and means the same.
 */

/**
 * Control characters (C0, DEL, C1) but for tabs and ends of lines; marks of direction and their isolates; ends of lines that only some
 * take for such; characters that cannot be seen; halves of surrogate pairs. Joiners stay, which languages and emoji are written with.
 */
const unseen =
  // eslint-disable-next-line no-control-regex -- these are what has to go
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffc\ufffe\uffff\u{e0000}-\u{e0fff}\p{Cs}]|\r(?!\n)/gu;

const code = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const escapedUnits = (text: string): string => text.split('').map(code).join('');

/** For text of several lines. */
export const harmless = (text: string): string => text.replace(unseen, escapedUnits);

/** Puts a text on one line: a line of a name's own would look like one of ours. */
export const harmlessLine = (text: string): string =>
  harmless(text).replace(/\r?\n|\t/g, (mark) => (mark === '\t' ? String.raw`\t` : String.raw`\n`));

/** All texts in a result that is about to be written out in lines. */
export function harmlessLines<T>(result: T): T {
  if (typeof result === 'string') return harmlessLine(result) as T;
  if (Array.isArray(result)) return result.map((each: unknown) => harmlessLines(each)) as T;
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, harmlessLines(value as unknown)]),
  ) as T;
}

/** Colours and weights of text (SGR), which end with the line at the latest for whoever prints after it. */
// eslint-disable-next-line no-control-regex -- as above
const style = /\u001b\[[\d;:]{0,60}m/y;
// eslint-disable-next-line no-control-regex -- as above
const beginningOfStyle = /^\u001b(\[[\d;:]{0,60})?$/;

/**
 * A program's output, for a terminal: colours and the ways to write over a line stay, whatever else would be an order to the
 * terminal is shown. Pieces come as the program writes them, so the beginning of an order may be the end of one.
 */
export class TerminalText {
  private held = '';

  take(piece: string): string {
    const text = this.held + piece;
    this.held = '';
    let shown = '';
    let from = 0;
    for (let at = text.indexOf('\u001b'); at >= 0; at = text.indexOf('\u001b', from)) {
      shown += harmlessOutput(text.slice(from, at));
      style.lastIndex = at;
      const found = style.exec(text)?.[0];
      if (found !== undefined) {
        shown += found;
        from = at + found.length;
      } else if (beginningOfStyle.test(text.slice(at, at + 64)) && text.length - at < 64) {
        this.held = text.slice(at);
        return shown;
      } else {
        shown += code('\u001b');
        from = at + 1;
      }
    }
    return shown + harmlessOutput(text.slice(from));
  }
}

/** Backspace and carriage return write over what is there: progress in many programs. */
const harmlessOutput = (text: string): string =>
  text.replace(unseen, (found) => (found === '\b' || found === '\r' ? found : escapedUnits(found)));

/** The part that fits, with an ellipsis where something is missing. */
export const cutOff = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
