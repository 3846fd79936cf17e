import type { Space } from '../../../ir/addresses.ts';
import type { Instruction, Type, Value } from '../../../ir/ir.ts';
import { leavesOf } from '../../../ir/ir.ts';
import type { Leaf } from '../writer.ts';
import { laneBytes, memoryType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { runtimeSpace } from './memory-access.ts';

type Needs = Pick<KernelContext, 'access' | 'analysis' | 'counters' | 'current' | 'operands' | 'writer'>;

/** Addresses of paged memory pass through them. */
const scratches = ['%scratch', '%scratch2'];

/** Stores, to one address for the warp or to one per lane, and memory copies. */
export class Stores {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** memcpy, memmove and memset of a size that only the run shows. */
  copyBytes(name: string, args: Leaf[], instruction: Instruction): Leaf[] {
    const { counters, current, writer: w } = this.kernel;
    const [to, from, size] = args as [Leaf, Leaf, Leaf];
    const sites = [
      ...(name === 'copy_lanes' ? [counters.siteOf(instruction, 'load', 1)] : []),
      counters.siteOf(instruction, 'store', 0),
    ];
    const isPaged = to.type === 'i64';
    const addresses = name === 'copy_lanes' ? [to, from] : [to];
    const vectors = [to, from, size].map((leaf, i) => {
      if (!isPaged || i >= addresses.length) return `<32 x i32> ${w.vector(w.integer(leaf, 'i32'))}`;
      w.line(`store <32 x i64> ${w.vector(leaf)}, ptr ${scratches[i]}, align 16`);
      return `ptr ${scratches[i]}`;
    });
    w.line(
      `call void @${name}${isPaged ? '_paged' : ''}(${vectors.join(', ')}, i32 ${current.mask}, ${sites.map(({ site }) => `ptr ${site}`).join(', ')}, ptr %launch)`,
    );
    return [];
  }

  private toMemory(leaf: Leaf, type: Type): Leaf {
    const stored = memoryType(type);
    return leaf.type === stored ? leaf : this.kernel.writer.cast('zext', leaf, stored);
  }

  /** A store. */
  store(instruction: Instruction, block: number): void {
    const { analysis, counters, operands } = this.kernel;
    const pointer = instruction.operands[1] as Value;
    const places = leavesOf(instruction.accessType ?? { kind: 'void' });
    const values = operands
      .leaves(instruction.operands[0] as Value)
      .map((leaf, i) => this.toMemory(leaf, places[i]!.type));
    this.storeLeaves(
      values,
      places.map(({ offset }) => offset),
      operands.pointerOf(pointer),
      analysis.pointers.space(pointer),
      counters.site({
        block,
        kind: 'store',
        space: analysis.pointers.space(pointer),
        place: instruction.place,
      }),
    );
  }

  /** A store by an intrinsic that writes through a pointer operand. */
  storeLeaf(value: Leaf, pointer: Leaf, instruction: Instruction): void {
    this.storeLeaves(
      [value],
      [0],
      { root: pointer, offset: 0 },
      0,
      this.kernel.counters.site({
        block: this.kernel.analysis.blockOf(instruction),
        kind: 'store',
        space: 5,
        place: instruction.place,
      }),
    );
  }

  private storeLeaves(
    values: Leaf[],
    offsets: number[],
    { root, offset }: { root: Leaf; offset: number },
    space: Space,
    site: string,
  ): void {
    const { access, current, operands, writer: w } = this.kernel;
    const first = values[0];
    if (first === undefined) return;
    const size = laneBytes(first.type);
    const total = values.length * size;
    if (root.uniform) {
      const address = operands.plus(root, offset);
      access.accountUniform(address.text, total, space, 1, site);
      values.forEach((value, k) => {
        const at = w.emit(`inttoptr i32 ${operands.plus(address, offsets[k] ?? 0).text} to ptr`);
        // Which lane wins is undefined on hardware; here it is the highest one.
        let text = value.text;
        if (!value.uniform) {
          const zeros = w.call('i32', 'llvm.ctlz.i32', [`i32 ${current.mask}`, 'i1 true']);
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
      const address = w.vector(operands.plus(root, offset));
      access.countShared('store', root, total, space, site);
      values.forEach((value, k) =>
        w.line(
          `store <32 x ${value.type}> ${w.vector(value)}, ptr ${w.emit(`getelementptr nuw i8, ptr %scratch, i32 ${k * 32 * size}`)}, align 16`,
        ),
      );
      w.line(
        `call void @store${joined}(ptr %scratch, <32 x i32> ${address}, i32 ${current.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
      );
      return;
    }
    values.forEach((value, k) =>
      this.storeLanes(value, laneBytes(value.type), root, offset + (offsets[k] ?? 0), space, site),
    );
  }

  private storeLanes(value: Leaf, size: number, root: Leaf, offset: number, space: Space, site: string): void {
    const { access, analysis, counters, current, operands, writer: w } = this.kernel;
    const vector = `<32 x ${value.type}>`;
    const shape = access.countShared('store', root, size, space, site);
    const address = w.vector(operands.plus(root, offset));
    const text = w.vector(value);
    const slow = (): void => {
      w.line(`store ${vector} ${text}, ptr %scratch, align 16`);
      w.line(
        `call void @store${size}(ptr %scratch, <32 x i32> ${address}, i32 ${current.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
      );
    };
    if ((space !== 1 && space !== 3) || (space === 3 && analysis.options.checked)) {
      slow();
      return;
    }
    const { condition, start } = access.fastCondition(size, root, offset, space, shape);
    const [fast, other, join] = [w.freshLabel(), w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${condition}, label %${fast}, label %${other}, !prof !9000`);
    w.begin(fast);
    if (space === 3) counters.noteAccess('note_span', start, size, site);
    if (space === 1) w.line(`call void @touch_span(ptr %launch, ptr ${site}, i32 ${start}, i32 ${size}, i32 1)`);
    w.line(`store ${vector} ${text}, ptr ${w.emit(`inttoptr i32 ${start} to ptr`)}, align ${size}`);
    w.line(`br label %${join}`);
    w.begin(other);
    slow();
    w.line(`br label %${join}`);
    w.begin(join);
  }
}
