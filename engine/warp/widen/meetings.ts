/**
 * Operations of a warp whose lanes have diverged. Since Volta such an operation waits for all lanes that its mask names and that have not
 * exited, wherever in the program they come to one of the same kind with the same mask (PTX ISA: shfl.sync, vote.sync, match.sync,
 * redux.sync, bar.warp.sync).
 *
 * A kernel is written so that the lanes of a warp execute one block after the other, which is fast as long as nobody waits in the middle
 * of it. Where an operation may find lanes of its mask elsewhere, it asks; if there are any, the warp goes on in a second function of the
 * kernel, in which everything that crosses blocks has a place in the warp's frame for each lane, and which executes lanes wherever
 * they are. Blocks fall into parts there, one behind each operation; a *place* is the beginning of a part.
 */
import type { Instruction, Value } from '../../ir/ir.ts';
import { meetingBytes, meetingKind, warpHeaderBytes } from '../layout.ts';

export interface WarpOperation {
  /** Kind of a shuffle, or `meetingKind`. */
  kind: number;
  /** Name in CUDA C++. */
  name: string;
  /** Operands: who takes part, what is given, and for shuffles where from. */
  members: number;
  value: number | null;
  from: readonly [lane: number, clamp: number] | null;
  /** Results that each lane gets: a word, a predicate, or both. */
  results: readonly ('word' | 'flag')[];
}

const votes = {
  all: meetingKind.voteAll,
  any: meetingKind.voteAny,
  ballot: meetingKind.ballot,
  uni: meetingKind.voteUni,
} as const;
const reductions = ['add', 'umin', 'umax', 'min', 'max', 'and', 'or', 'xor'];

/** The operation of a warp that a call of an intrinsic is; null for others. */
export function warpOperation({ op, callee }: Instruction): WarpOperation | null {
  if (op !== 'call' || !callee.startsWith('llvm.nvvm.')) return null;
  const [, mode, type, pair] = /^llvm\.nvvm\.shfl\.sync\.(up|down|bfly|idx)\.([if]32)(p?)$/.exec(callee) ?? [];
  if (mode !== undefined && type !== undefined)
    return {
      kind: ['up', 'down', 'bfly', 'idx'].indexOf(mode),
      name: mode === 'idx' ? '__shfl_sync' : `__shfl_${mode === 'bfly' ? 'xor' : mode}_sync`,
      ...{ members: 0, value: 1, from: [2, 3], results: pair === '' ? ['word'] : ['word', 'flag'] },
    };
  const vote = /^llvm\.nvvm\.vote\.(all|any|ballot|uni)\.sync$/.exec(callee)?.[1] as keyof typeof votes | undefined;
  if (vote !== undefined)
    return {
      kind: votes[vote],
      name: `__${vote}_sync`,
      ...{ members: 0, value: 1, from: null, results: [vote === 'ballot' ? 'word' : 'flag'] },
    };
  const [, match, bits] = /^llvm\.nvvm\.match\.(any|all)\.sync\.i(32|64)p?$/.exec(callee) ?? [];
  if (match !== undefined)
    return {
      kind: (match === 'any' ? meetingKind.matchAny : meetingKind.matchAll) + (bits === '64' ? 1 : 0),
      name: `__match_${match}_sync`,
      ...{ members: 0, value: 1, from: null, results: match === 'any' ? ['word'] : ['word', 'flag'] },
    };
  const reduction = /^llvm\.nvvm\.redux\.sync\.(\w+)$/.exec(callee)?.[1];
  if (reduction !== undefined && reductions.includes(reduction))
    return {
      kind: meetingKind.redux + reductions.indexOf(reduction),
      name: `__reduce_${reduction.replace(/^u/, '')}_sync`,
      ...{ members: 1, value: 0, from: null, results: ['word'] },
    };
  if (/^llvm\.nvvm\.(bar|barrier)\.warp\.sync$/.test(callee))
    return { kind: meetingKind.syncWarp, name: '__syncwarp', members: 0, value: null, from: null, results: [] };
  return null;
}

/** Calls whose result names lanes that execute them, and no others. */
const namesPresent = /^llvm\.nvvm\.(activemask|vote\.ballot\.sync|match\.(any|all)\.sync\.i(32|64)p?)$/;

/** True if a mask was made in the same block of lanes that are there: nobody has left since. */
export function isOfPresent(mask: Value, definitionHere: (value: Value) => Instruction | undefined): boolean {
  const made = definitionHere(mask);
  if (made === undefined) return false;
  if (made.op === 'call') return namesPresent.test(made.callee);
  if (made.op === 'and') return made.operands.some((operand) => isOfPresent(operand, definitionHere));
  return /^(extractvalue|freeze)$/.test(made.op) && isOfPresent(made.operands[0]!, definitionHere);
}

/** Operations of a block that each end a part of it. */
export const operationsOf = (instructions: readonly Instruction[]): Instruction[] =>
  instructions.filter((instruction) => warpOperation(instruction) !== null);

/** Layout of a warp's frame for what the second function needs, after the warp's header and a struct Meeting. */
export class MeetingLayout {
  /** The place where each block begins; one more: the number of places. */
  readonly placeOf: readonly number[];
  private readonly offsets = new Map<string, number>();
  private end: number;

  /** `operations`: of each block how many there are. */
  constructor(operations: readonly number[]) {
    const places = [0];
    for (const count of operations) places.push(places.at(-1)! + count + 1);
    this.placeOf = places;
    this.end = align(this.masks + 4 * this.places);
  }
  get places(): number {
    return this.placeOf.at(-1)!;
  }
  get meeting(): number {
    return warpHeaderBytes;
  }
  /** Offset of the masks of the lanes that are to be executed at each place, u32 each. */
  get masks(): number {
    return warpHeaderBytes + meetingBytes;
  }
  /** All up to the places' masks is zero when lanes begin to meet. */
  get zeroBytes(): number {
    return meetingBytes + 4 * this.places;
  }
  offsetOf(key: string, bytes: number): number {
    let offset = this.offsets.get(key);
    if (offset === undefined) {
      this.offsets.set(key, (offset = this.end));
      this.end = align(this.end + bytes);
    }
    return offset;
  }
  get warpBytes(): number {
    return this.end;
  }
}

const align = (offset: number): number => Math.ceil(offset / 16) * 16;
