/** The engine's verdict and what belongs to it, in words. */
import type { CompareAlign, CompareKind, CompareVerdict } from '../../../engine/model/comparison.ts';
import { formatTime } from '../../../engine/model/format.ts';

export const verdictTitles: Record<CompareVerdict, string> = {
  improvement: '▼ Improvement',
  regression: '▲ Regression',
  neutral: '= Neutral',
  inconclusive: '? Inconclusive',
};
export const kindTitles: Record<CompareKind, string> = {
  total: 'Total',
  kernel: 'Kernel',
  copy: 'Copy',
  memset: 'Fill',
  api: 'API call',
  range: 'Range',
};
export const alignTitles: Record<CompareAlign['by'], string> = {
  start: 'Start',
  steps: 'Steps',
  range: 'NVTX range',
  events: 'Selected events',
};

/** `+1.2 ms`, `−3 µs`, `0`. */
export const signedDuration = (ns: number): string =>
  ns === 0 ? '0' : `${ns > 0 ? '+' : '−'}${formatTime(Math.abs(ns))}`;
export const percent = (share: number): string =>
  `${(100 * share).toLocaleString('en-US', share < 10 ? { minimumFractionDigits: 1, maximumFractionDigits: 1 } : { maximumFractionDigits: 0 })} %`;
export const signedPercent = (share: number): string => `${share < 0 ? '−' : '+'}${percent(Math.abs(share))}`;
