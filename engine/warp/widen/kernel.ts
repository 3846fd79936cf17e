/**
 * Writes one kernel as a function that executes a whole warp:
 *
 *   i32 @kernel(ptr warp, ptr launch, ptr counts, ptr sites)   ; 0: the warp has ended, 1: it waits at a barrier
 *
 * Every value that crosses blocks has a slot on the stack; LLVM turns slots into registers. Each block has a lane mask;
 * lanes that branch away wait in the mask of their target until the flow order reaches it (analysis/pending.ts). At a
 * barrier the live slots go to the warp's frame, and the next call jumps behind the barrier.
 */
import type { FunctionIr, Instruction, ModuleIr, Type, Value } from '../../ir/ir.ts';
import type { SourcePlace } from '../../model/source-place.ts';
import { fieldOffset, elementType, leavesOf, sizeOf, unsupported } from '../../ir/ir.ts';
import type { Space } from '../../ir/addresses.ts';
import { parameterSpace, Pointers } from '../../ir/addresses.ts';
import { isBarrier, isCountedBarrier } from '../../ir/prepare.ts';
import type { Flow, FlowBlock } from '../../ir/analysis/flow.ts';
import { buildFlow, contains, loopsOf } from '../../ir/analysis/flow.ts';
import type { Uniformity } from '../../ir/analysis/uniformity.ts';
import type { Exit } from '../../ir/analysis/pending.ts';
import { analysePending, candidates, goingOn, serviceOrder } from '../../ir/analysis/pending.ts';
import { liveIn, reads } from '../../ir/analysis/liveness.ts';
import { oneForAll } from '../../ir/analysis/one-for-all.ts';
import {
  blockCounterBytes,
  clockReading,
  dynamicArrayBytes,
  faultCode,
  launchField,
  siteCounterBytes,
  siteWide,
  stackBytesPerThread,
  warpField,
  warpHeaderBytes,
} from '../layout.ts';
import type { SpinLoop } from '../../ir/analysis/spin.ts';
import { clockLoops, clockReads, type ClockLoop } from '../../ir/analysis/clock-loops.ts';
import { arithmetic, isIdle, namesUsed, spinLoops } from '../../ir/analysis/spin.ts';
import type { PollLoop } from '../waits.ts';
import type { Contraction } from '../../ir/contraction.ts';
import { contractions } from '../../ir/contraction.ts';
import { hasFusedMultiplyAdd } from '../fused.ts';
import { functionAddress } from '../../ir/functions.ts';
import { findIntrinsic } from './intrinsics.ts';
import { isOfPresent, MeetingLayout, meetingBase, meetingField, operationsOf, warpOperation } from './meetings.ts';
import type { WarpOperation } from './meetings.ts';
import type { SiteUnit } from './table.ts';
import { analyseKernel, returnName } from './uniformity.ts';
import type { Leaf } from './writer.ts';
import { isConstant, laneBytes, laneType, vectorConstant, Writer } from './writer.ts';

/** A memory instruction (or trap) of a kernel, for counters and messages; the block it is in says how often it ran. */
export interface Site {
  block: number;
  kind: 'load' | 'store' | 'atomic' | 'trap';
  space: Space;
  place: SourcePlace | null;
  /** A load of global memory that finds nothing in L1: volatile, `ld.cg`. */
  pastL1?: boolean;
  /** An atomic that adds floats, which takes L2 longer. */
  addsFloats?: boolean;
  /** An atomic whose result nobody uses. */
  isReduction?: boolean;
  /** An atomic that leaves what it finds: adds 0, say. */
  changesNothing?: boolean;
  /** Of what is no load or store: barriers in shared memory, bulk copies, textures. */
  unit?: SiteUnit;
  /** Where lanes wait for others, for messages: what it is called. */
  operation?: string;
}

export interface WidenedKernel {
  text: string;
  /** The function in which lanes of a warp wait for each other, see meetings.ts; null where they never have to. */
  meeting: string | null;
  flow: Flow;
  uniformity: Uniformity;
  pointers: Pointers;
  resolve: (value: Value) => Value;
  sites: Site[];
  /** Bytes of the warp struct with the largest frame. */
  warpBytes: number;
  localBytes: number;
  live: Set<string>[];
  polls: PollLoop[];
  clockLoops: readonly ClockLoop[];
  /** Of each block of code. */
  clockReads: number[];
}

/** Where the variables of a module lie: shared ones at fixed offsets of a block's window, others in the address table. */
export interface VariablePlaces {
  shared: Map<string, number>;
  table: Map<string, number>;
  /** Bytes of static shared memory, rounded up to where dynamic memory begins. */
  staticShared: number;
}

export interface KernelOptions {
  /** With checks of shared memory, every access to it goes through the runtime. */
  checked: boolean;
  /** Lanes of a warp wait for each other wherever they are, as since Volta; before, they have to be in one place. */
  independentLanes: boolean;
}

/** A recursive function is written once per kernel; its blocks and sites follow those of the kernel. */
export interface CalledFunction {
  kernel: string;
  /** Bytes of local memory per thread, the stack included: the distance of two lanes. */
  laneBytes: number;
  firstBlock: number;
  sites: Site[];
}

export class KernelWriter {
  readonly writer: Writer;
  /** Lanes that execute the current block: an SSA name of type i32. */
  mask = '-1';
  private maskNative: string | null = null;
  /** Whether what the current block does is wanted: an SSA name of type i1. */
  private isTraced = 'false';
  private readonly fn: FunctionIr;
  private readonly pointers: Pointers;
  private readonly flow: Flow;
  private readonly uniformity: Uniformity;
  private readonly waiting: Set<number>[];
  private readonly spins: SpinLoop[];
  private readonly clockLoops: readonly ClockLoop[];
  private readonly used: Set<string>;
  private readonly heads: Set<number>;
  private readonly contraction: Map<Instruction, Contraction>;
  private readonly places: VariablePlaces;
  private readonly sites: Site[];
  private readonly module: ModuleIr;
  private readonly called: CalledFunction | null;
  /** Recursive functions that this one calls. */
  readonly callees = new Set<string>();
  private callBytes = 0;
  private hasDynamicArrays = false;
  private readonly home = new Map<string, FlowBlock>();
  private readonly types = new Map<string, Type>();
  /** Values with a slot, and those whose slot keeps the lanes that do not execute the definition. */
  private readonly slotted = new Set<string>();
  private readonly blended = new Set<string>();
  /** Leaves at hand in the current block. */
  private current = new Map<string, Leaf[]>();
  private readonly entryValues = new Map<string, Leaf[]>();
  private readonly entryLines: string[] = [];
  private readonly allocas = new Map<string, string>();
  private readonly ids = new Map<string, number>();
  private frameBytes = 0;
  private readonly localOffsets = new Map<string, number>();
  private localBytes = 0;

  private readonly options: KernelOptions;
  private readonly declarations: Map<string, string>;
  /** What this function is the second one of; null: it is the first. */
  private readonly first: KernelWriter | null;
  /** What both share, where there are two. */
  private layout: MeetingLayout | null = null;
  /** Sites of what lanes wait at, by instruction. */
  private readonly waitSites = new Map<Instruction, number>();

  constructor(
    module: ModuleIr,
    fn: FunctionIr,
    places: VariablePlaces,
    declarations: Map<string, string>,
    options: KernelOptions,
    called: CalledFunction | null = null,
    first: KernelWriter | null = null,
  ) {
    this.options = options;
    this.module = module;
    this.called = called;
    this.declarations = declarations;
    this.first = first;
    this.sites = called?.sites ?? [];
    this.fn = fn;
    this.places = places;
    this.writer = new Writer(declarations);
    this.pointers = new Pointers(module, fn);
    this.flow = buildFlow(fn.blocks);
    // A function cannot be left and entered again in its middle.
    this.clockLoops = clockLoops(this.flow);
    this.spins = called === null ? spinLoops(this.flow) : [];
    this.used = namesUsed(fn.blocks);
    this.heads = new Set(this.flow.blocks.flatMap((block) => loopsOf(block).map(({ head }) => head)));
    this.uniformity = analyseKernel(module, fn, this.flow, this.pointers);
    this.waiting = analysePending(this.flow, this.uniformity.divergentBranches, this.spins);
    this.contraction = contractions(fn.blocks);
    if (first !== null) this.layout = first.layout;
    else if (options.independentLanes && called === null && this.flow.blocks.some((block) => this.mayMiss(block)))
      this.layout = new MeetingLayout(
        this.flow.blocks.map(({ block: { instructions } }) => operationsOf(instructions).length),
      );
  }

  // ---- lanes that meet in different places: see meetings.ts ----

  /** Blocks at which lanes may wait, and go on from there, while `block` executes. */
  private unfinished(block: FlowBlock): number[] {
    return [...(this.waiting[block.index] ?? [])].filter((index) => !this.isExit(index));
  }
  /** Whether an operation of a block may find lanes of its mask elsewhere. */
  private mayMiss(block: FlowBlock): boolean {
    return operationsOf(block.block.instructions).length > 0 && this.unfinished(block).length > 0;
  }
  private get meets(): boolean {
    return this.first !== null;
  }

  /** A place in the warp's frame, for each lane. */
  private frameSlot(key: string, bytes: number): string {
    return this.fixedInFrame(key, this.layout!.offsetOf(key, bytes));
  }
  private fixedInFrame(key: string, offset: number): string {
    return this.atEntry(`frame.${key}`, (emit) => [
      this.writer.uniform('ptr', emit(`getelementptr i8, ptr %warp, i32 ${offset}`)),
    ])[0]!.text;
  }
  private get meetingAt(): string {
    return this.fixedInFrame('meeting', this.layout!.meeting);
  }
  private get lanesAt(): string {
    return this.fixedInFrame('lanes', this.layout!.masks);
  }
  private placeMask(place: number): string {
    return this.fixedInFrame(`place.${place}`, this.layout!.masks + 4 * place);
  }

  /** The value of a mask at the beginning of its block; 'present': of lanes that are there; null: it is not known yet. */
  private early(value: Value, block: FlowBlock): Leaf | 'present' | null {
    const here = (of: Value): Instruction | undefined => {
      const root = this.resolve(of);
      return root.kind === 'local' && this.home.get(root.name) === block && !this.isSpecial(root.name)
        ? this.pointers.definition(root)
        : undefined;
    };
    if (isOfPresent(value, here)) return 'present';
    const instruction = here(value);
    if (instruction === undefined) return this.leaf(value);
    if (instruction.op === 'phi') return this.loadSlots('p', instruction.name!, instruction.type)[0]!;
    if (!arithmetic.has(instruction.op)) return null;
    for (const operand of instruction.operands) {
      const leaf = this.early(operand, block);
      if (leaf === null || leaf === 'present') return null;
      if (operand.kind === 'local') this.current.set(operand.name, [leaf]);
    }
    return this.instruction(instruction, block)[0] ?? null;
  }

  /** Whether lanes that operations of a block name wait elsewhere: an i1, asked at its beginning; null: they name nobody else. */
  private missed(block: FlowBlock, operations: readonly Instruction[], all: boolean): string | null {
    const w = this.writer;
    const masks: Leaf[] = all ? [w.constant('i32', '-1')] : [];
    for (const instruction of operations) {
      const mask = this.early(instruction.operands[warpOperation(instruction)!.members]!, block);
      this.current = new Map();
      if (mask !== 'present') masks.push(mask ?? w.constant('i32', '-1'));
    }
    if (masks.length === 0) return null;
    let elsewhere = '0';
    for (const index of this.unfinished(block))
      elsewhere = w.emit(`or i32 ${elsewhere}, ${w.emit(`load i32, ptr ${this.maskSlot(index)}`)}`);
    let named = '0';
    for (const mask of masks) {
      const bits = mask.uniform
        ? mask.text
        : w.call('i32', 'llvm.vector.reduce.or.v32i32', [
            `<32 x i32> ${w.emit(`select <32 x i1> ${this.nativeMask()}, <32 x i32> ${mask.text}, <32 x i32> zeroinitializer`)}`,
          ]);
      named = named === '0' ? bits : w.emit(`or i32 ${named}, ${bits}`);
    }
    return w.emit(`icmp ne i32 ${w.emit(`and i32 ${elsewhere}, ${named}`)}, 0`);
  }

