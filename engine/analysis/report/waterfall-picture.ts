/** Waterfalls: from one amount of time to another in steps, and what each of several changes could be worth by itself. */
import { formatTime } from '../../model/format.ts';
import type { Picture } from './document.ts';
import { Drawing } from './drawing.ts';
import { shortened } from './text.ts';

const size = { width: 860, names: 270, values: 170, row: 24, bar: 15 } as const;
const plotWidth = size.width - size.names - size.values;

export interface Step {
  name: string;
  /** ns; negative where it takes less time. */
  change: number;
}

/** From `before` over all steps to what is left; the steps add up. */
export function waterfallPicture(
  name: string,
  title: string,
  ends: { before: string; after: string },
  beforeNs: number,
  steps: readonly Step[],
): Picture {
  const drawing = new Drawing(size.width, (steps.length + 2) * size.row + 8);
  const levels = [beforeNs];
  for (const { change } of steps) levels.push(levels.at(-1)! + change);
  const x = scaleTo(Math.max(...levels));
  drawRow(drawing, 0, ends.before, 0, x(beforeNs), 'other', formatTime(beforeNs));
  steps.forEach(({ name: step, change }, i) => {
    const [from, to] = [x(levels[i]!), x(levels[i + 1]!)];
    const text = `${change > 0 ? '+' : '−'}${formatTime(Math.abs(change))}`;
    drawing.line(size.names + from, (i + 1) * size.row - 3, size.names + from, (i + 1) * size.row + 7, 'axis');
    drawRow(drawing, i + 1, step, Math.min(from, to), Math.abs(to - from), change > 0 ? 'tohost' : 'todevice', text);
  });
  drawRow(drawing, steps.length + 1, ends.after, 0, x(levels.at(-1)!), 'k0', formatTime(levels.at(-1)!));
  return drawing.picture(name, title);
}

/** Each by itself, from the whole time down: gains of several changes do not add up. Those that are real look like what is left of time. */
export function gainsPicture(
  name: string,
  title: string,
  whole: { name: string; ns: number },
  gains: readonly { title: string; gainNs: number; isReal?: boolean }[],
): Picture {
  const drawing = new Drawing(size.width, (gains.length + 1) * size.row + 8);
  const x = scaleTo(Math.max(whole.ns, 1));
  drawRow(drawing, 0, whole.name, 0, x(whole.ns), 'other', formatTime(whole.ns));
  gains.forEach(({ title: gain, gainNs, isReal }, i) => {
    const left = x(Math.max(0, whole.ns - gainNs));
    const share = whole.ns > 0 ? ` (${((100 * gainNs) / whole.ns).toFixed(1)} %)` : '';
    const text = `−${formatTime(gainNs)}${share}`;
    drawing.rect(size.names, (i + 1) * size.row + 4, left, size.bar, 'panel');
    drawRow(drawing, i + 1, gain, left, x(Math.min(gainNs, whole.ns)), isReal ? 'k0' : 'todevice', text);
  });
  return drawing.picture(name, title);
}

const scaleTo =
  (most: number) =>
  (value: number): number =>
    most > 0 ? (value / most) * plotWidth : 0;

function drawRow(
  drawing: Drawing,
  row: number,
  name: string,
  left: number,
  width: number,
  colour: string,
  text: string,
): void {
  const y = row * size.row + 4;
  drawing.text(size.names - 10, y + 11.5, shortened(name, 42), 'end');
  drawing.rect(size.names + left, y, Math.max(width, 1), size.bar, colour);
  drawing.text(size.names + plotWidth + 8, y + 11.5, text, 'quiet');
}
