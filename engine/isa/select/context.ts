/** The parts that select the instructions of one kernel together. Each names those that it calls ({@link Pick} of this). */
import type { Addresses } from './addresses.ts';
import type { Arithmetic } from './arithmetic.ts';
import type { Branches } from './branches.ts';
import type { CalledFunctions } from './called-functions.ts';
import type { Elements } from './elements.ts';
import type { IndexSums } from './index-sums.ts';
import type { KernelFacts } from './facts.ts';
import type { LoopCopies } from './loop-copies.ts';
import type { LoopCounters } from './loop-counters.ts';
import type { MachineBuilder } from './machine-builder.ts';
import type { MemoryAccesses } from './memory-access.ts';
import type { Operations } from './operations.ts';
import type { SelectedValues } from './values.ts';

export interface SelectionContext {
  readonly facts: KernelFacts;
  readonly counters: LoopCounters;
  readonly elements: Elements;
  readonly code: MachineBuilder;
  readonly values: SelectedValues;
  readonly operations: Operations;
  readonly arithmetic: Arithmetic;
  readonly addresses: Addresses;
  readonly sums: IndexSums;
  readonly memory: MemoryAccesses;
  readonly calls: CalledFunctions;
  readonly branches: Branches;
  readonly loopCopies: LoopCopies;
}
