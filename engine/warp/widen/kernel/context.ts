/**
 * The parts that write one kernel together. Each names those that it calls ({@link Pick} of this), so that it can be built, and tested, with these alone.
 */
import type { Writer } from '../writer.ts';
import type { KernelAnalysis } from './analysis.ts';
import type { Arithmetic } from './arithmetic.ts';
import type { Atomics } from './atomics.ts';
import type { Barriers } from './barriers.ts';
import type { Blocks } from './blocks.ts';
import type { ControlFlow } from './control-flow.ts';
import type { Conversions } from './conversions.ts';
import type { Counters } from './counters.ts';
import type { CurrentBlock } from './current-block.ts';
import type { EntryBlock } from './entry-block.ts';
import type { Faults } from './faults.ts';
import type { Fragments } from './fragments.ts';
import type { FunctionCalls } from './function-calls.ts';
import type { Instructions } from './instructions.ts';
import type { LaneCalls } from './lane-calls.ts';
import type { Loads } from './loads.ts';
import type { LocalMemory } from './local-memory.ts';
import type { LoopHeads } from './loop-heads.ts';
import type { MeetingDispatch } from './meeting-dispatch.ts';
import type { MemoryAccess } from './memory-access.ts';
import type { MissedLanes } from './missed-lanes.ts';
import type { Operands } from './operands.ts';
import type { ValueSlots } from './slots.ts';
import type { SpecialRegisters } from './special-registers.ts';
import type { Stores } from './stores.ts';
import type { Suspension } from './suspension.ts';
import type { WarpFrame } from './warp-frame.ts';
import type { WarpOperations } from './warp-operations.ts';

export interface KernelContext {
  readonly writer: Writer;
  readonly analysis: KernelAnalysis;
  readonly current: CurrentBlock;
  readonly entry: EntryBlock;
  readonly frame: WarpFrame;
  readonly slots: ValueSlots;
  readonly fragments: Fragments;
  readonly locals: LocalMemory;
  readonly registers: SpecialRegisters;
  readonly operands: Operands;
  readonly calls: FunctionCalls;
  readonly counters: Counters;
  readonly faults: Faults;
  readonly control: ControlFlow;
  readonly suspension: Suspension;
  readonly loops: LoopHeads;
  readonly misses: MissedLanes;
  readonly meeting: MeetingDispatch;
  readonly blocks: Blocks;
  readonly instructions: Instructions;
  readonly arithmetic: Arithmetic;
  readonly conversions: Conversions;
  readonly lanes: LaneCalls;
  readonly warp: WarpOperations;
  readonly barriers: Barriers;
  readonly access: MemoryAccess;
  readonly loads: Loads;
  readonly stores: Stores;
  readonly atomics: Atomics;
}
