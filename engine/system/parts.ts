/** Parts of the simulated system, which name each other. */
import type { SystemState } from './state.ts';
import type { StreamOrder } from './stream-order.ts';
import type { Streams } from './streams.ts';
import type { Submission } from './submission.ts';
import type { Waits } from './waits.ts';
import type { RequestedWork } from './work.ts';

/** The parts of the system that copies and launches act on. */
export interface SystemParts {
  readonly state: SystemState;
  readonly streams: Streams;
  readonly order: StreamOrder;
  readonly submission: Submission;
  readonly waits: Waits;
  readonly work: RequestedWork;
}
