import type { Instruction, Value } from '../../../ir/ir.ts';
import { sizeOf } from '../../../ir/ir.ts';
import { dynamicArrayBytes, faultCode, launchField, stackBytesPerThread } from '../../layout.ts';
import type { Leaf } from '../writer.ts';
import { vectorConstant } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<
  KernelContext,
  'analysis' | 'counters' | 'current' | 'entry' | 'faults' | 'frame' | 'operands' | 'registers' | 'writer'
>;

/** Local variables and arrays of variable size, in each thread's stack. */
export class LocalMemory {
  private readonly kernel: Needs;
  /** Recursive functions that this one calls. */
  readonly callees = new Set<string>();
  hasDynamicArrays = false;
  /** Offset of each local variable, bytes. */
  readonly offsets = new Map<string, number>();
  /** Local memory per thread, bytes; in a kernel that calls recursive functions with their stack. */
  bytes = 0;
  /** Local memory per thread without the stack of called functions, bytes. */
  ownBytes = 0;
  private dynamicStart = 0;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Places the variables, and finds the functions that are called. */
  place(): void {
    const { analysis } = this.kernel;
    for (const { block } of analysis.flow.blocks) {
      for (const instruction of block.instructions) {
        if (instruction.op === 'call' && analysis.module.functions.has(instruction.callee))
          this.callees.add(instruction.callee);
        if (instruction.op !== 'alloca' || instruction.name === null || instruction.accessType === null) continue;
        if (instruction.operands.length > 0) {
          this.hasDynamicArrays = true;
          continue;
        }
        const align = Math.max(4, instruction.align);
        this.bytes = Math.ceil(this.bytes / align) * align;
        this.offsets.set(instruction.name, this.bytes);
        this.bytes += sizeOf(instruction.accessType);
      }
    }
    this.bytes = Math.ceil(this.bytes / 16) * 16;
    if (this.hasDynamicArrays) {
      this.dynamicStart = this.bytes;
      this.bytes += dynamicArrayBytes;
    }
    this.ownBytes = this.bytes;
    if (analysis.called === null && this.callees.size > 0) this.bytes += stackBytesPerThread;
  }

  /** Distance of two lanes, bytes. */
  private get laneBytes(): number {
    return this.kernel.analysis.called?.laneBytes ?? this.bytes;
  }

  /** Address at which this function's local variables begin for lane 0. */
  start(): string {
    const { analysis, entry, registers, writer } = this.kernel;
    if (analysis.called !== null) return '%frame';
    const base = entry.launchValue(launchField.local, 'local').text;
    const id = registers.special('warpid').text;
    return (
      entry.once('frame', (emit) => [
        writer.uniform('i32', emit(`add i32 ${base}, ${emit(`mul i32 ${id}, ${this.bytes * 32}`)}`)),
      ])[0] as Leaf
    ).text;
  }

  /** Addresses in all lanes of what lies at `offset` bytes. */
  address(offset: number): Leaf {
    const w = this.kernel.writer;
    const start = this.start();
    return this.kernel.entry.once(`local${offset}`, (emit) => {
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

  /** Slot with the end of the arrays of variable size, for each lane. */
  dynamicTop(): string {
    const { analysis, entry, frame } = this.kernel;
    if (analysis.meets) return frame.slot('dynamic', 128);
    if (!entry.allocas.has('%dynamic')) {
      entry.allocas.set('%dynamic', '<32 x i32>');
      const start = this.address(this.dynamicStart).text;
      entry.lines.push(`  store <32 x i32> ${start}, ptr %dynamic, align 16`);
    }
    return '%dynamic';
  }

  /** An alloca of variable size. */
  dynamicArray(instruction: Instruction): Leaf[] {
    const { analysis, counters, current, faults, operands, writer: w } = this.kernel;
    const count = w.integer(operands.leaf(instruction.operands[0] as Value), 'i32');
    const size = sizeOf(instruction.accessType ?? { kind: 'void' });
    const bytes = w.binary('mul', count, w.constant('i32', size));
    const step = w.binary('and', w.binary('add', bytes, w.constant('i32', 15)), w.constant('i32', -16));
    const slot = this.dynamicTop();
    const top = w.emit(`load <32 x i32>, ptr ${slot}, align 16`);
    const next = w.binary('add', w.divergent('i32', top), step);
    const end = this.address(this.dynamicStart + dynamicArrayBytes);
    const over = w.emit(`and i32 ${w.bits(w.compare('ugt', next, end))}, ${current.mask}`);
    const site = counters.site({
      block: analysis.blockOf(instruction),
      kind: 'trap',
      space: 5,
      place: instruction.place,
    });
    faults.failIf(w.emit(`icmp ne i32 ${over}, 0`), faultCode.stackOverflow, site, '0');
    w.line(
      `store <32 x i32> ${w.emit(`select <32 x i1> ${current.nativeMask()}, <32 x i32> ${w.vector(next)}, <32 x i32> ${top}`)}, ptr ${slot}, align 16`,
    );
    return [w.divergent('i32', top)];
  }

  /** `stacksave` and `stackrestore`. */
  stackMark(value: Leaf | null): Leaf[] {
    const w = this.kernel.writer;
    if (!this.hasDynamicArrays) return value === null ? [w.constant('i32', 0)] : [];
    const slot = this.dynamicTop();
    const top = w.emit(`load <32 x i32>, ptr ${slot}, align 16`);
    if (value === null) return [w.divergent('i32', top)];
    w.line(
      `store <32 x i32> ${w.emit(`select <32 x i1> ${this.kernel.current.nativeMask()}, <32 x i32> ${w.vector(value)}, <32 x i32> ${top}`)}, ptr ${slot}, align 16`,
    );
    return [];
  }
}
