import { describe, expect, test } from 'vitest';
import { SimsightError } from '../../../engine/base/errors.ts';
import { decode, encode } from '../../../engine/api/frame.ts';

function join(parts: Uint8Array<ArrayBuffer>[]): ArrayBuffer {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole.buffer;
}
const roundTrip = (message: unknown): unknown => decode(join(encode(message)));

/** A frame with this header and nothing behind it, as an attacker could write it. */
function frameWith(header: string, bodyBytes = 0): ArrayBuffer {
  const text = new TextEncoder().encode(header);
  const frame = new Uint8Array(Math.ceil((4 + text.length) / 8) * 8 + bodyBytes);
  new DataView(frame.buffer).setUint32(0, text.length, true);
  frame.set(text, 4);
  return frame.buffer;
}

describe('what comes out is what went in', () => {
  test('plain values, nested', () => {
    const message = { type: 'result', id: 7, result: { title: 'Überlapp ⏱', list: [1, null, true, ['']], none: {} } };
    expect(roundTrip(message)).toEqual(message);
  });

  test('numbers that JSON lacks', () => {
    expect(roundTrip([NaN, Infinity, -Infinity, 1e300])).toEqual([NaN, Infinity, -Infinity, 1e300]);
  });

  test('typed arrays keep type, values and order', () => {
    const message = {
      starts: Float64Array.of(0.5, 1e15),
      kinds: Uint8Array.of(1, 2, 3),
      rows: Uint32Array.of(4_000_000_000),
      busy: Float32Array.of(0.25),
      big: BigInt64Array.of(-5n),
      none: new Uint32Array(0),
    };
    const back = roundTrip(message) as typeof message;
    expect(back).toEqual(message);
    for (const key of Object.keys(message) as (keyof typeof message)[]) {
      expect(back[key].constructor).toBe(message[key].constructor);
    }
  });

  test('a view of a part of a buffer carries that part only', () => {
    const whole = Uint16Array.of(1, 2, 3, 4, 5);
    const parts = encode({ middle: whole.subarray(1, 3) });
    expect(parts[1]!.byteLength).toBe(4);
    expect(decode(join(parts))).toEqual({ middle: Uint16Array.of(2, 3) });
  });

  test('arrays lie at multiples of 8, whatever the header is long', () => {
    for (let length = 0; length < 9; length++) {
      const back = roundTrip({ pad: 'x'.repeat(length), odd: Uint8Array.of(1), doubles: Float64Array.of(1, 2) });
      expect((back as { doubles: Float64Array }).doubles.byteOffset % 8).toBe(0);
    }
  });

  test('an object may have a key "$"', () => {
    const message = { $: ['Float64Array', 0], inner: { $: { $: 1 } } };
    expect(roundTrip(message)).toEqual(message);
  });
});

test.each([
  ['a function', () => 0],
  ['a map', new Map()],
  ['a date', new Date(0)],
  ['a DataView', new DataView(new ArrayBuffer(8))],
  ['a bigint', 1n],
])('%s is refused when sending, not lost', (_name, value) => {
  expect(() => encode({ value })).toThrow(TypeError);
});

describe('hostile frames are errors, not crashes', () => {
  test.each<[string, ArrayBuffer]>([
    ['empty', new ArrayBuffer(0)],
    ['three bytes', new ArrayBuffer(3)],
    ['header longer than the frame', Uint32Array.of(0xffffffff, 0).buffer],
    ['no JSON', frameWith('{"m":')],
    ['broken UTF-8', Uint8Array.of(2, 0, 0, 0, 0xc3, 0x28, 0, 0).buffer],
    ['null', frameWith('null')],
    ['no message', frameWith('{"s":[]}')],
    ['sizes that are no list', frameWith('{"m":1,"s":{"length":1}}')],
    ['negative size', frameWith('{"m":1,"s":[-8]}')],
    ['size beyond the end', frameWith('{"m":1,"s":[16]}', 8)],
    ['huge size', frameWith('{"m":1,"s":[9007199254740991]}')],
    ['sizes that overflow in sum', frameWith('{"m":1,"s":[8,9007199254740991]}', 8)],
    ['fractional size', frameWith('{"m":1,"s":[1.5]}', 8)],
    ['array that is not there', frameWith('{"m":{"$":["Uint8Array",0]},"s":[]}')],
    ['array index "length"', frameWith('{"m":{"$":["Uint8Array","length"]},"s":[]}')],
    ['half an element', frameWith('{"m":{"$":["Float64Array",0]},"s":[4]}', 8)],
    ['unknown type', frameWith('{"m":{"$":["Function",0]},"s":[8]}', 8)],
    ['inherited type', frameWith('{"m":{"$":["constructor",0]},"s":[8]}', 8)],
    ['mark of a wrong shape', frameWith('{"m":{"$":"x"},"s":[]}')],
    ['object mark without object', frameWith('{"m":{"$":["object",null]},"s":[]}')],
    ['prototype pollution', frameWith('{"m":{"__proto__":{"polluted":1}},"s":[]}')],
    ['prototype pollution below', frameWith('{"m":[{"a":{"__proto__":{"polluted":1}}}],"s":[]}')],
    ['nested without end', frameWith(`{"m":${'['.repeat(200_000)}${']'.repeat(200_000)},"s":[]}`)],
  ])('%s', (_name, frame) => {
    expect(() => decode(frame)).toThrow(SimsightError);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('any cut of a good frame', () => {
    const frame = join(encode({ id: 1, rows: Uint32Array.of(1, 2, 3), text: 'abc' }));
    for (let length = 0; length < frame.byteLength - 7; length++) {
      expect(() => decode(frame.slice(0, length))).toThrow(SimsightError);
    }
  });

  test('noise', () => {
    let seed = 1;
    for (let round = 0; round < 500; round++) {
      const frame = join(encode({ id: round, rows: Uint32Array.of(1, 2, 3), $: null }));
      const bytes = new Uint8Array(frame);
      for (let flip = 0; flip < 3; flip++) {
        seed = (seed * 48271) % 2147483647;
        bytes[seed % bytes.length]! ^= 1 << (seed % 8);
      }
      try {
        decode(frame);
      } catch (error) {
        expect(error).toBeInstanceOf(SimsightError);
      }
    }
  });
});
