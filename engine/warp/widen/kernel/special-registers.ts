import { contains } from '../../../ir/analysis/flow.ts';
import type { Instruction } from '../../../ir/ir.ts';
import { blockCounterBytes, clockReading, launchField, warpField } from '../../layout.ts';
import type { Leaf } from '../writer.ts';
import { vectorConstant } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'entry' | 'operands' | 'writer'>;

/** PTX's special registers (`%tid`, `%ctaid`, `%lanemask_lt`, `%clock`), and what moves the clock. */
export class SpecialRegisters {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** A special register by name, the dimension appended (`tid0`, `ctaid2`). */
  special(key: string): Leaf {
    const { analysis, entry, writer: w } = this.kernel;
    const index = Number(key.at(-1));
    if (key.startsWith('tid')) {
      return entry.once(key, (emit) => [
        w.divergent(
          'i32',
          emit(
            `load <32 x i32>, ptr ${emit(`getelementptr nuw i8, ptr %warp, i32 ${warpField.tid + 128 * index}`)}, align 16`,
          ),
        ),
      ])[0] as Leaf;
    }
    if (key.startsWith('ctaid')) return entry.launchValue(launchField.ctaid + 4 * index, key);
    if (key.startsWith('ntid')) return entry.launchValue(launchField.ntid + 4 * index, key);
    if (key.startsWith('nctaid')) return entry.launchValue(launchField.nctaid + 4 * index, key);
    if (key === 'warps') return entry.launchValue(launchField.warps, key);
    if (key === 'laneid')
      return w.divergent(
        'i32',
        vectorConstant('i32', (lane) => lane),
      );
    if (key === 'nsmid') return entry.launchValue(launchField.smCount, 'smCount');
    if (key === 'totalShared') return entry.launchValue(launchField.sharedBytes, 'sharedBytes');
    if (key === 'dynamicShared')
      return w.binary('sub', this.special('totalShared'), w.constant('i32', analysis.places.staticShared));
    if (key === 'smid') {
      const slices = w.binary('mul', this.special('ctaid2'), this.special('nctaid1'));
      const rows = w.binary('add', slices, this.special('ctaid1'));
      const block = w.binary('add', w.binary('mul', rows, this.special('nctaid0')), this.special('ctaid0'));
      return w.binary('urem', block, entry.launchValue(launchField.smCount, 'smCount'));
    }
    return entry.once(key, (emit) => [
      w.uniform('i32', emit(`load i32, ptr ${emit(`getelementptr nuw i8, ptr %warp, i32 ${warpField.id}`)}, align 4`)),
    ])[0] as Leaf;
  }

  /** `%lanemask_eq`, `lt`, `le`, `gt` or `ge`. */
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
    return this.kernel.writer.divergent('i32', vectorConstant('i32', bits));
  }

  /**
   * The clock as the host knows it of the SM model ({@link LaunchClock}); where it does not, four cycles (the latency of dependent
   * arithmetic since Volta) for each instruction that the launch has executed, and what its warps slept: differences grow
   * with the work in between, and runs repeat. `timer`: nanoseconds, not cycles.
   */
  clock(type: string, instruction: Instruction, timer = false): Leaf {
    const { analysis, writer: w } = this.kernel;
    const block = analysis.blockOf(instruction);
    const here = analysis.flow.blocks[block]?.block.instructions ?? [];
    const left = here.length - here.indexOf(instruction);
    const first = analysis.called?.firstBlock ?? 0;
    const loop =
      analysis.called === null
        ? analysis.clockLoops.find((loop) => contains(loop, block) && (loop.silent || loop.polls))
        : undefined;
    const reading = clockReading(timer, loop === undefined ? null : { block: first + block, polls: loop.polls });
    const weights = `[${analysis.flow.blocks.map(({ block: { instructions } }) => `i32 ${instructions.length}`).join(', ')}]`;
    const table = `"weights.${analysis.called?.kernel ?? ''}.${analysis.fn.name}"`;
    const size = `[${analysis.flow.blocks.length} x i32]`;
    w.declarations.set(table, `@${table} = internal constant ${size} ${weights}`);
    const at = w.emit(`getelementptr nuw i8, ptr %counts, i32 ${first * blockCounterBytes}`);
    const cycles = w.emit(
      `call i64 @cycles(ptr %launch, ptr ${at}, ptr @${table}, i32 ${analysis.flow.blocks.length}, i32 ${left}, i32 ${reading})`,
    );
    return type === 'i32' ? w.uniform('i32', w.emit(`trunc i64 ${cycles} to i32`)) : w.uniform('i64', cycles);
  }

  /** `nanosleep`: advances the launch's clock. */
  sleep(nanoseconds: Leaf): Leaf[] {
    const w = this.kernel.writer;
    const at = w.emit(`getelementptr nuw i8, ptr %launch, i32 ${launchField.clock}`);
    const sum = w.emit(`add i32 ${w.emit(`load i32, ptr ${at}`)}, ${this.kernel.operands.scalar(nanoseconds)}`);
    w.line(`store i32 ${sum}, ptr ${at}`);
    return [];
  }
}
