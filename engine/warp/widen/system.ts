/** Calls of the device that the host answers: printf, malloc and free, operator new and delete, launches. */
import { faultCode } from '../layout.ts';
import type { KernelWriter } from './kernel.ts';
import { add, addFamily, arg, numberOf } from './table.ts';
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
/** Clang knows nothing of what launches cost: instructions are those of the call. */
add(
  '__simsight_device_runtime',
  { int: 4, branch: 2 },
  (kernel, args) => {
    kernel.writer.line(
      `call void @device_runtime_lanes(ptr %scratch, i32 ${numberOf(args[0]) ?? 0}, ${vector(kernel, arg(args, 1))}, ${vector(kernel, arg(args, 2))}, i32 ${kernel.mask})`,
    );
    return result(kernel);
  },
  'divergent',
);
const fault = (names: string, code: number): void =>
  add(names, { branch: 1 }, (kernel, _, instruction) => kernel.stop(code, instruction));
fault('simsight.bad.call __cxa_pure_virtual __cxa_deleted_virtual', faultCode.badCall);

// ---- barriers in shared memory ----
const mbarrier = (name: string, op: number, operand: number | null): void =>
  addFamily(new RegExp(`^llvm\\.nvvm\\.mbarrier\\.${name}(\\.shared)?(?:\\.p\\d+)?$`), () => ({
    uniformity: 'divergent',
    memory: { kind: op >= 3 ? 'load' : 'store', pointer: 0, times: 1 },
    emit: (kernel, args, instruction) => {
      const w = kernel.writer;
      const { site, space } = kernel.siteOf(instruction, op >= 3 ? 'load' : 'store', 0);
      const value = operand === null ? w.constant('i64', 0) : arg(args, operand);
      const wide = value.type === 'i64' ? value : w.cast('zext', value, 'i64');
      const done = w.emit(
        `call i32 @mbarrier(ptr %scratch, <32 x i32> ${w.vector(arg(args, 0))}, <32 x i64> ${w.vector(wide)}, i32 ${op}, i32 ${kernel.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
      );
      if (op === 0) return [];
      return [op >= 3 ? w.fromBits(done) : w.divergent('i64', w.emit('load <32 x i64>, ptr %scratch, align 16'))];
    },
  }));
mbarrier('init', 0, 1);
mbarrier('arrive', 1, null);
mbarrier('arrive\\.drop', 2, null);
mbarrier('test\\.wait', 3, 1);
mbarrier('test\\.wait\\.parity', 4, 1);
addFamily(/^llvm\.nvvm\.mbarrier\.pending\.count$/, () => ({
  cost: { int: 2 },
  emit: (kernel, args) => {
    const w = kernel.writer;
    const count = w.binary('lshr', arg(args, 0), w.constant('i64', 20));
    return [w.cast('trunc', w.binary('and', count, w.constant('i64', 0xfffff)), 'i32')];
  },
}));
// Copies are done when they are issued: they have nothing to wait for. Without .noinc, arrivals cancel out.
addFamily(/^llvm\.nvvm\.(mbarrier\.inval|cp\.async\.mbarrier\.arrive)(\.shared)?(?:\.p\d+)?$/, () => ({
  cost: { int: 1 },
  emit: () => [],
}));
