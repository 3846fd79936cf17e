import { describe, expect, test } from 'vitest';
import { formatBandwidth, formatBytes, formatTime, formatExactTime } from '../../../engine/model/format.ts';
import { fileName, folderOf, formatAgo, formatRatio } from '../../../renderer/src/format.ts';

describe('times have at most six digits in the unit that fits', () => {
  test.each([
    [0, '0 ns'],
    [0.5, '0.5 ns'],
    [7, '7 ns'],
    [42.25, '42.3 ns'],
    [999, '999 ns'],
    [999.99, '1 µs'],
    [1000, '1 µs'],
    [12_345, '12.345 µs'],
    [999_996, '1 ms'],
    [123_456, '123.46 µs'],
    [3_214_000, '3.214 ms'],
    [250_000_000, '250 ms'],
    [1_500_000_000, '1.5 s'],
    [-2_000, '-2 µs'],
  ])('%d ns is %s', (ns, text) => {
    expect(formatTime(ns)).toBe(text);
  });
  test('exact times keep all digits', () => {
    expect(formatExactTime(1_234_567.25)).toBe('1,234,567.25 ns');
    expect(formatExactTime(12)).toBe('12 ns');
  });
});

test('bytes count by 1024, bandwidth by 1000', () => {
  expect(formatBytes(0)).toBe('0 B');
  expect(formatBytes(1536)).toBe('1.5 KiB');
  expect(formatBytes(80 * 2 ** 30)).toBe('80 GiB');
  expect(formatBytes(1024 ** 2 - 1)).toBe('1 MiB');
  expect(formatBandwidth(2039e9)).toBe('2.04 TB/s');
  expect(formatBandwidth(56.1e9)).toBe('56.1 GB/s');
});

test('ratios say which way, not only by sign', () => {
  expect(formatRatio(0.5)).toEqual({ text: '2.00× faster', change: 'faster' });
  expect(formatRatio(1.25)).toEqual({ text: '1.25× slower', change: 'slower' });
  expect(formatRatio(1.001)).toEqual({ text: 'same', change: 'same' });
  expect(formatRatio(0)).toEqual({ text: 'gone', change: 'faster' });
});

test('paths of both kinds of system', () => {
  expect(fileName('/home/me/a.simsight')).toBe('a.simsight');
  expect(fileName('C:\\traces\\a.simsight')).toBe('a.simsight');
  expect(folderOf('/home/me/a.simsight')).toBe('/home/me');
  expect(folderOf('a.simsight')).toBe('');
});

test('ages are coarse', () => {
  const now = 1_000_000_000_000;
  expect(formatAgo(now - 5_000, now)).toBe('just now');
  expect(formatAgo(now - 7_200_000, now)).toBe('2 h ago');
  expect(formatAgo(now - 30 * 3_600_000, now)).toBe('yesterday');
});
