/**
 * A rule of the adviser. One file per rule in `rules/`, and one line in `rules/index.ts`. A rule of the timeline looks at
 * {@link Facts} as a whole; one of kernels is asked about each kernel that matters, see `kernel-rule.ts`.
 */
import type { AdviceStage, Finding } from '../../model/findings.ts';
import type { Facts } from './facts.ts';

export interface Rule {
  /** Stable: scripts and labs name it. */
  id: string;
  stage: AdviceStage;
  /** The flaw that it looks for, in a few words. */
  title: string;
  /** Id of the lab that shows it, if there is one. */
  lab: string | null;
  /** `found`: what the rules before it have found, for those that have something to say only where nothing else is wrong. */
  find(facts: Facts, found: readonly Finding[]): RuleFinding[];
}

export type RuleFinding = Omit<Finding, 'rule' | 'stage' | 'lab'>;
