/** The program's time with one limit lifted, each by itself, and what a fix has really brought. */
import type { LiftedLimit, WhatIfResult } from '../../../model/what-if.ts';
import { formatPercent, formatTime } from '../../../model/format.ts';
import { code, quiet, strong, type Block, type Line, type Section } from '../document.ts';
import { shortened } from '../text.ts';
import { gainsPicture } from '../waterfall-picture.ts';

export interface WhatIfOf {
  /** The name of the recording without a limit lifted, as it is called in this report. */
  name: string;
  result: WhatIfResult;
  /** Another recording of the program, with the fix. */
  real: { title: string; totalNs: number; gainNs: number } | null;
}

export function whatIfSection({ name, result, real }: WhatIfOf): Section {
  const { baseline, limits } = result;
  const effective = limits.filter(({ inEffect }) => inEffect);
  const idle = limits.filter(({ inEffect }) => !inEffect);
  const about =
    'The same program, recorded without each limit in turn: what a fix of that limit alone could reach at most. Gains do not add up, since another limit decides then.';
  const blocks: Block[] = [{ type: 'text', line: [quiet(about)] }];
  const gains = effective.filter(({ gainNs }) => gainNs > 0);
  if (gains.length > 0 || (real?.gainNs ?? 0) > 0) {
    const fix = real && real.gainNs > 0 ? [{ title: `The fix: ${real.title}`, gainNs: real.gainNs, isReal: true }] : [];
    const whole = { name, ns: baseline.totalNs };
    blocks.push({
      type: 'picture',
      picture: gainsPicture('what-if', 'What each limit costs', whole, [...gains, ...fix]),
    });
  }
  if (effective.length > 0 || real) {
    const row = (title: Line, totalNs: number, gainNs: number, changed: Line): Line[] => [
      title,
      [formatTime(totalNs)],
      [`${gainNs < 0 ? '−' : ''}${formatTime(Math.abs(gainNs))}`],
      [baseline.totalNs > 0 ? formatPercent((100 * gainNs) / baseline.totalNs) : ''],
      changed,
    ];
    const fix = real ? [row([strong(`The fix: ${shortened(real.title, 60)}`)], real.totalNs, real.gainNs, [''])] : [];
    const number = (column: string) => ({ name: column, isNumber: true });
    blocks.push({
      type: 'table',
      columns: [{ name: 'What if' }, number('Then'), number('Gain'), number('Of the whole'), { name: 'Changes most' }],
      rows: [...effective.map((limit) => row([limit.title], limit.totalNs, limit.gainNs, changesMost(limit))), ...fix],
    });
  }
  if (idle.length > 0) {
    const words = `Worth nothing here: ${idle.map(({ title }) => title).join(', ')}.`;
    blocks.push({ type: 'text', line: [quiet(words)] });
  }
  return { id: 'what-if', title: ['What if'], blocks };
}

function changesMost({ kernels: [first] }: LiftedLimit): Line {
  if (!first) return [quiet('nothing but the time between kernels')];
  const { name, count, beforeNs, afterNs } = first;
  return [code(shortened(name, 70)), ` ${count} ×: ${formatTime(beforeNs)} → ${formatTime(afterNs)}`];
}
