/** Where the warps of kernels spent their time: what is recorded can be read, by line and by instruction. */
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatReport } from '../../../engine/analysis/formats.ts';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { warpStates } from '../../../engine/model/warp-states.ts';
import { branchesOf, sharedArraysOf } from '../../../engine/analysis/kernel-profiles.ts';
import { readAccessSamples } from '../../../engine/trace/access-samples.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { readWarps } from '../../../engine/trace/warp-table.ts';
import { facts, kernel, profile, temporaryFolder, write } from './example-recording.ts';

const folder = temporaryFolder();
const [source] = facts.sources as [{ path: string; text: string }];
const path = write(join(folder, 'profiles.simsight'), [
  { type: 'profile', id: 1, profile },
  { type: 'profile', id: 2, profile: { ...profile, instructions: [] } },
  { ...kernel(30, 930, 1), profile: 1 },
  { ...kernel(930, 1030, 2), profile: 2 },
  { ...kernel(1030, 1130, 3), profile: 1 },
]);
const csv = (file: string, name: string): string[] => {
  const trace = openTrace(file);
  const text = formatReport(makeReport(trace, name), 'csv').trimEnd();
  trace.close();
  return text.split('\n').slice(1);
};

test('lines: sums of their instructions, of the profile that stands for most of the time', () => {
  const name = '"void saxpy<float>(int, float, float const*, float*)"';
  const text = source.text.split('\n').map((line) => line.trim());
  const quoted = (line: string): string => (/[",]/.test(line) ? `"${line.replaceAll('"', '""')}"` : line);
  expect(csv(path, 'simsight_kernel_lines')).toEqual([
    `${name},(none),2.0,Selected 100 %,8,32.000,,,`,
    `${name},${source.path}:1,2.0,Selected 100 %,8,32.000,,2.000,${quoted(text[0]!)}`,
    `${name},${source.path}:2,96.1,Long Scoreboard 90 %,16,24.000,4.000,,${quoted(text[1] ?? '')}`,
  ]);
  expect(csv(path, 'simsight_kernel_instructions')[2]).toBe(
    `${name},2,FFMA,88.2,Long Scoreboard 98 %,8,16.000,,,${source.path}:2,"R0, R1"`,
  );
});

test('blocks and warps of the simulated SM', () => {
  const trace = openTrace(path);
  expect(trace.query('SELECT block, start, end FROM SIMSIGHT_SM_BLOCKS WHERE profile = 1')).toEqual([
    [0, 0, 400],
    [132, 400, null],
  ]);
  expect(trace.query('SELECT kernel, profile FROM SIMSIGHT_KERNEL_PROFILES')).toEqual([
    [1, 1],
    [2, 2],
    [3, 1],
  ]);
  const warps = readWarps(trace, 1)!;
  // Slot 1 of the SM is the first of its sub-partition.
  expect(warps.window(1, 0, 500, 0)).toMatchObject({
    ...{ count: 2, slots: new Uint8Array([0, 0]), states: new Uint8Array([4, 0]) },
    ...{ starts: new Float64Array([10, 300]), durations: new Float64Array([290, 1]) },
  });
  expect(warps.issues(1, 0, 500)).toMatchObject({
    count: 1,
    cycles: new Float64Array([300]),
    instructions: new Uint32Array([2]),
  });
  expect(readWarps(trace, 3)).toBeNull();
  trace.close();
  const db = new Database(path, { readonly: true });
  const names = db.prepare('SELECT name FROM ENUM_SIMSIGHT_WARP_STATE ORDER BY id').pluck().all();
  expect(names).toEqual([...warpStates]);
  db.close();
});

test('where lanes accessed memory and went at branches, and what is in shared memory', () => {
  const trace = openTrace(path);
  const samples = profile.instructions.flatMap(({ samples }, i) => (samples.length > 0 ? [[i, samples] as const] : []));
  expect(readAccessSamples(trace, 1)).toEqual(new Map(samples));
  expect(readAccessSamples(trace, 2)).toEqual(new Map());
  expect(branchesOf(trace, 1)).toEqual(profile.branches);
  expect(sharedArraysOf(trace, 1)).toEqual(profile.sharedArrays);
  trace.close();
});
