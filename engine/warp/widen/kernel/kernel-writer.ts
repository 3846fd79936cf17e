/**
 * Writes one kernel as a function that executes a whole warp:
 *
 *   i32 @kernel(ptr warp, ptr launch, ptr counts, ptr sites)   ; 0: the warp has ended, 1: it waits at a barrier
 *
 * Every value that crosses blocks has a slot on the stack; LLVM turns slots into registers. Each block has a lane mask;
 * lanes that branch away wait in the mask of their target until the flow order reaches it (analysis/pending.ts). At a
 * barrier the live slots go to the warp's frame, and the next call jumps behind the barrier.
 *
 * Each part of the function has a class of its own (see context.ts); this one puts the parts together.
 */
import { clockReads } from '../../../ir/analysis/clock-loops.ts';
import { contains } from '../../../ir/analysis/flow.ts';
import { liveIn } from '../../../ir/analysis/liveness.ts';
import { faultCode, meetingBase, warpField, warpHeaderBytes } from '../../layout.ts';
import { Writer } from '../writer.ts';
import { KernelAnalysis, type KernelSource } from './analysis.ts';
import { Arithmetic } from './arithmetic.ts';
import { Atomics } from './atomics.ts';
import { Barriers } from './barriers.ts';
import { Blocks } from './blocks.ts';
import type { KernelContext } from './context.ts';
import { ControlFlow } from './control-flow.ts';
import { Conversions } from './conversions.ts';
import { Counters } from './counters.ts';
import { CurrentBlock } from './current-block.ts';
import { EntryBlock } from './entry-block.ts';
import { Faults } from './faults.ts';
import { Fragments } from './fragments.ts';
import { FunctionCalls } from './function-calls.ts';
import { Instructions } from './instructions.ts';
import { LaneCalls } from './lane-calls.ts';
import { Loads } from './loads.ts';
import { LocalMemory } from './local-memory.ts';
import { LoopHeads } from './loop-heads.ts';
import { MeetingDispatch } from './meeting-dispatch.ts';
import { MemoryAccess } from './memory-access.ts';
import { MissedLanes } from './missed-lanes.ts';
import { Operands } from './operands.ts';
import { ValueSlots } from './slots.ts';
import { SpecialRegisters } from './special-registers.ts';
import { Stores } from './stores.ts';
import { Suspension } from './suspension.ts';
import { functionSymbol, kernelSymbol, meetingSymbol } from './symbols.ts';
import { WarpFrame } from './warp-frame.ts';
import { WarpOperations } from './warp-operations.ts';
import type { WidenedKernel } from './widened-kernel.ts';

/** Called functions keep this much of the module's own stack free, bytes. */
const lowestStack = 64 << 10;
/** Buffers of 512 bytes (32 lanes of 128 bits) through which values pass to the runtime and back. */
const scratches = ['scratch', 'scratch2', 'scratch3', 'scratch4', 'scratch5', 'results'];

export class KernelWriter implements KernelContext {
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

  /** `declarations`: of everything that the module's functions use, by name; added to. */
  constructor(source: KernelSource, declarations: Map<string, string>) {
    this.writer = new Writer(declarations);
    this.analysis = new KernelAnalysis(source);
    this.current = new CurrentBlock(this);
    this.entry = new EntryBlock(this);
    this.frame = new WarpFrame(this);
    this.slots = new ValueSlots(this);
    this.fragments = new Fragments(this);
    this.locals = new LocalMemory(this);
    this.registers = new SpecialRegisters(this);
    this.operands = new Operands(this);
    this.calls = new FunctionCalls(this);
    this.counters = new Counters(this);
    this.faults = new Faults(this);
    this.control = new ControlFlow(this);
    this.suspension = new Suspension(this);
    this.loops = new LoopHeads(this);
    this.misses = new MissedLanes(this);
    this.meeting = new MeetingDispatch(this);
    this.blocks = new Blocks(this);
    this.instructions = new Instructions(this);
    this.arithmetic = new Arithmetic(this);
    this.conversions = new Conversions(this);
    this.lanes = new LaneCalls(this);
    this.warp = new WarpOperations(this);
    this.barriers = new Barriers(this);
    this.access = new MemoryAccess(this);
    this.loads = new Loads(this);
    this.stores = new Stores(this);
    this.atomics = new Atomics(this);
  }

  /** Name of the function in the program. */
  get name(): string {
    return this.analysis.fn.name;
  }

  /** Recursive functions that this one calls; complete once it is written. */
  get callees(): ReadonlySet<string> {
    return this.locals.callees;
  }

  write(): WidenedKernel {
    const { analysis, slots, locals, writer } = this;
    const live = liveIn(analysis.flow, analysis.resolve);
    slots.plan(live);
    locals.place();
    for (const block of analysis.flow.blocks) this.blocks.write(block, live);
    this.writeEnd();
    const second = analysis.layout !== null && !analysis.meets ? this.writeSecond() : null;
    // Masks of blocks that nothing branches to have their slots from here on.
    const masks = analysis.meets
      ? []
      : analysis.flow.blocks.map((block) => `  store i32 0, ptr ${slots.maskSlot(block.index)}`);
    if (analysis.meets) void this.frame.placeSlot;
    const text = [
      this.header(),
      'entry:',
      ...this.entryLines(masks),
      ...(analysis.called === null ? this.kernelStart(second) : this.calledStart()),
      ...(analysis.meets
        ? ['  store i32 %resume.place, ptr %place', '  br label %dispatch', ...this.meeting.writeDispatch()]
        : ['  br label %b0']),
      ...writer.lines,
      ...this.suspension.resumePoints.flat(),
      '}',
    ].join('\n');
    return this.described(text, second, live);
  }

