import { ByteNames } from './byte-names.ts';
import { field, type EventView } from './event-view.ts';
import { absent, isEscaped } from './fields.ts';

/**
 * The rows that a category's events become. Among ranges of threads, `function` are those of an interpreter, open as long as something
 * is done in them, and `recorder` what the profiler says of itself.
 */
export type CategoryKind =
  | 'kernel'
  | 'memcpy'
  | 'memset'
  | 'synchronization'
  | 'runtime'
  | 'driver'
  | 'graph'
  | 'gpu range'
  | 'host range'
  | 'function'
  | 'recorder'
  | 'nothing'
  | 'range';

/** Categories of Kineto, and of its versions before 2022; all others are ranges. */
const categoryKinds: Readonly<Record<string, CategoryKind>> = {
  kernel: 'kernel',
  Kernel: 'kernel',
  gpu_memcpy: 'memcpy',
  Memcpy: 'memcpy',
  gpu_memset: 'memset',
  Memset: 'memset',
  cuda_sync: 'synchronization',
  cuda_runtime: 'runtime',
  Runtime: 'runtime',
  cuda_driver: 'driver',
  graph: 'graph',
  gpu_user_annotation: 'gpu range',
  cpu_op: 'host range',
  user_annotation: 'host range',
  python_function: 'function',
  Trace: 'recorder',
  overhead: 'recorder',
  Overhead: 'recorder',
  cuda_event: 'nothing',
};

export interface Category {
  kind: CategoryKind;
  name: string;
  /** Its number in `NVTX_EVENTS.domainId`; 0 for none. */
  domain: number;
}

/** Categories that are told apart: more are made up. */
export const mostDomains = 4096;

/** Categories of events, each an NVTX domain. */
export class Categories {
  /** Domains by name, numbered from 1. */
  readonly domains = new Map<string, number>();
  private readonly list: Category[] = [];
  private readonly names = new ByteNames((name) => {
    const category = { kind: categoryKinds[name] ?? 'range', name, domain: this.domainOf(name) };
    return this.list.push(category) - 1;
  });

  of({ fields: { bytes, kinds, starts, ends } }: EventView): Category {
    const [start, end] = kinds[field.cat] === absent ? [0, 0] : [starts[field.cat]!, ends[field.cat]!];
    return this.list[this.names.find(bytes, start, end, kinds[field.cat] === isEscaped)]!;
  }

  /** Numbers of the categories of a kind. */
  domainsOf(kind: CategoryKind): number[] {
    return this.list.flatMap((category) => (category.kind === kind && category.domain > 0 ? [category.domain] : []));
  }

  domainOf(name: string): number {
    if (name === '') return 0;
    const known = this.domains.get(name);
    if (known !== undefined) return known;
    if (this.domains.size === mostDomains - 1) return 0;
    this.domains.set(name, this.domains.size + 1);
    return this.domains.size;
  }
}
