import { contains } from '../../ir/analysis/flow.ts';
import type { Instruction } from '../../ir/ir.ts';
import { keyOf, plus } from '../linear.ts';
import type { SelectionContext } from './context.ts';

type Needs = Pick<SelectionContext, 'facts'>;

/** Counters of loops, their steps, and values that are the same as others because they count alike. */
export class LoopCounters {
  private readonly kernel: Needs;
  /** The value that stands for each of those that count alike, by name. */
  readonly merged = new Map<string, string>();
  /** Phis whose steps do not change in their loop. */
  readonly names = new Set<string>();
  /** Steps of the phis that a constant steps. */
  readonly steps = new Map<string, number>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
    this.findCounters();
  }

  /** Phis of loop heads that count; of those that count alike, one does. */
  private findCounters(): void {
    for (const { block, index, loop } of this.kernel.facts.flow.blocks) {
      if (loop === null || loop.head !== index) continue;
      const alike = new Map<string, { phi: string; next: string }>();
      for (const phi of block.instructions) {
        if (phi.op !== 'phi') break;
        if (phi.name === null || phi.type.kind !== 'int') continue;
        const inside = phi.operands.filter((_, i) =>
          contains(loop, this.kernel.facts.flow.indexOf.get(phi.labels[i] ?? '') ?? -1),
        );
        const outside = phi.operands.filter((operand) => !inside.includes(operand));
        const [next] = inside;
        if (next?.kind !== 'local' || inside.length !== 1) continue;
        const step = plus(this.kernel.facts.linear.of(next), new Map([[phi.name, 1]]), -1);
        if ([...step.keys()].some((product) => product.split('*').includes(phi.name!))) continue;
        this.names.add(phi.name);
        if (keyOf(step) === '') this.steps.set(phi.name, step.get('') ?? 0);
        const [start] = outside;
        if (outside.length !== 1 || start?.kind !== 'int' || keyOf(step) !== '') continue;
        const key = `${step.get('') ?? 0}`;
        const first = alike.get(key);
        if (first === undefined) alike.set(key, { phi: phi.name, next: next.name });
        else {
          this.merged.set(phi.name, first.phi);
          this.merged.set(next.name, first.next);
        }
      }
    }
  }

  /** Test for products of which one has a counter as a factor. */
  hasCounter(products: Iterable<string>): boolean {
    for (const product of products) if (product.split('*').some((name) => this.names.has(name))) return true;
    return false;
  }

  /** Test for an instruction whose value another one stands for. */
  isMerged({ name }: Instruction): boolean {
    return name !== null && this.merged.has(name);
  }
}
