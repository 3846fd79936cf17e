import { expect, test } from 'vitest';
import {
  accessKind,
  accessOf,
  bankPasses,
  countOf,
  globalToken,
  kindOf,
  lengthOf,
  lineHint,
  lineOf,
  lineWord,
  mostAccesses,
  numberedAccess,
  onePass,
  passesFrom,
  passesOf,
  sectorsOf,
  sharedToken,
  hintOf,
  tagPasses,
  tokenType,
  typeOf,
  waitAccess,
  withHint,
  withKind,
} from '../../../engine/model/warp-stream.ts';

const kinds = Object.values(accessKind);

test('an access is read as it was written, up to the widest of each field', () => {
  for (const kind of kinds) {
    for (const access of [0, 1, mostAccesses - 1, numberedAccess]) {
      for (const count of [0, 1, 255]) {
        const global = globalToken(kind, access, count, passesFrom(3, 2));
        expect([typeOf(global), kindOf(global), accessOf(global), countOf(global)]).toEqual([
          tokenType.global,
          kind,
          access,
          count,
        ]);
        expect(lengthOf(global)).toBe(1 + count + 1);
        expect(lengthOf(globalToken(kind, access, count))).toBe(1 + count);
        const shared = sharedToken(kind, access, count);
        expect([typeOf(shared), kindOf(shared), accessOf(shared), countOf(shared)]).toEqual([
          tokenType.shared,
          kind,
          access,
          count,
        ]);
      }
    }
  }
});

test('the runtime writes an access without its kind, which is put in', () => {
  const written = globalToken(accessKind.load, mostAccesses - 1, 7);
  for (const kind of kinds) expect(withKind(written, kind)).toBe(globalToken(kind, mostAccesses - 1, 7));
});

test('passes follow the lines where they are more than one', () => {
  const line = lineWord(0x1ff_ffff, 0b1010, lineHint.inHost);
  expect([lineOf(line), sectorsOf(line), hintOf(line)]).toEqual([0x1ff_ffff, 0b1010, lineHint.inHost]);
  expect(hintOf(withHint(line, lineHint.inL2))).toBe(lineHint.inL2);
  const passes = passesFrom(0xffff, 0xffff);
  const stream = [globalToken(accessKind.load, 1, 2, passes), line, line, passes];
  expect([bankPasses(passesOf(stream, 0)), tagPasses(passesOf(stream, 0))]).toEqual([0xffff, 0xffff]);
  expect(passesOf([globalToken(accessKind.load, 1, 1), line], 0)).toBe(onePass);
});

test('no access has the numbers that stand for something else', () => {
  expect(mostAccesses).toBeLessThanOrEqual(Math.min(waitAccess, numberedAccess));
});
