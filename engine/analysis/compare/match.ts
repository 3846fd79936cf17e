/**
 * Which names of two traces stand for the same thing. In this order, and each only where it is unmistakable, that is where one name is
 * left on either side: names that are equal in full, pairs made by hand, the same instance of a template with other parameters, the same
 * function with other template arguments, the same short name, and the last two kernels of one program.
 */
import type { CompareMatch, KernelPair } from '../../model/comparison.ts';
import { kernelName } from './names.ts';

export interface NamePair {
  before: string | null;
  after: string | null;
  match: CompareMatch;
}

/** Equal names only: API calls and kinds of copies have nothing else. */
export function matchEqual(before: readonly string[], after: readonly string[]): NamePair[] {
  const others = new Set(after);
  const known = new Set(before);
  return [
    ...before.map((name): NamePair =>
      others.has(name) ? { before: name, after: name, match: 'name' } : { before: name, after: null, match: 'only' },
    ),
    ...after.filter((name) => !known.has(name)).map((name): NamePair => ({ before: null, after: name, match: 'only' })),
  ];
}

export interface KernelsToMatch {
  /** In full, with how often it is launched and its short name. */
  kernels: { name: string; short: string; count: number }[];
  /** The program that was recorded; empty where it is not known. */
  program: string;
}

export function matchKernels(
  before: KernelsToMatch,
  after: KernelsToMatch,
  byHand: readonly KernelPair[] = [],
): NamePair[] {
  const [was, is] = [new Left(before), new Left(after)];
  const pairs: NamePair[] = [];
  const take = (a: string, b: string, match: CompareMatch): void => {
    was.names.delete(a);
    is.names.delete(b);
    pairs.push({ before: a, after: b, match });
  };
  // Pairs made by hand come first: somebody who pairs other names than equal ones means it.
  for (const [a, b] of byHand) {
    const [from, to] = [was.find(a), is.find(b)];
    if (from !== null && to !== null) take(from, to, 'by hand');
  }
  for (const name of [...was.names.keys()]) if (is.names.has(name)) take(name, name, 'name');
  const tiers: [CompareMatch, (name: string, short: string) => string][] = [
    ['instance', (name) => kernelName(name).instance],
    ['function', (name) => kernelName(name).function],
    ['short', (_, short) => short],
  ];
  for (const [match, keyOf] of tiers) {
    const others = is.by(keyOf);
    for (const [key, [name, ...more]] of was.by(keyOf)) {
      const [other, ...further] = others.get(key) ?? [];
      if (other !== undefined && more.length === 0 && further.length === 0) take(name!, other, match);
    }
  }
  const [a, b] = [was.last(), is.last()];
  const isOneProgram = before.program !== '' && before.program === after.program;
  if (a && b && isOneProgram && a.count === b.count) {
    const [one, other] = [kernelName(a.name).parameters, kernelName(b.name).parameters];
    if (one === other && one !== '') take(a.name, b.name, 'last');
  }
  return [
    ...pairs,
    ...[...was.names.keys()].map((name): NamePair => ({ before: name, after: null, match: 'only' })),
    ...[...is.names.keys()].map((name): NamePair => ({ before: null, after: name, match: 'only' })),
  ];
}

/** Kernels without a partner so far. */
class Left {
  readonly names: Map<string, KernelsToMatch['kernels'][number]>;

  constructor({ kernels }: KernelsToMatch) {
    this.names = new Map(kernels.map((kernel) => [kernel.name, kernel]));
  }

  /** The kernel by its name in full, or without parameters, template arguments or namespace where only one is called so. */
  find(asked: string): string | null {
    if (this.names.has(asked)) return asked;
    const all = [...this.names.values()];
    const ways: ((kernel: KernelsToMatch['kernels'][number]) => string)[] = [
      ({ name }) => kernelName(name).instance,
      ({ name }) => kernelName(name).function,
      ({ short }) => short,
    ];
    for (const way of ways) {
      const found = all.filter((kernel) => way(kernel) === asked.replaceAll(/\s+/g, ''));
      if (found.length === 1) return found[0]!.name;
    }
    return null;
  }

  by(keyOf: (name: string, short: string) => string): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const { name, short } of this.names.values()) {
      const key = keyOf(name, short);
      const others = found.get(key);
      if (others) others.push(name);
      else found.set(key, [name]);
    }
    return found;
  }

  last(): KernelsToMatch['kernels'][number] | null {
    const [only, ...more] = this.names.values();
    return only && more.length === 0 ? only : null;
  }
}

/** Ranges by what they are nested in; then by their own text, where one of it is left on either side. `text`: the last part of a path. */
export function matchRanges(
  before: readonly string[],
  after: readonly string[],
  textOf: (path: string) => string,
): NamePair[] {
  const pairs = matchEqual(before, after);
  const left = (side: 'before' | 'after'): Map<string, string[]> =>
    Map.groupBy(
      pairs.flatMap((pair) => (pair.match === 'only' && pair[side] !== null ? [pair[side]] : [])),
      textOf,
    );
  const others = left('after');
  const moved = new Map<string, string>();
  for (const [text, [path, ...more]] of left('before')) {
    const [other, ...further] = others.get(text) ?? [];
    if (other !== undefined && more.length === 0 && further.length === 0) moved.set(path!, other);
  }
  const gone = new Set(moved.values());
  return pairs.flatMap((pair): NamePair[] => {
    if (pair.match !== 'only') return [pair];
    if (pair.after !== null && gone.has(pair.after)) return [];
    const other = pair.before === null ? undefined : moved.get(pair.before);
    return [other === undefined ? pair : { before: pair.before, after: other, match: 'short' }];
  });
}
