/** Findings of the adviser. */
import type { EventRef } from './timeline.ts';

/** The order in which the adviser looks: at the timeline first, then at where a kernel lies under its roofs. */
export const adviceStages = ['failure', 'timeline', 'memory', 'compute', 'latency', 'stop'] as const;

export type AdviceStage = (typeof adviceStages)[number];

/** A finding, with its evidence. */
export interface Finding {
  /** Name of the rule, stable: `bank-conflicts`. */
  rule: string;
  stage: AdviceStage;
  /** One sentence with the figures that matter. */
  title: string;
  /** Measured evidence; never empty. */
  evidence: FindingEvidence[];
  /** Places to look at, most important first; never empty. */
  places: FindingPlace[];
  why: string;
  todo: string;
  /** Upper bound on the recording time saved, and its basis; null where the trace does not tell. */
  gain: { ns: number; basis: string } | null;
  /** Id of the lab that shows it. */
  lab: string | null;
}

export interface FindingEvidence {
  /** A counter under its name in Nsight Compute, or what it is in words. */
  name: string;
  value: number;
  unit: 'ns' | 'bytes' | 'bytes-per-second' | 'percent' | 'count' | 'ratio';
}

export type FindingPlace =
  | { kind: 'kernel'; kernel: number; name: string }
  | { kind: 'line'; kernel: number; file: string; line: number }
  | { kind: 'event'; ref: EventRef; label: string }
  | { kind: 'range'; fromNs: number; toNs: number; label: string };