  /** At the beginning of a block: where one of its operations names lanes that wait elsewhere, the warp goes on in the second function. */
  private meetIfMissed(block: FlowBlock, live: Set<string>[]): void {
    const w = this.writer;
    const { instructions } = block.block;
    const stops = instructions.at(-2);
    if (this.unfinished(block).length === 0) return;
    const missed = this.missed(block, operationsOf(instructions), stops !== undefined && isBarrier(stops));
    if (missed === null) return;
    const [leave, go] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${missed}, label %${leave}, label %${go}, !prof !9001`);
    w.begin(leave);
    this.goOnInSecond(block, live);
    w.begin(go);
  }

  /** Before Volta what then comes of the first such operation is undefined: how often that was is counted at its site. */
  private noteMissed(block: FlowBlock): void {
    const w = this.writer;
    for (const instruction of operationsOf(block.block.instructions)) {
      const missed = this.missed(block, [instruction], false);
      if (missed === null) continue;
      const { name } = warpOperation(instruction)!;
      const site = this.site({ block: block.index, kind: 'trap', space: 0, place: instruction.place, operation: name });
      this.addTo(site, 0, w.emit(`zext i1 ${missed} to i32`));
      return;
    }
  }

  /** Hands over where lanes are, and what they need. */
  private goOnInSecond(block: FlowBlock, live: Set<string>[]): void {
    const w = this.writer;
    const layout = this.layout!;
    const at = (offset: number): string => w.emit(`getelementptr i8, ptr %warp, i32 ${offset}`);
    w.line(`call void @begin_meeting(ptr ${at(layout.meeting)}, i32 ${layout.zeroBytes})`);
    const waiting = [...(this.waiting[block.index] ?? [])].filter((index) => index !== block.index);
    for (const index of waiting)
      w.line(
        `store i32 ${w.emit(`load i32, ptr ${this.maskSlot(index)}`)}, ptr ${at(layout.masks + 4 * layout.placeOf[index]!)}, align 4`,
      );
    w.line(`store i32 ${this.mask}, ptr ${at(layout.masks + 4 * layout.placeOf[block.index]!)}, align 4`);
    const places = [...waiting, block.index];
    const hand = (kind: 'v' | 'p', name: string): void => {
      this.loadSlots(kind, name, this.types.get(name)!).forEach((leaf, i) => {
        const key = slotKey(kind, name, i);
        const bytes = slotBytes(leaf.type);
        if (leaf.type === 'i1') w.line(`store i32 ${w.bits(leaf)}, ptr ${at(layout.offsetOf(key, bytes))}, align 8`);
        else w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${at(layout.offsetOf(key, bytes))}, align 8`);
      });
    };
    for (const name of new Set(places.flatMap((index) => [...(live[index] ?? [])])))
      if (this.slotted.has(name)) hand('v', name);
    for (const index of places)
      for (const { op, name } of this.flow.blocks[index]?.block.instructions ?? [])
        if (op === 'phi' && name !== null) hand('p', name);
    if (this.hasDynamicArrays)
      w.line(
        `store <32 x i32> ${w.emit(`load <32 x i32>, ptr ${this.dynamicTop()}, align 16`)}, ptr ${at(layout.offsetOf('dynamic', 128))}, align 8`,
      );
    w.line(`store i32 ${meetingBase + layout.placeOf[block.index]!}, ptr %resume.at, align 4`);
    const result = w.emit(`call i32 @${meetingSymbol(this.fn.name)}(ptr %warp, ptr %launch, ptr %counts, ptr %sites)`);
    w.line(`ret i32 ${result}`);
  }

  /** Goes on with whatever lanes are to be executed next, in the order in which the first function would take them. */
  private dispatch(block: FlowBlock): void {
    this.goTo(this.nextPlace(`next.${block.index}`, this.placesAfter(block)));
  }
  private goTo(place: string): void {
    this.writer.line(`store i32 ${place}, ptr ${this.placeSlot}`);
    this.writer.line('br label %dispatch');
  }
  private get placeSlot(): string {
    this.allocas.set('%place', 'i32');
    return '%place';
  }
  private placesAfter(block: FlowBlock): [number, number][] {
    const { placeOf, places } = this.layout!;
    const own: [number, number] = [placeOf[block.index]! + 1, placeOf[block.index + 1]!];
    return [own, ...serviceOrder(this.flow, block).map(this.placesOf), [0, places]];
  }
  private readonly placesOf = (index: number): [number, number] => {
    const { placeOf } = this.layout!;
    return [placeOf[index]!, placeOf[index + 1]!];
  };
  private nextPlace(name: string, ranges: readonly (readonly [number, number])[]): string {
    const w = this.writer;
    const joined: [number, number][] = [];
    for (const [start, end] of ranges) {
      const last = joined.at(-1);
      if (last?.[1] === start) last[1] = end;
      else if (start < end) joined.push([start, end]);
    }
    const table = `"${name}.${kernelSymbol(this.fn.name).slice(1, -1)}"`;
    const words = [...joined.flat(), -1].map((word) => `i32 ${word}`);
    this.declarations.set(table, `@${table} = internal constant [${words.length} x i32] [${words.join(', ')}]`);
    return w.emit(`call i32 @next_place(ptr ${this.lanesAt}, ptr @${table})`);
  }

  /** Begins a part of a block: the lanes that are to be executed there. */
  private beginPart(place: number, label: string): void {
    const w = this.writer;
    w.block = -1e6 - place;
    w.begin(label);
    this.current = new Map();
    this.maskNative = null;
    const slot = this.placeMask(place);
    this.mask = w.emit(`load i32, ptr ${slot}, align 4`);
    w.line(`store i32 0, ptr ${slot}, align 4`);
  }

  /** Lanes wait at an operation of the warp, and go on behind it with what they got. */
  private meetAt(operation: WarpOperation, instruction: Instruction, block: FlowBlock, part: number): Leaf[] {
    const w = this.writer;
    const { kind, members, value, from, results } = operation;
    const mask = instruction.operands[members]!;
    const root = this.resolve(mask);
    const maskLeaf = this.leaf(mask);
    if (root.kind === 'local' && this.uniformity.divergentValues.has(root.name)) this.countMasks(maskLeaf);
    w.line(`store <32 x i32> ${w.vector(maskLeaf)}, ptr %scratch, align 16`);
    if (value !== null) {
      let given = this.leaf(instruction.operands[value]!);
      if (given.type === 'i1') given = w.cast('zext', given, 'i64');
      else if (given.type === 'float')
        given = w.lift('i32', [given], (shape, [x]) => `bitcast ${shape.t('float')} ${x} to ${shape.t('i32')}`);
      if (given.type === 'i32') given = w.cast('zext', given, 'i64');
      w.line(`store <32 x i64> ${w.vector(given)}, ptr %scratch2, align 16`);
    }
    from?.forEach((operand, i) =>
      w.line(`store <32 x i32> ${w.vector(this.leaf(instruction.operands[operand]!))}, ptr %scratch${3 + i}, align 16`),
    );
    const place = this.layout!.placeOf[block.index]! + part;
    w.line(
      `call void @meet(ptr %launch, ptr %warp, ptr ${this.meetingAt}, ptr ${this.lanesAt}, i32 ${this.mask}, i32 ${kind}, i32 ${place}, i32 ${this.first!.waitSites.get(instruction)!}, ptr %scratch, ptr %scratch2, ptr %scratch3, ptr %scratch4)`,
    );
    this.dispatch(block);
    this.beginPart(place, partLabel(block.index, part));
    const wanted = w.emit(`getelementptr i8, ptr %launch, i32 ${launchField.trace}`);
    this.isTraced = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${wanted}, align 4`)}, 0`);
    const field = (offset: number): string => w.emit(`getelementptr i8, ptr ${this.meetingAt}, i32 ${offset}`);
    return results.map((result, i) => {
      if (result === 'flag') return w.fromBits(w.emit(`load i32, ptr ${field(meetingField.flags)}, align 4`));
      const type = laneType(leavesOf(instruction.type)[i]!.type);
      return w.divergent(type, w.emit(`load <32 x ${type}>, ptr ${field(meetingField.result)}, align 4`));
    });
  }
  /** Lanes stop at a barrier of their block, and the warp with the last of them. */
  private stopAtBarrier(block: FlowBlock, instruction: Instruction): void {
    const w = this.writer;
    const counted = isCountedBarrier(instruction)
      ? instruction.operands.slice(0, 2).map((operand) => this.scalar(this.leaf(operand)))
      : ['0', '-1'];
    const place = this.layout!.placeOf[block.successors[0] ?? 0]!;
    w.line(
      `call void @stop_at_barrier(ptr ${this.meetingAt}, i32 ${this.mask}, i32 ${place}, i32 ${this.first!.waitSites.get(instruction)!}, i32 ${counted[0]}, i32 ${counted[1]})`,
    );
    this.dispatch(block);
  }

  /** Sites of what lanes may wait at: they come after those of accesses, which both functions number alike. */
  private placeWaits(): void {
    for (const { index, block } of this.flow.blocks)
      for (const instruction of block.instructions) {
        const operation = warpOperation(instruction)?.name ?? (isBarrier(instruction) ? '__syncthreads' : null);
        if (operation === null) continue;
        this.waitSites.set(instruction, this.sites.length);
        this.sites.push({ block: index, kind: 'trap', space: 0, place: instruction.place, operation });
      }
  }

  /** Where lanes are to be executed: the places, or nowhere. */
  private writeDispatch(): string[] {
    const { placeOf } = this.layout!;
    const cases = this.flow.blocks.flatMap(({ index }) =>
      Array.from(
        { length: placeOf[index + 1]! - placeOf[index]! },
        (_, part) => `i32 ${placeOf[index]! + part}, label %${part === 0 ? `b${index}` : partLabel(index, part)}`,
      ),
    );
    return [
      'dispatch:',
      `  %place.next = load i32, ptr %place`,
      `  switch i32 %place.next, label %finish [${cases.join(' ')}]`,
    ];
  }

  get name(): string {
    return this.fn.name;
  }

  private readonly resolve = (value: Value): Value => this.pointers.resolve(value).root;

  write(): WidenedKernel {
    this.planSlots();
    this.placeLocals();
    const live = liveIn(this.flow, this.resolve);
    const w = this.writer;
    for (const block of this.flow.blocks) this.writeBlock(block, live);
    w.begin('finish');
    if (this.meets)
      w.line(
        `ret i32 ${w.emit(`call i32 @settle(ptr %launch, ptr %warp, ptr ${this.meetingAt}, ptr ${this.lanesAt}, ptr %sites)`)}`,
      );
    else if (this.called === null) w.line('ret i32 0');
    else this.writeReturn();
    const second = this.layout !== null && !this.meets ? this.writeSecond() : null;
    const resumes = this.resumePoints.map((_, i) => `i32 ${i + 1}, label %resume${i + 1}`).join(' ');
    const scratches = ['scratch', 'scratch2', 'scratch3', 'scratch4', 'scratch5', 'results'];
    const masks = this.meets ? [] : this.flow.blocks.map((block) => `  store i32 0, ptr ${this.maskSlot(block.index)}`);
    if (this.meets) void this.placeSlot;
    const text = [
      this.called === null
        ? `define internal i32 @${this.meets ? meetingSymbol(this.fn.name) : kernelSymbol(this.fn.name)}(ptr noalias %warp, ptr noalias %launch, ptr noalias %counts, ptr %sites) ${this.meets ? 'noinline cold ' : ''}nounwind {`
        : `define internal void @${functionSymbol(this.called.kernel, this.fn.name)}(i32 %mask, ptr noalias %warp, ptr noalias %launch, ptr noalias %counts, ptr %sites, ptr %arguments, ptr %scratches, i32 %frame, i32 %frames.end) noinline nounwind {`,
      'entry:',
      this.called === null ? `  %scratches = alloca [${512 * scratches.length} x i8], align 16` : '',
      ...scratches.map((name, i) => `  %${name} = getelementptr i8, ptr %scratches, i32 ${512 * i}`),
      this.callBytes > 0 || this.called !== null
        ? `  %call = alloca [${Math.max(16, this.callBytes)} x i8], align 16`
        : '',
      ...[...this.allocas].map(
        ([name, type]) => `  ${name} = alloca ${type}, align ${type.startsWith('<') || type.startsWith('[') ? 16 : 8}`,
      ),
      ...masks,
      ...this.entryLines,
      ...(this.called === null
        ? [
            `  %warpmask.at = getelementptr i8, ptr %warp, i32 ${warpField.mask}`,
            '  %warpmask = load i32, ptr %warpmask.at, align 4',
            `  %resume.at = getelementptr i8, ptr %warp, i32 ${warpField.resume}`,
            '  %resume = load i32, ptr %resume.at, align 4',
            ...(this.meets ? [`  %resume.place = sub i32 %resume, ${meetingBase}`] : this.startFirst(second, resumes)),
          ]
        : [
            `  %frame.next = add i32 %frame, ${this.ownLocalBytes}`,
            '  %frame.above = icmp ugt i32 %frame.next, %frames.end',
            '  %own.stack = ptrtoint ptr %call to i32',
            `  %own.over = icmp ult i32 %own.stack, ${lowestStack}`,
            '  %frame.over = or i1 %frame.above, %own.over',
            '  br i1 %frame.over, label %overflow, label %start',
            'overflow:',
            `  call void @fault_at(ptr %launch, i32 ${faultCode.stackOverflow}, ptr null, i32 0, i32 0, i32 0)`,
            '  unreachable',
            'start:',
            `  store i32 %mask, ptr ${this.maskSlot(0)}`,
          ]),
      ...(this.meets
        ? ['  store i32 %resume.place, ptr %place', '  br label %dispatch', ...this.writeDispatch()]
        : ['  br label %b0']),
      ...w.lines,
      ...this.resumePoints.flat(),
      '}',
    ].join('\n');
    return {
      text,
      meeting: second?.text ?? null,
      flow: this.flow,
      uniformity: this.uniformity,
      pointers: this.pointers,
      resolve: this.resolve,
      sites: this.sites,
      polls: this.spins
        .filter(
          (spin) =>
            spin.idle && !spin.within && !this.spins.some((other) => other !== spin && contains(spin, other.head)),
        )
        .map(({ head, end }) => ({ head, end })),
      clockLoops: this.clockLoops,
      clockReads: this.flow.blocks.map(({ block }) => clockReads(block)),
      warpBytes: Math.max(Math.ceil((warpHeaderBytes + this.frameBytes) / 16) * 16, this.layout?.warpBytes ?? 0),
      localBytes: this.localBytes,
      live,
    };
  }

  private startFirst(second: WidenedKernel | null, resumes: string): string[] {
    const start = [
      `  switch i32 %resume, label %start [${resumes}]`,
      'start:',
      `  store i32 %warpmask, ptr ${this.maskSlot(0)}`,
    ];
    if (second === null) return start;
    return [
      `  %is.second = icmp uge i32 %resume, ${meetingBase}`,
      '  br i1 %is.second, label %second, label %first, !prof !9001',
      'second:',
      `  %second.result = call i32 @${meetingSymbol(this.fn.name)}(ptr %warp, ptr %launch, ptr %counts, ptr %sites)`,
      '  ret i32 %second.result',
      'first:',
      ...start,
    ];
  }

  /** The function in which lanes meet. It numbers accesses as this one does. */
  private writeSecond(): WidenedKernel {
    const numbered = this.sites.length;
    this.placeWaits();
    const writer = new KernelWriter(
      ...([this.module, this.fn, this.places, this.declarations, this.options, null, this] as const),
    );
    const second = writer.write();
    if (writer.sites.length !== numbered)
      throw new Error(`${numbered} sites of ${this.fn.name}, and ${writer.sites.length}`);
    return second;
  }

  // ---- planning ----

  private planSlots(): void {
    const partOf = new Map<string, number>();
    for (const block of this.flow.blocks) {
      let part = 0;
      for (const instruction of block.block.instructions) {
        const { name, type } = instruction;
        if (this.meets && warpOperation(instruction) !== null) part++;
        if (name === null) continue;
        this.home.set(name, block);
        this.types.set(name, type);
        partOf.set(name, part);
      }
    }
    const use = (name: string, at: FlowBlock, part: number): void => {
      const from = this.home.get(name);
      if (from === undefined || this.isSpecial(name)) return;
      if (from !== at || (this.meets && partOf.get(name) !== part)) this.slotted.add(name);
      for (const loop of loopsOf(from)) {
        if (!contains(loop, at.index) && this.uniformity.divergentLoops.has(loop)) this.blended.add(name);
      }
    };
    for (const block of this.flow.blocks) {
      let part = 0;
      for (const instruction of block.block.instructions) {
        if (instruction.op === 'phi') {
          instruction.operands.forEach((operand, i) => {
            const source = this.flow.blocks[this.flow.indexOf.get(instruction.labels[i] ?? '') ?? 0] as FlowBlock;
            const root = this.resolve(operand);
            if (root.kind === 'local')
              use(root.name, source, this.meets ? operationsOf(source.block.instructions).length : 0);
          });
        } else for (const name of reads(instruction, this.resolve)) use(name, block, part);
        if (this.meets && warpOperation(instruction) !== null) part++;
      }
    }
  }

  /** tid, ctaid and the like: loaded at the start of each call, whatever the block. */
  private isSpecial(name: string): boolean {
    const callee = this.pointers.definition({ kind: 'local', name, type: { kind: 'void' } })?.callee ?? '';
    return callee.startsWith('llvm.nvvm.read.ptx.sreg.') && !/clock|globaltimer/.test(callee);
  }

  private placeLocals(): void {
    for (const { block } of this.flow.blocks) {
      for (const instruction of block.instructions) {
        if (instruction.op === 'call' && this.module.functions.has(instruction.callee))
          this.callees.add(instruction.callee);
        if (instruction.op !== 'alloca' || instruction.name === null || instruction.accessType === null) continue;
        if (instruction.operands.length > 0) {
          this.hasDynamicArrays = true;
          continue;
        }
        const align = Math.max(4, instruction.align);
        this.localBytes = Math.ceil(this.localBytes / align) * align;
        this.localOffsets.set(instruction.name, this.localBytes);
        this.localBytes += sizeOf(instruction.accessType);
      }
    }
    this.localBytes = Math.ceil(this.localBytes / 16) * 16;
    if (this.hasDynamicArrays) {
      this.dynamicStart = this.localBytes;
      this.localBytes += dynamicArrayBytes;
    }
    this.ownLocalBytes = this.localBytes;
    if (this.called === null && this.callees.size > 0) this.localBytes += stackBytesPerThread;
  }
  /** Without the stack of called functions. */
  private ownLocalBytes = 0;
  private dynamicStart = 0;
  private get laneBytes(): number {
    return this.called?.laneBytes ?? this.localBytes;
  }

  /** Names from the source may hold any character: numbers stand for them. */
  private idOf(name: string): number {
    const id = this.ids.get(name) ?? this.ids.size;
    this.ids.set(name, id);
    return id;
  }

  private isDivergent(name: string): boolean {
    return this.meets || this.uniformity.divergentValues.has(name);
  }

  // ---- slots ----

  private maskSlot(index: number): string {
    if (this.meets) return this.placeMask(this.layout!.placeOf[index]!);
    const name = `%m${index}`;
    this.allocas.set(name, 'i32');
    return name;
  }
  private slot(
    kind: 'v' | 'p',
    name: string,
    leaf: number,
    type: string,
    divergent: boolean,
  ): { at: string; type: string } {
    const slotType = !divergent ? type : type === 'i1' ? 'i32' : `<32 x ${type}>`;
    if (this.meets) return { at: this.frameSlot(slotKey(kind, name, leaf), slotBytes(type)), type: slotType };
    const at = `%${kind}.${this.idOf(name)}.${leaf}`;
    this.allocas.set(at, slotType);
    return { at, type: slotType };
  }
  private loadSlots(kind: 'v' | 'p', name: string, type: Type): Leaf[] {
    const divergent = this.isDivergent(name);
    return leavesOf(type).map((leaf, i) => {
      const lane = laneType(leaf.type);
      const slot = this.slot(kind, name, i, lane, divergent);
      const text = this.writer.emit(`load ${slot.type}, ptr ${slot.at}${this.meets ? ', align 8' : ''}`);
      if (!divergent) return this.writer.uniform(lane, text);
      return lane === 'i1' ? this.writer.fromBits(text) : this.writer.divergent(lane, text);
    });
  }
  /** Stores leaves into a value's slots; with `lanes`, only there. */
  private storeSlots(
    kind: 'v' | 'p',
    name: string,
    leaves: Leaf[],
    lanes: { bits: string; native: () => string } | null,
  ): void {
    const w = this.writer;
    const divergent = this.isDivergent(name);
    leaves.forEach((leaf, i) => {
      if (leaf.text === 'undef') return;
      const slot = this.slot(kind, name, i, leaf.type, divergent);
      let text = !divergent ? leaf.text : leaf.type === 'i1' ? w.bits(leaf) : w.vector(leaf);
      if (divergent && lanes !== null) {
        const old = w.emit(`load ${slot.type}, ptr ${slot.at}${this.meets ? ', align 8' : ''}`);
        if (leaf.type === 'i1') {
          const kept = w.emit(`and i32 ${old}, ${w.emit(`xor i32 ${lanes.bits}, -1`)}`);
          text = w.emit(`or i32 ${w.emit(`and i32 ${text}, ${lanes.bits}`)}, ${kept}`);
        } else text = w.emit(`select <32 x i1> ${lanes.native()}, ${slot.type} ${text}, ${slot.type} ${old}`);
      }
      w.line(`store ${slot.type} ${text}, ptr ${slot.at}${this.meets ? ', align 8' : ''}`);
    });
  }

  // ---- operands ----

  /** A value computed at the start of every call of the function: parameters, special registers, variable addresses. */
  private atEntry(key: string, build: (emit: (text: string) => string) => Leaf[]): Leaf[] {
    let leaves = this.entryValues.get(key);
    if (leaves === undefined) {
      let count = 0;
      leaves = build((text) => {
        const name = `%e.${this.idOf(key)}.${count++}`;
        this.entryLines.push(`  ${name} = ${text}`);
        return name;
      });
      this.entryValues.set(key, leaves);
    }
    return leaves;
  }
  private launchValue(field: number, key: string): Leaf {
    return this.atEntry(key, (emit) => [
      this.writer.uniform('i32', emit(`load i32, ptr ${emit(`getelementptr i8, ptr %launch, i32 ${field}`)}, align 4`)),
    ])[0] as Leaf;
  }

  special(key: string): Leaf {
    const w = this.writer;
    const index = Number(key.at(-1));
    if (key.startsWith('tid')) {
      return this.atEntry(key, (emit) => [
        w.divergent(
          'i32',
          emit(
            `load <32 x i32>, ptr ${emit(`getelementptr i8, ptr %warp, i32 ${warpField.tid + 128 * index}`)}, align 16`,
          ),
        ),
      ])[0] as Leaf;
    }
    if (key.startsWith('ctaid')) return this.launchValue(launchField.ctaid + 4 * index, key);
    if (key.startsWith('ntid')) return this.launchValue(launchField.ntid + 4 * index, key);
    if (key.startsWith('nctaid')) return this.launchValue(launchField.nctaid + 4 * index, key);
    if (key === 'warps') return this.launchValue(launchField.warps, key);
    if (key === 'laneid')
      return w.divergent(
        'i32',
        vectorConstant('i32', (lane) => lane),
      );
    if (key === 'nsmid') return this.launchValue(launchField.smCount, 'smCount');
    if (key === 'totalShared') return this.launchValue(launchField.sharedBytes, 'sharedBytes');
    if (key === 'dynamicShared')
      return w.binary('sub', this.special('totalShared'), w.constant('i32', this.places.staticShared));
    if (key === 'smid') {
      const slices = w.binary('mul', this.special('ctaid2'), this.special('nctaid1'));
      const rows = w.binary('add', slices, this.special('ctaid1'));
      const block = w.binary('add', w.binary('mul', rows, this.special('nctaid0')), this.special('ctaid0'));
      return w.binary('urem', block, this.launchValue(launchField.smCount, 'smCount'));
    }
    return this.atEntry(key, (emit) => [
      w.uniform('i32', emit(`load i32, ptr ${emit(`getelementptr i8, ptr %warp, i32 ${warpField.id}`)}, align 4`)),
    ])[0] as Leaf;
  }

  laneMask(op: string): Leaf {
    const bits = (lane: number): number => {
      const below = 2 ** lane - 1;
      const own = 2 ** lane;
      const value =
        op === 'eq'
          ? own
          : op === 'lt'
            ? below
            : op === 'le'
              ? below + own
              : op === 'gt'
                ? 2 ** 32 - 1 - below - own
                : 2 ** 32 - 1 - below;
      return value | 0;
    };
    return this.writer.divergent('i32', vectorConstant('i32', bits));
  }

  /**
   * As the host knows it of the SM model ({@link LaunchClock}); where it does not, four cycles (the latency of dependent
   * arithmetic since Volta) for each instruction that the launch has executed, and what its warps slept: differences grow
   * with the work in between, and runs repeat. `timer`: nanoseconds, not cycles.
   */
  clock(type: string, instruction: Instruction, timer = false): Leaf {
    const w = this.writer;
    const block = this.blockOf(instruction);
    const here = this.flow.blocks[block]?.block.instructions ?? [];
    const left = here.length - here.indexOf(instruction);
    const first = this.called?.firstBlock ?? 0;
    const silent = this.called === null && this.clockLoops.some((loop) => loop.silent && loop.head === block);
    const weights = `[${this.flow.blocks.map(({ block: { instructions } }) => `i32 ${instructions.length}`).join(', ')}]`;
    const table = `"weights.${this.called?.kernel ?? ''}.${this.fn.name}"`;
    const size = `[${this.flow.blocks.length} x i32]`;
    w.declarations.set(table, `@${table} = internal constant ${size} ${weights}`);
    const at = w.emit(`getelementptr i8, ptr %counts, i32 ${first * blockCounterBytes}`);
    const cycles = w.emit(
      `call i64 @cycles(ptr %launch, ptr ${at}, ptr @${table}, i32 ${this.flow.blocks.length}, i32 ${left}, i32 ${clockReading(timer, silent ? first + block : null)})`,
    );
    return type === 'i32' ? w.uniform('i32', w.emit(`trunc i64 ${cycles} to i32`)) : w.uniform('i64', cycles);
  }
  sleep(nanoseconds: Leaf): Leaf[] {
    const w = this.writer;
    const at = w.emit(`getelementptr i8, ptr %launch, i32 ${launchField.clock}`);
    const sum = w.emit(`add i32 ${w.emit(`load i32, ptr ${at}`)}, ${this.scalar(nanoseconds)}`);
    w.line(`store i32 ${sum}, ptr ${at}`);
    return [];
  }

  /** A value that must be one for the warp (a membermask): the lowest executing lane's. */
  scalar(leaf: Leaf): string {
    if (leaf.uniform) return leaf.text;
    const w = this.writer;
    const lane = w.call('i32', 'llvm.cttz.i32', [`i32 ${this.mask}`, 'i1 true']);
    return w.emit(`extractelement <32 x ${leaf.type}> ${leaf.text}, i32 ${lane}`);
  }

  leaves(value: Value): Leaf[] {
    const w = this.writer;
    switch (value.kind) {
      case 'int':
        return [
          w.constant(
            laneType(value.type),
            value.type.kind === 'int' && value.type.bits === 1 ? (value.value === 0n ? 'false' : 'true') : value.value,
          ),
        ];
      case 'float':
        return value.type.kind === 'half' || value.type.kind === 'bfloat'
          ? [w.constant('i16', narrowBits(value.text, value.type.kind))]
          : [w.constant(laneType(value.type), value.text)];
      case 'zero':
      case 'undef':
        return leavesOf(value.type).map((leaf) => {
          const type = laneType(leaf.type);
          if (value.kind === 'undef') return w.constant(type, 'undef');
          return w.constant(type, type === 'float' || type === 'double' ? '0.0' : type === 'i1' ? 'false' : '0');
        });
      case 'aggregate':
        return value.elements.flatMap((element) => this.leaves(element));
      case 'global':
        return [this.variableAddress(value.name)];
      case 'expression':
        return this.expression(value);
      case 'local':
        return this.local(value);
      default:
        throw this.unsupported('this operand', null);
    }
  }
  leaf(value: Value): Leaf {
    return this.leaves(value)[0] as Leaf;
  }

  private local(value: Value & { kind: 'local' }): Leaf[] {
    const known = this.current.get(value.name);
    if (known !== undefined) return known;
    const { root, offset } = this.pointers.resolve(value);
    if (root.kind !== 'local' || root.name !== value.name) {
      const base = this.leaf(root);
      const sum = offset === 0 ? base : this.writer.binary('add', base, this.writer.constant('i32', offset));
      this.current.set(value.name, [sum]);
      return [sum];
    }
    const parameter = this.fn.parameters.find((candidate) => candidate.name === value.name);
    if (parameter !== undefined)
      return this.called === null ? this.parameter(parameter.name) : this.argument(parameter.name);
    const local = this.localOffsets.get(value.name);
    if (local !== undefined) return [this.localAddress(local)];
    const instruction = this.pointers.definition(value);
    const special = instruction && this.isSpecial(value.name) ? findIntrinsic(instruction.callee) : undefined;
    const leaves =
      special && instruction
        ? special.emit(this, [], instruction)
        : this.loadSlots('v', value.name, this.types.get(value.name) ?? value.type);
    this.current.set(value.name, leaves);
    return leaves;
  }

  private parameter(name: string): Leaf[] {
    const base = this.launchValue(launchField.params, 'params').text;
    let offset = 0;
    for (const parameter of this.fn.parameters) {
      const type = parameter.byval ?? parameter.type;
      const align = parameter.byval ? Math.max(parameter.align, 1) : Math.min(16, sizeOf(type));
      offset = Math.ceil(offset / align) * align;
      if (parameter.name === name) {
        return this.atEntry(`param.${name}`, (emit) => {
          if (parameter.byval) return [this.writer.uniform('i32', emit(`add i32 ${base}, ${offset}`))];
          return leavesOf(type).map((leaf) => {
            const at = emit(`inttoptr i32 ${emit(`add i32 ${base}, ${offset + leaf.offset}`)} to ptr`);
            const lane = laneType(leaf.type);
            if (lane === 'i1') return this.writer.uniform('i1', emit(`trunc i8 ${emit(`load i8, ptr ${at}`)} to i1`));
            return this.writer.uniform(lane, emit(`load ${lane}, ptr ${at}, align ${Math.min(8, laneBytes(lane))}`));
          });
        });
      }
      offset += sizeOf(type);
    }
    throw this.unsupported('this parameter', null);
  }

  /** Where this function's local variables begin for lane 0. */
  private frame(): string {
    if (this.called !== null) return '%frame';
    const base = this.launchValue(launchField.local, 'local').text;
    const id = this.special('warpid').text;
    return (
      this.atEntry('frame', (emit) => [
        this.writer.uniform('i32', emit(`add i32 ${base}, ${emit(`mul i32 ${id}, ${this.localBytes * 32}`)}`)),
      ])[0] as Leaf
    ).text;
  }
  private localAddress(offset: number): Leaf {
    const w = this.writer;
    const start = this.frame();
    return this.atEntry(`local${offset}`, (emit) => {
      const first = emit(`insertelement <32 x i32> poison, i32 ${start}, i32 0`);
      const all = emit(`shufflevector <32 x i32> ${first}, <32 x i32> poison, <32 x i32> zeroinitializer`);
      return [
        w.divergent(
          'i32',
          emit(`add <32 x i32> ${all}, ${vectorConstant('i32', (lane) => lane * this.laneBytes + offset)}`),
        ),
      ];
    })[0] as Leaf;
  }

  // ---- recursive functions ----

  private argument(name: string): Leaf[] {
    let offset = 0;
    for (const { name: candidate, type } of this.fn.parameters) {
      const leaves = leavesOf(type);
      if (candidate === name)
        return this.atEntry(`argument.${name}`, (emit) =>
          leaves.map((leaf, i) => {
            const lane = laneType(leaf.type);
            const at = emit(`getelementptr i8, ptr %arguments, i32 ${argumentBytes * (offset + i)}`);
            if (lane === 'i1') return this.writer.fromBits(emit(`load i32, ptr ${at}, align 16`));
            return this.writer.divergent(lane, emit(`load <32 x ${lane}>, ptr ${at}, align 16`));
          }),
        );
      offset += leaves.length;
    }
    throw this.unsupported('this parameter', null);
  }
  private put(leaf: Leaf, buffer: string, index: number): void {
    const w = this.writer;
    const at = w.emit(`getelementptr i8, ptr ${buffer}, i32 ${argumentBytes * index}`);
    if (leaf.type === 'i1') w.line(`store i32 ${w.bits(leaf)}, ptr ${at}, align 16`);
    else w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${at}, align 16`);
  }
  private callFunction(instruction: Instruction, target: FunctionIr): Leaf[] {
    const w = this.writer;
    const args = instruction.operands.flatMap((operand) => this.leaves(operand));
    const results = leavesOf(instruction.type);
    this.callBytes = Math.max(this.callBytes, argumentBytes * Math.max(args.length, results.length, 1));
    args.forEach((leaf, i) => {
      if (leaf.text !== 'undef') this.put(leaf, '%call', i);
    });
    const frame = this.frame();
    const next = w.emit(`add i32 ${frame}, ${this.ownLocalBytes}`);
    const end = this.called === null ? w.emit(`add i32 ${frame}, ${this.localBytes}`) : '%frames.end';
    w.line(
      `call void @${functionSymbol(this.called?.kernel ?? this.fn.name, target.name)}(i32 ${this.mask}, ptr %warp, ptr %launch, ptr %counts, ptr %sites, ptr %call, ptr %scratches, i32 ${next}, i32 ${end})`,
    );
    return results.map((leaf, i) => {
      const lane = laneType(leaf.type);
      const at = w.emit(`getelementptr i8, ptr %call, i32 ${argumentBytes * i}`);
      if (lane === 'i1') return w.fromBits(w.emit(`load i32, ptr ${at}, align 16`));
      return w.divergent(lane, w.emit(`load <32 x ${lane}>, ptr ${at}, align 16`));
    });
  }
  private writeReturn(): void {
    if (this.fn.returns.kind !== 'void')
      this.loadSlots('v', returnName, this.fn.returns).forEach((leaf, i) => this.put(leaf, '%arguments', i));
    this.writer.line('ret void');
  }

  /** Arrays of variable size: each lane has its own mark of what is taken. */
  private dynamicTop(): string {
    if (this.meets) return this.frameSlot('dynamic', 128);
    if (!this.allocas.has('%dynamic')) {
      this.allocas.set('%dynamic', '<32 x i32>');
      const start = this.localAddress(this.dynamicStart).text;
      this.entryLines.push(`  store <32 x i32> ${start}, ptr %dynamic, align 16`);
    }
    return '%dynamic';
  }
  private dynamicArray(instruction: Instruction): Leaf[] {
    const w = this.writer;
    const count = w.integer(this.leaf(instruction.operands[0] as Value), 'i32');
    const size = sizeOf(instruction.accessType ?? { kind: 'void' });
    const bytes = w.binary('mul', count, w.constant('i32', size));
    const step = w.binary('and', w.binary('add', bytes, w.constant('i32', 15)), w.constant('i32', -16));
    const slot = this.dynamicTop();
    const top = w.emit(`load <32 x i32>, ptr ${slot}, align 16`);
    const next = w.binary('add', w.divergent('i32', top), step);
    const end = this.localAddress(this.dynamicStart + dynamicArrayBytes);
    const over = w.emit(`and i32 ${w.bits(w.compare('ugt', next, end))}, ${this.mask}`);
    const site = this.site({ block: this.blockOf(instruction), kind: 'trap', space: 5, place: instruction.place });
    this.failIf(w.emit(`icmp ne i32 ${over}, 0`), faultCode.stackOverflow, site, '0');
    w.line(
      `store <32 x i32> ${w.emit(`select <32 x i1> ${this.nativeMask()}, <32 x i32> ${w.vector(next)}, <32 x i32> ${top}`)}, ptr ${slot}, align 16`,
    );
    return [w.divergent('i32', top)];
  }
  /** `stacksave` and `stackrestore`. */
  stackMark(value: Leaf | null): Leaf[] {
    const w = this.writer;
    if (!this.hasDynamicArrays) return value === null ? [w.constant('i32', 0)] : [];
    const slot = this.dynamicTop();
    const top = w.emit(`load <32 x i32>, ptr ${slot}, align 16`);
    if (value === null) return [w.divergent('i32', top)];
    w.line(
      `store <32 x i32> ${w.emit(`select <32 x i1> ${this.nativeMask()}, <32 x i32> ${w.vector(value)}, <32 x i32> ${top}`)}, ptr ${slot}, align 16`,
    );
    return [];
  }

  private variableAddress(name: string): Leaf {
    const shared = this.places.shared.get(name);
    if (shared !== undefined) {
      const base = this.launchValue(launchField.shared, 'shared');
      if (shared === 0) return base;
      return this.atEntry(`shared.${shared}`, (emit) => [
        this.writer.uniform('i32', emit(`add i32 ${base.text}, ${shared}`)),
      ])[0] as Leaf;
    }
    const code = functionAddress(this.module, name);
    if (code !== null) return this.writer.constant('i32', code);
    const index = this.places.table.get(name);
    if (index === undefined) throw this.unsupported(`the variable or function "${name}"`, null);
    const table = this.launchValue(launchField.variables, 'variables').text;
    return this.atEntry(`variable.${index}`, (emit) => {
      const at = emit(`inttoptr i32 ${emit(`add i32 ${table}, ${4 * index}`)} to ptr`);
      return [this.writer.uniform('i32', emit(`load i32, ptr ${at}, align 4`))];
    })[0] as Leaf;
  }

  private expression(value: Value & { kind: 'expression' }): Leaf[] {
    const first = value.operands[0] as Value;
    if (value.op === 'getelementptr') return [this.address(first, value.sourceType, value.operands.slice(1))];
    const a = this.leaf(first);
    if (value.operands.length === 2) return [this.writer.binary(value.op, a, this.leaf(value.operands[1] as Value))];
    const type = laneType(value.type);
    return [
      a.type === type
        ? a
        : this.writer.cast(
            value.op === 'inttoptr' || value.op === 'ptrtoint'
              ? laneBytes(type) < laneBytes(a.type)
                ? 'trunc'
                : 'zext'
              : value.op,
            a,
            type,
          ),
    ];
  }

  /** base + indices, uniform terms summed as scalars first. */
  private address(base: Value, sourceType: Type | null, indices: Value[]): Leaf {
    const w = this.writer;
    let type = sourceType;
    let offset = 0;
    const terms: Leaf[] = [this.leaf(base)];
    for (const [i, index] of indices.entries()) {
      if (type === null) break;
      if (i > 0 && type.kind === 'struct') {
        const field = index.kind === 'int' ? Number(index.value) : 0;
        offset += fieldOffset(type, field);
        type = elementType(type, field);
        continue;
      }
      if (i > 0) type = elementType(type, 0);
      const size = sizeOf(type);
      if (index.kind === 'int') offset += Number(BigInt.asIntN(64, index.value)) * size;
      else if (index.kind !== 'zero') {
        let term = this.leaf(index);
        const bits = laneBytes(term.type) * 8;
        if (bits > 32) term = w.cast('trunc', term, 'i32');
        else if (bits < 32) term = w.cast('sext', term, 'i32');
        if (size !== 1)
          term = Number.isInteger(Math.log2(size))
            ? w.binary('shl', term, w.constant('i32', Math.log2(size)))
            : w.binary('mul', term, w.constant('i32', size));
        terms.push(term);
      }
    }
    if (offset !== 0) terms.push(w.constant('i32', offset | 0));
    const scalars = terms.filter((term) => term.uniform);
    const vectors = terms.filter((term) => !term.uniform);
    const sum = (list: Leaf[]): Leaf | undefined =>
      list.length === 0 ? undefined : list.reduce((a, b) => w.binary('add', a, b));
    const scalar = sum(scalars);
    const vector = sum(vectors);
    return scalar === undefined ? (vector as Leaf) : vector === undefined ? scalar : w.binary('add', vector, scalar);
  }

  unsupported(construct: string, instruction: Instruction | null): Error {
    return unsupported(construct, this.fn.name, instruction?.place ?? this.fn.place);
  }

  // ---- blocks ----

  private nativeMask(): string {
    this.maskNative ??= this.writer.expand(this.mask);
    return this.maskNative;
  }

  private writeBlock(block: FlowBlock, live: Set<string>[]): void {
    const w = this.writer;
    w.block = block.index;
    w.begin(`b${block.index}`);
    this.current = new Map();
    this.maskNative = null;
    this.mask = w.emit(`load i32, ptr ${this.maskSlot(block.index)}`);
    w.line(`store i32 0, ptr ${this.maskSlot(block.index)}`);
    if (this.spins.some((spin) => spin.polls && spin.reads && this.isLeft(spin, block))) this.letOthersSee(block, live);
    if (this.layout !== null && !this.meets) this.meetIfMissed(block, live);
    else if (!this.options.independentLanes && this.called === null && this.mayMiss(block)) this.noteMissed(block);
    const times = this.count(block.index, 0, '1');
    if (this.heads.has(block.index)) this.writeHead(block, live, times);
    this.traceBlock(block.index);
    this.count(block.index, 8, w.emit(`zext i32 ${w.call('i32', 'llvm.ctpop.i32', [`i32 ${this.mask}`])} to i64`));
    this.count(block.index, 24, w.emit(`zext i1 ${w.emit(`icmp ne i32 ${this.mask}, -1`)} to i64`));

    const { instructions } = block.block;
    for (const instruction of instructions) {
      if (instruction.op !== 'phi') break;
      if (instruction.name === null) continue;
      this.define(instruction.name, this.loadSlots('p', instruction.name, instruction.type));
    }
    const body = instructions.slice(0, -1);
    const stops = body.at(-1);
    const barrier = stops !== undefined && isBarrier(stops);
    let part = 0;
    for (const instruction of barrier ? body.slice(0, -1) : body) {
      if (instruction.op === 'phi' || (instruction.op === 'alloca' && instruction.operands.length === 0)) continue;
      const { name } = instruction;
      // Constant GEPs and pointer casts are folded where they are used.
      if (name !== null && isFolded(this.resolve({ kind: 'local', name, type: instruction.type }), name)) continue;
      const operation = this.meets ? warpOperation(instruction) : null;
      const leaves =
        operation === null ? this.instruction(instruction, block) : this.meetAt(operation, instruction, block, ++part);
      if (name !== null) this.define(name, leaves);
      if (body.length > longBlock) this.breakLongBlock();
    }
    if (barrier) this.writeBarrier(block, live, stops);
    else this.writeTerminator(block);
  }

  private isLeft(spin: SpinLoop, { index, predecessors }: FlowBlock): boolean {
    return !contains(spin, index) && predecessors.some((from) => contains(spin, from));
  }
  /** A warp that has seen what it waited for lets other blocks see it, too, before it goes on and writes what comes after that. */
  private letOthersSee(block: FlowBlock, live: Set<string>[]): void {
    const w = this.writer;
    const [stop, go] = [w.freshLabel(), w.freshLabel()];
    const left = this.launchField(launchField.left);
    const some = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${left}, align 4`)}, 0`);
    w.line(`br i1 ${some}, label %${stop}, label %${go}`);
    w.begin(stop);
    w.line(`store i32 0, ptr ${left}, align 4`);
    w.line(`store i32 ${this.mask}, ptr ${this.maskSlot(block.index)}`);
    this.suspend(block.index, [...(this.waiting[block.index] ?? []), block.index], live, 7);
    w.begin(go);
  }

  /**
   * LLVM's code generator takes a time that grows with the square of a block's length, and kernels unrolled by hand make
   * long ones. A branch that is never taken, though LLVM cannot know, breaks them.
   */
  private breakLongBlock(): void {
    const w = this.writer;
    if (w.lines.length - w.begun < shortBlock) return;
    const [never, go] = [w.freshLabel(), w.freshLabel()];
    const zero = w.emit(`load volatile i32, ptr %launch`);
    w.line(`br i1 ${w.emit(`icmp eq i32 ${zero}, -1`)}, label %${never}, label %${go}, !prof !9001`);
    w.begin(never);
    w.line('call void @spin()');
    w.line(`br label %${go}`);
    w.begin(go);
  }

  /** Notes that the warp executes the block, where that is wanted (see runtime.c). */
  private traceBlock(index: number): void {
    const w = this.writer;
    const [note, go] = [w.freshLabel(), w.freshLabel()];
    const at = w.emit(`getelementptr i8, ptr %launch, i32 ${launchField.trace}`);
    const wanted = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${at}, align 4`)}, 0`);
    w.line(`br i1 ${wanted}, label %${note}, label %${go}, !prof !9001`);
    w.begin(note);
    w.line(`call void @trace_block(ptr %launch, i32 ${index + (this.called?.firstBlock ?? 0)}, i32 ${this.mask})`);
    w.line(`br label %${go}`);
    w.begin(go);
    this.isTraced = wanted;
  }

  /**
   * Keeps the addresses of an access that the runtime does not get to see, where that is wanted (see note_access in runtime.c). Returns
   * the label at which code goes on.
   */
  private noteAccess(name: 'note_one_access' | 'note_span', address: string, size: number, site: string): string {
    const w = this.writer;
    const [keep, go] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${this.isTraced}, label %${keep}, label %${go}, !prof !9001`);
    w.begin(keep);
    w.line(`call void @${name}(ptr %launch, ptr ${site}, i32 ${address}, i32 ${this.mask}, i32 ${size})`);
    w.line(`br label %${go}`);
    w.begin(go);
    return go;
  }

  private define(name: string, leaves: Leaf[]): void {
    this.current.set(name, leaves);
    if (!this.slotted.has(name)) return;
    const lanes = this.meets || this.blended.has(name) ? { bits: this.mask, native: () => this.nativeMask() } : null;
    this.storeSlots('v', name, leaves, lanes);
  }

  private count(block: number, field: number, amount: string): string {
    const w = this.writer;
    const at = w.emit(
      `getelementptr i8, ptr %counts, i32 ${(block + (this.called?.firstBlock ?? 0)) * blockCounterBytes + field}`,
    );
    const sum = w.emit(`add i64 ${w.emit(`load i64, ptr ${at}, align 8`)}, ${amount}`);
    w.line(`store i64 ${sum}, ptr ${at}, align 8`);
    return sum;
  }

  /** At the head of a loop: asks now and then whether to go on at all, and lets others run where it may be waiting for them. */
  private writeHead(block: FlowBlock, live: Set<string>[], times: string): void {
    const w = this.writer;
    const every = (mask: number, rarely: (go: string) => void, counter = times): void => {
      const [rare, go] = [w.freshLabel(), w.freshLabel()];
      const now = w.emit(`icmp eq i64 ${w.emit(`and i64 ${counter}, ${mask}`)}, 0`);
      w.line(`br i1 ${now}, label %${rare}, label %${go}, !prof !9001`);
      w.begin(rare);
      rarely(go);
      w.begin(go);
    };
    every(tickMask, (go) => {
      w.line('call void @spin()');
      w.line(`br label %${go}`);
    });
    const spins = this.spins.filter(({ head }) => head === block.index);
    if (spins.length === 0) return;
    const within = spins.every((spin) => spin.within);
    const polls = spins.every((spin) => spin.polls);
    const giveWay = (): void => {
      w.line(`store i32 ${this.mask}, ptr ${this.maskSlot(block.index)}`);
      if (this.meets) return this.giveWayInSecond(block, spins, within ? 5 : polls ? 6 : 2);
      const waiting = this.waiting[block.index] ?? new Set<number>();
      for (const index of new Set(spins.flatMap((spin) => goingOn(spin, waiting)))) {
        const next = w.freshLabel();
        const some = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${this.maskSlot(index)}`)}, 0`);
        w.line(`br i1 ${some}, label %b${index}, label %${next}`);
        w.begin(next);
      }
      this.suspend(block.index, [...waiting, block.index], live, within ? 5 : polls ? 6 : 2);
    };
    if (!within && !polls) {
      every(yieldMask, giveWay);
      return;
    }
    // Going around for nothing but that is not counted. Each second time; of loops that poll, all but the first of a turn.
    const turns = this.addToLaunch(within ? launchField.polls : launchField.polled, '1');
    const uncounted = (): void => {
      this.count(block.index, 0, '-1');
      giveWay();
    };
    if (within) every(1, uncounted, w.emit(`zext i32 ${turns} to i64`));
    else {
      const first = w.emit(`zext i1 ${w.emit(`icmp eq i32 ${turns}, 0`)} to i64`);
      every(1, uncounted, first);
    }
  }

  /** Those that have left the loop go first, then those further on; once all have had their turn, other warps. */
  private giveWayInSecond(block: FlowBlock, spins: readonly SpinLoop[], result: number): void {
    const w = this.writer;
    const { placeOf, places } = this.layout!;
    const further = this.nextPlace(`further.${block.index}`, [
      ...spins.map(({ end, fairEnd }): [number, number] => [placeOf[end]!, placeOf[fairEnd]!]),
      [placeOf[block.index]! + 1, places],
    ]);
    const [some, none] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${w.emit(`icmp ne i32 ${further}, -1`)}, label %${some}, label %${none}`);
    w.begin(some);
    this.goTo(further);
    w.begin(none);
    this.suspendSecond(this.nextPlace('all', [[0, places]]), result);
  }
  private suspendSecond(place: string, result: number): void {
    const w = this.writer;
    w.line(`store i32 ${w.emit(`add i32 ${place}, ${meetingBase}`)}, ptr %resume.at, align 4`);
    w.line(`ret i32 ${result}`);
  }

  private launchField(field: number): string {
    return this.writer.emit(`getelementptr i8, ptr %launch, i32 ${field}`);
  }
  /** Returns what was there before. */
  private addToLaunch(field: number, amount: string): string {
    const w = this.writer;
    const at = this.launchField(field);
    const before = w.emit(`load i32, ptr ${at}, align 4`);
    w.line(`store i32 ${w.emit(`add i32 ${before}, ${amount}`)}, ptr ${at}, align 4`);
    return before;
  }

  // ---- leaving a block ----

  /** Sends `lanes` to `target`: phi operands into the target's slots, lanes into its mask. */
  private edge(block: FlowBlock, target: number, lanes: string, others: boolean): void {
    const w = this.writer;
    const shared = others || this.meets || (this.waiting[block.index]?.has(target) ?? false);
    let native: string | null = lanes === this.mask ? this.maskNative : null;
    const blend = shared ? { bits: lanes, native: () => (native ??= w.expand(lanes)) } : null;
    for (const phi of this.flow.blocks[target]?.block.instructions ?? []) {
      if (phi.op !== 'phi') break;
      const operand = phi.operands[phi.labels.indexOf(block.block.name)];
      if (operand === undefined || phi.name === null) continue;
      this.storeSlots('p', phi.name, this.leaves(operand), blend);
    }
    const slot = this.maskSlot(target);
    const all = shared ? w.emit(`or i32 ${w.emit(`load i32, ptr ${slot}`)}, ${lanes}`) : lanes;
    w.line(`store i32 ${all}, ptr ${slot}`);
    const ended = this.spins.filter((spin) => spin.polls && contains(spin, block.index) && !contains(spin, target));
    if (ended.length === 0) return;
    const some = w.emit(`icmp ne i32 ${lanes}, 0`);
    this.addToLaunch(launchField.moves, w.emit(`zext i1 ${some} to i32`));
    if (!ended.some(({ reads }) => reads)) return;
    const resident = this.launchField(launchField.others);
    w.line(
      `store i32 ${w.emit(`select i1 ${some}, i32 ${w.emit(`load i32, ptr ${resident}, align 4`)}, i32 0`)}, ptr ${this.launchField(launchField.left)}, align 4`,
    );
  }

  /** Jumps to the first block in flow order that has lanes. */
  private proceed(block: FlowBlock, exit: Exit): void {
    if (this.meets) return this.dispatch(block);
    const w = this.writer;
    const { blocks, complete } = candidates(this.flow, block, exit, this.waiting[block.index] ?? new Set());
    for (const [i, target] of blocks.entries()) {
      if (complete && i === blocks.length - 1) {
        w.line(`br label %b${target}`);
        return;
      }
      const next = w.freshLabel();
      const some = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${this.maskSlot(target)}`)}, 0`);
      w.line(`br i1 ${some}, label %b${target}, label %${next}`);
      w.begin(next);
    }
    w.line('br label %finish');
  }

  private writeTerminator(block: FlowBlock): void {
    const w = this.writer;
    const { terminator, successors } = block;
    const targets = [...new Set(successors)];
    if (targets.length === 0) {
      const value = terminator.operands[0];
      if (this.called !== null && terminator.op === 'ret' && value !== undefined)
        this.storeSlots('v', returnName, this.leaves(value), { bits: this.mask, native: () => this.nativeMask() });
      if (this.meets)
        w.line(
          `call void @lanes_exit(ptr %launch, ptr %warp, ptr ${this.meetingAt}, ptr ${this.lanesAt}, i32 ${this.mask})`,
        );
      this.proceed(block, { certain: null, possible: [] });
      return;
    }
    const [only] = targets;
    if (targets.length === 1 && only !== undefined) {
      this.edge(block, only, this.mask, false);
      this.proceed(block, { certain: only, possible: [] });
      return;
    }
    const condition = this.leaf(terminator.operands[0] as Value);
    if (!this.meets && !this.uniformity.divergentBranches.has(block.index)) {
      const labels = new Map(targets.map((target) => [target, w.freshLabel()]));
      const label = (target: number | undefined): string => labels.get(target ?? 0) ?? '';
      if (terminator.op === 'br')
        w.line(`br i1 ${condition.text}, label %${label(successors[0])}, label %${label(successors[1])}`);
      else {
        const cases = terminator.cases.map(
          (value, i) => `${condition.type} ${value}, label %${label(successors[i + 1])}`,
        );
        w.line(`switch ${condition.type} ${condition.text}, label %${label(successors[0])} [${cases.join(' ')}]`);
      }
      for (const target of targets) {
        w.begin(label(target));
        const saved = this.current;
        const native = this.maskNative;
        // What one edge makes of a value (lane bits, a vector) does not reach the other edges.
        this.current = new Map([...saved].map(([name, leaves]) => [name, leaves.map((leaf) => ({ ...leaf }))]));
        w.block = -2 - w.lines.length;
        this.edge(block, target, this.mask, false);
        this.proceed(block, { certain: target, possible: [] });
        this.current = saved;
        this.maskNative = native;
      }
      return;
    }
    const lanes = new Map<number, string>();
    if (terminator.op === 'br') {
      const taken = w.emit(`and i32 ${this.mask}, ${w.bits(condition)}`);
      lanes.set(successors[0] ?? 0, taken);
      lanes.set(successors[1] ?? 0, w.emit(`xor i32 ${this.mask}, ${taken}`));
    } else {
      let rest = this.mask;
      terminator.cases.forEach((value, i) => {
        const target = successors[i + 1] ?? 0;
        const equal = w.emit(
          `and i32 ${w.bits(w.compare('eq', condition, w.constant(condition.type, value)))}, ${this.mask}`,
        );
        lanes.set(target, lanes.has(target) ? w.emit(`or i32 ${lanes.get(target)}, ${equal}`) : equal);
        rest = w.emit(`and i32 ${rest}, ${w.emit(`xor i32 ${equal}, -1`)}`);
      });
      const target = successors[0] ?? 0;
      lanes.set(target, lanes.has(target) ? w.emit(`or i32 ${lanes.get(target)}, ${rest}`) : rest);
    }
    // The branch diverged if no single target took all lanes.
    let together = 'false';
    for (const bits of lanes.values())
      together = w.emit(`or i1 ${together}, ${w.emit(`icmp eq i32 ${bits}, ${this.mask}`)}`);
    this.count(block.index, 16, w.emit(`zext i1 ${w.emit(`xor i1 ${together}, true`)} to i64`));
    for (const [target, bits] of lanes) this.edge(block, target, bits, false);
    this.proceed(block, { certain: null, possible: targets });
  }

  private readonly resumePoints: string[][] = [];

  /** Saves what is live, returns 1, and continues here at the next call. */
  private writeBarrier(block: FlowBlock, live: Set<string>[], instruction: Instruction): void {
    if (this.meets) return this.stopAtBarrier(block, instruction);
    const w = this.writer;
    const target = block.successors[0] ?? 0;
    const waiting = [...(this.waiting[block.index] ?? [])];
    const unfinished = this.unfinished(block);
    if (unfinished.length > 0 && this.layout === null) {
      let pending = '0';
      for (const index of unfinished)
        pending = w.emit(`or i32 ${pending}, ${w.emit(`load i32, ptr ${this.maskSlot(index)}`)}`);
      this.failIf(
        w.emit(`icmp ne i32 ${pending}, 0`),
        faultCode.divergentBarrier,
        this.site({ block: block.index, kind: 'trap', space: 0, place: instruction.place }),
        '0',
      );
    }
    const counted = isCountedBarrier(instruction);
    if (counted)
      for (const [i, field] of [warpField.barrier, warpField.threads].entries()) {
        const value = this.scalar(this.leaf(instruction.operands[i] as Value));
        w.line(`store i32 ${value}, ptr ${w.emit(`getelementptr i8, ptr %warp, i32 ${field}`)}, align 4`);
      }
    this.edge(block, target, this.mask, false);
    this.suspend(target, [...waiting, target], live, counted ? 4 : 1);
  }

  /** Saves what the lanes at `places` need, returns `result`, and goes on at `target` in the next call. */
  private suspend(target: number, places: number[], live: Set<string>[], result: number): void {
    if (this.meets) return this.suspendSecond(String(this.layout!.placeOf[target]!), result);
    const w = this.writer;
    const slots: { at: string; type: string }[] = [...new Set(places)].map((index) => ({
      at: this.maskSlot(index),
      type: 'i32',
    }));
    const save = (kind: 'v' | 'p', name: string): void =>
      leavesOf(this.types.get(name) ?? { kind: 'void' }).forEach((leaf, i) =>
        slots.push(this.slot(kind, name, i, laneType(leaf.type), this.isDivergent(name))),
      );
    // Parameters, special registers and local addresses are made anew on each call.
    for (const name of new Set(places.flatMap((index) => [...(live[index] ?? [])])))
      if (this.slotted.has(name)) save('v', name);
    for (const index of new Set(places))
      for (const { op, name } of this.flow.blocks[index]?.block.instructions ?? [])
        if (op === 'phi' && name !== null) save('p', name);
    if (this.hasDynamicArrays) slots.push({ at: this.dynamicTop(), type: '<32 x i32>' });
    let offset = warpHeaderBytes;
    const number = this.resumePoints.length + 1;
    const resume = [`resume${number}:`];
    slots.forEach(({ at, type }, i) => {
      const vector = /^<32 x (\w+)>$/.exec(type);
      const bytes = vector ? 32 * laneBytes(vector[1] ?? '') : Math.max(8, laneBytes(type));
      const place = w.emit(`getelementptr i8, ptr %warp, i32 ${offset}`);
      w.line(`store ${type} ${w.emit(`load ${type}, ptr ${at}`)}, ptr ${place}, align 8`);
      resume.push(
        `  %r${number}.${i}.at = getelementptr i8, ptr %warp, i32 ${offset}`,
        `  %r${number}.${i} = load ${type}, ptr %r${number}.${i}.at, align 8`,
        `  store ${type} %r${number}.${i}, ptr ${at}`,
      );
      offset += bytes;
    });
    this.frameBytes = Math.max(this.frameBytes, offset - warpHeaderBytes);
    resume.push(`  br label %b${target}`);
    this.resumePoints.push(resume);
    w.line(`store i32 ${number}, ptr %resume.at, align 4`);
    w.line(`ret i32 ${result}`);
  }

  /** A block that only ends the lanes that come to it. */
  private isExit(index: number): boolean {
    const block = this.flow.blocks[index]?.block;
    return (
      block?.instructions.every(
        ({ op, callee }) => op === 'ret' || (op === 'call' && callee.startsWith('llvm.lifetime')),
      ) ?? false
    );
  }

  // ---- instructions ----

  private acquired({ flags, operands }: Instruction, values: Leaf[]): Leaf[] {
    if (flags.includes('acquire') && this.pointers.space(operands[0]!) <= 1) this.forgetL1();
    return values;
  }

  private instruction(instruction: Instruction, block: FlowBlock): Leaf[] {
    const w = this.writer;
    const { op, operands, type } = instruction;
    const operand = (index: number): Value => operands[index] as Value;
    switch (op) {
      case 'load':
        return this.acquired(instruction, this.load(instruction, block.index));
      case 'store':
        this.store(instruction, block.index);
        return [];
      case 'atomicrmw':
      case 'cmpxchg':
        return this.acquired(instruction, this.atomic(instruction, block.index));
      case 'call': {
        const target = this.module.functions.get(instruction.callee);
        return target === undefined ? this.callOf(instruction) : this.callFunction(instruction, target);
      }
      case 'alloca':
        return this.dynamicArray(instruction);
      case 'getelementptr':
        return [this.address(operand(0), instruction.accessType, operands.slice(1))];
      case 'fence':
        return [];
      case 'freeze':
        return this.leaves(operand(0));
      case 'select': {
        const conditions = this.leaves(operand(0));
        const no = this.leaves(operand(2));
        return this.leaves(operand(1)).map((leaf, i) =>
          w.select((conditions.length > 1 ? conditions[i] : conditions[0]) as Leaf, leaf, no[i] as Leaf),
        );
      }
      case 'extractvalue':
      case 'insertvalue': {
        const all = [...this.leaves(operand(0))];
        const [start, count] = leafRange(operand(0).type, instruction.indices);
        if (op === 'extractvalue') return all.slice(start, start + count);
        all.splice(start, count, ...this.leaves(operand(1)));
        return all;
      }
      case 'extractelement':
      case 'insertelement': {
        const all = [...this.leaves(operand(0))];
        const index = operand(op === 'extractelement' ? 1 : 2);
        if (index.kind === 'int' || index.kind === 'zero') {
          const at = index.kind === 'int' ? Number(index.value) : 0;
          if (op === 'extractelement') return [all[at] ?? w.constant(laneType(type), 'undef')];
          all[at] = this.leaf(operand(1));
          return all;
        }
        const position = this.leaf(index);
        const here = (k: number): Leaf => w.compare('eq', position, w.constant(position.type, k));
        if (op === 'insertelement') return all.map((leaf, k) => w.select(here(k), this.leaf(operand(1)), leaf));
        return [all.reduce((chosen, leaf, k) => (k === 0 ? leaf : w.select(here(k), leaf, chosen)))];
      }
      case 'shufflevector': {
        const all = [...this.leaves(operand(0)), ...this.leaves(operand(1))];
        return instruction.indices.map((index) => all[Math.max(0, index)] as Leaf);
      }
      case 'bitcast':
      case 'ptrtoint':
      case 'inttoptr':
      case 'ptrtoaddr':
      case 'addrspacecast':
        return this.reinterpret(
          this.leaves(operand(0)),
          leavesOf(type).map((leaf) => laneType(leaf.type)),
          op,
        );
      default: {
        const element = type.kind === 'vector' ? type.element : type;
        const fused = this.contracted(instruction, element);
        if (fused !== null) return fused;
        const a = this.leaves(operand(0));
        const b = operands.length > 1 ? this.leaves(operand(1)) : [];
        const source = operand(0).type;
        return a.map((leaf, i) =>
          this.scalarOp(instruction, element, source.kind === 'vector' ? source.element : source, leaf, b[i]),
        );
      }
    }
  }

  private scalarOp(instruction: Instruction, type: Type, source: Type, a: Leaf, b: Leaf | undefined): Leaf {
    const w = this.writer;
    const { op } = instruction;
    const [from, to] = [narrowOf(source), narrowOf(type)];
    if (from !== null || to !== null) {
      if (op === 'fneg') return w.binary('xor', a, w.constant('i16', -32768));
      const wide = (leaf: Leaf): Leaf => (from === null ? leaf : this.toFloat(leaf, from));
      if (op === 'fpext' && to === null)
        return type.kind === 'float' ? wide(a) : w.cast('fpext', wide(a), laneType(type));
      if (op === 'fptrunc' || op === 'fpext') return this.fromFloat(wide(a), to as 'half');
      if (/^[su]itofp$/.test(op)) return this.fromFloat(this.fromInteger(a, 'double', op === 'sitofp'), to as 'half');
      const result = this.scalarOp(
        instruction,
        to === null ? type : { kind: 'float' },
        { kind: 'float' },
        wide(a),
        b && wide(b),
      );
      return to === null ? result : this.fromFloat(result, to);
    }
    const target = laneType(type);
    if (b === undefined) {
      if (op === 'fneg') return w.lift(a.type, [a], (shape, [x]) => `fneg ${shape.t(a.type)} ${x}`);
      if (op === 'fptosi' || op === 'fptoui') return this.toInteger(a, target, op === 'fptosi');
      if (op === 'sitofp' || op === 'uitofp') return this.fromInteger(a, target, op === 'sitofp');
      if (target === 'i1' && !a.uniform)
        return w.compare('ne', w.binary('and', a, w.constant(a.type, 1)), w.constant(a.type, 0));
      return w.cast(op, a, target);
    }
    if (op === 'icmp' && a.type === 'i1' && !(a.uniform && b.uniform)) {
      const different = w.emit(`xor i32 ${w.bits(a)}, ${w.bits(b)}`);
      if (instruction.predicate === 'ne') return w.fromBits(different);
      if (instruction.predicate === 'eq') return w.fromBits(w.emit(`xor i32 ${different}, -1`));
      return w.compare(instruction.predicate, w.cast('zext', a, 'i8'), w.cast('zext', b, 'i8'));
    }
    if (op === 'fcmp') return w.compare(instruction.predicate, a, b);
    if (op === 'icmp')
      return w.lift('i1', [a, b], (shape, [x, y]) => `${op} ${instruction.predicate} ${shape.t(a.type)} ${x}, ${y}`);
    if (target === 'i1' && !(a.uniform && b.uniform)) {
      if (op !== 'and' && op !== 'or' && op !== 'xor') return w.fromBits(w.emit(`xor i32 ${w.bits(a)}, ${w.bits(b)}`));
      return w.fromBits(w.emit(`${op} i32 ${w.bits(a)}, ${w.bits(b)}`));
    }
    if (/^[us](div|rem)$/.test(op)) return this.divide(op, a, b);
    if (op === 'shl' || op === 'lshr' || op === 'ashr') return this.shift(op, a, b);
    return w.binary(op, a, b);
  }

  /**
   * PTX's shifts: by the width or more they leave nothing, or the sign. To LLVM such a result is poison, to WebAssembly the
   * amount is taken modulo the width. Vector shifts by one amount are one instruction per 128 bits; WebAssembly has none by
   * different amounts.
   */
  private shift(op: string, a: Leaf, b: Leaf): Leaf {
    const w = this.writer;
    const width = 8 * laneBytes(a.type);
    const isInside = isConstant(b) && Number(b.text) >= 0 && Number(b.text) < width;
    if (a.type === 'i1' || a.type === 'i128' || isInside) return w.binary(op, a, b);
    // LLVM's unrolled shifts for WebAssembly take a narrow constant with its sign.
    if (op === 'lshr' && width < 32 && isConstant(a) && !b.uniform) {
      const [wide, amount] = [a, b].map((leaf) => w.cast('zext', leaf, 'i32')) as [Leaf, Leaf];
      return w.cast('trunc', this.shift(op, wide, amount), a.type);
    }
    const most = w.constant(b.type, width - 1);
    if (op === 'ashr') return w.binary(op, a, w.intrinsic(b.type, 'umin', [b, most]));
    const shifted = w.binary(op, a, w.binary('and', b, most));
    return w.select(w.compare('ult', b, w.constant(b.type, width)), shifted, w.constant(a.type, 0));
  }

  /** Integer division without traps. 8 to 32 bits go through double, whose quotient truncates exactly; faster, too. */
  private divide(op: string, a: Leaf, b: Leaf): Leaf {
    const w = this.writer;
    if (isConstant(b) && b.text !== '0' && b.text !== 'undef' && b.text !== '-1') return w.binary(op, a, b);
    if (a.type === 'i128') {
      const number = ['udiv', 'urem', 'sdiv', 'srem'].indexOf(op);
      return this.through128(
        [a, b],
        'i128',
        (inputs, out) =>
          `@divide128_lanes(ptr ${inputs[0]}, ptr ${inputs[1]}, ptr ${out}, i32 ${this.mask}, i32 ${number})`,
      );
    }
    if (a.type === 'i64') {
      const one = (x: string, y: string): string => w.emit(`call i64 @${op}64(i64 ${x}, i64 ${y})`);
      if (a.uniform && b.uniform) return w.uniform('i64', one(a.text, b.text));
      const [x, y] = [w.vector(a), w.vector(b)];
      let result = 'poison';
      for (let lane = 0; lane < 32; lane++) {
        const quotient = one(
          w.emit(`extractelement <32 x i64> ${x}, i32 ${lane}`),
          w.emit(`extractelement <32 x i64> ${y}, i32 ${lane}`),
        );
        result = w.emit(`insertelement <32 x i64> ${result}, i64 ${quotient}, i32 ${lane}`);
      }
      return w.divergent('i64', result);
    }
    const signed = op.startsWith('s');
    const toDouble = signed ? 'sitofp' : 'uitofp';
    const quotient = this.saturating(
      w.binary('fdiv', w.cast(toDouble, a, 'double'), w.cast(toDouble, b, 'double')),
      'i32',
      signed,
    );
    // The least number by -1 is itself, as all that is negated.
    const whole =
      signed && a.type === 'i32'
        ? w.select(w.compare('eq', b, w.constant('i32', -1)), w.binary('sub', w.constant('i32', 0), a), quotient)
        : quotient;
    const narrow = a.type === 'i32' ? whole : w.cast('trunc', whole, a.type);
    return op.endsWith('div') ? narrow : w.binary('sub', a, w.binary('mul', narrow, b));
  }

  /**
   * Conversion that saturates, as on a GPU. NaN gives 0 from float to 32 bits, else the highest bit alone. What is narrower is
   * the low bits of 32, as nvcc has it.
   */
  toInteger(leaf: Leaf, type: string, signed: boolean): Leaf {
    if (laneBytes(type) < 4) {
      const wide = this.toInteger(leaf, 'i32', signed);
      if (type !== 'i1' || wide.uniform) return this.writer.cast('trunc', wide, type);
      return this.writer.compare(
        'ne',
        this.binary('and', wide, this.writer.constant('i32', 1)),
        this.writer.constant('i32', 0),
      );
    }
    if (type === 'i128')
      return this.through128(
        [leaf],
        type,
        (inputs, out) =>
          `@float_to_128(ptr ${inputs[0]}, ptr ${out}, i32 ${this.mask}, i32 ${signed ? 1 : 0}, i32 ${leaf.type === 'double' ? 1 : 0})`,
      );
    const result = this.saturating(leaf, type, signed);
    if (leaf.type === 'float' && type !== 'i64') return result;
    const w = this.writer;
    const highest = type === 'i64' ? '-9223372036854775808' : '-2147483648';
    return type === 'i32' || type === 'i64'
      ? w.select(w.compare('uno', leaf, leaf), w.constant(type, highest), result)
      : result;
  }
  private saturating(leaf: Leaf, type: string, signed: boolean): Leaf {
    return this.writer.intrinsic(
      type,
      `fpto${signed ? 's' : 'u'}i.sat`,
      [leaf],
      [],
      (shape) => `${shape.s(type)}.${shape.s(leaf.type)}`,
    );
  }

  /** CUDA's fmin (`olt`) and fmax (`ogt`): the other operand if one is NaN; of zeros -0 is the lesser. */
  minimum(predicate: 'olt' | 'ogt', a: Leaf, b: Leaf): Leaf {
    const w = this.writer;
    if (isConstant(a) && !isConstant(b)) return this.minimum(predicate, b, a);
    const limit = isConstant(b) ? floatConstant(b.text) : NaN;
    // Of equal ones that is `b`.
    const least = w.select(w.compare(predicate, a, b), a, b);
    if (!Number.isNaN(limit) && (limit !== 0 || Object.is(limit, -0) === (predicate === 'olt'))) return least;
    const whole = a.type === 'double' ? 'i64' : 'i32';
    const [x, y] = [a, b].map((leaf) => w.cast('bitcast', leaf, whole)) as [Leaf, Leaf];
    // Of equal numbers, which differ at most in the sign of zero.
    const joined = w.cast('bitcast', w.binary(predicate === 'olt' ? 'or' : 'and', x, y), a.type);
    return w.select(w.compare('uno', b, b), a, w.select(w.compare('oeq', a, b), joined, least));
  }

  /** a * b + c, rounded once. */
  fma(args: Leaf[], type: string): Leaf {
    if (!hasFusedMultiplyAdd())
      return type === 'double' ? this.library('fma', args, type) : this.perLane('fma1', args, type);
    const short = type === 'double' ? 'f64' : 'f32';
    return this.writer.lift(
      type,
      args,
      (shape, texts) =>
        `call ${shape.t(type)} @${shape.t(type) === type ? 'fused1' : 'fused'}.${short}(${texts.map((text) => `${shape.t(type)} ${text}`).join(', ')})`,
    );
  }

  /** Sums that ptxas contracts with a product (`-fmad=true`, the default): see isa/contraction.ts. */
  private contracted(instruction: Instruction, type: Type): Leaf[] | null {
    const found = this.contraction.get(instruction);
    if (found === undefined) return null;
    const w = this.writer;
    const narrow = narrowOf(type);
    const negated = (leaf: Leaf): Leaf =>
      narrow === null
        ? w.lift(leaf.type, [leaf], (shape, [x]) => `fneg ${shape.t(leaf.type)} ${x}`)
        : w.binary('xor', leaf, w.constant('i16', -32768));
    const [a, b] = found.product.operands.map((operand) => this.leaves(operand));
    const c = this.leaves(found.addend);
    return (a ?? []).map((x, i) => {
      const terms = [
        found.negateProduct ? negated(x) : x,
        b?.[i] as Leaf,
        found.negateAddend ? negated(c[i] as Leaf) : (c[i] as Leaf),
      ];
      return narrow === null ? this.fma(terms, x.type) : this.perLane(`fma_${narrow}`, terms, 'i16');
    });
  }

  /** A libm function, called for each executing lane. */
  library(name: string, args: Leaf[], type: string): Leaf {
    this.writer.declarations.set(name, `declare ${type} @${name}(${args.map((leaf) => leaf.type).join(', ')})`);
    return this.perLane(name, args, type);
  }

  fromInteger(leaf: Leaf, type: string, signed: boolean): Leaf {
    if (leaf.type === 'i128')
      return this.through128(
        [leaf],
        type,
        (inputs, out) =>
          `@float_of_128(ptr ${inputs[0]}, ptr ${out}, i32 ${this.mask}, i32 ${signed ? 1 : 0}, i32 ${type === 'double' ? 1 : 0})`,
      );
    return this.writer.cast(signed ? 'sitofp' : 'uitofp', leaf, type);
  }
  /** Functions of runtime/arithmetic.c that take 128-bit integers through memory. */
  private through128(args: Leaf[], type: string, call: (inputs: string[], out: string) => string): Leaf {
    const w = this.writer;
    const [out, ...inputs] = this.buffers(['a', 'b', 'c']) as [string, string, string];
    args.forEach((leaf, i) => w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${inputs[i]}, align 16`));
    w.line(`call void ${call(inputs, out)}`);
    const all = w.emit(`load <32 x ${type}>, ptr ${out}, align 16`);
    if (!args.every((leaf) => leaf.uniform)) return w.divergent(type, all);
    return w.uniform(
      type,
      w.emit(
        `extractelement <32 x ${type}> ${all}, i32 ${w.call('i32', 'llvm.cttz.i32', [`i32 ${this.mask}`, 'i1 true'])}`,
      ),
    );
  }

  /** Applies a function of runtime/arithmetic.c or libm to each executing lane. */
  perLane(name: string, args: Leaf[], type: string): Leaf {
    const w = this.writer;
    if (args.every((leaf) => leaf.uniform))
      return w.uniform(
        type,
        w.emit(`call ${type} @${name}(${args.map((leaf) => `${leaf.type} ${leaf.text}`).join(', ')})`),
      );
    const inputs = ['%scratch', '%scratch2', '%scratch3', '%scratch4', '%scratch5'];
    args.forEach((leaf, i) => w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${inputs[i]}, align 16`));
    const wide = `lanes.${name}`;
    if (!w.declarations.has(wide))
      w.declarations.set(
        wide,
        lanesFunction(
          wide,
          name,
          args.map((leaf) => leaf.type),
          type,
        ),
      );
    w.line(`call void @${wide}(${args.map((_, i) => `ptr ${inputs[i]}`).join(', ')}, ptr %results, i32 ${this.mask})`);
    return w.divergent(type, w.emit(`load <32 x ${type}>, ptr %results, align 16`));
  }

  // ---- half and bfloat16: 16 bits in lanes, computed as floats ----

  toFloat(leaf: Leaf, kind: 'half' | 'bfloat'): Leaf {
    const w = this.writer;
    if (kind === 'bfloat')
      return w.cast('bitcast', w.binary('shl', w.cast('zext', leaf, 'i32'), w.constant('i32', 16)), 'float');
    return this.conversion('float_of_half', leaf, 'float');
  }
  /** To nearest even; NaN becomes 0x7fff, as on a GPU. Doubles are rounded once. */
  fromFloat(leaf: Leaf, kind: 'half' | 'bfloat'): Leaf {
    const w = this.writer;
    if (leaf.type === 'double') return this.perLane(`double_to_${kind}`, [leaf], 'i16');
    if (kind === 'half') return this.conversion('half_of_float', leaf, 'i16');
    const number = (value: number): Leaf => w.constant('i32', value | 0);
    const bits = w.cast('bitcast', leaf, 'i32');
    const odd = w.binary('and', w.binary('lshr', bits, number(16)), number(1));
    const rounded = w.binary('lshr', w.binary('add', w.binary('add', bits, number(0x7fff)), odd), number(16));
    return w.cast('trunc', w.select(w.compare('uno', leaf, leaf), number(0x7fff), rounded), 'i16');
  }
  /** A function of the prelude, for all lanes or for one (`….1`). */
  private conversion(name: string, leaf: Leaf, type: string): Leaf {
    return this.writer.lift(type, [leaf], (shape, [x]) => {
      const from = shape.t(leaf.type);
      return `call ${shape.t(type)} @${name}${from === leaf.type ? '.1' : ''}(${from} ${x})`;
    });
  }

  /** Memory of this function for registers on their way to the runtime and back. */
  buffers(names: string[]): string[] {
    return names.map((name) => {
      this.allocas.set(`%buffer.${name}`, '[4096 x i8]');
      return `%buffer.${name}`;
    });
  }
  laneTypeOf(type: Type): string {
    return laneType(type);
  }
  binary(op: string, a: Leaf, b: Leaf): Leaf {
    const w = this.writer;
    if (a.type === 'i1' && !(a.uniform && b.uniform)) return w.fromBits(w.emit(`${op} i32 ${w.bits(a)}, ${w.bits(b)}`));
    return w.binary(op, a, b);
  }
  /** A memory instruction's counters, and its space as the runtime numbers it. */
  siteOf(
    instruction: Instruction,
    kind: 'load' | 'store',
    pointer: number,
    unit?: SiteUnit,
  ): { site: string; space: number } {
    const space = this.pointers.space(instruction.operands[pointer] as Value);
    const other = unit === undefined ? {} : { unit };
    const site = this.site({ block: this.blockOf(instruction), kind, space, place: instruction.place, ...other });
    return { site, space: runtimeSpace(space) };
  }

  /** The same bits as other types: int and float, vectors and words. */
  private reinterpret(leaves: Leaf[], types: string[], op: string): Leaf[] {
    const w = this.writer;
    if (leaves.length === types.length) {
      return leaves.map((leaf, i) => {
        const type = types[i] as string;
        if (leaf.type === type) return leaf;
        if (laneBytes(leaf.type) === laneBytes(type)) return w.cast('bitcast', leaf, type);
        if (op === 'bitcast') throw this.unsupported(`a bitcast from ${leaf.type} to ${type}`, null);
        return w.cast(laneBytes(type) < laneBytes(leaf.type) ? 'trunc' : 'zext', leaf, type);
      });
    }
    const asInt = (leaf: Leaf): Leaf =>
      leaf.type.startsWith('i') ? leaf : w.cast('bitcast', leaf, `i${laneBytes(leaf.type) * 8}`);
    const bytes = leaves.reduce((sum, leaf) => sum + laneBytes(leaf.type), 0);
    const word = Math.max(laneBytes(leaves[0]?.type ?? 'i32'), laneBytes(types[0] ?? 'i32'));
    const result: Leaf[] = [];
    const wide = `i${word * 8}`;
    if (bytes % word !== 0 || word > 16) throw this.unsupported('this bitcast', null);
    for (let at = 0, next = 0; at < bytes; at += word) {
      let sum: Leaf | null = null;
      for (let filled = 0; filled < word;) {
        const leaf = asInt(leaves[next++] as Leaf);
        const size = laneBytes(leaf.type);
        const part = size === word ? leaf : w.binary('shl', w.cast('zext', leaf, wide), w.constant(wide, filled * 8));
        sum = sum === null ? part : w.binary('or', sum, part);
        filled += size;
      }
      const target = types[0] as string;
      const size = laneBytes(target);
      for (let k = 0; k < word / size; k++) {
        const moved = k === 0 ? (sum as Leaf) : w.binary('lshr', sum as Leaf, w.constant(wide, k * size * 8));
        const piece = size === word ? moved : w.cast('trunc', moved, `i${size * 8}`);
        result.push(piece.type === target ? piece : w.cast('bitcast', piece, target));
      }
    }
    return result;
  }

  private callOf(instruction: Instruction): Leaf[] {
    const { callee, type } = instruction;
    const intrinsic = findIntrinsic(callee);
    if (intrinsic === undefined) {
      if (/wmma|mma\./.test(callee)) throw this.unsupported(`a tensor-core operation (${callee})`, instruction);
      throw this.unsupported(`the function ${callee}`, instruction);
    }
    const operands = instruction.operands.filter((operand) => operand.kind !== 'metadata');
    const groups = operands.map((operand) => {
      const kind = intrinsic.narrow === true ? null : narrowOf(elementOf(operand.type));
      const leaves = this.leaves(operand);
      return kind === null ? leaves : leaves.map((leaf) => this.toFloat(leaf, kind));
    });
    // `llvm.fma.v2f32`: element by element.
    const results =
      type.kind === 'vector' && intrinsic.whole !== true
        ? Array.from({ length: type.count }, (_, k) =>
            intrinsic.emit(
              this,
              groups.map((leaves) => (leaves.length > 1 ? leaves[k] : leaves[0]) as Leaf),
              instruction,
            ),
          ).flat()
        : intrinsic.emit(this, groups.flat(), instruction);
    if (intrinsic.narrow === true) return results;
    const wanted = leavesOf(type);
    return results.map((leaf, i) => {
      const kind = narrowOf(wanted[i]?.type ?? type);
      return kind !== null && leaf.type === 'float' ? this.fromFloat(leaf, kind) : leaf;
    });
  }

  // ---- warp operations ----

  shuffle(mode: number, value: Leaf, b: Leaf, c: Leaf, constantB: number | null, constantC: number | null): Leaf[] {
    const w = this.writer;
    const type = `<32 x ${value.type}>`;
    // Whoever reads from a lane that takes no part gets zero: PTX leaves it open, and reductions of a part of a warp rely on it.
    const text = w.emit(`select <32 x i1> ${this.nativeMask()}, ${type} ${w.vector(value)}, ${type} zeroinitializer`);
    if (constantB !== null && constantC !== null) {
      const lanes = Array.from({ length: 32 }, (_, lane) => shuffleSource(mode, lane, constantB, constantC));
      const moved = w.emit(
        `shufflevector ${type} ${text}, ${type} poison, ${vectorShuffle(lanes.map(({ from }) => from))}`,
      );
      const inside = lanes.reduce((bits, { valid }, lane) => bits | (valid ? 1 << lane : 0), 0);
      return [w.divergent(value.type, moved), w.fromBits(String(inside))];
    }
    w.line(`store ${type} ${text}, ptr %scratch2, align 16`);
    const words = w.emit('load <32 x i32>, ptr %scratch2, align 16');
    const inside = w.emit(
      `call i32 @shuffle(ptr %scratch, <32 x i32> ${words}, <32 x i32> ${w.vector(b)}, <32 x i32> ${w.vector(c)}, i32 ${mode})`,
    );
    return [w.divergent(value.type, w.emit(`load ${type}, ptr %scratch, align 16`)), w.fromBits(inside)];
  }

  matchAny(value: Leaf, members: Leaf): Leaf {
    const w = this.writer;
    this.countMasks(members);
    w.line(
      `call void @match_any${value.type === 'i64' ? 8 : 4}(ptr %launch, ptr %scratch, <32 x ${value.type}> ${w.vector(value)}, i32 ${this.mask})`,
    );
    const same = w.divergent('i32', w.emit('load <32 x i32>, ptr %scratch, align 16'));
    return w.binary('and', same, members);
  }
  /** Lanes with masks of their own: how many masks there are decides how long it takes. */
  countMasks(members: Leaf): void {
    if (members.uniform) return;
    const w = this.writer;
    w.line(`call void @count_masks(ptr %launch, <32 x i32> ${w.vector(members)}, i32 ${this.mask})`);
  }
  /** The members if they all have one value, else none; and whether they have. */
  matchAll(value: Leaf, members: Leaf): Leaf[] {
    const w = this.writer;
    const lanes = w.binary('and', members, w.uniform('i32', this.mask));
    let same: Leaf;
    if (members.uniform) {
      const first = w.call('i32', 'llvm.cttz.i32', [`i32 ${lanes.text}`, 'i1 false']);
      const lane = w.emit(`and i32 ${first}, 31`);
      const reference = value.uniform
        ? value
        : w.uniform(value.type, w.emit(`extractelement <32 x ${value.type}> ${w.vector(value)}, i32 ${lane}`));
      const equal = w.uniform('i32', w.bits(w.compare('eq', value, reference)));
      same = w.compare('eq', w.binary('and', equal, lanes), lanes);
    } else same = w.compare('eq', w.binary('and', this.matchAny(value, members), lanes), lanes);
    return [w.select(same, lanes, w.constant('i32', 0)), same];
  }

  reduce(op: number, value: Leaf, members: Leaf): Leaf {
    const w = this.writer;
    if (members.uniform) {
      const lanes = w.emit(`and i32 ${this.mask}, ${members.text}`);
      return w.uniform('i32', w.emit(`call i32 @reduce4(<32 x i32> ${w.vector(value)}, i32 ${lanes}, i32 ${op})`));
    }
    w.line(
      `call void @reduce_groups(ptr %scratch, <32 x i32> ${w.vector(value)}, <32 x i32> ${w.vector(members)}, i32 ${this.mask}, i32 ${op})`,
    );
    return w.divergent('i32', w.emit('load <32 x i32>, ptr %scratch, align 16'));
  }

  addAtBarrier(kind: string, predicate: Leaf): Leaf[] {
    const w = this.writer;
    const wanted = kind === 'and' ? w.emit(`xor i32 ${w.bits(predicate)}, -1`) : w.bits(predicate);
    const threads = w.call('i32', 'llvm.ctpop.i32', [`i32 ${w.emit(`and i32 ${wanted}, ${this.mask}`)}`]);
    w.line(`call void @barrier_add(ptr %warp, ptr %launch, i32 ${threads})`);
    return [];
  }
  forgetL1(): Leaf[] {
    this.writer.line('call void @forget_l1(ptr %launch)');
    return [];
  }
  arriveAtBarrier(barrier: Leaf, threads: Leaf): Leaf[] {
    this.writer.line(
      `call void @barrier_arrive(ptr %launch, i32 ${this.scalar(barrier)}, i32 ${this.scalar(threads)})`,
    );
    return [];
  }
  sumOfBarrier(kind: string, type: Type): Leaf {
    const w = this.writer;
    const sum = w.emit('call i32 @barrier_sum(ptr %warp, ptr %launch)');
    if (kind === 'popc') return w.uniform('i32', sum);
    const truth = w.uniform('i1', w.emit(`icmp ${kind === 'and' ? 'eq' : 'ne'} i32 ${sum}, 0`));
    return laneType(type) === 'i1' ? truth : w.cast('zext', truth, laneType(type));
  }

  isInSpace(pointer: Leaf, space: string): Leaf {
    const w = this.writer;
    const start = this.launchValue(launchField.shared, 'shared');
    const shared = w.compare(
      'ult',
      w.binary('sub', pointer, start),
      this.launchValue(launchField.sharedBytes, 'sharedBytes'),
    );
    if (space === 'shared') return shared;
    const global = w.compare('uge', pointer, this.launchValue(launchField.lowest, 'lowest'));
    if (space === 'global') return global;
    if (space === 'const') return w.constant('i1', 'false');
    const local = w.compare('uge', pointer, this.launchValue(launchField.local, 'local'));
    return w.select(global, w.constant('i1', 'false'), local);
  }

  /** memcpy, memmove and memset of a size that only the run shows. */
  copyBytes(name: string, args: Leaf[], instruction: Instruction): Leaf[] {
    const w = this.writer;
    const [to, from, size] = args as [Leaf, Leaf, Leaf];
    const sites = [
      ...(name === 'copy_lanes' ? [this.siteOf(instruction, 'load', 1)] : []),
      this.siteOf(instruction, 'store', 0),
    ];
    const vectors = [to, w.integer(from, 'i32'), w.integer(size, 'i32')].map((leaf) => `<32 x i32> ${w.vector(leaf)}`);
    w.line(
      `call void @${name}(${vectors.join(', ')}, i32 ${this.mask}, ${sites.map(({ site }) => `ptr ${site}`).join(', ')}, ptr %launch)`,
    );
    return [];
  }

  // ---- faults ----

  private blockOf(instruction: Instruction): number {
    return this.flow.blocks.find(({ block }) => block.instructions.includes(instruction))?.index ?? 0;
  }
  trapSite(instruction: Instruction): string {
    return this.site({ block: this.blockOf(instruction), kind: 'trap', space: 0, place: instruction.place });
  }
  /** `__assertfail(text, file, line, function)`: what the message needs lies where the sums of barriers are. */
  trap(instruction: Instruction, args: Leaf[] = []): Leaf[] {
    for (const [i, value] of args.slice(0, 4).entries()) {
      const at = this.writer.emit(`getelementptr i8, ptr %launch, i32 ${launchField.assertion + 4 * i}`);
      this.writer.line(`store i32 ${this.scalar(value)}, ptr ${at}, align 4`);
    }
    const site = this.trapSite(instruction);
    this.writer.line(
      this.faultCall(/assert/.test(instruction.callee) ? faultCode.assert : faultCode.trap, site, '0', 0),
    );
    return [];
  }
  /** Stops the kernel for another reason. */
  stop(code: number, instruction: Instruction): Leaf[] {
    this.writer.line(this.faultCall(code, this.trapSite(instruction), '0', 0));
    return [];
  }
  private faultCall(code: number, site: string, address: string, size: number): string {
    const lane = this.writer.call('i32', 'llvm.cttz.i32', [`i32 ${this.mask}`, 'i1 true']);
    return `call void @fault_at(ptr %launch, i32 ${code}, ptr ${site}, i32 ${address}, i32 ${lane}, i32 ${size})`;
  }
  private failIf(condition: string, code: number, site: string, address: string, size = 0): void {
    const w = this.writer;
    const [bad, good] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${condition}, label %${bad}, label %${good}`);
    w.begin(bad);
    w.line(this.faultCall(code, site, address, size));
    w.line('unreachable');
    w.begin(good);
  }

  // ---- memory ----

  private site(site: Site): string {
    this.sites.push({ ...site, block: site.block + (this.called?.firstBlock ?? 0) });
    return this.writer.emit(`getelementptr i8, ptr %sites, i32 ${(this.sites.length - 1) * siteCounterBytes}`);
  }
  private addTo(site: string, field: number, amount: string): void {
    const w = this.writer;
    const at = w.emit(`getelementptr i8, ptr ${site}, i32 ${field}`);
    const wide = w.emit(`zext i32 ${amount} to i64`);
    w.line(`store i64 ${w.emit(`add i64 ${w.emit(`load i64, ptr ${at}, align 8`)}, ${wide}`)}, ptr ${at}, align 8`);
  }

  private pointerOf(pointer: Value): { root: Leaf; offset: number } {
    const { root, offset } = this.pointers.resolve(pointer);
    return { root: this.leaf(root), offset };
  }
  private plus(leaf: Leaf, offset: number): Leaf {
    return offset === 0 ? leaf : this.writer.binary('add', leaf, this.writer.constant('i32', offset | 0));
  }

  private load(instruction: Instruction, block: number): Leaf[] {
    const w = this.writer;
    const pointer = instruction.operands[0] as Value;
    const space = this.pointers.space(pointer);
    const { root, offset } = this.pointerOf(pointer);
    const leaves = leavesOf(instruction.type);
    const pastL1 = instruction.volatile && !instruction.flags.includes('cached') && space <= 1;
    const site = this.site({ block, kind: 'load', space, place: instruction.place, ...(pastL1 ? { pastL1 } : {}) });
    if (root.uniform) {
      const address = this.plus(root, offset);
      this.accountUniform(address.text, sizeOf(instruction.type), space, 0, site);
      return leaves.map((leaf) => {
        const at = w.emit(`inttoptr i32 ${this.plus(address, leaf.offset).text} to ptr`);
        return this.fromMemory(leaf.type, (type) => w.uniform(type, w.emit(`load ${type}, ptr ${at}, align 1`)));
      });
    }
    const memoryType = (leaf: { type: Type }): string => {
      const type = laneType(leaf.type);
      return type === 'i1' ? 'i8' : type;
    };
    const first = leaves[0];
    if (first === undefined) return [];
    const size = laneBytes(memoryType(first));
    if (leaves.length === 1) {
      return [
        this.fromMemory(first.type, (type) => w.divergent(type, this.loadLanes(type, size, root, offset, space, site))),
      ];
    }
    const joined = `${leaves.length}x${size}`;
    if (instruction.type.kind === 'vector' && ['2x1', '4x1', '2x2', '4x2', '2x4', '4x4', '2x8'].includes(joined)) {
      const address = w.vector(this.plus(root, offset));
      this.countShared('load', root, leaves.length * size, space, site);
      w.line(
        `call void @load${joined}(ptr %scratch, <32 x i32> ${address}, i32 ${this.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
      );
      return leaves.map((leaf, k) =>
        this.fromMemory(leaf.type, (type) =>
          w.divergent(
            type,
            w.emit(
              `load <32 x ${type}>, ptr ${w.emit(`getelementptr i8, ptr %scratch, i32 ${k * 32 * size}`)}, align 16`,
            ),
          ),
        ),
      );
    }
    return leaves.map((leaf) =>
      this.fromMemory(leaf.type, (type) =>
        w.divergent(type, this.loadLanes(type, laneBytes(type), root, offset + leaf.offset, space, site)),
      ),
    );
  }

  private fromMemory(type: Type, read: (laneType: string) => Leaf): Leaf {
    const lane = laneType(type);
    if (lane !== 'i1') return read(lane);
    const byte = read('i8');
    return byte.uniform
      ? this.writer.cast('trunc', byte, 'i1')
      : this.writer.compare('ne', byte, this.writer.constant('i8', 0));
  }
  private toMemory(leaf: Leaf): Leaf {
    return leaf.type === 'i1' ? this.writer.cast('zext', leaf, 'i8') : leaf;
  }

  /** Wavefronts of a divergent request to shared memory; one analysis serves all accesses off one base. */
  private countShared(kind: 'load' | 'store', root: Leaf, size: number, space: Space, site: string): string | null {
    if (space !== 3) return null;
    const w = this.writer;
    const isWideStore = kind === 'store' && size > 4 ? 1 : 0;
    const shape = w.emit(
      `call i32 @shared_shape(<32 x i32> ${w.vector(root)}, i32 ${this.mask}, i32 ${size}, i32 ${isWideStore})`,
    );
    const above = w.emit(`lshr i32 ${shape}, 8`);
    this.addTo(site, 8, size > 4 ? w.emit(`and i32 ${above}, 255`) : above);
    if (size > 4) this.addTo(site, siteWide, w.emit(`lshr i32 ${shape}, 16`));
    return shape;
  }

  /** Condition under which one vector access serves the warp: all lanes, consecutive, aligned, in range. */
  private fastCondition(
    size: number,
    root: Leaf,
    offset: number,
    space: Space,
    shape: string | null,
  ): { condition: string; start: string } {
    const w = this.writer;
    const first = w.emit(`extractelement <32 x i32> ${root.text}, i32 0`);
    const start = offset === 0 ? first : w.emit(`add i32 ${first}, ${offset | 0}`);
    let condition: string;
    if (shape !== null) {
      condition = w.emit(`icmp ne i32 ${w.emit(`and i32 ${shape}, 16`)}, 0`);
      const inside = w.emit(`sub i32 ${start}, ${this.launchValue(launchField.shared, 'shared').text}`);
      const limit = this.atEntry(`limit${size}`, (emit) => {
        const bytes = this.launchValue(launchField.sharedBytes, 'sharedBytes').text;
        // Never true in a window smaller than the access.
        const enough = emit(`icmp uge i32 ${bytes}, ${32 * size}`);
        return [
          w.uniform('i32', emit(`select i1 ${enough}, i32 ${emit(`sub i32 ${bytes}, ${32 * size - 1}`)}, i32 0`)),
        ];
      })[0] as Leaf;
      condition = w.emit(`and i1 ${condition}, ${w.emit(`icmp ult i32 ${inside}, ${limit.text}`)}`);
    } else {
      const consecutive = w.emit(`call i1 @consecutive${size}(<32 x i32> ${root.text}, i32 ${first})`);
      condition = w.emit(`and i1 ${consecutive}, ${w.emit(`icmp eq i32 ${this.mask}, -1`)}`);
    }
    if (size > 1)
      condition = w.emit(`and i1 ${condition}, ${w.emit(`icmp eq i32 ${w.emit(`and i32 ${start}, ${size - 1}`)}, 0`)}`);
    return { condition, start };
  }

  private loadLanes(type: string, size: number, root: Leaf, offset: number, space: Space, site: string): string {
    const w = this.writer;
    const vector = `<32 x ${type}>`;
    const shape = this.countShared('load', root, size, space, site);
    const address = w.vector(this.plus(root, offset));
    const slow = (): string => {
      if (shape !== null && size <= 8 && !this.options.checked)
        w.line(
          `call void @load_shared${size}(ptr %scratch, <32 x i32> ${address}, i32 ${this.mask}, i32 ${shape}, ptr ${site}, ptr %launch)`,
        );
      else
        w.line(
          `call void @load${size}(ptr %scratch, <32 x i32> ${address}, i32 ${this.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
        );
      return w.emit(`load ${vector}, ptr %scratch, align 16`);
    };
    if ((space !== 1 && space !== 3) || (space === 3 && this.options.checked)) return slow();
    const { condition, start } = this.fastCondition(size, root, offset, space, shape);
    const [fast, other, join] = [w.freshLabel(), w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${condition}, label %${fast}, label %${other}, !prof !9000`);
    w.begin(fast);
    const from = space === 3 ? this.noteAccess('note_span', start, size, site) : fast;
    if (space === 1) w.line(`call void @touch_span(ptr %launch, ptr ${site}, i32 ${start}, i32 ${size}, i32 0)`);
    const quick = w.emit(`load ${vector}, ptr ${w.emit(`inttoptr i32 ${start} to ptr`)}, align ${size}`);
    w.line(`br label %${join}`);
    w.begin(other);
    const gathered = slow();
    w.line(`br label %${join}`);
    w.begin(join);
    return w.emit(`phi ${vector} [ ${quick}, %${from} ], [ ${gathered}, %${other} ]`);
  }

  private store(instruction: Instruction, block: number): void {
    const pointer = instruction.operands[1] as Value;
    const values = this.leaves(instruction.operands[0] as Value).map((leaf) => this.toMemory(leaf));
    this.storeLeaves(
      values,
      leavesOf(instruction.accessType ?? { kind: 'void' }).map((leaf) => leaf.offset),
      this.pointerOf(pointer),
      this.pointers.space(pointer),
      this.site({ block, kind: 'store', space: this.pointers.space(pointer), place: instruction.place }),
    );
  }
  /** For intrinsics that write through a pointer operand. */
  storeLeaf(value: Leaf, pointer: Leaf, instruction: Instruction): void {
    this.storeLeaves(
      [value],
      [0],
      { root: pointer, offset: 0 },
      0,
      this.site({ block: this.blockOf(instruction), kind: 'store', space: 5, place: instruction.place }),
    );
  }

  private storeLeaves(
    values: Leaf[],
    offsets: number[],
    { root, offset }: { root: Leaf; offset: number },
    space: Space,
    site: string,
  ): void {
    const w = this.writer;
    const first = values[0];
    if (first === undefined) return;
    const size = laneBytes(first.type);
    const total = values.length * size;
    if (root.uniform) {
      const address = this.plus(root, offset);
      this.accountUniform(address.text, total, space, 1, site);
      values.forEach((value, k) => {
        const at = w.emit(`inttoptr i32 ${this.plus(address, offsets[k] ?? 0).text} to ptr`);
        // Which lane wins is undefined on hardware; here it is the highest one.
        let text = value.text;
        if (!value.uniform) {
          const zeros = w.call('i32', 'llvm.ctlz.i32', [`i32 ${this.mask}`, 'i1 true']);
          text = w.emit(`extractelement <32 x ${value.type}> ${value.text}, i32 ${w.emit(`sub i32 31, ${zeros}`)}`);
        }
        w.line(`store ${value.type} ${text}, ptr ${at}, align 1`);
      });
      return;
    }
    const joined = `${values.length}x${size}`;
    if (
      values.length > 1 &&
      ['2x1', '4x1', '2x2', '4x2', '2x4', '4x4', '2x8'].includes(joined) &&
      values.every((value, k) => laneBytes(value.type) === size && offsets[k] === k * size)
    ) {
      const address = w.vector(this.plus(root, offset));
      this.countShared('store', root, total, space, site);
      values.forEach((value, k) =>
        w.line(
          `store <32 x ${value.type}> ${w.vector(value)}, ptr ${w.emit(`getelementptr i8, ptr %scratch, i32 ${k * 32 * size}`)}, align 16`,
        ),
      );
      w.line(
        `call void @store${joined}(ptr %scratch, <32 x i32> ${address}, i32 ${this.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
      );
      return;
    }
    values.forEach((value, k) =>
      this.storeLanes(value, laneBytes(value.type), root, offset + (offsets[k] ?? 0), space, site),
    );
  }

  private storeLanes(value: Leaf, size: number, root: Leaf, offset: number, space: Space, site: string): void {
    const w = this.writer;
    const vector = `<32 x ${value.type}>`;
    const shape = this.countShared('store', root, size, space, site);
    const address = w.vector(this.plus(root, offset));
    const text = w.vector(value);
    const slow = (): void => {
      w.line(`store ${vector} ${text}, ptr %scratch, align 16`);
      w.line(
        `call void @store${size}(ptr %scratch, <32 x i32> ${address}, i32 ${this.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
      );
    };
    if ((space !== 1 && space !== 3) || (space === 3 && this.options.checked)) {
      slow();
      return;
    }
    const { condition, start } = this.fastCondition(size, root, offset, space, shape);
    const [fast, other, join] = [w.freshLabel(), w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${condition}, label %${fast}, label %${other}, !prof !9000`);
    w.begin(fast);
    if (space === 3) this.noteAccess('note_span', start, size, site);
    if (space === 1) w.line(`call void @touch_span(ptr %launch, ptr ${site}, i32 ${start}, i32 ${size}, i32 1)`);
    w.line(`store ${vector} ${text}, ptr ${w.emit(`inttoptr i32 ${start} to ptr`)}, align ${size}`);
    w.line(`br label %${join}`);
    w.begin(other);
    slow();
    w.line(`br label %${join}`);
    w.begin(join);
  }

  private accountUniform(address: string, size: number, space: Space, kind: number, site: string): void {
    const w = this.writer;
    if (space === parameterSpace || space === 4) return;
    if (space === 3 && !this.options.checked) {
      const inside = w.emit(`sub i32 ${address}, ${this.launchValue(launchField.shared, 'shared').text}`);
      const limit = w.emit(`sub i32 ${this.launchValue(launchField.sharedBytes, 'sharedBytes').text}, ${size}`);
      this.failIf(w.emit(`icmp ugt i32 ${inside}, ${limit}`), faultCode.sharedRange, site, inside, size);
      this.noteAccess('note_one_access', address, size, site);
      this.countUniform(site, size, kind);
      return;
    }
    if (kind === 1 && powerOfTwo(size) !== size)
      w.line(`call void @writes_too(ptr %launch, i32 ${address}, i32 ${size})`);
    w.line(
      `call void @account_one(ptr %launch, ptr ${site}, i32 ${address}, i32 ${powerOfTwo(size)}, i32 ${space}, i32 ${kind}, i32 ${this.mask})`,
    );
    if (space === 3) this.countUniform(site, size, kind);
  }
  private countUniform(site: string, size: number, kind: number): void {
    const wavefronts = this.uniformWavefronts(size, kind);
    this.addTo(site, 8, wavefronts);
    if (wavefronts !== '1') this.addTo(site, siteWide, this.writer.emit(`sub i32 ${wavefronts}, 1`));
  }
  /** Of one address of shared memory, as shared_shape in runtime.c says: one per group of lanes of which any is active. */
  private uniformWavefronts(size: number, kind: number): string {
    const groups = powerOfTwo(size) / (kind === 1 ? 4 : 8);
    if (groups <= 1 || kind === 2) return '1';
    const w = this.writer;
    const lanes = 2 ** (32 / groups) - 1;
    const active = Array.from({ length: groups }, (_, i) =>
      w.emit(
        `zext i1 ${w.emit(`icmp ne i32 ${w.emit(`and i32 ${this.mask}, ${(lanes << ((32 / groups) * i)) | 0}`)}, 0`)} to i32`,
      ),
    );
    return active.reduce((sum, each) => w.emit(`add i32 ${sum}, ${each}`));
  }

  /** atomicAdd on __half, __half2 and their bfloat16 kin. */
  private narrowAtomic(instruction: Instruction, kind: string, address: string, space: Space, site: string): Leaf[] {
    const w = this.writer;
    const leaves = this.leaves(instruction.operands[1] as Value);
    const type = leaves.length === 2 ? 'i32' : 'i16';
    const value = leaves.length === 2 ? (this.reinterpret(leaves, ['i32'], 'bitcast')[0] as Leaf) : (leaves[0] as Leaf);
    w.line(`store <32 x ${type}> ${w.vector(value)}, ptr %scratch2, align 16`);
    w.line(
      `call void @atomic_fadd_${kind}${leaves.length === 2 ? '2' : ''}(ptr %scratch, <32 x i32> ${address}, ptr %scratch2, i32 ${this.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
    );
    const old = w.divergent(type, w.emit(`load <32 x ${type}>, ptr %scratch, align 16`));
    return leaves.length === 2 ? this.reinterpret([old], ['i16', 'i16'], 'bitcast') : [old];
  }

  private atomic(instruction: Instruction, block: number): Leaf[] {
    const w = this.writer;
    const pointer = instruction.operands[0] as Value;
    const space = this.pointers.space(pointer);
    const { root, offset } = this.pointerOf(pointer);
    const addsFloats = /^f(add|sub)$/.test(instruction.predicate) ? { addsFloats: true } : {};
    const silent = isIdle(instruction) ? { changesNothing: true } : {};
    const reduction = this.used.has(instruction.name ?? '') ? {} : { isReduction: true };
    const site = this.site({
      ...{ block, kind: 'atomic', space, place: instruction.place },
      ...addsFloats,
      ...silent,
      ...reduction,
    });
    const address = w.vector(this.plus(root, offset));
    const narrow = narrowOf(elementOf(instruction.type));
    if (narrow !== null && instruction.op === 'atomicrmw' && instruction.predicate === 'fadd')
      return this.narrowAtomic(instruction, narrow, address, space, site);
    const values = instruction.operands.slice(1).map((operand) => this.leaf(operand));
    const { type } = values[0] as Leaf;
    const unsigned = { i16: 'u16', i32: 'u32', i64: 'u64', float: 'u32', double: 'u64' }[type];
    const spec = instruction.op === 'cmpxchg' ? 'cas' : instruction.predicate;
    const suffix = /^f(add|sub|max|min)$/.test(spec) ? type : unsigned;
    if (
      suffix === undefined ||
      (type === 'i16' && spec !== 'cas') ||
      !/^(cas|add|sub|and|or|xor|nand|xchg|umax|umin|max|min|uinc_wrap|udec_wrap|fadd|fsub|fmax|fmin)$/.test(spec)
    ) {
      throw this.unsupported(`an atomic ${spec} on ${type}`, instruction);
    }
    const [value] = values as [Leaf];
    const store = (leaf: Leaf, to: string): void =>
      void w.line(`store <32 x ${type}> ${w.vector(leaf)}, ptr ${to}, align 16`);
    const previous = (): Leaf => w.divergent(type, w.emit(`load <32 x ${type}>, ptr %scratch, align 16`));
    if (spec === 'add' && (type === 'i32' || type === 'i64')) {
      const isUsed = this.used.has(instruction.name ?? '');
      const one = `ptr %launch, ptr ${site}, i32 ${root.uniform ? this.plus(root, offset).text : ''}`;
      const where = `i32 ${runtimeSpace(space)}, i32 ${this.mask}`;
      switch (oneForAll({ type, isUsed, uniformAddress: root.uniform, uniformValue: value.uniform })) {
        case 'sum':
          w.line(`call void @atomic_sum${laneBytes(type)}(${one}, ${type} ${value.text}, ${where})`);
          return [w.uniform(type, 'undef')];
        case 'fetch':
          w.line(`call void @atomic_fetch${laneBytes(type)}(ptr %scratch, ${one}, ${type} ${value.text}, ${where})`);
          return [previous()];
        case 'reduce':
          store(value, '%scratch2');
          w.line(`call void @atomic_reduce4(${one}, ptr %scratch2, ${where})`);
          return [w.uniform(type, 'undef')];
      }
      if (space === 3 && type === 'i32' && value.text === '1' && !isUsed) {
        w.line(`call void @atomic_count4(ptr %launch, ptr ${site}, <32 x i32> ${address}, i32 ${this.mask})`);
        return [w.uniform(type, 'undef')];
      }
    }
    const inputs = ['%scratch2', '%scratch3'];
    values.forEach((value, i) => store(value, inputs[i]!));
    w.line(
      `call void @atomic_${spec}_${suffix}(ptr %scratch, <32 x i32> ${address}, ${values.map((_, i) => `ptr ${inputs[i]}`).join(', ')}, i32 ${this.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
    );
    const old = previous();
    return instruction.op === 'cmpxchg' ? [old, w.compare('eq', old, values[0] as Leaf)] : [old];
  }
}

/** Blocks with more instructions are broken into pieces of so many lines of LLVM IR. */
const longBlock = 250;
const shortBlock = 100;
/** Called functions keep this much of the module's own stack free, bytes. */
const lowestStack = 64 << 10;
/** The value that a called function returns. */
/** Room for one value of 32 lanes and 64 bits, or 128. */
const argumentBytes = 512;
export const functionSymbol = (kernel: string, name: string): string =>
  `"function.${symbolPart(kernel)}.${symbolPart(name)}"`;
/** A program's symbols may hold anything (`asm("…")`): ours have letters, digits and the rest by numbers, so they end nothing and are all different. */
const symbolPart = (name: string): string =>
  name.replace(/[^A-Za-z0-9_]/gu, (mark) => `$${mark.codePointAt(0)!.toString(16)}$`);
/** How often the head of a loop asks whether the launch's budget is used up, and one that may wait for others lets them run. */
const tickMask = 0xffff;
const yieldMask = 31;

export const kernelSymbol = (name: string): string => `"kernel.${symbolPart(name)}"`;
const meetingSymbol = (name: string): string => `"meeting.${symbolPart(name)}"`;
const partLabel = (block: number, part: number): string => `b${block}.part${part}`;
/** In a frame: of values, and of what phis get. */
const slotKey = (kind: 'v' | 'p', name: string, leaf: number): string => `${kind}.${leaf}.${name}`;
const slotBytes = (type: string): number => (type === 'i1' ? 4 : 32 * laneBytes(type));

const elementOf = (type: Type): Type => (type.kind === 'vector' ? type.element : type);
const narrowOf = (type: Type): 'half' | 'bfloat' | null =>
  type.kind === 'half' || type.kind === 'bfloat' ? type.kind : null;
/** LLVM writes halves as 0xH… and 0xR…, or as decimal numbers that are exact. */
function narrowBits(text: string, kind: 'half' | 'bfloat'): number {
  if (/^0x[HR]/.test(text)) return parseInt(text.slice(3), 16);
  const view = new DataView(new ArrayBuffer(8));
  if (text.startsWith('0x')) view.setBigUint64(0, BigInt(text));
  else view.setFloat64(0, Number(text));
  const value = view.getFloat64(0);
  view.setFloat32(0, value);
  if (kind === 'bfloat') return view.getUint16(0);
  if (value === 0) return Object.is(value, -0) ? 0x8000 : 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = Math.abs(value) / 2 ** exponent - 1;
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | Math.round(fraction * 1024);
}

/** Of a float or double constant as LLVM writes it; NaN where it is none. */
function floatConstant(text: string): number {
  if (!text.startsWith('0x')) return text === '' ? NaN : Number(text);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(text));
  return view.getFloat64(0);
}

/** The runtime knows parameters as constant memory. */
const runtimeSpace = (space: Space): number => (space === parameterSpace ? 4 : space);
const powerOfTwo = (size: number): number => 2 ** Math.floor(Math.log2(Math.max(1, size)));
const isFolded = (root: Value, name: string): boolean => root.kind !== 'local' || root.name !== name;

function leafRange(type: Type, indices: number[]): [number, number] {
  let start = 0;
  let at = type;
  for (const index of indices) {
    for (let i = 0; i < index; i++) start += leavesOf(elementType(at, i)).length;
    at = elementType(at, index);
  }
  return [start, leavesOf(at).length];
}

/** Source lane of SHFL, as in runtime.c. */
function shuffleSource(mode: number, lane: number, b: number, c: number): { from: number; valid: boolean } {
  const clamp = c & 31;
  const segment = (c >> 8) & 31;
  const offset = b & 31;
  const most = (lane & segment) | (clamp & ~segment);
  const from =
    mode === 0
      ? lane - offset
      : mode === 1
        ? lane + offset
        : mode === 2
          ? lane ^ offset
          : (lane & segment) | (offset & ~segment);
  const valid = mode === 0 ? from >= most : from <= most;
  return { from: valid ? from & 31 : lane, valid };
}
const vectorShuffle = (lanes: number[]): string => `<32 x i32> <${lanes.map((lane) => `i32 ${lane}`).join(', ')}>`;

/** Applies a scalar function to each executing lane. */
function lanesFunction(name: string, scalar: string, types: string[], result: string): string {
  const parameters = types.map((_, i) => `ptr %a${i}`).join(', ');
  const loads = types
    .map((type, i) => `  %p${i} = getelementptr ${type}, ptr %a${i}, i32 %lane\n  %x${i} = load ${type}, ptr %p${i}`)
    .join('\n');
  return `define internal void @${name}(${parameters}, ptr %out, i32 %mask) noinline nounwind {
entry:
  %none = icmp eq i32 %mask, 0
  br i1 %none, label %done, label %loop
loop:
  %left = phi i32 [ %mask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
${loads}
  %r = call ${result} @${scalar}(${types.map((type, i) => `${type} %x${i}`).join(', ')})
  %to = getelementptr ${result}, ptr %out, i32 %lane
  store ${result} %r, ptr %to
  %less = sub i32 %left, 1
  %rest = and i32 %left, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}`;
}
