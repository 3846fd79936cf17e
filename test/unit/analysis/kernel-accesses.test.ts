/** Where lanes accessed memory, what that cost, and what other layouts of shared memory would cost. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kernelAccesses } from '../../../engine/analysis/kernel-accesses.ts';
import { kernelView } from '../../../engine/analysis/kernel-view.ts';
import type { KernelAccesses, SharedLayout } from '../../../engine/model/kernel-accesses.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import type { ProfiledInstruction } from '../../../engine/model/kernel-profile.ts';
import type { AccessSample, SharedArray } from '../../../engine/model/execution.ts';
import { kernel, profile, temporaryFolder, write } from '../trace/example-recording.ts';

const folder = temporaryFolder();
let files = 0;

/** Accesses of a kernel with these instructions and arrays. */
function read(instructions: ProfiledInstruction[], sharedArrays: SharedArray[], layout?: SharedLayout): KernelAccesses {
  const path = write(join(folder, `${files++}.simsight`), [
    { type: 'profile', id: 1, profile: { ...profile, instructions, sharedArrays } },
    { ...kernel(30, 930, 1), profile: 1 },
  ]);
  const trace = openTrace(path);
  const found = kernelAccesses(trace, 1, layout ?? null);
  trace.close();
  return found;
}
const [ldc, ldg] = profile.instructions as [ProfiledInstruction, ProfiledInstruction];
const shared = (addressOf: (lane: number) => number, size = 4): AccessSample => ({
  ...{ block: 0, warp: 0, size, space: 'shared', lanes: 0xffff_ffff },
  addresses: Uint32Array.from({ length: 32 }, (_, lane) => addressOf(lane)),
});
const load = (executed: number, ...samples: AccessSample[]): ProfiledInstruction => ({
  ...{ ...ldc, opcode: 'LDS', executed, wavefronts: 0, samples },
});
const tile: SharedArray = { name: 'tile', offset: 0, bytes: 4096, rowBytes: 128 };

test('an access of global memory: sectors, and what the lanes asked for', () => {
  const { accesses } = read([ldc, ldg], []);
  expect(accesses).toHaveLength(1);
  expect(accesses[0]).toMatchObject({ instruction: 1, opcode: 'LDG', kind: 'load', line: 2, executed: 8, sectors: 32 });
  const [sample] = accesses[0]!.samples;
  // Every other lane, 1,024 bytes apart.
  expect(sample).toMatchObject({ block: 132, warp: 3, size: 4, lanes: 0x5555_5555, shared: null });
  expect(sample!.global).toMatchObject({ sectors: 16, idealSectors: 2, bytes: 64, pattern: 'strided' });
  expect(sample!.global!.lines).toHaveLength(16);
});

test('a column of shared memory: 32 wavefronts, one with four bytes more behind each row or XOR', () => {
  const column = load(
    100,
    shared((lane) => lane * 128),
  );
  const row = load(
    100,
    shared((lane) => lane * 4),
  );
  const { accesses, gains } = read([column, row], [tile]);
  expect(accesses.map(({ samples }) => samples[0]!.shared!.wavefronts.length)).toEqual([32, 1]);
  expect(accesses[0]!.samples[0]!.shared!.idealWavefronts).toBe(1);
  const { layout: pad } = gains.find(({ layout }) => layout.kind === 'pad')!;
  // 31 rows and the last: 32 times four bytes.
  expect(gains.find(({ layout }) => layout === pad)).toMatchObject({
    ...{ array: 'tile', before: 3300, after: 200, extraBytes: 128 },
    layout: { array: 0, rowBytes: 128, kind: 'pad', bytes: 4 },
  });
  // XOR takes no memory: of two that are as good, the first.
  expect(gains[0]).toMatchObject({ after: 200, extraBytes: 0, layout: { kind: 'xor', bytes: 4 } });

  const padded = read([column, row], [tile], pad).accesses;
  expect(padded.map(({ samples }) => samples[0]!.shared!.wavefronts.length)).toEqual([1, 1]);
  expect(padded[0]!.samples[0]!.addresses.slice(0, 3)).toEqual([0, 132, 264]);
  const swizzled = read([column, row], [tile], gains[0]!.layout).accesses;
  expect(swizzled[0]!.samples[0]!.addresses.slice(0, 3)).toEqual([0, 128 + 4, 256 + 8]);
  expect(swizzled.map(({ samples }) => samples[0]!.shared!.wavefronts.length)).toEqual([1, 1]);
});

test('wide accesses: no layout that would part them, and nothing for what is ideal already', () => {
  const columns = load(
    10,
    shared((lane) => lane * 128, 8),
  );
  for (const { layout } of read([columns], [tile]).gains) expect(layout.bytes % 8, JSON.stringify(layout)).toBe(0);
  expect(read([columns], [tile]).gains.length).toBeGreaterThan(0);
  expect(
    read(
      [
        load(
          10,
          shared((lane) => lane * 4),
        ),
      ],
      [tile],
    ).gains,
  ).toEqual([]);
});

test('a layout of one array leaves another where it is', () => {
  const second: SharedArray = { name: 'rest', offset: 4096, bytes: null, rowBytes: null };
  const column = load(
    100,
    shared((lane) => 4096 + lane * 128),
  );
  const layout: SharedLayout = { array: 0, rowBytes: 128, kind: 'pad', bytes: 4 };
  expect(read([column], [tile, second], layout).accesses[0]!.samples[0]!.shared!.wavefronts).toHaveLength(32);
  // An array with unknown rows is taken as rows of all banks; without a size, the extra memory is unknown.
  const { gains } = read([column], [tile, second]);
  expect(gains.every(({ array }) => array === 'rest')).toBe(true);
  expect(gains.find(({ layout: { kind } }) => kind === 'pad')!.extraBytes).toBeNull();
});

test('traces that hold no accesses: none, and no error', () => {
  const trace = openTrace(write(join(folder, 'none.simsight'), [kernel(30, 930, 1)]));
  const row = Number(trace.query('SELECT min(rowid) FROM CUPTI_ACTIVITY_KIND_KERNEL')[0]![0]);
  expect(kernelAccesses(trace, row, null)).toMatchObject({ accesses: [], gains: [] });
  expect(kernelView(trace, row)).toMatchObject({ branches: [], warpCycles: 0 });
  trace.close();
});
