import { describe, expect, test } from 'vitest';
import { sharedHeaders } from '../../../engine/compile/shared-headers.ts';

const shared = (isCuda: boolean, ...lists: string[]): string[] =>
  sharedHeaders(
    lists.map((list) => new Set(list.split(' ').filter(Boolean))),
    isCuda,
  ).map((headers) => headers.join(' '));

describe('the headers that sources of a program precompile', () => {
  test('are all of them where others include the same, or nothing of it', () => {
    expect(shared(true, 'map vector')).toEqual(['map vector']);
    expect(shared(true, 'map vector', 'map vector')).toEqual(['map vector', 'map vector']);
    expect(shared(false, 'map vector', 'iostream')).toEqual(['map vector', 'iostream']);
  });
  test('are what they have in common where they differ by a little', () => {
    expect(shared(true, 'algorithm map vector', 'chrono vector', 'algorithm map')).toEqual([
      'algorithm map',
      'chrono vector',
      'algorithm map',
    ]);
    expect(shared(true, 'iostream random', 'fstream iostream random', 'iostream')).toEqual(
      Array.from({ length: 3 }, () => 'iostream'),
    );
  });
  test('do not depend on what others there are twice', () => {
    const lists = ['chrono iostream random', 'fstream iostream random', '', 'random', 'random'];
    expect(shared(true, ...lists)).toEqual(['random', 'random', '', 'random', 'random']);
  });
});
