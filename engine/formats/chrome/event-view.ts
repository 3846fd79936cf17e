/** The meaning of the fields of the current event. */
import { textOf } from './byte-names.ts';
import { absent, fieldOf, isEscaped, isNested, isNumber, isText, type EventFields } from './fields.ts';

/** Numbers of the fields. */
export const field = {
  ...{ ph: fieldOf('ph'), cat: fieldOf('cat'), name: fieldOf('name'), pid: fieldOf('pid'), tid: fieldOf('tid') },
  ...{ ts: fieldOf('ts'), dur: fieldOf('dur'), id: fieldOf('id'), id2: fieldOf('id2') },
  ...{ device: fieldOf('device'), context: fieldOf('context'), stream: fieldOf('stream') },
  ...{ correlation: fieldOf('correlation'), grid: fieldOf('grid'), block: fieldOf('block') },
  ...{ registers: fieldOf('registers per thread'), shared: fieldOf('shared memory'), bytes: fieldOf('bytes') },
  ...{ graph: fieldOf('graph id'), node: fieldOf('graph node id'), priority: fieldOf('priority') },
  ...{ cbid: fieldOf('cbid'), result: fieldOf('return value'), fullName: fieldOf('full name') },
  ...{ value: fieldOf('value'), engine: fieldOf('copy engine'), cause: fieldOf('cause') },
  ...{ from: fieldOf('fromDevice'), to: fieldOf('toDevice'), syncKind: fieldOf('cuda_sync_kind') },
  ...{ waitsFor: fieldOf('wait_on_cuda_event_id'), event: fieldOf('event') },
  ...{ style: fieldOf('style'), domain: fieldOf('domain'), argsName: fieldOf('args.name') },
};

export class EventView {
  /** Fields as the reader found them, for what need not become a text. */
  fields!: EventFields;
  /** The numbers that {@link readTriple} read. */
  readonly numbers = [0, 0, 0];

  has(which: number): boolean {
    return this.fields.kinds[which] !== absent;
  }

  text(which: number): string {
    const { bytes, kinds, starts, ends } = this.fields;
    if (kinds[which] === absent) return '';
    return textOf(bytes, starts[which]!, ends[which]!, kinds[which] === isEscaped);
  }

  /** A number, also one that is written as text; null for anything else. */
  number(which: number): number | null {
    const { bytes, kinds, starts, ends } = this.fields;
    const kind = kinds[which];
    if (kind !== isNumber && kind !== isText) return null;
    const [start, end] = [starts[which]!, ends[which]!];
    if (end - start <= 15) {
      let value = 0;
      let p = start;
      for (; p < end; p++) {
        const digit = bytes[p]! - 0x30;
        if (digit < 0 || digit > 9) break;
        value = 10 * value + digit;
      }
      if (p === end && end > start) return value;
    }
    const text = bytes.toString('latin1', start, Math.min(end, start + 64)).trim();
    const value = text === '' ? NaN : Number(text);
    return Number.isFinite(value) ? value : null;
  }

  /** A whole number from 0 on that fits where it is kept. */
  optional(which: number): number | null {
    const value = this.number(which);
    return value !== null && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : null;
  }

  count(which: number): number {
    return this.optional(which) ?? 0;
  }

  /** The id of a process or a thread: any number or text. */
  id(which: number): number | string {
    const value = this.number(which);
    if (!Number.isSafeInteger(value)) return this.text(which);
    // "7" is 7 and "007" is a name.
    const isSame = this.fields.kinds[which] === isNumber || this.text(which) === String(value);
    return isSame ? value! : this.text(which);
  }

  /** Up to three numbers of a list, into `numbers`. */
  readTriple(which: number): void {
    const { bytes, kinds, starts, ends } = this.fields;
    const { numbers } = this;
    numbers[0] = numbers[1] = numbers[2] = 0;
    if (kinds[which] !== isNested) return;
    let at = 0;
    let value = -1;
    for (let p = starts[which]!; p < ends[which]! && at < 3; p++) {
      const digit = bytes[p]! - 0x30;
      if (digit >= 0 && digit <= 9) value = 10 * Math.max(value, 0) + digit;
      else if (value >= 0) {
        numbers[at++] = Math.min(value, Number.MAX_SAFE_INTEGER);
        value = -1;
      }
    }
  }
}
