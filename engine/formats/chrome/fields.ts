/** Fields of events and of their arguments that are read, and how they are found by the bytes of their keys. */

/** The keys of an event, as far as anything is done with them. */
const eventKeys = ['ph', 'cat', 'name', 'pid', 'tid', 'ts', 'dur', 'id', 'id2', 'args'] as const;
const argumentKeys = [
  ...['device', 'context', 'stream', 'correlation', 'grid', 'block', 'registers per thread', 'shared memory', 'bytes'],
  ...['graph id', 'graph node id', 'priority', 'cbid', 'return value', 'full name', 'value', 'copy engine', 'cause'],
  ...['fromDevice', 'toDevice', 'cuda_sync_kind', 'wait_on_cuda_event_id', 'event', 'style', 'domain'],
] as const;
type EventKey = (typeof eventKeys)[number];

/** Fields are numbered: those of the event, then those of its arguments, `args.name` among them. */
export const fieldNames = [...eventKeys, ...argumentKeys, 'args.name'];
const fieldNumber = (name: string): number => fieldNames.indexOf(name);
/** The number of a field, for {@link EventFields}. */
export const fieldOf = (name: EventKey | (typeof argumentKeys)[number] | 'args.name'): number => fieldNumber(name);
export const argsField = fieldNumber('args');

/** The kinds of value that a field holds. */
export const absent = 0;
export const isText = 1;
/** Text with backslashes. */
export const isEscaped = 2;
export const isNumber = 3;
/** true, false, null, NaN, Infinity. */
export const isWord = 4;
export const isNested = 5;

/** Positions of the fields of one event; valid until the next one is read. */
export interface EventFields {
  bytes: Buffer;
  /** The kind of each field, by its number, and its text without quotes. */
  readonly kinds: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Finds the number of a field by the bytes of its key. */
export class KeyTable {
  private readonly slots: Int8Array;
  private readonly texts: Buffer[] = [];
  private readonly mask: number;

  constructor(keys: ReadonlyMap<string, number>) {
    for (const [key, field] of keys) this.texts[field] = Buffer.from(key, 'latin1');
    // As large as it takes for each key to have a slot of its own.
    let size = 64;
    let slots = this.fill(keys, size);
    while (!slots) slots = this.fill(keys, (size *= 2));
    this.slots = slots;
    this.mask = size - 1;
  }

  private fill(keys: ReadonlyMap<string, number>, size: number): Int8Array | null {
    const slots = new Int8Array(size).fill(-1);
    for (const [key, field] of keys) {
      let hash = 0;
      for (const c of Buffer.from(key, 'latin1')) hash = (Math.imul(hash, 31) + c) | 0;
      if (slots[hash & (size - 1)] !== -1) return null;
      slots[hash & (size - 1)] = field;
    }
    return slots;
  }

  /** -1 for keys that nobody asks for. */
  find(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const field = this.slots[hash & this.mask]!;
    if (field < 0) return -1;
    const text = this.texts[field]!;
    if (text.length !== end - start) return -1;
    for (let i = 0; i < text.length; i++) if (text[i] !== bytes[start + i]) return -1;
    return field;
  }
}

export const eventTable = new KeyTable(new Map(eventKeys.map((key) => [key, fieldNumber(key)])));
export const argumentTable = new KeyTable(
  new Map([...argumentKeys.map((key) => [key, fieldNumber(key)] as const), ['name', fieldNumber('args.name')]]),
);
