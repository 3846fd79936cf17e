/** The facts that rules look at: gathered once for all of them, and only what is asked for. */
import type { Trace } from '../../trace/trace.ts';
import { kernelsOf, type KernelFacts } from './kernel-facts.ts';
import { timelineOf, type TimelineFacts } from './timeline-facts.ts';

export class Facts {
  readonly trace: Trace;
  private knownTimeline: TimelineFacts | undefined;
  private knownKernels: KernelFacts[] | undefined;

  constructor(trace: Trace) {
    this.trace = trace;
  }

  get timeline(): TimelineFacts {
    return (this.knownTimeline ??= timelineOf(this.trace));
  }

  /** Launches that were alike, of the kernels that matter and that the trace has counters of; those with most time first. */
  get kernels(): readonly KernelFacts[] {
    return (this.knownKernels ??= kernelsOf(this.trace, this.timeline.spanNs));
  }
}
