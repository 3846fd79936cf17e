/** Calls that the host answers, barriers in shared memory and copies in bulk, written for a warp. */
import type { system as rows, systemFamilies as families } from '../../ir/calls/system.ts';
import { hasFusedMultiplyAdd } from '../fused.ts';
import { barrierAction, bulkWay, faultCode, matrixElement } from '../layout.ts';
import { arg, type Emissions, type Emit, type FamilyEmissions, numberOf } from './emit.ts';
import type { KernelContext } from './kernel/context.ts';
import type { Leaf, Writer } from './writer.ts';

const vector = (kernel: KernelContext, leaf: Leaf): string =>
  `<32 x i32> ${kernel.writer.vector(kernel.writer.integer(leaf, 'i32'))}`;
const result = (kernel: KernelContext): Leaf[] => [
  kernel.writer.divergent('i32', kernel.writer.emit('load <32 x i32>, ptr %scratch, align 16')),
];

/** A size; what 32 bits do not hold is more than there is. */
const sizes = (kernel: KernelContext, leaf: Leaf): string => {
  const w = kernel.writer;
  return vector(
    kernel,
    leaf.type === 'i64' ? w.intrinsic('i64', 'umin', [leaf, w.constant('i64', 0xffff_ffff)]) : leaf,
  );
};

/** What is the same for all lanes: lane 0 says which. */
const ofAll = (w: Writer, leaf: Leaf): string =>
  leaf.uniform
    ? `${leaf.type} ${leaf.text}`
    : `${leaf.type} ${w.emit(`extractelement <32 x ${leaf.type}> ${leaf.text}, i32 0`)}`;

/** c += a b, all in shared memory: pointers, then rows, columns, depth and pitch. */
const multiply =
  (type: 'f32' | 'f64' | 's32'): Emit =>
  (kernel, args) => {
    const w = kernel.writer;
    const words = args.map((leaf) => ofAll(w, w.integer(leaf, 'i32')));
    w.line(
      `call void @multiply_tiles(${words.join(', ')}, i32 ${matrixElement[type]}, i32 ${hasFusedMultiplyAdd() ? 1 : 0})`,
    );
    return [];
  };