  private header(): string {
    const { called, fn, meets } = this.analysis;
    if (called !== null)
      return `define internal void @${functionSymbol(called.kernel, fn.name)}(i32 %mask, ptr noalias %warp, ptr noalias %launch, ptr noalias %counts, ptr %sites, ptr %arguments, ptr %scratches, i32 %frame, i32 %frames.end) noinline nounwind {`;
    return `define internal i32 @${meets ? meetingSymbol(fn.name) : kernelSymbol(fn.name)}(ptr noalias %warp, ptr noalias %launch, ptr noalias %counts, ptr %sites) ${meets ? 'noinline cold ' : ''}nounwind {`;
  }

  private entryLines(masks: readonly string[]): string[] {
    const { called } = this.analysis;
    const { callBytes } = this.calls;
    return [
      called === null ? `  %scratches = alloca [${512 * scratches.length} x i8], align 16` : '',
      ...scratches.map((name, i) => `  %${name} = getelementptr nuw i8, ptr %scratches, i32 ${512 * i}`),
      callBytes > 0 || called !== null ? `  %call = alloca [${Math.max(16, callBytes)} x i8], align 16` : '',
      ...[...this.entry.allocas].map(
        ([name, type]) => `  ${name} = alloca ${type}, align ${type.startsWith('<') || type.startsWith('[') ? 16 : 8}`,
      ),
      ...masks,
      ...this.entry.lines,
    ];
  }

  /** Start of a kernel: it continues where the warp's frame says. */
  private kernelStart(second: WidenedKernel | null): string[] {
    return [
      `  %warpmask.at = getelementptr nuw i8, ptr %warp, i32 ${warpField.mask}`,
      '  %warpmask = load i32, ptr %warpmask.at, align 4',
      `  %resume.at = getelementptr nuw i8, ptr %warp, i32 ${warpField.resume}`,
      '  %resume = load i32, ptr %resume.at, align 4',
      ...(this.analysis.meets ? [`  %resume.place = sub i32 %resume, ${meetingBase}`] : this.startFirst(second)),
    ];
  }

  private startFirst(second: WidenedKernel | null): string[] {
    const resumes = this.suspension.resumePoints.map((_, i) => `i32 ${i + 1}, label %resume${i + 1}`).join(' ');
    const start = [
      `  switch i32 %resume, label %start [${resumes}]`,
      'start:',
      `  store i32 %warpmask, ptr ${this.slots.maskSlot(0)}`,
    ];
    if (second === null) return start;
    return [
      `  %is.second = icmp uge i32 %resume, ${meetingBase}`,
      '  br i1 %is.second, label %second, label %first, !prof !9001',
      'second:',
      `  %second.result = call i32 @${meetingSymbol(this.analysis.fn.name)}(ptr %warp, ptr %launch, ptr %counts, ptr %sites)`,
      '  ret i32 %second.result',
      'first:',
      ...start,
    ];
  }

  /** Start of a recursive function: it checks both stacks, the threads' and the module's own. */
  private calledStart(): string[] {
    return [
      `  %frame.next = add i32 %frame, ${this.locals.ownBytes}`,
      '  %frame.above = icmp ugt i32 %frame.next, %frames.end',
      '  %own.stack = ptrtoint ptr %call to i32',
      `  %own.over = icmp ult i32 %own.stack, ${lowestStack}`,
      '  %frame.over = or i1 %frame.above, %own.over',
      '  br i1 %frame.over, label %overflow, label %start',
      'overflow:',
      `  call void @fault_at(ptr %launch, i32 ${faultCode.stackOverflow}, ptr null, i32 0, i32 0, i32 0)`,
      '  unreachable',
      'start:',
      `  store i32 %mask, ptr ${this.slots.maskSlot(0)}`,
    ];
  }

  /** The end of the function, reached when no block has lanes. */
  private writeEnd(): void {
    const w = this.writer;
    w.begin('finish');
    if (this.analysis.meets)
      w.line(
        `ret i32 ${w.emit(`call i32 @settle(ptr %launch, ptr %warp, ptr ${this.frame.meetingAt}, ptr ${this.frame.lanesAt}, ptr %sites)`)}`,
      );
    else if (this.analysis.called === null) w.line('ret i32 0');
    else this.calls.writeReturn();
  }

  /** The function in which lanes meet. It numbers accesses as this one does. */
  private writeSecond(): WidenedKernel {
    const { module, fn, places, options } = this.analysis;
    const numbered = this.counters.sites.length;
    this.meeting.placeWaits();
    const source = { module, fn, places, options, called: null, first: this };
    const second = new KernelWriter(source, this.writer.declarations).write();
    if (second.sites.length !== numbered)
      throw new Error(`${numbered} sites of ${fn.name}, and ${second.sites.length}`);
    return second;
  }

  private described(text: string, second: WidenedKernel | null, live: Set<string>[]): WidenedKernel {
    const { analysis } = this;
    return {
      text,
      meeting: second?.text ?? null,
      flow: analysis.flow,
      uniformity: analysis.uniformity,
      pointers: analysis.pointers,
      resolve: analysis.resolve,
      sites: this.counters.sites,
      polls: analysis.spins
        .filter(
          (spin) =>
            spin.idle && !spin.within && !analysis.spins.some((other) => other !== spin && contains(spin, other.head)),
        )
        .map(({ head, end }) => ({ head, end })),
      clockLoops: analysis.clockLoops,
      clockReads: analysis.flow.blocks.map(({ block }) => clockReads(block)),
      warpBytes: Math.max(
        Math.ceil((warpHeaderBytes + Math.max(this.suspension.frameBytes, this.slots.keptBytes)) / 16) * 16,
        analysis.layout?.warpBytes ?? 0,
      ),
      localBytes: this.locals.bytes,
      live,
    };
  }
}
