/**
 * Which standard headers the sources of a program precompile. Each could have all that it includes; but hardly two of ten sources include
 * the same, and to precompile headers takes longer than to read them once. So sources that have much in common precompile that, and read
 * the rest themselves. The choice depends on nothing but the sources, so that the same program is the same each time.
 */
import { headersToPrecompile, precompilesAs } from './precompiled.ts';
import { filesOf, type Unit } from './units.ts';

/** Sources that precompile the same headers. */
interface Group {
  headers: ReadonlySet<string>;
  /** Numbers of heavy headers that its sources include. */
  counts: number[];
}

/**
 * Time to read headers, in MB of what they are precompiled to, which it is about proportional to (5 MB a second): what every `.cu` file
 * begins with, the first heavy header, which includes half of the C++ library, and each one more.
 */
const costs = { cuda: 5, first: 6, further: 0.7 };
/** To precompile headers, and to use what comes out, as parts of the time to read them. */
const shares = { precompiling: 1.35, using: 0.15 };

const readingTime = (count: number, isCuda: boolean): number =>
  (isCuda ? costs.cuda : 0) + (count === 0 ? 0 : costs.first + costs.further * (count - 1));

function timeOf({ headers, counts }: Group, isCuda: boolean): number {
  const common = readingTime(headers.size, isCuda);
  const alone = counts.reduce((sum, count) => sum + readingTime(count, isCuda) - common, 0);
  return shares.precompiling * common + shares.using * common * counts.length + alone;
}

const merged = (one: Group, other: Group): Group => ({
  headers: new Set([...one.headers].filter((name) => other.headers.has(name))),
  counts: [...one.counts, ...other.counts],
});

/** For each of the sets, those of its headers that are to be precompiled: merges what saves most until nothing is saved. */
export function sharedHeaders(sets: readonly ReadonlySet<string>[], isCuda: boolean): string[][] {
  const groupOf = new Map<string, Group>();
  const keyOf = (set: ReadonlySet<string>): string => [...set].sort().join(' ');
  for (const set of sets) {
    const known = groupOf.get(keyOf(set));
    if (known === undefined) groupOf.set(keyOf(set), { headers: set, counts: [set.size] });
    else known.counts.push(set.size);
  }
  for (let best = bestMerge([...groupOf.values()], isCuda); best !== null;) {
    const [one, other] = best;
    const both = merged(one, other);
    for (const [key, group] of groupOf) if (group === one || group === other) groupOf.set(key, both);
    best = bestMerge([...new Set(groupOf.values())], isCuda);
  }
  return sets.map((set) => [...groupOf.get(keyOf(set))!.headers].sort());
}

function bestMerge(groups: readonly Group[], isCuda: boolean): [Group, Group] | null {
  let [best, most]: [[Group, Group] | null, number] = [null, 0];
  const times = groups.map((group) => timeOf(group, isCuda));
  groups.forEach((one, i) => {
    for (let j = i + 1; j < groups.length; j++) {
      const both = merged(one, groups[j]!);
      // With nothing precompiled, each change to a source has it read all of its headers again.
      const saved = both.headers.size === 0 ? 0 : times[i]! + times[j]! - timeOf(both, isCuda);
      if (saved > most) [best, most] = [[one, groups[j]!], saved];
    }
  });
  return best;
}

/** Merging takes a time that grows with the cube of the number of sources: libraries of hundreds have their own headers each. */
const mostUnits = 64;

/** The units with what they precompile, which is `headers` of their translation. */
export function withSharedHeaders(units: readonly Unit[]): Unit[] {
  const result = [...units];
  if (units.length > mostUnits) return result;
  for (const pass of ['device', 'c++'] as const) {
    const found = units.flatMap((unit, i) => {
      const names = precompilesAs(unit.language) === pass ? headersToPrecompile(unit.userFiles, pass) : null;
      return names === null ? [] : [{ i, names: new Set(names) }];
    });
    if (found.length < 2) continue;
    sharedHeaders(
      found.map(({ names }) => names),
      pass === 'device',
    ).forEach((headers, k) => {
      const { i, names } = found[k]!;
      if (headers.length === names.size) return;
      const { userFiles, translation } = units[i]!;
      const own = { ...translation, headers };
      result[i] = { ...units[i]!, translation: own, files: filesOf(userFiles, own) };
    });
  }
  return result;
}
