/**
 * nvcc takes `Cast<T>::to<N>(x)` for a call of a member template also where `T` is not known yet. By the standard, and to Clang, that is a
 * comparison unless it says `Cast<T>::template to<N>(x)`. So where Clang complains of such a place, the word is put there and the source is
 * compiled again; lines stay as they are.
 */
import { compilerPath } from '../base/compiler-paths.ts';

/** What Clang says of such a place: that of the expression, or of the member's name. Where an argument is a type, nvcc wants the word as well. */
const complaints =
  /^(.+?):(\d+):(\d+): error: (?:missing 'template' keyword prior to|reference to (?:overloaded function could not be resolved|non-static member function must be called))/gm;

/** A member's name before `<`; the last one counts of those before the arguments of the call. */
const member = /(?:::|\.|->)\s*(?!template\b)(\w+)\s*</g;

/** Position in a line at which the word is missing; -1 if it is not clear. */
function placeIn(line: string, column: number): number {
  if (/(?:::|\.|->)\s*$/.test(line.slice(0, column - 1))) return column - 1;
  const expression = line.slice(column - 1);
  const call = expression.indexOf('(');
  const found = [...expression.slice(0, call < 0 ? undefined : call).matchAll(member)].at(-1);
  return found === undefined ? -1 : column - 1 + found.index + found[0].indexOf(found[1]!, 1);
}

/** The user's files with the words that Clang has missed in them; null where it has missed none. */
export function withTemplateKeywords(
  userFiles: ReadonlyMap<string, Uint8Array>,
  messages: readonly string[],
): Map<string, Uint8Array> | null {
  const missing = [...messages.join('\n').matchAll(complaints)];
  const corrected = new Map(userFiles);
  let isChanged = false;
  for (const [path, bytes] of userFiles) {
    const own = missing.filter(([, file]) => file === compilerPath(path));
    if (own.length === 0) continue;
    // Clang's columns are bytes.
    const lines = Buffer.from(bytes).toString('latin1').split('\n');
    const places = new Map<string, [line: number, at: number]>();
    for (const [, , line, column] of own) {
      const index = Number(line) - 1;
      const at = placeIn(lines[index] ?? '', Number(column));
      if (at >= 0) places.set(`${index}:${at}`, [index, at]);
    }
    // From the right, so that places to the left stay.
    for (const [index, at] of [...places.values()].sort(([, a], [, b]) => b - a))
      lines[index] = `${lines[index]!.slice(0, at)}template ${lines[index]!.slice(at)}`;
    isChanged ||= places.size > 0;
    corrected.set(path, Buffer.from(lines.join('\n'), 'latin1'));
  }
  return isChanged ? corrected : null;
}