export const system: Emissions<typeof rows> = {
  vprintf: (kernel, args) => {
    kernel.writer.line(
      `call void @print_lanes(ptr %launch, ptr %scratch, ${vector(kernel, arg(args, 0))}, ${vector(kernel, arg(args, 1))}, i32 ${kernel.current.mask}, i32 ${kernel.analysis.module.pointerBytes})`,
    );
    return result(kernel);
  },
  malloc: (kernel, args) => {
    kernel.writer.line(
      `call void @allocate_lanes(ptr %scratch, ${sizes(kernel, arg(args, 0))}, i32 ${kernel.current.mask})`,
    );
    return result(kernel);
  },
  free: (kernel, args, instruction) => {
    const site = kernel.faults.trapSite(instruction);
    kernel.writer.line(
      `call void @release_lanes(${vector(kernel, arg(args, 0))}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
    );
    return [];
  },
  __simsight_device_runtime: (kernel, args) => {
    kernel.writer.line(
      `call void @device_runtime_lanes(ptr %scratch, i32 ${numberOf(args[0]) ?? 0}, ${vector(kernel, arg(args, 1))}, ${vector(kernel, arg(args, 2))}, i32 ${kernel.current.mask})`,
    );
    return result(kernel);
  },
  __simsight_multiply_floats: multiply('f32'),
  __simsight_multiply_doubles: multiply('f64'),
  __simsight_multiply_ints: multiply('s32'),
  'simsight.bad.call': (kernel, _, instruction) => kernel.faults.stop(faultCode.badCall, instruction),
  'simsight.paged': (kernel, args) => {
    const address = arg(args, 0);
    const { current, writer: w } = kernel;
    if (address.uniform) return [w.uniform('i32', w.emit(`call i32 @paged_one(i64 ${address.text})`))];
    w.line(`store <32 x i64> ${address.text}, ptr %scratch, align 16`);
    w.line(`call void @paged_lanes(ptr %scratch2, ptr %scratch, i32 ${current.mask})`);
    return [w.divergent('i32', w.emit('load <32 x i32>, ptr %scratch2, align 16'))];
  },
  'simsight.bulk.commit': () => [],
  'simsight.bulk.wait': () => [],
};

// ---- barriers in shared memory ----
const mbarrier = (what: keyof typeof barrierAction, operandOf: (w: Writer, args: Leaf[]) => Leaf) => (): Emit => {
  const tests = what === 'test' || what === 'testParity';
  const kind = tests ? 'load' : 'store';
  return (kernel, args, instruction) => {
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
  };
};
const wide = (w: Writer, leaf: Leaf): Leaf => (leaf.type === 'i64' ? leaf : w.cast('zext', leaf, 'i64'));
const once = (w: Writer): Leaf => w.constant('i64', 1);
/** Number of arrivals, and above them the bytes that they announce. */
const arrivals = (w: Writer, args: Leaf[]): Leaf =>
  w.binary('or', wide(w, arg(args, 1)), w.binary('shl', wide(w, arg(args, 2)), w.constant('i64', 32)));
const given = (w: Writer, args: Leaf[]): Leaf => wide(w, arg(args, 1));

// ---- copies in bulk ----
const bulkCopy = (name: keyof typeof bulkWay) => (): Emit => (kernel, args, instruction) => {
  const stores = name === 'store';
  const kind = stores ? 'store' : 'load';
  const w = kernel.writer;
  const global = stores ? 0 : 1;
  const { site } = kernel.counters.siteOf(instruction, kind, global, 'bulk');
  const isPaged = arg(args, global).type === 'i64';
  if (isPaged) w.line(`store <32 x i64> ${w.vector(arg(args, global))}, ptr %scratch, align 16`);
  const vectors = args.map((leaf) => `<32 x i32> ${w.vector(w.integer(leaf, 'i32'))}`);
  vectors.splice(2, 0, `ptr ${isPaged ? '%scratch' : 'null'}`);
  w.line(
    `call void @bulk_copy(${vectors.join(', ')}, i32 ${bulkWay[name]}, i32 ${kernel.current.mask}, ptr ${site}, ptr %launch)`,
  );
  return [];
};

export const systemFamilies: FamilyEmissions<typeof families> = {
  'mbarrier.init': mbarrier('init', given),
  'mbarrier.arrive': mbarrier('arrive', once),
  'mbarrier.arrive.drop': mbarrier('drop', once),
  'mbarrier.arrive.counted': mbarrier('arrive', arrivals),
  'mbarrier.arrive.drop.counted': mbarrier('drop', arrivals),
  'mbarrier.bytes': mbarrier('bytes', given),
  'mbarrier.test.wait': mbarrier('test', given),
  'mbarrier.test.wait.parity': mbarrier('testParity', given),
  'mbarrier.pending.count': () => (kernel, args) => {
    const w = kernel.writer;
    const count = w.binary('lshr', arg(args, 0), w.constant('i64', 20));
    return [w.cast('trunc', w.binary('and', count, w.constant('i64', 0xfffff)), 'i32')];
  },
  // Copies are done when they are issued: an arrival that waits for them arrives, and without .noinc it cancels out.
  'mbarrier.after.copies':
    ([, arrives]) =>
    (kernel, args, instruction) => {
      const w = kernel.writer;
      const { site, space } = kernel.counters.siteOf(instruction, 'store', 0, 'sync');
      w.line(
        `call void @mbarrier_after_copies(<32 x i32> ${w.vector(arg(args, 0))}, i32 ${arrives === undefined ? 0 : 1}, i32 ${kernel.current.mask}, i32 ${space}, ptr ${site}, ptr %launch)`,
      );
      return [];
    },
  'mbarrier.inval': () => () => [],
  'bulk.load': bulkCopy('load'),
  'bulk.store': bulkCopy('store'),
  'bulk.prefetch': bulkCopy('prefetch'),
  'slice.load': () => (kernel, args, instruction) => {
    const w = kernel.writer;
    const { site } = kernel.counters.siteOf(instruction, 'load', 1, 'bulk');
    const all = args.map((leaf, i) => ofAll(w, i === 1 || i === 2 ? wide(w, leaf) : w.integer(leaf, 'i32')));
    w.line(`call void @load_slice(${all.join(', ')}, ptr ${site}, ptr %launch)`);
    return [];
  },
};
