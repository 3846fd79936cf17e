/** The outcome of each file that was opened or dropped together with others. */
import type { Problem } from './problem.ts';

/** As many as have room under one ruler. */
export const mostShown = 2;

export type FileOutcome = { path: string } & (
  | { became: 'shown' | 'source' }
  /** There was no room for it. */
  | { became: 'left' }
  | { became: 'failed'; problem: Problem }
);

/** True if the user has to be told: something is not on the screen. */
export const isWorthSaying = (files: readonly FileOutcome[]): boolean =>
  files.some(({ became }) => became === 'left' || became === 'failed');

/** `2 of 6 files are shown`. */
export function summaryOf(files: readonly FileOutcome[]): string {
  const count = (wanted: FileOutcome['became']): number => files.filter(({ became }) => became === wanted).length;
  const [shown, sources] = [count('shown'), count('source')];
  const parts = [
    shown === 0 && sources > 0
      ? ''
      : `${shown === 0 ? 'None' : shown} of ${files.length} files ${shown === 1 ? 'is' : 'are'} shown`,
    sources > 0 ? `${sources} to be recorded` : '',
  ];
  return parts.filter(Boolean).join(', ');
}

/** The message about one, beside its name; `index` is its place among those shown. */
export function wordsOf(file: FileOutcome, index: number, shown: number): string {
  switch (file.became) {
    case 'shown':
      return shown < mostShown ? 'shown' : index === 0 ? 'shown as before' : 'shown as after';
    case 'source':
      return 'a source, added to the record dialog';
    case 'left':
      return `not opened: Simsight shows ${mostShown} traces at a time`;
    case 'failed':
      return [file.problem.message, file.problem.remedy].filter(Boolean).join(' ');
  }
}
