/** Calls of the device that the host answers: printf, malloc and free, operator new and delete, launches. */
import type { Spelled } from '../../model/opcodes.ts';
import { barrierAction, bulkWay, faultCode } from '../layout.ts';
import type { KernelContext } from './kernel/context.ts';
import { add, addFamily, arg, numberOf } from './table.ts';
import type { Leaf, Writer } from './writer.ts';

const vector = (kernel: KernelContext, leaf: Leaf): string =>
  `<32 x i32> ${kernel.writer.vector(kernel.writer.integer(leaf, 'i32'))}`;
const result = (kernel: KernelContext): Leaf[] => [
  kernel.writer.divergent('i32', kernel.writer.emit('load <32 x i32>, ptr %scratch, align 16')),
];

/** Warp instructions are those of the call; what the library does inside is not known. */
add(
  'vprintf',
  { int: 4, branch: 2 },
  (kernel, args) => {
    kernel.writer.line(
      `call void @print_lanes(ptr %launch, ptr %scratch, ${vector(kernel, arg(args, 0))}, ${vector(kernel, arg(args, 1))}, i32 ${kernel.current.mask})`,
    );
    return result(kernel);
  },
  'divergent',
);
add(
  'malloc _Znwm _Znam _Znwj _Znaj',
  { int: 4, branch: 2 },
  (kernel, args) => {
    kernel.writer.line(
      `call void @allocate_lanes(ptr %scratch, ${vector(kernel, arg(args, 0))}, i32 ${kernel.current.mask})`,
    );
    return result(kernel);
  },
  'divergent',
);
add('free _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvj _ZdaPvj', { int: 2, branch: 2 }, (kernel, args, instruction) => {
  const site = kernel.faults.trapSite(instruction);
  kernel.writer.line(
    `call void @release_lanes(${vector(kernel, arg(args, 0))}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
  );
  return [];
});
/** Clang knows nothing of what launches cost: instructions are those of the call. */
add(
  '__simsight_device_runtime',
  { int: 4, branch: 2 },
  (kernel, args) => {
    kernel.writer.line(
      `call void @device_runtime_lanes(ptr %scratch, i32 ${numberOf(args[0]) ?? 0}, ${vector(kernel, arg(args, 1))}, ${vector(kernel, arg(args, 2))}, i32 ${kernel.current.mask})`,
    );
    return result(kernel);
  },
  'divergent',
);
const fault = (names: string, code: number): void =>
  add(names, { branch: 1 }, (kernel, _, instruction) => kernel.faults.stop(code, instruction));
fault('simsight.bad.call __cxa_pure_virtual __cxa_deleted_virtual', faultCode.badCall);

// ---- barriers in shared memory ----
const mbarrier = (
  name: string,
  what: keyof typeof barrierAction,
  opcode: Spelled,
  operandOf: (w: Writer, args: Leaf[]) => Leaf,
): void =>
  addFamily(new RegExp(`^(?:llvm\\.nvvm|simsight)\\.mbarrier\\.${name}(\\.shared)?(?:\\.p\\d+)?$`), () => {
    const tests = what === 'test' || what === 'testParity';
    const kind = tests ? 'load' : 'store';
    return {
      uniformity: tests ? 'operands' : 'divergent',
      // The state that init stores is made of the count.
      ...(what === 'init' ? { cost: { int: 4 } } : {}),
      memory: { kind, pointer: 0, times: 1, unit: 'sync', opcode },
      emit: (kernel, args, instruction) => {
        const w = kernel.writer;
        const { site, space } = kernel.counters.siteOf(instruction, kind, 0, 'sync');
        const operand = operandOf(w, args);
        const done = w.emit(
          `call i32 @mbarrier(ptr %scratch, <32 x i32> ${w.vector(arg(args, 0))}, <32 x i64> ${w.vector(operand)}, i32 ${barrierAction[what]}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
        );
        if (tests && arg(args, 0).uniform && arg(args, 1).uniform)
          return [w.uniform('i1', w.emit(`icmp ne i32 ${done}, 0`))];
        if (tests) return [w.fromBits(done)];
        const isState = what === 'arrive' || what === 'drop';
        return isState ? [w.divergent('i64', w.emit('load <32 x i64>, ptr %scratch, align 16'))] : [];
      },
    };
  });
