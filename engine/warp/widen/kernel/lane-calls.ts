import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'current' | 'entry' | 'writer'>;

/** Calls of scalar functions, one per executing lane. */
export class LaneCalls {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** A libm function, called for each executing lane. */
  library(name: string, args: Leaf[], type: string): Leaf {
    this.kernel.writer.declarations.set(name, `declare ${type} @${name}(${args.map((leaf) => leaf.type).join(', ')})`);
    return this.perLane(name, args, type);
  }

  /** Functions of runtime/arithmetic.c that take 128-bit integers through memory. */
  through128(args: Leaf[], type: string, call: (inputs: string[], out: string) => string): Leaf {
    const { current, entry, writer: w } = this.kernel;
    const [out, ...inputs] = entry.buffers(['a', 'b', 'c']) as [string, string, string];
    args.forEach((leaf, i) => w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${inputs[i]}, align 16`));
    w.line(`call void ${call(inputs, out)}`);
    const all = w.emit(`load <32 x ${type}>, ptr ${out}, align 16`);
    if (!args.every((leaf) => leaf.uniform)) return w.divergent(type, all);
    return w.uniform(
      type,
      w.emit(
        `extractelement <32 x ${type}> ${all}, i32 ${w.call('i32', 'llvm.cttz.i32', [`i32 ${current.mask}`, 'i1 true'])}`,
      ),
    );
  }

  /** Applies a function of runtime/arithmetic.c or libm to each executing lane. */
  perLane(name: string, args: Leaf[], type: string): Leaf {
    const w = this.kernel.writer;
    if (args.every((leaf) => leaf.uniform))
      return w.uniform(
        type,
        w.emit(`call ${type} @${name}(${args.map((leaf) => `${leaf.type} ${leaf.text}`).join(', ')})`),
      );
    const inputs = ['%scratch', '%scratch2', '%scratch3', '%scratch4', '%scratch5'];
    args.forEach((leaf, i) => w.line(`store <32 x ${leaf.type}> ${w.vector(leaf)}, ptr ${inputs[i]}, align 16`));
    const wide = `lanes.${name}`;
    if (!w.declarations.has(wide))
      w.declarations.set(
        wide,
        lanesFunction(
          wide,
          name,
          args.map((leaf) => leaf.type),
          type,
        ),
      );
    w.line(
      `call void @${wide}(${args.map((_, i) => `ptr ${inputs[i]}`).join(', ')}, ptr %results, i32 ${this.kernel.current.mask})`,
    );
    return w.divergent(type, w.emit(`load <32 x ${type}>, ptr %results, align 16`));
  }
}

/** LLVM IR of a function that applies a scalar function to each executing lane. */
function lanesFunction(name: string, scalar: string, types: string[], result: string): string {
  const parameters = types.map((_, i) => `ptr %a${i}`).join(', ');
  const loads = types
    .map((type, i) => `  %p${i} = getelementptr ${type}, ptr %a${i}, i32 %lane\n  %x${i} = load ${type}, ptr %p${i}`)
    .join('\n');
  return `define internal void @${name}(${parameters}, ptr %out, i32 %mask) noinline nounwind {
entry:
  %none = icmp eq i32 %mask, 0
  br i1 %none, label %done, label %loop
loop:
  %left = phi i32 [ %mask, %entry ], [ %rest, %loop ]
  %lane = call i32 @llvm.cttz.i32(i32 %left, i1 true)
${loads}
  %r = call ${result} @${scalar}(${types.map((type, i) => `${type} %x${i}`).join(', ')})
  %to = getelementptr ${result}, ptr %out, i32 %lane
  store ${result} %r, ptr %to
  %less = sub i32 %left, 1
  %rest = and i32 %left, %less
  %more = icmp ne i32 %rest, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}`;
}
