import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'writer'>;

/** The function's first block: stack slots, and values computed once per call of the function and used in every block. */
export class EntryBlock {
  private readonly kernel: Needs;
  private readonly values = new Map<string, Leaf[]>();
  /** Instructions of the block, but for stack slots. */
  readonly lines: string[] = [];
  /** Stack slots: LLVM type by name. */
  readonly allocas = new Map<string, string>();
  private readonly ids = new Map<string, number>();

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Number that stands for a name of the source, which may hold any character. */
  idOf(name: string): number {
    const id = this.ids.get(name) ?? this.ids.size;
    this.ids.set(name, id);
    return id;
  }

  /** A value computed at the start of every call of the function: parameters, special registers, variable addresses. */
  once(key: string, build: (emit: (text: string) => string) => Leaf[]): Leaf[] {
    let leaves = this.values.get(key);
    if (leaves === undefined) {
      let count = 0;
      leaves = build((text) => {
        const name = `%e.${this.idOf(key)}.${count++}`;
        this.lines.push(`  ${name} = ${text}`);
        return name;
      });
      this.values.set(key, leaves);
    }
    return leaves;
  }

  /** The 32-bit word at offset `field` of the launch; `key` names it. */
  launchValue(field: number, key: string): Leaf {
    return this.once(key, (emit) => [
      this.kernel.writer.uniform(
        'i32',
        emit(`load i32, ptr ${emit(`getelementptr nuw i8, ptr %launch, i32 ${field}`)}, align 4`),
      ),
    ])[0] as Leaf;
  }

  /** Buffers of 4096 bytes for registers on their way to the runtime and back. */
  buffers(names: string[]): string[] {
    return names.map((name) => {
      this.allocas.set(`%buffer.${name}`, '[4096 x i8]');
      return `%buffer.${name}`;
    });
  }
}
