import type { FlowBlock } from '../../../ir/analysis/flow.ts';
import { serviceOrder } from '../../../ir/analysis/pending.ts';
import type { SpinLoop } from '../../../ir/analysis/spin.ts';
import type { Instruction } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import { isBarrier, isCountedBarrier } from '../../../ir/prepare.ts';
import { launchField, meetingBase, meetingField } from '../../layout.ts';
import type { WarpOperation } from '../meetings.ts';
import { warpOperation } from '../meetings.ts';
import type { Leaf } from '../writer.ts';
import { laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { kernelSymbol } from './symbols.ts';

type Needs = Pick<KernelContext, 'analysis' | 'counters' | 'current' | 'frame' | 'operands' | 'warp' | 'writer'>;

/** The second function's side of meetings.ts: lanes wait at an operation of the warp, and the warp goes on with lanes elsewhere. */
export class MeetingDispatch {
  private readonly kernel: Needs;
  /** Sites of operations that lanes wait at, by instruction. */
  readonly waitSites = new Map<Instruction, number>();
  private readonly placesOf = (index: number): [number, number] => {
    const { placeOf } = this.kernel.analysis.layout!;
    return [placeOf[index]!, placeOf[index + 1]!];
  };

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Goes on with whatever lanes are to be executed next, in the order in which the first function would take them. */
  dispatch(block: FlowBlock): void {
    this.goTo(this.nextPlace(`next.${block.index}`, this.placesAfter(block)));
  }

  private goTo(place: string): void {
    const { frame, writer } = this.kernel;
    writer.line(`store i32 ${place}, ptr ${frame.placeSlot}`);
    writer.line('br label %dispatch');
  }

  /** Ranges of places in the order in which they are served after a block. */
  private placesAfter(block: FlowBlock): [number, number][] {
    const { placeOf, places } = this.kernel.analysis.layout!;
    const own: [number, number] = [placeOf[block.index]! + 1, placeOf[block.index + 1]!];
    return [own, ...serviceOrder(this.kernel.analysis.flow, block).map(this.placesOf), [0, places]];
  }

  /** First place in `ranges` that has lanes, an i32; -1: none has. `name` is the table's. */
  private nextPlace(name: string, ranges: readonly (readonly [number, number])[]): string {
    const { analysis, frame, writer: w } = this.kernel;
    const joined: [number, number][] = [];
    for (const [start, end] of ranges) {
      const last = joined.at(-1);
      if (last?.[1] === start) last[1] = end;
      else if (start < end) joined.push([start, end]);
    }
    const table = `"${name}.${kernelSymbol(analysis.fn.name).slice(1, -1)}"`;
    const words = [...joined.flat(), -1].map((word) => `i32 ${word}`);
    w.declarations.set(table, `@${table} = internal constant [${words.length} x i32] [${words.join(', ')}]`);
    return w.emit(`call i32 @next_place(ptr ${frame.lanesAt}, ptr @${table})`);
  }

  /** Begins a part of a block: the lanes that are to be executed there. */
  private beginPart(place: number, label: string): void {
    const { current, frame, writer: w } = this.kernel;
    w.block = -1e6 - place;
    w.begin(label);
    current.values = new Map();
    current.native = null;
    const slot = frame.placeMask(place);
    current.mask = w.emit(`load i32, ptr ${slot}, align 4`);
    w.line(`store i32 0, ptr ${slot}, align 4`);
  }

  /** Lanes wait at an operation of the warp, and go on behind it with what they got. */
  meetAt(operation: WarpOperation, instruction: Instruction, block: FlowBlock, part: number): Leaf[] {
    const { analysis, current, frame, operands, warp, writer: w } = this.kernel;
    const { kind, members, value, from, results } = operation;
    const mask = instruction.operands[members]!;
    const root = analysis.resolve(mask);
    const maskLeaf = operands.leaf(mask);
    if (root.kind === 'local' && analysis.uniformity.divergentValues.has(root.name)) warp.countMasks(maskLeaf);
    w.line(`store <32 x i32> ${w.vector(maskLeaf)}, ptr %scratch, align 16`);
    if (value !== null) {
      let given = operands.leaf(instruction.operands[value]!);
      if (given.type === 'i1') given = w.cast('zext', given, 'i64');
      else if (given.type === 'float')
        given = w.lift('i32', [given], (shape, [x]) => `bitcast ${shape.t('float')} ${x} to ${shape.t('i32')}`);
      if (given.type === 'i32') given = w.cast('zext', given, 'i64');
      w.line(`store <32 x i64> ${w.vector(given)}, ptr %scratch2, align 16`);
    }
    from?.forEach((operand, i) =>
      w.line(
        `store <32 x i32> ${w.vector(operands.leaf(instruction.operands[operand]!))}, ptr %scratch${3 + i}, align 16`,
      ),
    );
    const place = analysis.layout!.placeOf[block.index]! + part;
    w.line(
      `call void @meet(ptr %launch, ptr %warp, ptr ${frame.meetingAt}, ptr ${frame.lanesAt}, i32 ${current.mask}, i32 ${kind}, i32 ${place}, i32 ${analysis.first!.meeting.waitSites.get(instruction)!}, ptr %scratch, ptr %scratch2, ptr %scratch3, ptr %scratch4)`,
    );
    this.dispatch(block);
    this.beginPart(place, partLabel(block.index, part));
    const wanted = w.emit(`getelementptr nuw i8, ptr %launch, i32 ${launchField.trace}`);
    current.isTraced = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${wanted}, align 4`)}, 0`);
    const field = (offset: number): string => w.emit(`getelementptr nuw i8, ptr ${frame.meetingAt}, i32 ${offset}`);
    return results.map((result, i) => {
      if (result === 'flag') return w.fromBits(w.emit(`load i32, ptr ${field(meetingField.flags)}, align 4`));
      const type = laneType(leavesOf(instruction.type)[i]!.type);
      return w.divergent(type, w.emit(`load <32 x ${type}>, ptr ${field(meetingField.result)}, align 4`));
    });
  }

  /** Lanes stop at a barrier of their block, and the warp with the last of them. */
  stopAtBarrier(block: FlowBlock, instruction: Instruction): void {
    const { analysis, current, frame, operands, writer: w } = this.kernel;
    const counted = isCountedBarrier(instruction)
      ? instruction.operands.slice(0, 2).map((operand) => operands.scalar(operands.leaf(operand)))
      : ['0', '-1'];
    const place = analysis.layout!.placeOf[block.successors[0] ?? 0]!;
    w.line(
      `call void @stop_at_barrier(ptr ${frame.meetingAt}, i32 ${current.mask}, i32 ${place}, i32 ${analysis.first!.meeting.waitSites.get(instruction)!}, i32 ${counted[0]}, i32 ${counted[1]})`,
    );
    this.dispatch(block);
  }

  /** Sites of what lanes may wait at: they come after those of accesses, which both functions number alike. */
  placeWaits(): void {
    const { analysis, counters } = this.kernel;
    for (const { index, block } of analysis.flow.blocks)
      for (const instruction of block.instructions) {
        const operation = warpOperation(instruction)?.name ?? (isBarrier(instruction) ? '__syncthreads' : null);
        if (operation === null) continue;
        this.waitSites.set(instruction, counters.sites.length);
        counters.sites.push({ block: index, kind: 'trap', space: 0, place: instruction.place, operation });
      }
  }

  /** The switch that jumps to the place at which lanes are to be executed. */
  writeDispatch(): string[] {
    const { placeOf } = this.kernel.analysis.layout!;
    const cases = this.kernel.analysis.flow.blocks.flatMap(({ index }) =>
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

  /** Gives way to other lanes: those that have left the loop go first, then those further on; once all have had their turn, other warps. */
  giveWayInSecond(block: FlowBlock, spins: readonly SpinLoop[], result: number): void {
    const w = this.kernel.writer;
    const { placeOf, places } = this.kernel.analysis.layout!;
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

  /** Returns `result` to the runtime, and continues at `place` at the next call. */
  suspendSecond(place: string, result: number): void {
    const w = this.kernel.writer;
    w.line(`store i32 ${w.emit(`add i32 ${place}, ${meetingBase}`)}, ptr %resume.at, align 4`);
    w.line(`ret i32 ${result}`);
  }
}

const partLabel = (block: number, part: number): string => `b${block}.part${part}`;
