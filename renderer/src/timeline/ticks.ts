/**
 * Where the ruler's marks go and what they say. Far into a trace and zoomed in, full times would be twelve digits long,
 * so ticks then count from a base that the ruler shows once: base `1.234 s`, ticks `+200 ns`, `+400 ns` …
 */
import type { TimeWindow } from './time-window.ts';

export interface Tick {
  time: number;
  /** Empty for the small marks between. */
  label: string;
}
export interface Ruler {
  /** null: labels are full times. */
  base: { time: number; label: string } | null;
  /** Between two labelled ticks. */
  stepNs: number;
  ticks: Tick[];
  /** Labels are cycles, and the base is a kernel. */
  cycles?: true;
}

const units = [
  { unit: 'ns', ns: 1 },
  { unit: 'µs', ns: 1e3 },
  { unit: 'ms', ns: 1e6 },
  { unit: 's', ns: 1e9 },
] as const;

/** The smallest of 1, 2, 5 · 10ⁿ that leaves `minGap` pixels between labels. */
export function tickStep(nsPerPixel: number, minGap: number): number {
  const least = nsPerPixel * minGap;
  const decade = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (decade * factor >= least * 0.999999) return decade * factor;
  return decade * 10;
}

/** Ticks for two traces side by side: times count from where they are laid on each other, and before that are negative. */
export function rulerTicksFrom(originNs: number, window: TimeWindow, width: number): Ruler {
  if (originNs === 0) return rulerTicks(window, width);
  const { base, stepNs, ticks } = rulerTicks({ ...window, start: window.start - originNs }, width, 110, -Infinity);
  return {
    base: base && { ...base, time: base.time + originNs },
    stepNs,
    ticks: ticks.map(({ time, label }) => ({ time: time + originNs, label })),
  };
}

/** `leastNs`: nothing is before. */
export function rulerTicks(window: TimeWindow, width: number, minGap = 110, leastNs = 0): Ruler {
  if (width <= 0) return { base: null, stepNs: window.span, ticks: [] };
  const step = tickStep(window.span / width, minGap);
  const end = window.start + window.span;
  // The unit of the labels: of the largest time shown, unless that takes too many digits for the step.
  const scale = unitFor(Math.max(Math.abs(window.start), Math.abs(end)));
  const digits = Math.max(0, Math.round(Math.log10(scale.ns / step) + 0.499));
  const baseTime = digits > 3 ? baseFor(window.start, step) : 0;
  const shown = baseTime > 0 ? unitFor(end - baseTime) : scale;
  const decimals = Math.max(0, Math.ceil(Math.log10(shown.ns / step) - 1e-9));

  const parts = Math.round(mantissa(step)) === 2 ? 4 : 5;
  const small = step / parts;
  const ticks: Tick[] = [];
  const first = Math.ceil(window.start / small - 1e-9);
  const last = Math.floor(end / small + 1e-9);
  for (let i = first; i <= last; i++) {
    const time = i * small;
    if (time < leastNs) continue;
    const labelled = i % parts === 0;
    const value = (time - baseTime) / shown.ns;
    const sign = baseTime > 0 ? '+' : '';
    ticks.push({ time, label: labelled ? `${sign}${value.toFixed(decimals)} ${shown.unit}` : '' });
  }
  return {
    base: baseTime > 0 ? { time: baseTime, label: baseLabel(baseTime, step) } : null,
    stepNs: step,
    ticks,
  };
}

/** Cycles of an SM: where its cycle 0 is, and of which kernel. */
export interface CycleScale {
  zeroNs: number;
  nsPerCycle: number;
  kernel: string;
}

/** From so few nanoseconds between labels on, cycles are what people count in. */
export const cyclesFrom = 5;

/** Marks at whole cycles of a kernel. */
export function cycleTicks(window: TimeWindow, width: number, { zeroNs, nsPerCycle, kernel }: CycleScale): Ruler {
  const step = Math.max(1, Math.round(tickStep(window.span / width / nsPerCycle, 110)));
  const parts = step === 1 ? 1 : mantissa(step) === 2 ? 2 : 5;
  const small = step / parts;
  const first = Math.max(0, Math.ceil((window.start - zeroNs) / nsPerCycle / small - 1e-9));
  const last = Math.floor((window.start + window.span - zeroNs) / nsPerCycle / small + 1e-9);
  const ticks: Tick[] = [];
  for (let i = first; i <= last; i++) {
    const label = i % parts === 0 ? `cycle ${(i * small).toLocaleString('en-US')}` : '';
    ticks.push({ time: zeroNs + i * small * nsPerCycle, label });
  }
  return { base: { time: zeroNs, label: kernel }, stepNs: step * nsPerCycle, ticks, cycles: true };
}

function mantissa(step: number): number {
  return step / 10 ** Math.floor(Math.log10(step) + 1e-9);
}

function unitFor(ns: number): (typeof units)[number] {
  return units.findLast(({ ns: unit }) => ns >= unit) ?? units[0];
}

/** Rounded down so that offsets stay below a thousand of the step's unit. */
function baseFor(start: number, step: number): number {
  const unit = unitFor(step).ns * 1000;
  return Math.max(0, Math.floor(start / unit) * unit);
}

function baseLabel(time: number, step: number): string {
  const scale = unitFor(time);
  const decimals = Math.max(0, Math.round(Math.log10(scale.ns / (unitFor(step).ns * 1000))));
  return `${(time / scale.ns).toFixed(decimals)} ${scale.unit}`;
}
