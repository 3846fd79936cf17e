/** Texture fetches and surface accesses. What they do is in runtime/textures.c. */
import { integerCoordinates } from '../layout.ts';
import { take } from './tensor.ts';
import { addFamily, arg } from './table.ts';
import type { Leaf } from './writer.ts';

/** `form` and its bits as in textures.c; operands: object, three coordinates, layer. */
addFamily(/^simsight\.texture\.(\d+)$/, ([, text]) => {
  const form = Number(text);
  return {
    uniformity: 'divergent',
    memory: {
      kind: 'load',
      pointer: 0,
      times: 1,
      unit: 'texture',
      opcode: (form & integerCoordinates) === 0 ? 'TEX.LL' : 'TLD.LZ',
    },
    emit: (kernel, args, instruction) => {
      const w = kernel.writer;
      const [buffer] = kernel.entry.buffers(['a']) as [string];
      const { site } = kernel.counters.siteOf(instruction, 'load', 0, 'texture');
      const vectors = args.map((leaf) => `<32 x i32> ${w.vector(leaf)}`);
      w.line(
        `call void @texture_lanes(ptr ${buffer}, ${vectors.join(', ')}, i32 ${form}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
      );
      return take(kernel, buffer, instruction);
    },
  };
});

const outside: Record<string, number> = { trap: 0, clamp: 1, zero: 2 };

/** Operands: object, three coordinates, and what is stored. */
addFamily(/^simsight\.surface\.(load|store)\.(\d+)\.(trap|clamp|zero)$/, ([, what, bytes, mode]) => {
  const stores = what === 'store';
  const kind = stores ? 'store' : 'load';
  return {
    uniformity: 'divergent',
    memory: { kind, pointer: 0, times: 1, unit: 'texture', opcode: stores ? 'SUST.D.BA' : 'SULD.D.BA' },
    emit: (kernel, args, instruction) => {
      const w = kernel.writer;
      const [buffer] = kernel.entry.buffers(['a']) as [string];
      const { site } = kernel.counters.siteOf(instruction, kind, 0, 'surface');
      const vector = (leaf: Leaf): string => `<32 x i32> ${w.vector(leaf)}`;
      args.slice(4).forEach((leaf, i) => {
        w.line(`store ${vector(leaf)}, ptr ${w.emit(`getelementptr i8, ptr ${buffer}, i32 ${128 * i}`)}, align 16`);
      });
      const places = [0, 1, 2, 3].map((i) => vector(arg(args, i)));
      w.line(
        `call void @surface_lanes(ptr ${buffer}, ${places.join(', ')}, i32 ${bytes}, i32 ${outside[mode!]}, i32 ${stores ? 1 : 0}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
      );
      return stores ? [] : take(kernel, buffer, instruction);
    },
  };
});
