/** Calls of the device that the host answers: printf, malloc and free, operator new and delete. */
import { faultCode } from '../layout.ts';
import type { KernelWriter } from './kernel.ts';
import { add, arg } from './table.ts';
import type { Leaf } from './writer.ts';

const vector = (kernel: KernelWriter, leaf: Leaf): string =>
  `<32 x i32> ${kernel.writer.vector(kernel.writer.integer(leaf, 'i32'))}`;
const result = (kernel: KernelWriter): Leaf[] => [
  kernel.writer.divergent('i32', kernel.writer.emit('load <32 x i32>, ptr %scratch, align 16')),
];

/** Warp instructions are those of the call; what the library does inside is not known. */
add(
  'vprintf',
  { int: 4, branch: 2 },
  (kernel, args) => {
    kernel.writer.line(
      `call void @print_lanes(ptr %scratch, ${vector(kernel, arg(args, 0))}, ${vector(kernel, arg(args, 1))}, i32 ${kernel.mask})`,
    );
    return result(kernel);
  },
  'divergent',
);
add(
  'malloc _Znwm _Znam _Znwj _Znaj',
  { int: 4, branch: 2 },
  (kernel, args) => {
    kernel.writer.line(`call void @allocate_lanes(ptr %scratch, ${vector(kernel, arg(args, 0))}, i32 ${kernel.mask})`);
    return result(kernel);
  },
  'divergent',
);
add('free _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvj _ZdaPvj', { int: 2, branch: 2 }, (kernel, args, instruction) => {
  const site = kernel.trapSite(instruction);
  kernel.writer.line(
    `call void @release_lanes(${vector(kernel, arg(args, 0))}, i32 ${kernel.mask}, ptr ${site}, ptr %launch)`,
  );
  return [];
});
const fault = (names: string, code: number): void =>
  add(names, { branch: 1 }, (kernel, _, instruction) => kernel.stop(code, instruction));
fault('simsight.bad.call __cxa_pure_virtual __cxa_deleted_virtual', faultCode.badCall);
