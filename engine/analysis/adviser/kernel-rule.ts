/**
 * A rule that is asked about one kernel at a time: what it finds in launches that were alike becomes one finding for all launches of
 * the kernel, if it could save enough of their time to be worth saying.
 *
 *   export const spills = kernelRule({ id: 'register-spills', stage: 'memory', title: '…', lab: null, find: (kernel) => … });
 */
import type { FindingEvidence } from '../../model/findings.ts';
import type { Facts } from './facts.ts';
import type { KernelFacts } from './kernel-facts.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { leastGain } from './thresholds.ts';
import { unitOfMetric } from '../../model/metric-names.ts';
import { formatNumber } from '../../model/format.ts';

export interface KernelFinding extends Pick<RuleFinding, 'evidence' | 'places' | 'why' | 'todo'> {
  /** The finding about the kernel, to stand behind its name: `loads 8 sectors per request`. */
  says: string;
  /** The share of the kernel's time that it could save at most, 0 to 1, and how that is reckoned; null where the trace does not tell. */
  saves: { share: number; basis: string } | null;
}

export interface KernelRule extends Omit<Rule, 'find'> {
  find(kernel: KernelFacts, facts: Facts): KernelFinding | null;
}

export function kernelRule({ find, ...rule }: KernelRule): Rule {
  return {
    ...rule,
    find(facts) {
      const found = facts.kernels.flatMap((kernel) => {
        const finding = find(kernel, facts);
        if (!finding || (finding.saves !== null && !(finding.saves.share * kernel.ownShare >= leastGain))) return [];
        return [{ kernel, finding }];
      });
      return [...Map.groupBy(found, ({ kernel }) => kernel.kernel).values()].map(gathered);
    },
  };
}

/** Launches that differ count with their own share; what is said is of those with most to gain. */
function gathered(found: { kernel: KernelFacts; finding: KernelFinding }[]): RuleFinding {
  const savedBy = ({ kernel, finding }: (typeof found)[number]): number =>
    finding.saves === null ? 0 : Math.min(1, finding.saves.share) * kernel.ownShare * kernel.totalNs;
  const [most] = [...found].sort((a, b) => savedBy(b) - savedBy(a) || b.kernel.totalNs - a.kernel.totalNs);
  const { kernel, finding } = most!;
  const { says, evidence, places, why, todo, saves } = finding;
  const launches = found.reduce((sum, each) => sum + each.kernel.launches, 0);
  const also = found.flatMap((each) =>
    each === most ? [] : [{ kind: 'kernel' as const, kernel: each.kernel.row, name: each.kernel.name }],
  );
  const ns = Math.round(found.reduce((sum, each) => sum + savedBy(each), 0));
  const ofAll = launches === 1 ? '' : ` Over ${formatNumber(launches)} launches.`;
  return {
    title: `${kernel.name} ${says}`,
    evidence: [...evidence, ...timeEvidence(kernel)],
    places: [...places, ...also.slice(0, mostPlaces)],
    ...{ why, todo },
    gain: saves && { ns, basis: `${saves.basis}${ofAll}` },
  };
}
/** The most further launches that are shown: others are found by the kernel's name. */
const mostPlaces = 3;

const timeEvidence = (kernel: KernelFacts): FindingEvidence[] => [
  ...counters(kernel, 'gpu__time_duration.sum'),
  measured('of the time of all kernels, in all its launches', 100 * kernel.share, 'percent'),
];

/** A counter of the trace, as it is there; none where it is not. */
export function counters(kernel: KernelFacts, ...names: string[]): FindingEvidence[] {
  return names.flatMap((name) => {
    const value = kernel.metric(name);
    return value === null ? [] : [{ name, value, unit: unitOf(name) }];
  });
}

function unitOf(name: string): FindingEvidence['unit'] {
  return unitOfMetric(name) ?? (name.endsWith('.ratio') ? 'ratio' : 'count');
}

/** Something that has no counter's name. */
export const measured = (name: string, value: number, unit: FindingEvidence['unit']): FindingEvidence => ({
  ...{ name, value, unit },
});

/** Share of warp-cycles, as evidence. */
export const timeOfWarps = (what: string, share: number): FindingEvidence =>
  measured(`time of warps: ${what}`, 100 * share, 'percent');

export const inPercent = (share: number): string => `${Math.round(100 * share)} %`;
