/** Units of an SM, which name each other. */
import type { AsyncCopies } from './async-copies.ts';
import type { SharedBarriers } from './barriers.ts';
import type { BlockBarriers } from './block-barriers.ts';
import type { BlockLauncher } from './block-launcher.ts';
import type { LoadStoreUnit } from './load-store-unit.ts';
import type { MemoryQueues } from './memory-queues.ts';
import type { Pipes } from './pipes.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { Schedulers } from './schedulers.ts';
import type { Scoreboards } from './scoreboards.ts';
import type { StateSamples } from './state-samples.ts';
import type { Stores } from './stores.ts';
import type { StreamReader } from './stream-reader.ts';

export interface SmUnits {
  readonly warps: ResidentWarps;
  readonly samples: StateSamples;
  readonly stores: Stores;
  readonly scoreboards: Scoreboards;
  readonly pipes: Pipes;
  readonly schedulers: Schedulers;
  readonly blockBarriers: BlockBarriers;
  readonly copies: AsyncCopies;
  readonly reader: StreamReader;
  readonly queues: MemoryQueues;
  readonly sharedBarriers: SharedBarriers;
  readonly blocks: BlockLauncher;
  readonly lsu: LoadStoreUnit;
}
