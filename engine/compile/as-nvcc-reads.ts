/**
 * What nvcc takes and Clang does not. Where Clang complains of such a place, what is missing is put there and the source is compiled
 * again; lines stay as they are.
 *
 * - `Cast<T>::to<N>(x)` is a call of a member template to nvcc's device pass also where `T` is not known yet. By the standard, and to Clang,
 *   that is a comparison unless it says `Cast<T>::template to<N>(x)`.
 * - Variables in shared memory of a type that has a constructor: nvcc leaves them as they are and warns, to Clang that is an error. They
 *   become references to memory of their size.
 * - Commas between operands of `asm` may be absent: `asm("…" ::"r"(a) "l"(b))`.
 * - Spaces may stand within the signs of a launch, as formatters for C++ write them: `kernel << <grid, block >> > (x)`.
 */
import { compilerPath } from '../base/compiler-paths.ts';

/** Something to be put into a line, where there have been so many characters. */
interface Insertion {
  at: number;
  length: number;
  text: string;
}

/** A member's name before `<`; the last one counts of those before the arguments of the call. */
const member = /(?:::|\.|->)\s*(?!template\b)(\w+)\s*</g;

/** `column`: of the expression, or of the member's name. */
function templateKeyword(line: string, column: number): Insertion | null {
  const text = 'template ';
  if (/(?:::|\.|->)\s*$/.test(line.slice(0, column - 1))) return { at: column - 1, length: 0, text };
  const expression = line.slice(column - 1);
  const call = expression.indexOf('(');
  const found = [...expression.slice(0, call < 0 ? undefined : call).matchAll(member)].at(-1);
  return found === undefined
    ? null
    : { at: column - 1 + found.index + found[0].indexOf(found[1]!, 1), length: 0, text };
}

/** `column`: of the operand that follows. */
function commaOfOperands(line: string, column: number): Insertion | null {
  const isOperand = /^"[^"]*"\s*\(/.test(line.slice(column - 1));
  return isOperand && /\)\s*$/.test(line.slice(0, column - 1)) ? { at: column - 1, length: 0, text: ', ' } : null;
}

/** `column`: of the last of three signs, which spaces part from the others. Columns behind them stay as they are. */
function signOfLaunch(line: string, column: number): Insertion | null {
  const parted = /(?:<<\s+<|>>\s+>)$/.exec(line.slice(0, column));
  if (parted === null) return null;
  const [{ length }] = parted;
  return { at: parted.index, length, text: parted[0].replace(/\s/g, '').padEnd(length) };
}

const sharedVariable = /\b__shared__\s+([^;=]*[^;=\s,])\s+$/;

/** `column`: of the variable's name. */
function uninitialized(line: string, column: number): Insertion | null {
  const before = sharedVariable.exec(line.slice(0, column - 1));
  const declarator = /^(\w+)((?:\s*\[[^\]]*\])*)\s*;/.exec(line.slice(column - 1));
  if (before === null || declarator === null) return null;
  const [{ 0: specifiers, 1: type, index }, [declaration, name, extents]] = [before, declarator];
  const [own, memory] = [`__simsight_type_of_${name}`, `__simsight_memory_of_${name}`];
  const text = [
    `typedef ${type} ${own}${extents}`,
    `__shared__ alignas(${own}) unsigned char ${memory}[sizeof(${own})]`,
    `${own} &${name} = reinterpret_cast<${own} &>(${memory});`,
  ].join('; ');
  return { at: index, length: specifiers.length + declaration.length, text };
}

/** What Clang says of such places. Where an argument of a template is a type, nvcc wants the keyword as well. */
const complaints: [said: RegExp, mended: typeof templateKeyword][] = [
  [
    /missing 'template' keyword prior to|reference to (?:overloaded function could not be resolved|non-static member function must be called)/,
    templateKeyword,
  ],
  [/expected '\)'/, commaOfOperands],
  [/^expected expression|^expanded from macro/, signOfLaunch],
  [/^initialization is not supported for __shared__ variables/, uninitialized],
];

/** Places in macros are in notes. */
const complaint = /^(.+?):(\d+):(\d+): (?:error|note): (.*)$/gm;

/** The user's files with what Clang has missed in them; null where it has missed none of that. */
export function asNvccReads(
  userFiles: ReadonlyMap<string, Uint8Array>,
  messages: readonly string[],
): Map<string, Uint8Array> | null {
  const places = [...messages.join('\n').matchAll(complaint)];
  const corrected = new Map(userFiles);
  let isChanged = false;
  for (const [path, bytes] of userFiles) {
    const own = places.filter(([, file]) => file === compilerPath(path));
    if (own.length === 0) continue;
    // Clang's columns are bytes.
    const lines = Buffer.from(bytes).toString('latin1').split('\n');
    const insertions = new Map<string, Insertion & { index: number }>();
    for (const [, , line, column, text] of own) {
      const index = Number(line) - 1;
      const mended = complaints.find(([said]) => said.test(text!))?.[1];
      const found = mended?.(lines[index] ?? '', Number(column)) ?? null;
      if (found !== null) insertions.set(`${index}:${found.at}`, { ...found, index });
    }
    // From the right, so that places to the left stay.
    for (const { index, at, length, text } of [...insertions.values()].sort((a, b) => b.at - a.at))
      lines[index] = `${lines[index]!.slice(0, at)}${text}${lines[index]!.slice(at + length)}`;
    isChanged ||= insertions.size > 0;
    corrected.set(path, Buffer.from(lines.join('\n'), 'latin1'));
  }
  return isChanged ? corrected : null;
}
