import type { Type } from '../../../ir/ir.ts';
import type { Leaf } from '../writer.ts';
import { laneType } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'current' | 'operands' | 'writer'>;

/** Parts of block barriers that do not stop the warp (arrivals, sums of `__syncthreads_count` and its kin), and fences. */
export class Barriers {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Adds the lanes for which the predicate is true (false for `and`) to the sum of the barrier. */
  add(kind: string, predicate: Leaf): Leaf[] {
    const w = this.kernel.writer;
    const wanted = kind === 'and' ? w.emit(`xor i32 ${w.bits(predicate)}, -1`) : w.bits(predicate);
    const threads = w.call('i32', 'llvm.ctpop.i32', [
      `i32 ${w.emit(`and i32 ${wanted}, ${this.kernel.current.mask}`)}`,
    ]);
    w.line(`call void @barrier_add(ptr %warp, ptr %launch, i32 ${threads})`);
    return [];
  }

  /** Invalidates L1, as fences of the device and acquire loads do. */
  forgetL1(): Leaf[] {
    this.kernel.writer.line('call void @forget_l1(ptr %launch)');
    return [];
  }

  /** `bar.arrive`. */
  arrive(barrier: Leaf, threads: Leaf): Leaf[] {
    const { operands, writer } = this.kernel;
    writer.line(
      `call void @barrier_arrive(ptr %launch, i32 ${operands.scalar(barrier)}, i32 ${operands.scalar(threads)})`,
    );
    return [];
  }

  /** Result of a barrier with a predicate: `popc`, `and`, `or`. */
  sum(kind: string, type: Type): Leaf {
    const w = this.kernel.writer;
    const sum = w.emit('call i32 @barrier_sum(ptr %warp, ptr %launch)');
    if (kind === 'popc') return w.uniform('i32', sum);
    const truth = w.uniform('i1', w.emit(`icmp ${kind === 'and' ? 'eq' : 'ne'} i32 ${sum}, 0`));
    return laneType(type) === 'i1' ? truth : w.cast('zext', truth, laneType(type));
  }
}
