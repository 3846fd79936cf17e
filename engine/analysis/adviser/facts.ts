/** What rules look at: gathered once for all of them, and only what is asked for. */
import type { Trace } from '../../trace/trace.ts';
import { kernelsOf, type KernelFacts, type KernelTimes } from './kernel-facts.ts';
import { timelineOf, type TimelineFacts } from './timeline-facts.ts';

export class Facts {
  readonly trace: Trace;
  private knownTimeline: TimelineFacts | undefined;
  private knownKernels: { kernels: KernelFacts[]; times: KernelTimes } | undefined;

  constructor(trace: Trace) {
    this.trace = trace;
  }

  get timeline(): TimelineFacts {
    return (this.knownTimeline ??= timelineOf(this.trace));
  }

  /** Launches that were alike, of the kernels that matter and that the trace has counters of; those with most time first. */
  get kernels(): readonly KernelFacts[] {
    return this.counted.kernels;
  }

  /** Time of all kernels, with counters or without. */
  get kernelTimes(): KernelTimes {
    return this.counted.times;
  }

  private get counted(): { kernels: KernelFacts[]; times: KernelTimes } {
    return (this.knownKernels ??= kernelsOf(this.trace, this.timeline.spanNs));
  }
}
