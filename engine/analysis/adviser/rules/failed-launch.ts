/** Kernels that did not come to their end and launches that were refused: until that is mended, nothing else counts. */
import { formatNumber } from '../../../model/format.ts';
import { readFailures } from '../../../trace/failures.ts';
import { mostFailures, type TraceFailure } from '../../../model/timeline.ts';
import type { FindingPlace } from '../../../model/findings.ts';
import { num } from '../../columns.ts';
import { measured } from '../kernel-rule.ts';
import type { Rule, RuleFinding } from '../rule.ts';

export const failedLaunch: Rule = {
  id: 'failed-launch',
  stage: 'failure',
  title: 'A kernel failed, or its launch was refused',
  lab: null,
  find({ trace }) {
    const failures = readFailures(trace, mostFailures);
    const alike = Map.groupBy(failures, ({ name, error, file, line }) => [name, error, file, line].join('\n'));
    const all = num(trace.query('SELECT count(*) FROM SIMSIGHT_FAILURES')[0]![0]);
    return [...alike.values()].map(([first, ...others]): RuleFinding => {
      const { name, error, message, remedy, file, line } = first!;
      const times = others.length > 0 ? `, ${formatNumber(1 + others.length)} times` : '';
      const what = error === '' ? 'was stopped' : `failed with ${error}`;
      const where = line === null ? '' : ` at ${file!.split('/').at(-1)}:${line}`;
      return {
        title: `${name} ${what}${where}${times}`,
        evidence: [
          measured('such launches', 1 + others.length, 'count'),
          measured('launches of the recording that came to nothing', all, 'count'),
        ],
        places: placesOf(first!),
        why: message,
        todo: [remedy, trace.facts.exitCode === 0 ? unnoticed : ''].filter(Boolean).join(' '),
        gain: null,
      };
    });
  },
};

const unnoticed =
  'The program ended with exit code 0 all the same: check the code of each call, cudaGetLastError() after a launch, and what the next ' +
  'synchronization returns.';

function placesOf({ name, ref, startNs, file, line }: TraceFailure): FindingPlace[] {
  const event: FindingPlace =
    ref === null ? { kind: 'range', fromNs: startNs, toNs: startNs, label: name } : { kind: 'event', ref, label: name };
  if (ref?.kind !== 'kernel' || file === null || line === null) return [event];
  return [{ kind: 'line', kernel: ref.row, file, line }, event];
}
