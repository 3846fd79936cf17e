/** The adviser's findings, in its order: the timeline first, then where kernels lie under their roofs. */
import {
  adviceStages,
  type AdviceStage,
  type Finding,
  type FindingEvidence,
  type FindingPlace,
} from '../../../model/findings.ts';
import { formatBytes, formatNumber, formatPercent, formatTime } from '../../../model/format.ts';
import { code, quiet, strong, type Block, type Line, type Section } from '../document.ts';
import { bandwidthOf } from '../roofline-picture.ts';
import { shortened } from '../text.ts';

const stageTitles: Record<AdviceStage, string> = {
  failure: 'What failed',
  timeline: 'First the timeline',
  memory: 'Bound by memory',
  compute: 'Bound by computing',
  latency: 'Bound by latency',
  stop: 'Where to stop',
};
const mostPlaces = 6;

/** `anchorOf`: the section of the kernel in that row, empty where it has none. null where there is nothing to do. */
export function findingsSection(
  findings: readonly Finding[],
  durationNs: number,
  anchorOf: (kernel: number) => string,
): Section | null {
  if (findings.length === 0) return null;
  let number = 0;
  const sections = adviceStages.flatMap((stage): Section[] => {
    const own = findings.filter((finding) => finding.stage === stage);
    if (own.length === 0) return [];
    const stageId = `advice-${stage}`;
    const found = own.map((finding) => oneFinding(finding, `finding-${++number}`, durationNs, anchorOf));
    return [{ id: stageId, title: [stageTitles[stage]], blocks: [], sections: found }];
  });
  const words = `${findings.length} finding${findings.length > 1 ? 's' : ''}, each with what it was found by.${findings.length > 1 ? ' Gains do not add up.' : ''}`;
  return { id: 'advice', title: ['What to do'], blocks: [{ type: 'text', line: [quiet(words)] }], sections };
}

function oneFinding(
  { rule, title, evidence, places, why, todo, gain, lab }: Finding,
  id: string,
  durationNs: number,
  anchorOf: (kernel: number) => string,
): Section {
  const facts: { name: string; line: Line }[] = [
    { name: 'Do', line: [strong(todo)] },
    { name: 'Why', line: [why] },
  ];
  if (gain) {
    const share = durationNs > 0 ? ` (${formatPercent((100 * gain.ns) / durationNs)} of the recording)` : '';
    facts.push({
      name: 'Could save',
      line: [{ text: `up to ${formatTime(gain.ns)}${share}`, is: 'good' }, `: ${gain.basis}`],
    });
  }
  const where = places
    .slice(0, mostPlaces)
    .flatMap((place, i): Piece[] => [...(i > 0 ? ['; '] : []), ...placeOf(place, anchorOf)]);
  if (places.length > mostPlaces) where.push(`; and ${places.length - mostPlaces} more`);
  facts.push({ name: 'Where', line: where });
  facts.push({ name: 'Rule', line: [code(rule), ...(lab === null ? [] : [' · shown by the lab ', code(lab)])] });
  const blocks: Block[] = [{ type: 'facts', facts }];
  blocks.push({
    type: 'table',
    columns: [{ name: 'Evidence' }, { name: 'Measured', isNumber: true }],
    rows: evidence.map((each) => [[code(each.name)], [valueOf(each)]]),
  });
  return { id, title: [title], blocks };
}
type Piece = Line[number];

function placeOf(place: FindingPlace, anchorOf: (kernel: number) => string): Piece[] {
  const linked = (text: string, kernel: number): Piece => {
    const anchor = anchorOf(kernel);
    return anchor === '' ? code(text) : { text, anchor };
  };
  switch (place.kind) {
    case 'kernel':
      return [linked(shortened(place.name, 110), place.kernel)];
    case 'line':
      return [linked(`${place.file}:${place.line}`, place.kernel)];
    case 'event':
      return [shortened(place.label, 110)];
    case 'range':
      return [`${shortened(place.label, 110)}, ${formatTime(place.fromNs)} to ${formatTime(place.toNs)}`];
  }
}

function valueOf({ value, unit }: FindingEvidence): string {
  switch (unit) {
    case 'ns':
      return formatTime(value);
    case 'bytes':
      return formatBytes(value);
    case 'bytes-per-second':
      return bandwidthOf(value);
    case 'percent':
      return formatPercent(value);
    case 'count':
    case 'ratio':
      return formatNumber(value);
  }
}
