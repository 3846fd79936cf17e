import type { Instruction } from '../../../ir/ir.ts';
import { faultCode, launchField } from '../../layout.ts';
import type { WarpOperation } from '../meetings.ts';
import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'counters' | 'current' | 'operands' | 'registers' | 'writer'>;

/** Code that ends the launch with an error: traps, failed assertions, checks that failed. */
export class Faults {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Counters of a site at which the kernel may stop. `operation`: name of that of the warp which is there. */
  trapSite(instruction: Instruction, operation?: string): string {
    return this.kernel.counters.site({
      block: this.kernel.analysis.blockOf(instruction),
      kind: 'trap',
      space: 0,
      place: instruction.place,
      ...(operation === undefined ? {} : { operation }),
    });
  }

  /** `__assertfail(text, file, line, function)`: what the message needs lies where the sums of barriers are. */
  trap(instruction: Instruction, args: Leaf[] = []): Leaf[] {
    const { operands, writer } = this.kernel;
    for (const [i, value] of args.slice(0, 4).entries()) {
      const at = writer.emit(`getelementptr nuw i8, ptr %launch, i32 ${launchField.reduction + 4 * i}`);
      writer.line(`store i32 ${operands.scalar(value)}, ptr ${at}, align 4`);
    }
    const site = this.trapSite(instruction);
    writer.line(this.faultCall(/assert/.test(instruction.callee) ? faultCode.assert : faultCode.trap, site, '0', 0));
    return [];
  }

  /** Stops the kernel with fault `code`. */
  stop(code: number, instruction: Instruction): Leaf[] {
    this.kernel.writer.line(this.faultCall(code, this.trapSite(instruction), '0', 0));
    return [];
  }

  /**
   * Stops the kernel where lanes give a mask that does not name them: WARPSYNC is an illegal instruction then, on an H200 at any operation of
   * the warp whose mask is in a register. Constant masks are not looked at there.
   */
  checkMask({ name, members }: WarpOperation, instruction: Instruction): void {
    const { analysis, current, operands, registers, writer: w } = this.kernel;
    const operand = instruction.operands[members]!;
    if (!analysis.options.independentLanes || operand.kind !== 'local') return;
    const site = this.trapSite(instruction, name);
    const mask = operands.leaf(operand);
    const unnamed = mask.uniform
      ? w.emit(`xor i32 ${mask.text}, -1`)
      : w.bits(w.compare('eq', w.binary('and', mask, registers.laneMask('eq')), w.constant('i32', 0)));
    const lanes = w.emit(`and i32 ${unnamed}, ${current.mask}`);
    const given = (): string =>
      mask.uniform ? mask.text : w.emit(`extractelement <32 x i32> ${w.vector(mask)}, i32 ${this.firstOf(lanes)}`);
    this.failIf(w.emit(`icmp ne i32 ${lanes}, 0`), faultCode.notInMask, site, given, 0, lanes);
  }

  private firstOf(lanes: string): string {
    return this.kernel.writer.call('i32', 'llvm.cttz.i32', [`i32 ${lanes}`, 'i1 true']);
  }

  private faultCall(
    code: number,
    site: string,
    address: string,
    size: number,
    lanes = this.kernel.current.mask,
  ): string {
    const lane = this.firstOf(lanes);
    return `call void @fault_at(ptr %launch, i32 ${code}, ptr ${site}, i32 ${address}, i32 ${lane}, i32 ${size})`;
  }

  /**
   * Stops the kernel with fault `code` if `condition`, an i1, is true. `address`: text, or a function for what is computed only then. `lanes`:
   * those at fault, the first of which is named; absent: all that are there.
   */
  failIf(
    condition: string,
    code: number,
    site: string,
    address: string | (() => string),
    size = 0,
    lanes?: string,
  ): void {
    const w = this.kernel.writer;
    const [bad, good] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${condition}, label %${bad}, label %${good}`);
    w.begin(bad);
    w.line(this.faultCall(code, site, typeof address === 'string' ? address : address(), size, lanes));
    w.line('unreachable');
    w.begin(good);
  }
}
