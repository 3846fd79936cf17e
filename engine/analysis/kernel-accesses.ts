/**
 * Where lanes of a kernel's loads, stores and atomics accessed memory, what that costs, and what other layouts of shared memory would
 * cost. Of some accesses; the counts beside them are of the whole grid.
 */
import { lanesOf, wavefrontBytes } from '../model/geometry.ts';
import type {
  KernelAccess,
  KernelAccesses,
  LayoutGain,
  SampledAccess,
  SharedLayout,
} from '../model/kernel-accesses.ts';
import { rowFor } from '../model/opcodes.ts';
import {
  globalCost,
  idealWavefronts,
  wavefrontsOf,
  type SharedAccessKind,
  type WarpAccess,
} from '../memory/accesses.ts';
import { readAccessSamples } from '../trace/access-samples.ts';
import type { Trace } from '../trace/trace.ts';
import type { AccessSample, SharedArray } from '../model/execution.ts';
import { instructionsOf, profileOf, sharedArraysOf, type Instruction } from './kernel-profiles.ts';

/** `row`: of the kernel. With `layout`, shared memory as if it were laid out like that. */
export function kernelAccesses(trace: Trace, row: number, layout: SharedLayout | null): KernelAccesses {
  const profile = profileOf(trace, row);
  if (profile === null) return { accesses: [], sharedArrays: [], gains: [] };
  const sharedArrays = sharedArraysOf(trace, profile);
  const instructions = instructionsOf(trace, profile);
  const samples = trace
    .guarded(() => [...readAccessSamples(trace, profile)])
    .filter(([i]) => instructions[i] !== undefined);
  const place = (address: number): number => (layout ? placed(sharedArrays, layout, address) : address);
  const accesses = samples.map(([i, own]): KernelAccess => {
    const { opcode, file, line, executed, sectors, wavefronts } = instructions[i]!;
    return {
      ...{ instruction: i, opcode, file, line, executed, sectors, wavefronts },
      kind: accessKind(opcode),
      samples: own.map((sample) => sampledAccess(opcode, sample, place)),
    };
  });
  return { accesses, sharedArrays, gains: gainsOf(instructions, samples, sharedArrays) };
}

/** Kind of an access to shared memory; barrier operations and accesses by other units read their words like loads. */
const kindOf = (opcode: string): SharedAccessKind => rowFor(opcode)?.memory?.banks ?? 'load';
const accessKind = (opcode: string): KernelAccess['kind'] => rowFor(opcode)?.memory?.access ?? 'load';

function sampledAccess(opcode: string, sample: AccessSample, place: (address: number) => number): SampledAccess {
  const { block, warp, space, size, lanes } = sample;
  if (space !== 'shared') {
    const { addresses } = sample;
    return {
      ...{ block, warp, space, size, lanes, addresses: [...addresses] },
      global: globalCost({ size, lanes, addresses }, accessKind(opcode)),
      shared: null,
    };
  }
  const access = moved(sample, place);
  const kind = kindOf(opcode);
  return {
    ...{ block, warp, space, size, lanes, addresses: [...access.addresses] },
    global: null,
    shared: { wavefronts: wavefrontsOf(kind, access), idealWavefronts: idealWavefronts(kind, access) },
  };
}

function moved(
  { size, lanes, addresses }: AccessSample,
  place: (address: number) => number,
): WarpAccess & { addresses: number[] } {
  const all = Array.from(addresses, (address, lane) => ((lanes >>> lane) & 1 ? place(address) : 0));
  return { size, lanes, addresses: all };
}

/** The variable that an address of shared memory belongs to: the last that begins there or before. */
const arrayAt = (arrays: readonly SharedArray[], address: number): SharedArray | undefined =>
  arrays.findLast(({ offset, bytes }) => offset <= address && (bytes === null || address < offset + bytes));

/** Address in shared memory after a change of layout; what lies behind an array that grows moves by the same banks. */
function placed(
  arrays: readonly SharedArray[],
  { array, rowBytes, kind, bytes }: SharedLayout,
  address: number,
): number {
  const own = arrayAt(arrays, address);
  if (!own || own.offset !== array) return address;
  const inside = address - own.offset;
  const [row, column] = [Math.floor(inside / rowBytes), inside % rowBytes];
  if (kind === 'pad') return address + row * bytes;
  const granules = Math.floor(rowBytes / bytes);
  const granule = Math.floor(column / bytes) ^ (row % granules);
  return own.offset + row * rowBytes + granule * bytes + (column % bytes);
}

/** A layout has to save as many of the wavefronts of its array's accesses to be worth saying. */
const leastGain = 0.05;

/** The layouts of each array that take fewer wavefronts, the best first; among equal ones, those that take no memory. */
function gainsOf(
  instructions: readonly Instruction[],
  samples: readonly [number, AccessSample[]][],
  arrays: readonly SharedArray[],
): LayoutGain[] {
  return arrays.flatMap((array): LayoutGain[] => {
    const own = samples.flatMap(([i, all]) => {
      const inside = all.filter(({ space, lanes, addresses }) => {
        const [first] = lanesOf(lanes);
        return space === 'shared' && arrayAt(arrays, addresses[first!]!) === array;
      });
      const { opcode, executed } = instructions[i]!;
      return inside.length > 0 ? [{ kind: kindOf(opcode), executed, samples: inside }] : [];
    });
    if (own.length === 0) return [];
    const wavefronts = (place: (address: number) => number): number =>
      own.reduce((sum, { kind, executed, samples }) => {
        const all = samples.reduce((count, sample) => count + wavefrontsOf(kind, moved(sample, place)).length, 0);
        return sum + (executed * all) / samples.length;
      }, 0);
    const before = wavefronts((address) => address);
    const widest = Math.max(4, ...own.flatMap(({ samples }) => samples.map(({ size }) => size)));
    const gains = layoutsFor(array, widest).map((layout): LayoutGain => {
      const after = wavefronts((address) => placed(arrays, layout, address));
      const rows = array.bytes === null ? null : Math.ceil(array.bytes / layout.rowBytes);
      return {
        layout,
        array: array.name,
        before,
        after,
        extraBytes: layout.kind === 'xor' ? 0 : rows && rows * layout.bytes,
      };
    });
    return gains
      .filter(({ after }) => after < (1 - leastGain) * before)
      .sort((a, b) => a.after - b.after || (a.extraBytes ?? 1) - (b.extraBytes ?? 1));
  });
}

/** The usual remedies for conflicts: a few bytes more behind each row, or the parts of each row in another order (XOR). */
function layoutsFor(array: SharedArray, widest: number): SharedLayout[] {
  const rowBytes = array.rowBytes ?? wavefrontBytes;
  const paddings = [4, 8, 16].filter((bytes) => bytes % widest === 0);
  const granules = [4, 8, 16].filter((bytes) => bytes >= widest && isPowerOfTwo(rowBytes / bytes) && rowBytes > bytes);
  return [
    ...paddings.map((bytes): SharedLayout => ({ array: array.offset, rowBytes, kind: 'pad', bytes })),
    ...granules.map((bytes): SharedLayout => ({ array: array.offset, rowBytes, kind: 'xor', bytes })),
  ];
}
const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));
