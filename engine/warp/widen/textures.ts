/** Texture fetches and surface accesses, written for a warp. What they do is in runtime/textures.c. */
import type { textureFamilies as families } from '../../ir/calls/textures.ts';
import { arg, type FamilyEmissions } from './emit.ts';
import type { Instruction } from '../../ir/ir.ts';
import { leavesOf } from '../../ir/ir.ts';
import type { KernelContext } from './kernel/context.ts';
import { laneType, type Leaf } from './writer.ts';

const outsideCode = { trap: 0, clamp: 1, zero: 2 } as const;

/** Registers in memory as the leaves of a result type. */
function take(kernel: KernelContext, buffer: string, instruction: Instruction): Leaf[] {
  const w = kernel.writer;
  const result = leavesOf(instruction.type).map((leaf) => laneType(leaf.type));
  return result.map((type, i) => {
    const at = (offset: number): string => w.emit(`getelementptr nuw i8, ptr ${buffer}, i32 ${offset}`);
    if (type === 'i16') {
      const word = w.divergent('i32', w.emit(`load <32 x i32>, ptr ${at(128 * Math.floor(i / 2))}, align 16`));
      return w.cast('trunc', i % 2 === 0 ? word : w.binary('lshr', word, w.constant('i32', 16)), 'i16');
    }
    return w.divergent(type, w.emit(`load <32 x ${type}>, ptr ${at((type === 'double' ? 256 : 128) * i)}, align 16`));
  });
}

export const textureFamilies: FamilyEmissions<typeof families> = {
  /** `form` and its bits as in textures.c; operands: object, three coordinates, layer. */
  texture:
    ({ form }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const [buffer] = kernel.entry.buffers(['a']) as [string];
      const { site } = kernel.counters.siteOf(instruction, 'load', 0, 'texture');
      const vectors = args.map((leaf) => `<32 x i32> ${w.vector(leaf)}`);
      w.line(
        `call void @texture_lanes(ptr ${buffer}, ${vectors.join(', ')}, i32 ${form}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
      );
      return take(kernel, buffer, instruction);
    },
  /** Operands: object, three coordinates, and what is stored. */
  surface:
    ({ kind, bytes, outside }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const [buffer] = kernel.entry.buffers(['a']) as [string];
      const { site } = kernel.counters.siteOf(instruction, kind, 0, 'surface');
      const vector = (leaf: Leaf): string => `<32 x i32> ${w.vector(leaf)}`;
      args.slice(4).forEach((leaf, i) => {
        w.line(`store ${vector(leaf)}, ptr ${w.emit(`getelementptr nuw i8, ptr ${buffer}, i32 ${128 * i}`)}, align 16`);
      });
      const places = [0, 1, 2, 3].map((i) => vector(arg(args, i)));
      w.line(
        `call void @surface_lanes(ptr ${buffer}, ${places.join(', ')}, i32 ${bytes}, i32 ${outsideCode[outside]}, i32 ${kind === 'store' ? 1 : 0}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
      );
      return kind === 'store' ? [] : take(kernel, buffer, instruction);
    },
};
