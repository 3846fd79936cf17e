import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { shuffleSource, vectorShuffle } from './shuffle-source.ts';

type Needs = Pick<KernelContext, 'current' | 'writer'>;

/** Operations across the lanes of a warp: shuffles, matches and reductions. */
export class WarpOperations {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** SHFL: the values moved, and whether each source lane is in range. `constantB` and `constantC`: operands, where they are constants. */
  shuffle(mode: number, value: Leaf, b: Leaf, c: Leaf, constantB: number | null, constantC: number | null): Leaf[] {
    const w = this.kernel.writer;
    const type = `<32 x ${value.type}>`;
    // Whoever reads from a lane that takes no part gets zero: PTX leaves it open, and reductions of a part of a warp rely on it.
    const text = w.emit(
      `select <32 x i1> ${this.kernel.current.nativeMask()}, ${type} ${w.vector(value)}, ${type} zeroinitializer`,
    );
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

  /** Lanes among `members` with the same value. */
  matchAny(value: Leaf, members: Leaf): Leaf {
    const w = this.kernel.writer;
    this.countMasks(members);
    w.line(
      `call void @match_any${value.type === 'i64' ? 8 : 4}(ptr %launch, ptr %scratch, <32 x ${value.type}> ${w.vector(value)}, i32 ${this.kernel.current.mask})`,
    );
    const same = w.divergent('i32', w.emit('load <32 x i32>, ptr %scratch, align 16'));
    return w.binary('and', same, members);
  }

  /** Lanes with masks of their own: how many masks there are decides how long it takes. */
  countMasks(members: Leaf): void {
    if (members.uniform) return;
    const w = this.kernel.writer;
    w.line(`call void @count_masks(ptr %launch, <32 x i32> ${w.vector(members)}, i32 ${this.kernel.current.mask})`);
  }

  /** The members if they all have one value, else none; and whether they have. */
  matchAll(value: Leaf, members: Leaf): Leaf[] {
    const w = this.kernel.writer;
    const lanes = w.binary('and', members, w.uniform('i32', this.kernel.current.mask));
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

  /** `redux.sync`, operation `op` of the runtime's reduce4. */
  reduce(op: number, value: Leaf, members: Leaf): Leaf {
    const { current, writer: w } = this.kernel;
    if (members.uniform) {
      const lanes = w.emit(`and i32 ${current.mask}, ${members.text}`);
      return w.uniform('i32', w.emit(`call i32 @reduce4(<32 x i32> ${w.vector(value)}, i32 ${lanes}, i32 ${op})`));
    }
    w.line(
      `call void @reduce_groups(ptr %scratch, <32 x i32> ${w.vector(value)}, <32 x i32> ${w.vector(members)}, i32 ${current.mask}, i32 ${op})`,
    );
    return w.divergent('i32', w.emit('load <32 x i32>, ptr %scratch, align 16'));
  }
}
