import type { Space } from '../../../ir/addresses.ts';
import type { Instruction, Type, Value } from '../../../ir/ir.ts';
import { leavesOf, sizeOf } from '../../../ir/ir.ts';
import type { Leaf } from '../writer.ts';
import { laneBytes, laneType, memoryType } from '../writer.ts';
import type { KernelContext } from './context.ts';
import { runtimeSpace } from './memory-access.ts';

type Needs = Pick<KernelContext, 'access' | 'analysis' | 'counters' | 'current' | 'operands' | 'writer'>;

/** Loads, of one address for the warp or of one per lane. */
export class Loads {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** A load: the leaves of its result. */
  load(instruction: Instruction, block: number): Leaf[] {
    const { access, analysis, counters, current, operands, writer: w } = this.kernel;
    const pointer = instruction.operands[0] as Value;
    const space = analysis.pointers.space(pointer);
    const { root, offset } = operands.pointerOf(pointer);
    const leaves = leavesOf(instruction.type);
    const pastL1 = instruction.volatile && !instruction.flags.includes('cached') && space <= 1;
    const site = counters.site({
      block,
      kind: 'load',
      space,
      place: instruction.place,
      ...(pastL1 ? { pastL1 } : {}),
    });
    if (root.uniform) {
      const address = operands.plus(root, offset);
      access.accountUniform(address.text, sizeOf(instruction.type), space, 0, site);
      return leaves.map((leaf) => {
        const at = w.emit(`inttoptr i32 ${operands.plus(address, leaf.offset).text} to ptr`);
        return this.fromMemory(leaf.type, (type) => w.uniform(type, w.emit(`load ${type}, ptr ${at}, align 1`)));
      });
    }
    const first = leaves[0];
    if (first === undefined) return [];
    const size = laneBytes(memoryType(first.type));
    if (leaves.length === 1) {
      return [
        this.fromMemory(first.type, (type) => w.divergent(type, this.loadLanes(type, size, root, offset, space, site))),
      ];
    }
    const joined = `${leaves.length}x${size}`;
    if (instruction.type.kind === 'vector' && ['2x1', '4x1', '2x2', '4x2', '2x4', '4x4', '2x8'].includes(joined)) {
      const address = w.vector(operands.plus(root, offset));
      access.countShared('load', root, leaves.length * size, space, site);
      w.line(
        `call void @load${joined}(ptr %scratch, <32 x i32> ${address}, i32 ${current.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
      );
      return leaves.map((leaf, k) =>
        this.fromMemory(leaf.type, (type) =>
          w.divergent(
            type,
            w.emit(
              `load <32 x ${type}>, ptr ${w.emit(`getelementptr nuw i8, ptr %scratch, i32 ${k * 32 * size}`)}, align 16`,
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

  private fromMemory(type: Type, read: (memoryType: string) => Leaf): Leaf {
    const { writer } = this.kernel;
    const lane = laneType(type);
    const stored = read(memoryType(type));
    if (stored.type === lane) return stored;
    return lane === 'i1' && !stored.uniform
      ? writer.compare('ne', stored, writer.constant('i8', 0))
      : writer.cast('trunc', stored, lane);
  }

  private loadLanes(type: string, size: number, root: Leaf, offset: number, space: Space, site: string): string {
    const { access, analysis, counters, current, operands, writer: w } = this.kernel;
    const vector = `<32 x ${type}>`;
    const shape = access.countShared('load', root, size, space, site);
    const address = w.vector(operands.plus(root, offset));
    const slow = (): string => {
      if (shape !== null && size <= 8 && !analysis.options.checked)
        w.line(
          `call void @load_shared${size}(ptr %scratch, <32 x i32> ${address}, i32 ${current.mask}, i32 ${shape}, ptr ${site}, ptr %launch)`,
        );
      else
        w.line(
          `call void @load${size}(ptr %scratch, <32 x i32> ${address}, i32 ${current.mask}, i32 ${runtimeSpace(space)}, ptr ${site}, ptr %launch)`,
        );
      return w.emit(`load ${vector}, ptr %scratch, align 16`);
    };
    if ((space !== 1 && space !== 3) || (space === 3 && analysis.options.checked)) return slow();
    const { condition, start } = access.fastCondition(size, root, offset, space, shape);
    const [fast, other, join] = [w.freshLabel(), w.freshLabel(), w.freshLabel()];
    w.line(`br i1 ${condition}, label %${fast}, label %${other}, !prof !9000`);
    w.begin(fast);
    const from = space === 3 ? counters.noteAccess('note_span', start, size, site) : fast;
    if (space === 1) w.line(`call void @touch_span(ptr %launch, ptr ${site}, i32 ${start}, i32 ${size}, i32 0)`);
    const quick = w.emit(`load ${vector}, ptr ${w.emit(`inttoptr i32 ${start} to ptr`)}, align ${size}`);
    w.line(`br label %${join}`);
    w.begin(other);
    const gathered = slow();
    w.line(`br label %${join}`);
    w.begin(join);
    return w.emit(`phi ${vector} [ ${quick}, %${from} ], [ ${gathered}, %${other} ]`);
  }
}
