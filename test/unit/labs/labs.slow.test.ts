/** Each lab at a small size: results, what the adviser finds before and not after; and what its files say of each other. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rules } from '../../../engine/analysis/adviser/index.ts';
import { labsFolder } from '../../../engine/base/paths.ts';
import { runVariant, variantsOf, type LabRun } from '../../../engine/cli/lab-runs.ts';
import { defaultGpu, gpuById } from '../../../engine/gpus/index.ts';
import { labFile } from '../../../engine/labs/lab-file.ts';
import { defaultLab, labById, labFileOf, labPage, labs } from '../../../engine/labs/index.ts';
import { failuresOf, findingFailuresOf } from '../../fidelity/lab-expectations.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';

const ruleIds = rules.map(({ id }) => id);

describe.each(labs.map((lab) => ({ id: lab.id, lab, file: labFileOf(lab) })))('$id', ({ lab, file }) => {
  test('names what exists', () => {
    const ids = lab.variants.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { source } of lab.variants) expect(existsSync(source), source).toBe(true);
    for (const { finds, clean } of file.variants) {
      for (const rule of [...finds, ...clean]) expect(ruleIds).toContain(rule);
    }
    for (const { gpu, faster, than } of file.expect) {
      expect(() => gpuById(gpu)).not.toThrow();
      expect(ids).toEqual(expect.arrayContaining([faster, than]));
    }
    for (const { gpu, values, unit, amount } of file.figures) {
      expect(() => gpuById(gpu)).not.toThrow();
      expect(ids).toEqual(expect.arrayContaining(Object.keys(values)));
      expect(amount === undefined).toBe(unit === 'ms' || unit === 'relative');
    }
    const page = labPage(lab);
    expect(page).toMatch(new RegExp(`^# ${lab.title}\n`));
    expect(page).toMatch(/\n<!-- figures -->\n[^]*<!-- end of figures -->\n/);
    for (const [, other] of page.matchAll(/\]\(\.\.\/([\w-]+)\/README\.md\)/g)) {
      expect(existsSync(join(labsFolder, other!, 'lab.json')), other).toBe(true);
    }
  });

  test('has right results, flaws before and none after', async () => {
    const folder = newFolder();
    const runs: LabRun[] = [];
    // Those that rules speak of, or must not; `npm run labs` records all.
    const told = file.variants.filter(({ finds, clean }) => finds.length + clean.length > 0).map(({ id }) => id);
    expect(told.length).toBeGreaterThan(0);
    for (const variant of variantsOf(lab, told)) {
      runs.push(await runVariant(lab, variant, { gpu: defaultGpu, size: file.small, folder, cacheFolder }));
    }
    expect(runs.filter(({ correct }) => !correct)).toEqual([]);
    expect(findingFailuresOf(file, runs)).toEqual([]);
    for (const { ms } of runs) expect(ms).toBeGreaterThan(0);
  });
});

test('every rule that names a lab names one that is there', () => {
  for (const { lab } of rules) if (lab !== null) expect(labs.map(({ id }) => id)).toContain(lab);
});

test('the first one shown on a fresh machine is there; what is not there is said with what is', () => {
  expect(defaultLab.id).toBe('overlap');
  expect(() => labById('painting')).toThrow(/There is no lab "painting"/);
  expect(() => variantsOf(defaultLab, ['oil'])).toThrow(/has no variant "oil"/);
  expect(variantsOf(defaultLab, ['pinned']).map(({ id }) => id)).toEqual(['pinned']);
});

test('what is not as expected is named', () => {
  const file = labFileOf(labById('transpose'));
  const run = (variant: string, ms: number, findings: string[]): LabRun => ({
    ...{ variant, title: variant, ms, correct: true, findings, path: '' },
  });
  const good = [
    run('naive', 4, ['uncoalesced-access']),
    run('tile', 2, ['bank-conflicts']),
    run('padded', 1, []),
    run('swizzled', 1, []),
  ];
  expect(failuresOf(file, good, 'a100')).toEqual([]);
  const bad = [good[0]!, run('tile', 4, []), run('padded', 1, ['bank-conflicts']), run('swizzled', 2, [])];
  expect(failuresOf(file, bad, 'a100')).toEqual([
    'tile is 1.00 times as fast as naive on a100, and not 1.8 at least',
    'swizzled is 0.50 times as fast as padded on a100, and not 0.9 to 1.1',
    'bank-conflicts finds nothing in tile',
    'bank-conflicts finds something in padded',
  ]);
});

test('a key that lab.json does not have is an error', () => {
  const file = labFileOf(defaultLab);
  expect(() => labFile.parse({ ...file, colour: 'red' })).toThrow(/colour/);
});
