/** Instructions as the SM model sees them: what ptxas would have emitted, as far as it matters for time. */
import type { SourcePlace } from './source-place.ts';
import type { Coded } from './opcodes.ts';

export interface MachineInstruction extends Coded {
  /** Names of values that it waits for and that it makes; a register pair or quad is one name. */
  reads: string[];
  writes: string[];
  /** Number of leading {@link reads} that form the address of a memory access; else null. */
  addresses: number | null;
  /** Place in the IR block that it came from, for the order of instructions. */
  order: number;
  /** Memory instructions: their number among those of the block, in the order of the IR. */
  access: number | null;
  /** Consecutive functional accesses that this one instruction stands for (LDSM, STG.64 of a fragment). */
  accesses: number;
  /**
   * Accesses of one memory keep their order, unless they only read. Pointers that are `__restrict__` have memories of their
   * own. Null: no access.
   */
  memory: string | null;
  place: SourcePlace | null;
  /** In a block that is unrolled: once in so many executions of the first of its {@link MachineBlock.copies}, 1 or more. */
  every: number;
  /** The one that is there for several copies is in the first of them: all use what it makes. */
  leads: boolean;
}

export interface MachineBlock {
  instructions: MachineInstruction[];
  /**
   * A loop of one block that is there so many times in a row, as its number of times around needs: the most first, each less
   * than the one before. None: only once.
   */
  copies: number[];
  /**
   * The block is executed under a predicate, without a branch around it: as often as the block that decides, whose index
   * this is.
   */
  predicatedBy: number | null;
  /** Instructions overtake so many others in it, or as many as registers allow, see schedule.ts. */
  window: number;
  pressure: Pressure | null;
  /** The block that this one always follows, arms under a predicate aside: ptxas makes one of them. */
  follows: number | null;
}

/** Register limit of a schedule, in 32-bit registers. */
export interface Pressure {
  /** So many may be alive in the block. */
  limit: number;
  /** Words per name in the block, as `originalName` of engine/isa/copies.ts has it; absent names are predicates or uniform registers. */
  words: ReadonlyMap<string, number>;
  /** Names alive where the block begins and where it ends. */
  liveIn: ReadonlySet<string>;
  liveOut: ReadonlySet<string>;
}
