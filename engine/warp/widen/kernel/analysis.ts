/** Facts about a function that are known before any line of it is written. */
import { Pointers } from '../../../ir/addresses.ts';
import { clockLoops, type ClockLoop } from '../../../ir/analysis/clock-loops.ts';
import { buildFlow, loopsOf, type Flow, type FlowBlock } from '../../../ir/analysis/flow.ts';
import { analysePending } from '../../../ir/analysis/pending.ts';
import { namesUsed, spinLoops, type SpinLoop } from '../../../ir/analysis/spin.ts';
import type { Uniformity } from '../../../ir/analysis/uniformity.ts';
import { contractions, type Contraction } from '../../../ir/contraction.ts';
import { unsupported, type FunctionIr, type Instruction, type ModuleIr, type Value } from '../../../ir/ir.ts';
import { MeetingLayout, operationsOf } from '../meetings.ts';
import { analyseKernel } from '../../../ir/calls/uniformity.ts';
import type { KernelContext } from './context.ts';
import type { CalledFunction, KernelOptions, VariablePlaces } from './widened-kernel.ts';

/** Function to write, and the circumstances in which. */
export interface KernelSource {
  module: ModuleIr;
  fn: FunctionIr;
  places: VariablePlaces;
  options: KernelOptions;
  called: CalledFunction | null;
  first: KernelContext | null;
}

/** Control flow, uniformity, pointers and loops of one function. */
export class KernelAnalysis {
  readonly fn: FunctionIr;
  readonly pointers: Pointers;
  readonly flow: Flow;
  readonly uniformity: Uniformity;
  /** Per block, the blocks at which lanes may wait while it executes. */
  readonly waiting: Set<number>[];
  readonly spins: SpinLoop[];
  readonly clockLoops: readonly ClockLoop[];
  /** Names of values that some instruction reads. */
  readonly used: Set<string>;
  /** Blocks that begin a loop. */
  readonly heads: Set<number>;
  /** Sums that ptxas contracts with a product. */
  readonly contraction: Map<Instruction, Contraction>;
  readonly places: VariablePlaces;
  readonly module: ModuleIr;
  /** Where the function belongs, if it is a recursive one that a kernel calls. */
  readonly called: CalledFunction | null;
  readonly options: KernelOptions;
  /** The parts of the first function of which this is the second (see meetings.ts); null for a first one. */
  readonly first: KernelContext | null;
  /** Frame layout that both functions share; null where there is only one. */
  readonly layout: MeetingLayout | null;
  private indexOf: Map<Instruction, number> | null = null;

  constructor({ module, fn, places, options, called, first }: KernelSource) {
    this.module = module;
    this.fn = fn;
    this.places = places;
    this.options = options;
    this.called = called;
    this.first = first;
    this.pointers = new Pointers(module, fn);
    this.flow = buildFlow(fn.blocks);
    this.clockLoops = clockLoops(this.flow);
    // A function cannot be left and entered again in its middle.
    this.spins = called === null ? spinLoops(this.flow) : [];
    this.used = namesUsed(fn.blocks);
    this.heads = new Set(this.flow.blocks.flatMap((block) => loopsOf(block).map(({ head }) => head)));
    this.uniformity = analyseKernel(module, fn, this.flow, this.pointers);
    this.waiting = analysePending(this.flow, this.uniformity.divergentBranches, this.spins);
    this.contraction = contractions(fn.blocks);
    this.layout = first === null ? this.layoutOfMeetings() : first.analysis.layout;
  }

  private layoutOfMeetings(): MeetingLayout | null {
    const { blocks } = this.flow;
    if (!this.options.independentLanes || this.called !== null || !blocks.some((block) => this.mayMiss(block)))
      return null;
    return new MeetingLayout(blocks.map(({ block: { instructions } }) => operationsOf(instructions).length));
  }

  /** Blocks at which lanes may wait, and go on from there, while `block` executes. */
  unfinished(block: FlowBlock): number[] {
    return [...(this.waiting[block.index] ?? [])].filter((index) => !this.isExit(index));
  }

  /** True if an operation of a block may name lanes that are elsewhere. */
  mayMiss(block: FlowBlock): boolean {
    return operationsOf(block.block.instructions).length > 0 && this.unfinished(block).length > 0;
  }

  /** True in the second function, in which lanes wait for each other wherever they are. */
  get meets(): boolean {
    return this.first !== null;
  }

  /** The value behind casts and constant offsets. */
  readonly resolve = (value: Value): Value => this.pointers.resolve(value).root;

  /** True for tid, ctaid and the like, which are loaded at the start of each call, whatever the block. */
  isSpecial(name: string): boolean {
    const callee = this.pointers.definition({ kind: 'local', name, type: { kind: 'void' } })?.callee ?? '';
    return callee.startsWith('llvm.nvvm.read.ptx.sreg.') && !/clock|globaltimer/.test(callee);
  }

  /** True for values that differ between lanes; all do in the second function. */
  isDivergent(name: string): boolean {
    return this.meets || this.uniformity.divergentValues.has(name);
  }

  /** Error for a construct that Simsight does not execute, with its place in the source. */
  unsupported(construct: string, instruction: Instruction | null): Error {
    return unsupported(construct, this.fn.name, instruction?.place ?? this.fn.place);
  }

  /** True for a block that only ends the lanes that come to it. */
  private isExit(index: number): boolean {
    const block = this.flow.blocks[index]?.block;
    return (
      block?.instructions.every(
        ({ op, callee }) => op === 'ret' || (op === 'call' && callee.startsWith('llvm.lifetime')),
      ) ?? false
    );
  }

  /** Index of the block that contains an instruction. */
  blockOf(instruction: Instruction): number {
    this.indexOf ??= new Map(
      this.flow.blocks.flatMap(({ block, index }) => block.instructions.map((each) => [each, index])),
    );
    return this.indexOf.get(instruction) ?? 0;
  }
}
