/** Texture fetches and surface accesses, written for a warp. What they do is in runtime/textures.c. */
import type { textureFamilies as families } from '../../ir/calls/textures.ts';
import { arg, type FamilyEmissions } from './emit.ts';
import type { Leaf } from './writer.ts';

const outsideCode = { trap: 0, clamp: 1, zero: 2 } as const;

export const textureFamilies: FamilyEmissions<typeof families> = {
  /** `form` and its bits as in textures.c; operands: object, three coordinates, layer. */
  texture:
    ({ form }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const { at, leaves } = kernel.fragments.result(instruction);
      const { site } = kernel.counters.siteOf(instruction, 'load', 0, 'texture');
      const vectors = args.map((leaf) => `<32 x i32> ${w.vector(leaf)}`);
      w.line(
        `call void @texture_lanes(ptr ${at}, ${vectors.join(', ')}, i32 ${form}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
      );
      return leaves;
    },
  /** Operands: object, three coordinates, and what is stored. */
  surface:
    ({ kind, bytes, outside }) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const loaded = kind === 'store' ? null : kernel.fragments.result(instruction);
      const buffer = loaded?.at ?? kernel.entry.buffers(['a'])[0]!;
      const { site } = kernel.counters.siteOf(instruction, kind, 0, 'surface');
      const vector = (leaf: Leaf): string => `<32 x i32> ${w.vector(leaf)}`;
      args.slice(4).forEach((leaf, i) => {
        w.line(`store ${vector(leaf)}, ptr ${w.emit(`getelementptr nuw i8, ptr ${buffer}, i32 ${128 * i}`)}, align 16`);
      });
      const places = [0, 1, 2, 3].map((i) => vector(arg(args, i)));
      w.line(
        `call void @surface_lanes(ptr ${buffer}, ${places.join(', ')}, i32 ${bytes}, i32 ${outsideCode[outside]}, i32 ${kind === 'store' ? 1 : 0}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
      );
      return loaded?.leaves ?? [];
    },
};
