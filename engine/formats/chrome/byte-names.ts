/**
 * Numbers of texts by the bytes in which they come: a million events have a few dozen names, and making a string of each would take
 * longer than all the rest.
 */

/** Names are forgotten at once when there are more: what comes again gets a new number. */
const mostNames = 2 ** 17;
const mostBytes = 2 ** 25;

export class ByteNames {
  private readonly add: (text: string) => number;
  private slots = new Int32Array(2 ** 12);
  private readonly starts: number[] = [];
  private readonly numbers: number[] = [];
  private texts = Buffer.alloc(2 ** 16);

  /** `add` gives the number of a text that was not there. */
  constructor(add: (text: string) => number) {
    this.add = add;
    this.starts.push(0);
  }

  /** `isEscaped`: with backslashes. */
  find(bytes: Buffer, start: number, end: number, isEscaped: boolean): number {
    const { starts, texts } = this;
    const mask = this.slots.length - 1;
    let hash = 0x811c9dc5 ^ (end - start);
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let entry = this.slots[slot]!; entry !== 0; entry = this.slots[(slot = (slot + 1) & mask)]!) {
      const from = starts[entry - 1]!;
      if (starts[entry]! - from !== end - start) continue;
      let i = 0;
      while (i < end - start && texts[from + i] === bytes[start + i]) i++;
      if (i === end - start) return this.numbers[entry - 1]!;
    }
    const number = this.add(textOf(bytes, start, end, isEscaped));
    this.remember(bytes.subarray(start, end), number, slot);
    return number;
  }

  private remember(text: Buffer, number: number, slot: number): void {
    const { starts, numbers } = this;
    const at = starts.at(-1)!;
    if (numbers.length === mostNames || at + text.length > mostBytes) {
      starts.length = 1;
      numbers.length = 0;
      this.slots.fill(0);
      return;
    }
    if (at + text.length > this.texts.length) {
      const grown = Buffer.alloc(2 * (at + text.length));
      this.texts.copy(grown, 0, 0, at);
      this.texts = grown;
    }
    text.copy(this.texts, at);
    starts.push(at + text.length);
    this.slots[slot] = numbers.push(number);
    if (2 * numbers.length > this.slots.length) this.grow();
  }

  private grow(): void {
    const { starts, texts } = this;
    this.slots = new Int32Array(2 * this.slots.length);
    const mask = this.slots.length - 1;
    for (let entry = 1; entry < starts.length; entry++) {
      const [from, to] = [starts[entry - 1]!, starts[entry]!];
      let hash = 0x811c9dc5 ^ (to - from);
      for (let i = from; i < to; i++) hash = Math.imul(hash ^ texts[i]!, 0x01000193);
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = entry;
    }
  }
}

/** Longer texts are cut: nobody reads them on a row. */
const longestText = 1 << 16;

/** The text between two quotes of JSON; what follows a backslash without meaning is taken as it is. */
export function textOf(bytes: Buffer, start: number, end: number, isEscaped: boolean): string {
  const isLong = end - start > longestText;
  let text = bytes.toString('utf8', start, isLong ? start + longestText : end);
  if (isEscaped) text = text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, unescape);
  return isLong ? `${text}…` : text;
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const unescape = (_: string, code: string | undefined, other: string): string =>
  code === undefined ? (escapes[other] ?? other) : String.fromCharCode(parseInt(code, 16));
