/**
 * How structured messages travel in one binary WebSocket message: a JSON header, then the bytes of all typed arrays, each
 * aligned to 8 bytes so that the receiver can look at them in place.
 *
 *   u32 length of the header (little endian) | header, UTF-8 | padding to 8 | array 0 | padding to 8 | array 1 | …
 *
 * The header is `{ "m": message, "s": [bytes of array 0, …] }`. Inside the message an object with the key `$` stands for
 * something JSON lacks: `{ "$": ["Float64Array", 0] }` is array 0, `{ "$": ["number", "NaN"] }` a number that JSON would
 * turn into null, `{ "$": ["object", { "$": 1 }] }` an object that really has a key `$`.
 *
 * Runs in browsers and Node alike. {@link decode} trusts nothing: whatever is not a frame becomes a `bad-request` error.
 */
import { SimsightError } from '../base/errors.ts';

const arrayTypes = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
} as const;
type ArrayType = keyof typeof arrayTypes;

const prefixBytes = 4;
const align = (offset: number): number => Math.ceil(offset / 8) * 8;

interface Header {
  m: unknown;
  s: number[];
}

/**
 * The frame in parts, to be sent one after the other as fragments of one message: bulk data is not copied.
 * Throws on what the other side could not restore (functions, maps, class instances …).
 */
export function encode(message: unknown): Uint8Array<ArrayBuffer>[] {
  const bodies: Uint8Array<ArrayBuffer>[] = [];

  function packArray(view: ArrayBufferView): unknown {
    const type = view.constructor.name;
    if (!Object.hasOwn(arrayTypes, type)) throw new TypeError(`A ${type} cannot cross the bridge.`);
    if (!(view.buffer instanceof ArrayBuffer)) throw new TypeError('Shared memory cannot cross the bridge.');
    bodies.push(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return { $: [type, bodies.length - 1] };
  }

  function pack(value: unknown): unknown {
    if (typeof value === 'number') return Number.isFinite(value) ? value : { $: ['number', String(value)] };
    if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value !== 'object') throw new TypeError(`A ${typeof value} cannot cross the bridge.`);
    if (ArrayBuffer.isView(value)) return packArray(value);
    if (Array.isArray(value)) return value.map(pack);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw new TypeError(`A ${(value as object).constructor.name} cannot cross the bridge.`);
    }
    const packed = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pack(inner)]));
    return Object.hasOwn(packed, '$') ? { $: ['object', packed] } : packed;
  }

  const packed = pack(message);
  const header: Header = { m: packed, s: bodies.map((body) => body.byteLength) };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(align(prefixBytes + text.length));
  new DataView(head.buffer).setUint32(0, text.length, true);
  head.set(text, prefixBytes);

  const parts: Uint8Array<ArrayBuffer>[] = [head];
  for (const body of bodies) {
    parts.push(body);
    const padding = align(body.byteLength) - body.byteLength;
    if (padding) parts.push(new Uint8Array(padding));
  }
  return parts;
}

/** The message of a whole frame. Its typed arrays are views of `frame`: nothing is copied. */
export function decode(frame: ArrayBuffer): unknown {
  try {
    return unpackFrame(frame);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SimsightError('bad-request', `A message on the bridge could not be read: ${reason}`);
  }
}

function unpackFrame(frame: ArrayBuffer): unknown {
  if (frame.byteLength < prefixBytes) throw new Error('it is shorter than its header.');
  const headerBytes = new DataView(frame).getUint32(0, true);
  if (prefixBytes + headerBytes > frame.byteLength) throw new Error('its header is cut off.');
  const text = new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(frame, prefixBytes, headerBytes));
  const header = JSON.parse(text) as Partial<Header> | null;
  if (!header || !Array.isArray(header.s) || !('m' in header)) throw new Error('its header is not one.');

  let end = align(prefixBytes + headerBytes);
  const bodies = header.s.map((size: unknown) => {
    if (!Number.isSafeInteger(size) || (size as number) < 0) throw new Error('an array has no proper size.');
    const start = end;
    if (start + (size as number) > frame.byteLength) throw new Error('an array is cut off.');
    end = align(start + (size as number));
    return { start, size: size as number };
  });

  function special(tag: unknown): unknown {
    if (!Array.isArray(tag) || tag.length !== 2) throw new Error('it has an unknown mark.');
    const [type, content] = tag as [unknown, unknown];
    if (type === 'number') return Number(content);
    if (type === 'object') return unpackEntries(content as object);
    if (typeof type !== 'string' || !Object.hasOwn(arrayTypes, type)) throw new Error('it has an unknown mark.');
    const body = typeof content === 'number' ? bodies[content] : undefined;
    if (!body) throw new Error('an array is missing.');
    const Type = arrayTypes[type as ArrayType];
    if (body.size % Type.BYTES_PER_ELEMENT) throw new Error('an array has a broken element.');
    return new Type(frame, body.start, body.size / Type.BYTES_PER_ELEMENT);
  }

  function unpackEntries(value: object): unknown {
    for (const [key, inner] of Object.entries(value)) {
      // An assignment to this name would change the object's prototype instead of making a property.
      if (key === '__proto__') throw new Error('it has a forbidden name.');
      if (inner && typeof inner === 'object') (value as Record<string, unknown>)[key] = unpack(inner as object);
    }
    return value;
  }

  function unpack(value: object): unknown {
    return '$' in value && Object.hasOwn(value, '$') ? special(value.$) : unpackEntries(value);
  }

  const message = header.m;
  return message && typeof message === 'object' ? unpack(message) : message;
}