const wide = (w: Writer, leaf: Leaf): Leaf => (leaf.type === 'i64' ? leaf : w.cast('zext', leaf, 'i64'));
const once = (w: Writer): Leaf => w.constant('i64', 1);
/** How many arrive, and above them the bytes that they announce. */
const arrivals = (w: Writer, args: Leaf[]): Leaf =>
  w.binary('or', wide(w, arg(args, 1)), w.binary('shl', wide(w, arg(args, 2)), w.constant('i64', 32)));
const given = (w: Writer, args: Leaf[]): Leaf => wide(w, arg(args, 1));
mbarrier('init', 'init', 'SYNCS.EXCH.64', given);
mbarrier('arrive', 'arrive', 'SYNCS.ARRIVE.TRANS64.A1T0', once);
mbarrier('arrive\\.drop', 'drop', 'SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0', once);
mbarrier('arrive\\.counted', 'arrive', 'SYNCS.ARRIVE.TRANS64', arrivals);
mbarrier('arrive\\.drop\\.counted', 'drop', 'SYNCS.ARRIVE.TRANS64.OPTOUT', arrivals);
mbarrier('bytes', 'bytes', 'SYNCS.ARRIVE.TRANS64.RED.A0TX', given);
mbarrier('test\\.wait', 'test', 'SYNCS.PHASECHK.TRANS64', given);
mbarrier('test\\.wait\\.parity', 'testParity', 'SYNCS.PHASECHK.TRANS64.TRYWAIT', given);
addFamily(/^llvm\.nvvm\.mbarrier\.pending\.count$/, () => ({
  cost: { int: 2 },
  emit: (kernel, args) => {
    const w = kernel.writer;
    const count = w.binary('lshr', arg(args, 0), w.constant('i64', 20));
    return [w.cast('trunc', w.binary('and', count, w.constant('i64', 0xfffff)), 'i32')];
  },
}));
// Copies are done when they are issued: an arrival that waits for them arrives, and without .noinc it cancels out.
addFamily(/^llvm\.nvvm\.cp\.async\.mbarrier\.arrive(\.noinc)?(\.shared)?(?:\.p\d+)?$/, ([, arrives]) => ({
  memory: { kind: 'store', pointer: 0, times: 1, unit: 'sync', opcode: 'ARRIVES.LDGSTSBAR.64' },
  emit: (kernel, args, instruction) => {
    const w = kernel.writer;
    const { site, space } = kernel.counters.siteOf(instruction, 'store', 0, 'sync');
    w.line(
      `call void @mbarrier_after_copies(<32 x i32> ${w.vector(arg(args, 0))}, i32 ${arrives === undefined ? 0 : 1}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
    );
    return [];
  },
}));
addFamily(/^llvm\.nvvm\.mbarrier\.inval(\.shared)?(?:\.p\d+)?$/, () => ({ cost: { int: 1 }, emit: () => [] }));

// ---- copies in bulk ----
const bulkCopy = (name: keyof typeof bulkWay, opcode: Spelled): void =>
  addFamily(new RegExp(`^simsight\\.bulk\\.${name}$`), () => {
    const stores = name === 'store';
    const kind = stores ? 'store' : 'load';
    return {
      // The size in units of 16 bytes; ptxas makes a loop of loads that takes one lane after the other.
      cost: stores ? { int: 2 } : { int: 5, vote: 1, branch: 1 },
      memory: { kind, pointer: stores ? 0 : 1, times: 1, unit: 'bulk', opcode },
      emit: (kernel, args, instruction) => {
        const w = kernel.writer;
        const { site } = kernel.counters.siteOf(instruction, kind, stores ? 0 : 1, 'bulk');
        const vectors = args.map((leaf) => `<32 x i32> ${w.vector(w.integer(leaf, 'i32'))}`);
        w.line(
          `call void @bulk_copy(${vectors.join(', ')}, i32 ${bulkWay[name]}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
        );
        return [];
      },
    };
  });
bulkCopy('load', 'UBLKCP.S.G');
bulkCopy('store', 'UBLKCP.G.S');
bulkCopy('prefetch', 'UBLKPF');
add('simsight.bulk.commit simsight.bulk.wait', {}, () => []);
