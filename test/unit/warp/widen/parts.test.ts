/** Parts of the kernel writer, each with those that it needs and no kernel: the LLVM IR that they write. */
import { describe, expect, test } from 'vitest';
import { CurrentBlock } from '../../../../engine/warp/widen/kernel/current-block.ts';
import { EntryBlock } from '../../../../engine/warp/widen/kernel/entry-block.ts';
import { LaneCalls } from '../../../../engine/warp/widen/kernel/lane-calls.ts';
import { WarpOperations } from '../../../../engine/warp/widen/kernel/warp-operations.ts';
import { Writer } from '../../../../engine/warp/widen/writer.ts';

function parts() {
  const writer = new Writer(new Map());
  const entry = new EntryBlock({ writer });
  const current = new CurrentBlock({ writer });
  current.mask = '%mask';
  const lanes = new LaneCalls({ writer, entry, current });
  return { writer, entry, current, lanes, warp: new WarpOperations({ writer, current }) };
}

describe('the entry block', () => {
  test('computes a value once, whoever asks for it', () => {
    const { entry } = parts();
    const [first, second] = [entry.launchValue(16, 'shared'), entry.launchValue(16, 'shared')];
    expect(second).toBe(first);
    expect(entry.lines).toEqual([
      '  %e.0.0 = getelementptr nuw i8, ptr %launch, i32 16',
      '  %e.0.1 = load i32, ptr %e.0.0, align 4',
    ]);
  });

  test('names from the source get numbers', () => {
    const { entry } = parts();
    expect([entry.idOf('x"y'), entry.idOf('z'), entry.idOf('x"y')]).toEqual([0, 1, 0]);
  });
});

test('the mask of a block becomes a vector once', () => {
  const { current, writer } = parts();
  expect(current.nativeMask()).toBe(current.nativeMask());
  expect(writer.lines.filter((line) => line.includes('icmp ne <32 x i32>'))).toHaveLength(1);
});

describe('calls of scalar functions', () => {
  test('with one value for the warp are one call', () => {
    const { lanes, writer } = parts();
    const result = lanes.library('sinf', [writer.uniform('float', '%x')], 'float');
    expect(result).toMatchObject({ uniform: true, type: 'float' });
    expect(writer.lines).toEqual(['  %t0 = call float @sinf(float %x)']);
  });

  test('with values of lanes go through a function that is declared once', () => {
    const { lanes, writer } = parts();
    for (const name of ['%x', '%y']) {
      const result = lanes.library('sinf', [writer.divergent('float', name)], 'float');
      expect(result).toMatchObject({ uniform: false, type: 'float' });
    }
    expect([...writer.declarations.keys()]).toEqual(['sinf', 'lanes.sinf']);
    expect(
      writer.lines.filter((line) => line.includes('@lanes.sinf(ptr %scratch, ptr %results, i32 %mask)')),
    ).toHaveLength(2);
  });
});

describe('shuffles', () => {
  test('by constants are one instruction', () => {
    const { warp, writer } = parts();
    const constant = (value: number) => writer.constant('i32', value);
    const [moved, inside] = warp.shuffle(2, writer.divergent('float', '%v'), constant(1), constant(31), 1, 31);
    expect(moved).toMatchObject({ uniform: false, type: 'float' });
    expect(inside!.bits).toBe('-1');
    expect(writer.lines.at(-1)).toContain('shufflevector <32 x float>');
    expect(writer.lines.at(-1)).toContain('<i32 1, i32 0, i32 3, i32 2');
  });

  test('by values of the run call the runtime', () => {
    const { warp, writer } = parts();
    const lane = writer.divergent('i32', '%lane');
    warp.shuffle(3, writer.divergent('i32', '%v'), lane, writer.constant('i32', 31), null, 31);
    expect(writer.lines.some((line) => line.includes('call i32 @shuffle('))).toBe(true);
  });
});
