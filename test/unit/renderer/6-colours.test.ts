import { describe, expect, test } from 'vitest';
import { eventKinds } from '../../../engine/model/event-kinds/index.ts';
import { flavours } from '../../../engine/model/timeline.ts';
import {
  canvasColours,
  contrast,
  cssColour,
  eventColour,
  labelColour,
  oklch,
  stableHash,
  type Theme,
} from '../../../renderer/src/timeline/colours.ts';

const themes: Theme[] = ['dark', 'light'];
const names = Array.from({ length: 300 }, (_, i) => `kernel_${i.toString(36)}`);
const kernel = eventKinds.indexOf('kernel');

test('oklch agrees with published values', () => {
  expect(cssColour(oklch({ lightness: 1, chroma: 0 }, 0))).toBe('#ffffff');
  expect(cssColour(oklch({ lightness: 0, chroma: 0 }, 0))).toBe('#000000');
  // CSS Color 4: red is oklch(0.62796 0.25768 29.234).
  expect(cssColour(oklch({ lightness: 0.62796, chroma: 0.25768 }, 29.234))).toBe('#ff0000');
});

test('black on white is 21 to 1', () => {
  expect(contrast(0, 0xffffff)).toBeCloseTo(21, 6);
});

describe.each(themes)('%s theme', (theme) => {
  const all = [
    ...names.map((name) => eventColour(kernel, 0, name, theme)),
    ...eventKinds.flatMap((_, kind) => flavours.map((_, flavour) => eventColour(kind, flavour, 'x', theme))),
    ...['cudaMalloc', 'cudaLaunchKernel', 'cudaMemcpy', 'cudaStreamSynchronize', 'cudaGetDevice'].map((name) =>
      eventColour(0, 0, name, theme),
    ),
  ];
  test('every label can be read on its colour', () => {
    for (const colour of all) expect(contrast(colour, labelColour(colour))).toBeGreaterThanOrEqual(4.5);
  });
  test('every event can be seen on the background', () => {
    for (const colour of all)
      expect(contrast(colour, canvasColours[theme].background)).toBeGreaterThanOrEqual(theme === 'dark' ? 3 : 1.35);
  });
  test('kernels use the whole palette', () => {
    const used = new Map<number, number>();
    for (const name of names) {
      const colour = eventColour(kernel, 0, name, theme);
      used.set(colour, (used.get(colour) ?? 0) + 1);
    }
    expect(used.size).toBe(16);
    expect(Math.max(...used.values())).toBeLessThan(names.length / 6);
  });
  test('the directions of copies differ from each other', () => {
    const memcpy = eventKinds.indexOf('memcpy');
    const [to, from, within] = [1, 2, 3].map((flavour) => eventColour(memcpy, flavour, '', theme));
    expect(new Set([to, from, within]).size).toBe(3);
  });
});

test('a kernel has the same colour in every session', () => {
  expect(stableHash('saxpy')).toBe(stableHash('saxpy'));
  expect(cssColour(eventColour(kernel, 0, 'saxpy', 'dark'))).toMatchInlineSnapshot(`"#d2b55b"`);
});
