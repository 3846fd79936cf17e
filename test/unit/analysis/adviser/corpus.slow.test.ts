/** Programs with flaws that the rules were not written from: what has to be said of each, and what not of those without. */
import { afterAll, expect, test } from 'vitest';
import type { RecordCall } from '../../../../engine/recording/types.ts';
import { advised, advisedCase, closeAll } from './recordings.ts';

afterAll(closeAll);

interface Case {
  /** The argument of `programs/corpus.cu`. */
  flaw: string;
  /** One of them has to be found. */
  rules: string[];
  /** Rules that must not find anything. */
  not?: string[];
  more?: Partial<RecordCall>;
}

const onGeForce = { gpu: 'rtx4090' };
const onWindows: Partial<RecordCall> = { hostProfile: 'windows-wddm' };

const flaws: Case[] = [
  { flaw: 'countFloats', rules: ['atomic-contention'] },
  { flaw: 'countDoubles', rules: ['atomic-contention'] },
  { flaw: 'countInts', rules: ['atomic-contention'] },
  { flaw: 'literals', rules: ['accidental-doubles'], not: ['stop-here'], more: onGeForce },
  { flaw: 'literals', rules: ['accidental-doubles'] },
  { flaw: 'roots', rules: ['accidental-doubles'], not: ['stop-here'], more: onGeForce },
  { flaw: 'alone', rules: ['small-grid'] },
  { flaw: 'oneByOne', rules: ['small-grid'] },
  { flaw: 'sumInOne', rules: ['small-grid'] },
  { flaw: 'byColumns', rules: ['uncoalesced-access', 'low-sector-use'] },
  { flaw: 'masses', rules: ['aos-layout', 'low-sector-use', 'uncoalesced-access'] },
  { flaw: 'turned', rules: ['bank-conflicts'] },
  { flaw: 'oddAndEven', rules: ['divergence'] },
  { flaw: 'indexed', rules: ['register-spills', 'uncoalesced-access'] },
  { flaw: 'tiny', rules: ['launch-bound'] },
  { flaw: 'waiting', rules: ['needless-sync'] },
  { flaw: 'sleeping', rules: ['host-bound'], not: ['needless-sync'] },
  { flaw: 'sleeping', rules: ['host-bound'], not: ['needless-sync'], more: onWindows },
  { flaw: 'allocating', rules: ['synchronous-apis'] },
  { flaw: 'pageable', rules: ['pageable-copies'] },
  { flaw: 'inTurns', rules: ['missing-overlap'] },
];

test.each(
  flaws.map((flaw) => [`${flaw.flaw}${flaw.more ? ` (${Object.values(flaw.more).join()})` : ''}`, flaw] as const),
)('%s', async (_, { flaw, rules, not = [], more }) => {
  const found = (await advised('corpus', flaw, more)).findings.map(({ rule }) => rule);
  expect(
    rules.some((rule) => found.includes(rule)),
    `found: ${found.join(', ')}`,
  ).toBe(true);
  for (const rule of not) expect(found).not.toContain(rule);
});

test.each([
  ['floats', ['accidental-doubles', 'small-grid', 'atomic-contention']],
  ['reallyDoubles', ['accidental-doubles']],
  ['scaled', ['small-grid', 'uncoalesced-access']],
])('%s is without', async (words, not) => {
  const found = (await advised('corpus', words)).findings.map(({ rule }) => rule);
  for (const rule of not) expect(found).not.toContain(rule);
});

test.each<[string, Partial<RecordCall>, string, string[]]>([
  ['atomic_float_contention.cu', {}, 'atomic-contention', []],
  ['atomic_int_contention.cu', {}, 'atomic-contention', []],
  ['double_literal.cu', onGeForce, 'accidental-doubles', ['stop-here']],
  ['double_literal.cu', {}, 'accidental-doubles', []],
  ['wddm_sync_host_work.cu', onWindows, 'host-bound', ['needless-sync']],
])('%s %j: %s', async (name, more, rule, not) => {
  const found = (await advisedCase(name, more)).findings.map((finding) => finding.rule);
  expect(found).toContain(rule);
  for (const other of not) expect(found).not.toContain(other);
});
