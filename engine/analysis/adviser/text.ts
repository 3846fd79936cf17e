/** Findings as text for a terminal. */
import { harmlessLines } from '../../base/harmless.ts';
import type { AdviceStage, Finding, FindingEvidence, FindingPlace } from '../../model/findings.ts';
import { formatBytes, formatNumber, formatPercent, formatTime } from '../../model/format.ts';

const stageTitles: Readonly<Record<AdviceStage, string>> = {
  failure: 'What failed: until that is mended, nothing else counts',
  timeline: 'Timeline: gaps, copies, waits',
  memory: 'Memory: bytes and how they are fetched',
  compute: 'Compute: instructions and who executes them',
  latency: 'Latency: too little at once',
  stop: 'Where to stop',
};
const width = 100;

export function formatFindings(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing to say: no rule found anything with evidence in this trace.\n';
  const stages = Map.groupBy(harmlessLines(findings), ({ stage }) => stage);
  let number = 0;
  const sections = [...stages].map(([stage, own]) => {
    const texts = own.map((finding) => formatFinding(finding, ++number));
    return `${stageTitles[stage]}\n${'─'.repeat(stageTitles[stage].length)}\n\n${texts.join('\n')}`;
  });
  const several = findings.filter(({ gain }) => gain).length > 1;
  return [...sections, ...(several ? [`${gainsOverlap}\n`] : [])].join('\n');
}
const gainsOverlap =
  'Gains do not add up: each is what that change alone could save at most, and several may win the same time.';

function formatFinding(finding: Finding, number: number): string {
  const { rule, title, evidence, places, why, todo, gain, lab } = finding;
  const names = Math.max(...evidence.map(({ name }) => name.length));
  const rows: [string, string][] = [
    ['Why', why],
    ['Do', todo],
    ['Gain', gain ? `up to ${formatTime(gain.ns)}. ${gain.basis}` : ''],
    ['Where', places.map(placeInWords).join('; ')],
    ['Lab', lab ?? ''],
  ];
  const lines = [
    ...wrapped(`${number}. `, `${title} [${rule}]`),
    ...rows.filter(([, text]) => text !== '').flatMap(([head, text]) => wrapped(`   ${head.padEnd(6)}`, text)),
    ...evidence.map((each) => `         ${each.name.padEnd(names)}  ${valueOf(each)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function valueOf({ value, unit }: FindingEvidence): string {
  if (unit === 'ns') return formatTime(value);
  if (unit === 'bytes') return formatBytes(value);
  if (unit === 'bytes-per-second') return `${formatNumber(Math.round(value / 1e7) / 100)} GB/s`;
  return unit === 'percent' ? formatPercent(value) : formatNumber(value);
}

function placeInWords(place: FindingPlace): string {
  if (place.kind === 'line') return `${place.file}:${place.line}`;
  if (place.kind === 'kernel') return `${place.name} (kernel ${place.kernel})`;
  if (place.kind === 'event') return `${place.label} (${place.ref.kind} ${place.ref.row})`;
  return `${formatTime(place.fromNs)} to ${formatTime(place.toNs)} (${place.label})`;
}

/** Lines after the first are indented as far as its head. */
function wrapped(head: string, text: string): string[] {
  const lines: string[] = [];
  let line = head;
  for (const word of text.split(' ')) {
    if (line.length + word.length > width && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = ' '.repeat(head.length);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
