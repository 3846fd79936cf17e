import type { Instruction, Value } from '../../../ir/ir.ts';
import { blockCounterBytes, blockCounterField, launchField, siteCounterBytes, siteCounterField } from '../../layout.ts';
import type { SiteUnit } from '../../../ir/calls/called.ts';
import type { KernelContext } from './context.ts';
import { runtimeSpace } from './memory-access.ts';
import type { Site } from './widened-kernel.ts';

type Needs = Pick<KernelContext, 'analysis' | 'current' | 'writer'>;

/** Kernels of more blocks count them by a call: to compile twelve instructions for each of 500 blocks takes a quarter of the kernel's time. */
const fewBlocks = 64;

/** Counters of blocks and of memory instructions (sites), and the notes that traces are made from. */
export class Counters {
  private readonly kernel: Needs;
  /** Sites of the function, in the order in which they are written; those of a recursive function follow those of its kernel. */
  readonly sites: Site[];

  constructor(kernel: Needs) {
    this.kernel = kernel;
    this.sites = kernel.analysis.called?.sites ?? [];
  }

  /** Counts that the warp executes a block, and a note of it in the trace. */
  beginBlock(index: number): void {
    const { analysis, current, writer: w } = this.kernel;
    if (analysis.flow.blocks.length <= fewBlocks) {
      this.count(index, 'times', '1');
      this.noteBlock(index);
      return;
    }
    const number = this.numberOf(index);
    const count = w.emit(`getelementptr nuw i8, ptr %counts, i32 ${number * blockCounterBytes}`);
    const trace = w.emit(`call i32 @begin_block(ptr %launch, ptr ${count}, i32 ${number}, i32 ${current.mask})`);
    current.isTraced = w.emit(`icmp ne i32 ${trace}, 0`);
  }

  /** The same for a block whose times are counted. */
  noteBlock(index: number): void {
    const { current, writer: w } = this.kernel;
    this.traceBlock(index);
    const lanes = w.call('i32', 'llvm.ctpop.i32', [`i32 ${current.mask}`]);
    this.count(index, 'lanes', w.emit(`zext i32 ${lanes} to i64`));
    this.count(index, 'partial', w.emit(`zext i1 ${w.emit(`icmp ne i32 ${current.mask}, -1`)} to i64`));
  }

  /** A note in the trace that the warp executes the block, where a trace is wanted (see trace.c). */
  private traceBlock(index: number): void {
    const { current, writer: w } = this.kernel;
    const [note, go] = [w.freshLabel(), w.freshLabel()];
    const at = w.emit(`getelementptr nuw i8, ptr %launch, i32 ${launchField.trace}`);
    const wanted = w.emit(`icmp ne i32 ${w.emit(`load i32, ptr ${at}, align 4`)}, 0`);
    w.line(`br i1 ${wanted}, label %${note}, label %${go}, !prof !9001`);
    w.begin(note);
    w.line(`call void @trace_block(ptr %launch, i32 ${this.numberOf(index)}, i32 ${current.mask})`);
    w.line(`br label %${go}`);
    w.begin(go);
    current.isTraced = wanted;
  }

  /**
   * A note in the trace of the addresses of an access that the runtime does not see, where a trace is wanted (see note_access in
   * samples.c). Returns the label at which code goes on.
   */
  noteAccess(name: 'note_one_access' | 'note_span', address: string, size: number, site: string): string {
    const { current, writer: w } = this.kernel;
    const [keep, go] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${current.isTraced}, label %${keep}, label %${go}, !prof !9001`);
    w.begin(keep);
    w.line(`call void @${name}(ptr %launch, ptr ${site}, i32 ${address}, i32 ${current.mask}, i32 ${size})`);
    w.line(`br label %${go}`);
    w.begin(go);
    return go;
  }

  /** A block's number among those of its kernel and of what that calls. */
  private numberOf(block: number): number {
    return block + (this.kernel.analysis.called?.firstBlock ?? 0);
  }

  /** Adds `amount` (i64) to a counter of a block; returns the sum. */
  count(block: number, field: keyof typeof blockCounterField, amount: string): string {
    const w = this.kernel.writer;
    const at = w.emit(
      `getelementptr nuw i8, ptr %counts, i32 ${this.numberOf(block) * blockCounterBytes + blockCounterField[field]}`,
    );
    const sum = w.emit(`add i64 ${w.emit(`load i64, ptr ${at}, align 8`)}, ${amount}`);
    w.line(`store i64 ${sum}, ptr ${at}, align 8`);
    return sum;
  }

  /** Address of a field of the launch, by its offset in bytes. */
  launchField(field: number): string {
    return this.kernel.writer.emit(`getelementptr nuw i8, ptr %launch, i32 ${field}`);
  }

  /** Adds to a 32-bit field of the launch; returns its value before. */
  addToLaunch(field: number, amount: string): string {
    const w = this.kernel.writer;
    const at = this.launchField(field);
    const before = w.emit(`load i32, ptr ${at}, align 4`);
    w.line(`store i32 ${w.emit(`add i32 ${before}, ${amount}`)}, ptr ${at}, align 4`);
    return before;
  }

  /** A memory instruction's counters, of its first site where it has several, and its space as the runtime numbers it. */
  siteOf(
    instruction: Instruction,
    kind: 'load' | 'store',
    pointer: number,
    unit?: SiteUnit,
    sites = 1,
  ): { site: string; space: number } {
    const space = this.kernel.analysis.pointers.space(instruction.operands[pointer] as Value);
    const other = unit === undefined ? {} : { unit };
    const block = this.kernel.analysis.blockOf(instruction);
    const site = this.site({ block, kind, space, place: instruction.place, ...other }, sites);
    return { site, space: runtimeSpace(space) };
  }

  /** Counters of a new site, or of several alike, one after the other. */
  site(site: Site, count = 1): string {
    const first = this.sites.length;
    const block = this.numberOf(site.block);
    for (let i = 0; i < count; i++) this.sites.push({ ...site, block });
    return this.kernel.writer.emit(`getelementptr nuw i8, ptr %sites, i32 ${first * siteCounterBytes}`);
  }

  /** Adds `amount` (i32) to a counter of a site. */
  addTo(site: string, field: keyof typeof siteCounterField, amount: string): void {
    const w = this.kernel.writer;
    const at = w.emit(`getelementptr nuw i8, ptr ${site}, i32 ${siteCounterField[field]}`);
    const wide = w.emit(`zext i32 ${amount} to i64`);
    w.line(`store i64 ${w.emit(`add i64 ${w.emit(`load i64, ptr ${at}, align 8`)}, ${wide}`)}, ptr ${at}, align 8`);
  }
}
