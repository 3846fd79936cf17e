/** Small machine programs and warp streams, written by hand, for tests and benches of the SM. */
import {
  blockToken,
  globalToken,
  lineWord,
  onePass,
  sharedToken,
  syncToken,
} from '../../../engine/model/warp-stream.ts';
import type { MachineBlock, MachineInstruction } from '../../../engine/model/machine.ts';
import type { AccessKind } from '../../../engine/model/warp-stream.ts';
import { parseOpcode, rowOf } from '../../../engine/model/opcodes.ts';

/** `'r1 = FFMA r1 a'`, `'STG p x'`; an access number in front of memory instructions: `'#0 r = LDG p'`. */
export function instruction(text: string, order = 0): MachineInstruction {
  const [, access, writes, opcode, reads] = /^(?:#(\d+) )?(?:([\w ]+) = )?([A-Z][\w.]*) ?(.*)$/.exec(text)!;
  const code = parseOpcode(opcode!);
  if (code === null) throw new Error(`${opcode} has no row in engine/model/opcodes.ts.`);
  return {
    ...code,
    reads: reads!.split(' ').filter((name) => name !== ''),
    writes: writes?.split(' ') ?? [],
    addresses: rowOf(code).memory === null ? null : 0,
    order,
    access: access === undefined ? null : Number(access),
    place: null,
    every: 1,
    leads: false,
    memory: null,
    accesses: 1,
  };
}

export const machineBlock = (...lines: string[]): MachineBlock => ({
  instructions: lines.map(instruction),
  copies: [],
  pressure: null,
  predicatedBy: null,
  follows: null,
  window: 1,
});

export const repeat = (count: number, line: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(i));

const allLanes = 0xffff_ffff;

export const block = (index: number, lanes = allLanes): number[] => [blockToken(index), lanes];
export const shared = (number: number, wavefronts: number, kind: AccessKind = 0): number[] => [
  sharedToken(kind, number, wavefronts),
];
/** Operation on a barrier, see `syncAction`. */
export const sync = (number: number, action: number, barrier: number, amount: number, other = 0): number[] => [
  syncToken(action, number),
  barrier,
  amount,
  other,
];
/** An access of whole lines from `first` on. */
export const lines = (
  number: number,
  first: number,
  count: number,
  hint: 0 | 1 | 2 | 4 = 0,
  kind: AccessKind = 0,
  passes = count | (Math.ceil(count / 4) << 16),
): number[] => [
  globalToken(kind, number, count, passes),
  ...Array.from({ length: count }, (_, i) => lineWord(first + i, 15, hint)),
  ...(passes === onePass ? [] : [passes]),
];
/** The same sector of each of some lines, one pass for each where none are given. */
export const gather = (
  number: number,
  addresses: number[],
  hint: 0 | 1 | 2 | 4 = 0,
  kind: AccessKind = 0,
  passes = onePass * addresses.length,
): number[] => [
  globalToken(kind, number, addresses.length, passes),
  ...addresses.map((line) => lineWord(line, 1, hint)),
  ...(passes === onePass ? [] : [passes]),
];
export const stream = (...tokens: number[][]): Uint32Array => Uint32Array.from(tokens.flat());
