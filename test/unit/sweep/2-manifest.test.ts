/** Identity of a sweep, and the manifest that describes it. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  differenceOf,
  folderNameOf,
  makeManifest,
  manifestPath,
  readManifest,
  writeManifest,
  type SweepManifest,
} from '../../../engine/sweep/manifest.ts';
import { checkFiles } from '../../../engine/sweep/sources.ts';
import { temporaryFolder } from '../trace/example-recording.ts';
import { header, request, writeProgram } from './sweep.ts';

const home = temporaryFolder();
const here = join(home, 'here');
mkdirSync(here);
const source = writeProgram(here);
const sweep = makeManifest(join(here, 'sweep'), request(source));
const ids = ({ jobs }: SweepManifest): string[] => jobs.map(({ id }) => id);

test('a job is known by all that its trace depends on, and by nothing else', () => {
  expect(sweep.files.map(({ role, name, path }) => [role, name, path])).toEqual([
    ['source', 'app.cu', '../app.cu'],
    ['header', 'work.h', '../work.h'],
  ]);
  expect(new Set(ids(sweep)).size).toBe(4);
  expect(ids(makeManifest(join(here, 'sweep'), request(source)))).toEqual(ids(sweep));

  // Elsewhere, with an unused folder of headers, by another metric, under another title.
  const there = join(home, 'there', 'deeper');
  mkdirSync(there, { recursive: true });
  cpSync(here, there, { recursive: true });
  const same = { includeFolders: [here], metric: 'duration', title: 'Another' };
  const moved = makeManifest(home, request(join(there, 'app.cu'), same));
  expect(ids(moved)).toEqual(ids(sweep));
  expect(differenceOf(sweep, moved)).toBeNull();
});

test('whatever changes a trace makes other jobs, and is named', () => {
  const other = join(home, 'other');
  mkdirSync(other);
  const changes: [SweepManifest, string][] = [];
  const changed = writeProgram(other);
  writeFileSync(join(other, 'work.h'), `${header}// changed\n`);
  changes.push([makeManifest(home, request(changed)), 'work.h differs']);
  changes.push([makeManifest(home, request(source, { detail: 'full' })), 'its options differ in detail']);
  changes.push([makeManifest(home, request(source, { defines: ['N=1'] })), 'its options differ in defines']);
  changes.push([makeManifest(home, request(source, { hostRate: 2 })), 'its options differ in hostRate']);
  writeFileSync(join(here, 'input.txt'), '1');
  changes.push([
    makeManifest(home, request(source, { data: [join(here, 'input.txt')] })),
    'input.txt is not part of the other',
  ]);
  for (const [manifest, difference] of changes) {
    expect(differenceOf(sweep, manifest)).toBe(difference);
    expect(ids(manifest).some((id) => ids(sweep).includes(id))).toBe(false);
  }
});

test('more values, another order of axes and options left out are the same jobs', () => {
  const [gpu, work, block] = request(source).axes as [never, never, never];
  const wider = request(source, {
    axes: [
      { kind: 'registers', name: 'Registers', values: ['default', '32'] },
      { kind: 'argument', name: 'BLOCK', values: ['32', '64', '256'] },
      work,
      gpu,
    ],
  });
  const more = makeManifest(home, wider);
  expect(more.jobs).toHaveLength(12);
  expect(ids(more)).toEqual(expect.arrayContaining(ids(sweep)));
  expect(folderNameOf(more)).not.toBe(folderNameOf(sweep));
  expect(folderNameOf(makeManifest(here, request(source, { axes: [gpu, work, block] })))).toBe(folderNameOf(sweep));
});

test('it is read as it was written, and nothing else is', () => {
  const folder = join(home, 'written');
  writeManifest(folder, sweep);
  expect(readManifest(folder)).toEqual(sweep);
  const text = readFileSync(manifestPath(folder), 'utf8');
  const damaged: [string, RegExp][] = [
    ['{', /is not a sweep manifest/],
    [text.slice(0, text.length / 2), /is not a sweep manifest/],
    ['{"format":"simsight-sweep","version":9}', /has version 9; this Simsight supports versions up to 1/],
    [text.replace('"values": [', '"values": ["128",'), /its jobs do not match its axes/],
    [text.replace(sweep.jobs[0]!.id, '0123456789abcdef'), /its jobs do not match its axes/],
    [text.replace('"counters"', '"full"'), /its fingerprint does not match its files and options/],
    [text.replace('"metric"', '"colour": 1, "metric"'), /Unrecognized key/],
  ];
  for (const [content, message] of damaged) {
    writeFileSync(manifestPath(folder), content);
    expect(() => readManifest(folder)).toThrow(message);
  }
  expect(() => readManifest(home)).toThrow(/There is no sweep in/);
});

test('sources that changed since are noticed', () => {
  const folder = join(home, 'changing');
  mkdirSync(folder);
  const changing = makeManifest(folder, request(writeProgram(folder)));
  checkFiles(folder, changing.files);
  writeFileSync(join(folder, 'work.h'), '#define WORK 2\n');
  expect(() => checkFiles(folder, changing.files)).toThrow(/work\.h has changed/);
});
