import type { Instruction } from '../../../ir/ir.ts';
import { faultCode, launchField } from '../../layout.ts';
import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'counters' | 'current' | 'operands' | 'writer'>;

/** Code that ends the launch with an error: traps, failed assertions, checks that failed. */
export class Faults {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Counters of a site at which the kernel may stop. */
  trapSite(instruction: Instruction): string {
    return this.kernel.counters.site({
      block: this.kernel.analysis.blockOf(instruction),
      kind: 'trap',
      space: 0,
      place: instruction.place,
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

  private faultCall(code: number, site: string, address: string, size: number): string {
    const lane = this.kernel.writer.call('i32', 'llvm.cttz.i32', [`i32 ${this.kernel.current.mask}`, 'i1 true']);
    return `call void @fault_at(ptr %launch, i32 ${code}, ptr ${site}, i32 ${address}, i32 ${lane}, i32 ${size})`;
  }

  /** Stops the kernel with fault `code` if `condition`, an i1, is true. */
  failIf(condition: string, code: number, site: string, address: string, size = 0): void {
    const w = this.kernel.writer;
    const [bad, good] = [w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${condition}, label %${bad}, label %${good}`);
    w.begin(bad);
    w.line(this.faultCall(code, site, address, size));
    w.line('unreachable');
    w.begin(good);
  }
}
