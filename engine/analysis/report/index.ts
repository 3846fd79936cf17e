/**
 * A recording as a document to send around: one HTML page with everything in it, or Markdown with its pictures beside it.
 *
 *   const { text, fileName } = writeReport(trace, 'html', { name: 'run.simsight' });
 *
 * The same recording gives the same bytes. Nothing of the machine that writes it gets in: no time, no folder.
 */
import { advise } from '../adviser/index.ts';
import type { DocumentFormat, WrittenReport } from '../../model/tables.ts';
import type { Finding } from '../../model/findings.ts';
import type { WhatIfResult } from '../../model/what-if.ts';
import type { Trace } from '../../trace/trace.ts';
import { SimsightError } from '../../base/errors.ts';
import { formatTime } from '../../model/format.ts';
import { compareTraces } from '../compare/index.ts';
import { quiet, type Line, type ReportDocument, type Section } from './document.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';
import { comparisonSection } from './sections/comparison.ts';
import { findingsSection } from './sections/findings.ts';
import { kernelGroups, kernelSection } from './sections/kernels.ts';
import { headBlocks, rangeOf, recordingSection, timelineSection } from './sections/recording.ts';
import { apiSection, consoleSection, memorySection } from './sections/tables.ts';
import { whatIfSection, type WhatIfOf } from './sections/what-if.ts';
import { isWhatIfOf } from '../what-if-results.ts';

export interface ReportInput {
  /** The name of the trace's file, as it is to be shown: without folders. */
  name: string;
  before?: { trace: Trace; name: string } | undefined;
  /** The adviser's findings. */
  findings?: readonly Finding[] | undefined;
  /** The what-if of this recording, or of the one before: then this one shows what the fix has really brought. */
  whatIf?: WhatIfResult | undefined;
}

/** `fileName`: how it is to be called, where that is known; pictures are named after it. */
export function writeReport(
  trace: Trace,
  format: DocumentFormat,
  input: ReportInput,
  fileName = `${plainName(withoutEnding(input.name))}.report.${format === 'html' ? 'html' : 'md'}`,
): WrittenReport {
  const document = documentOf(trace, input);
  if (format === 'html') return { text: toHtml(document), fileName, pictures: [] };
  const stem = withoutEnding(fileName);
  return { ...toMarkdown(document, (picture) => `${stem}.${picture}.svg`), fileName };
}

/** A name that every file system takes; the front end leaves out the same, and links within a report stay right. */
const plainName = (name: string): string => name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
const withoutEnding = (name: string): string => name.replace(/\.[^.]*$/, '') || name;

export function documentOf(
  trace: Trace,
  { name, before, findings = advise(trace), whatIf }: ReportInput,
): ReportDocument {
  const { fromNs, toNs } = rangeOf(trace);
  const summary = trace.queries.summarize({ fromNs, toNs });
  const kernels = kernelGroups(trace);
  const anchors = new Map(kernels.flatMap(({ anchor, launches }) => launches.map(({ row }) => [row, anchor] as const)));
  const sections: (Section | null)[] = [
    timelineSection(trace, summary),
    findingsSection(findings, toNs - fromNs, (kernel) => anchors.get(kernel) ?? ''),
    whatIf ? whatIfSection(whatIfOf(whatIf, trace, name, before)) : null,
    before ? comparisonSection(compareTraces(before.trace, trace), before.name, name) : null,
    kernelSection(trace, kernels),
    apiSection(trace),
    memorySection(trace),
    consoleSection(trace),
    recordingSection(trace, name),
  ];
  const written = sections.filter((section) => section !== null);
  const lacking = lackingIn(new Set(written.map(({ id }) => id)));
  if (lacking !== '') written.at(-1)!.blocks.push({ type: 'text', line: [quiet(lacking)] });
  return {
    title: trace.info.title,
    subtitle: subtitleOf(trace),
    blocks: headBlocks(trace, summary),
    sections: written,
  };
}

/** Errors: 'bad-request' where it is of neither recording. */
function whatIfOf(result: WhatIfResult, trace: Trace, name: string, before: ReportInput['before']): WhatIfOf {
  if (isWhatIfOf(result, trace)) return { name: 'As recorded', result, real: result.real };
  if (before && isWhatIfOf(result, before.trace)) {
    const { title, durationNs: totalNs } = trace.info;
    const real = { title, totalNs, gainNs: result.baseline.totalNs - totalNs };
    return { name: `Before: ${before.name}`, result, real };
  }
  const recordings = before ? `neither ${name} nor ${before.name} is a recording of that` : `${name} is none of it`;
  const { title, gpu, baseline } = result;
  throw new SimsightError(
    'bad-request',
    `The what-if is of ${title} on ${gpu}, which takes ${formatTime(baseline.totalNs)}, and ${recordings}.`,
    'Record both with the same source, GPU, arguments and options.',
  );
}

function subtitleOf({ info }: Trace): Line {
  const parts = [info.program, info.gpu, 'Simsight report'];
  return [parts.filter((part) => part !== '').join(' · ')];
}

/** The sections that a reader may look for in vain. */
function lackingIn(ids: ReadonlySet<string>): string {
  const expected = {
    timeline: 'events',
    kernels: 'kernels',
    api: 'API calls',
    memory: 'copies',
    console: 'console output',
  };
  const missing = Object.entries(expected).filter(([id]) => !ids.has(id));
  if (missing.length === 0) return '';
  return `The recording holds no ${missing.map(([, what]) => what).join(', no ')}; their sections are left out.`;
}
