/** Addresses that lanes of warps accessed, in a trace (`SIMSIGHT_ACCESS_SAMPLES`). */
import { lanesOf, warpSize } from '../model/geometry.ts';
import type { AccessSample } from '../model/execution.ts';
import { PackedReader, PackedWriter } from './packing.ts';
import type { Cell } from './tables.ts';
import type { Trace } from './trace.ts';

export const accessSampleColumns = ['profile', 'instruction', 'block', 'warp', 'space', 'size', 'lanes', 'addresses'];

/** Address spaces as LLVM and PTX number them. */
const spaces = { global: 1, shared: 3, local: 5 } as const;
const spaceOf: Readonly<Record<number, AccessSample['space']>> = { 3: 'shared', 5: 'local' };

/** `addresses` of the lanes that took part: each since that of the lane before, as a column of {@link PackedWriter}. */
export function addAccessSample(
  table: { add(...cells: Cell[]): void },
  profile: number,
  instruction: number,
  { block, warp, space, size, lanes, addresses }: AccessSample,
): void {
  const steps: number[] = [];
  let before = 0;
  for (const lane of lanesOf(lanes)) {
    steps.push(addresses[lane]! - before);
    before = addresses[lane]!;
  }
  const writer = new PackedWriter();
  writer.column(steps);
  table.add(profile, instruction, block, warp, spaces[space], size, lanes, Buffer.from(writer.finish()));
}

/** Access samples by instruction of the profile. Throws RangeError where the trace is broken. */
export function readAccessSamples(trace: Pick<Trace, 'query'>, profile: number): Map<number, AccessSample[]> {
  const found = new Map<number, AccessSample[]>();
  const rows = trace.query(
    `SELECT instruction, block, warp, space, size, lanes, addresses FROM SIMSIGHT_ACCESS_SAMPLES
     WHERE profile = ? ORDER BY rowid`,
    profile,
  );
  for (const row of rows) {
    const [instruction, block, warp, space, size, lanes] = row.map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const data: unknown = row[6];
    const isSound = size >= 1 && size <= mostBytes && lanes > 0 && lanes < 2 ** warpSize && data instanceof Uint8Array;
    if (!isSound) throw new RangeError('a sample of accesses is broken');
    const active = lanesOf(lanes);
    const steps = new Float64Array(active.length);
    new PackedReader(data).column(steps);
    const addresses = new Uint32Array(warpSize);
    let at = 0;
    active.forEach((lane, i) => (addresses[lane] = at += steps[i]!));
    const sample: AccessSample = {
      ...{ block, warp, size, lanes, addresses },
      space: spaceOf[space] ?? 'global',
    };
    const known = found.get(instruction);
    if (known) known.push(sample);
    else found.set(instruction, [sample]);
  }
  return found;
}

/** No lane accesses more at once. */
const mostBytes = 64;
