/** What the recording's time could become with one limit lifted, each by itself. */
import { quiet, type Section } from '../document.ts';
import { gainsPicture } from '../waterfall-picture.ts';

export interface WhatIf {
  title: string;
  /** Of the recording's time. */
  gainNs: number;
}

/** null where nothing would be gained. */
export function whatIfSection(whatIfs: readonly WhatIf[], durationNs: number): Section | null {
  const gains = whatIfs.filter(({ gainNs }) => gainNs > 0).sort((a, b) => b.gainNs - a.gainNs);
  if (gains.length === 0) return null;
  const picture = gainsPicture('what-if', 'What each limit costs', 'As recorded', durationNs, gains);
  return {
    id: 'what-if',
    title: ['What if'],
    blocks: [
      { type: 'text', line: [quiet('Each line: the same recording with that one limit lifted. Gains do not add up.')] },
      { type: 'picture', picture },
    ],
  };
}
