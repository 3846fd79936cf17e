/** Words and figures of the adviser's findings. All pure. */
import type { AdviceStage, FindingEvidence, FindingPlace } from '../../../engine/model/findings.ts';
import type { TraceFailure } from '../../../engine/model/timeline.ts';
import { formatBandwidth, formatBytes, formatCount, formatTime } from '../../../engine/model/format.ts';

/** The questions that people ask of a trace, in the order in which to ask them. */
export const stageTitles: Record<AdviceStage, string> = {
  failure: 'Failed',
  timeline: 'Timeline',
  memory: 'Memory-bound',
  compute: 'Compute-bound',
  latency: 'Latency-bound',
  stop: 'At the roof',
};

export function evidenceText({ value, unit }: FindingEvidence): string {
  switch (unit) {
    case 'ns':
      return formatTime(value);
    case 'bytes':
      return formatBytes(value);
    case 'bytes-per-second':
      return formatBandwidth(value);
    case 'percent':
      return `${value.toFixed(1)} %`;
    case 'count':
      return formatCount(value);
    case 'ratio':
      return value.toFixed(Math.abs(value) < 10 ? 2 : 1);
  }
}

export function placeText(place: FindingPlace): string {
  switch (place.kind) {
    case 'kernel':
      return place.name;
    case 'line':
      return `${place.file.split('/').at(-1)}:${place.line}`;
    case 'event':
      return place.label;
    case 'range':
      return `${place.label} (${formatTime(place.toNs - place.fromNs)})`;
  }
}

/** `fill: cudaErrorIllegalAddress at fill.cu:3`. */
export function failureTitle({ name, error, file, line }: TraceFailure): string {
  const where = file === null || line === null ? '' : ` at ${file.split('/').at(-1)}:${line}`;
  return `${name}: ${error || 'stopped'}${where}`;
}

/** With what happened in full. */
export const failureText = (failure: TraceFailure): string => `${failureTitle(failure)}. ${failure.message}`;

/** `up to 1.2 ms, 34 %`; of a whole recording. */
export function gainText(ns: number, wholeNs: number): string {
  const share = wholeNs > 0 ? (100 * ns) / wholeNs : 0;
  return `${formatTime(ns)}${share >= 0.05 ? `, ${share.toFixed(share < 10 ? 1 : 0)} %` : ''}`;
}
