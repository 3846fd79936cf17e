/** Part of each trace that is compared, and the points at which both are aligned. */
import type { CompareAlign, Comparison } from '../../model/comparison.ts';
import type { EventRef } from '../../model/timeline.ts';
import { SimsightError } from '../../base/errors.ts';
import type { Trace } from '../../trace/trace.ts';
import { kindOf } from '../../model/event-kinds/index.ts';
import { calledWork, doneAt, type CalledWork } from './called-work.ts';
import type { TraceEvents } from './events.ts';
import { rangeName, stepName } from './names.ts';
import { findSteps, type FoundSteps, type Step, type StepSource } from './steps.ts';
import type { Window } from './waterfall.ts';

export interface Side {
  trace: Trace;
  events: TraceEvents;
}
export interface Aligned {
  before: Window;
  after: Window;
  align: Comparison['align'];
  steps: FoundSteps | null;
  /** The time of a range of the host until the work is done that GPUs were asked for in it (ns). */
  untilDoneNs: { before: number; after: number } | null;
}

/** Throws `bad-request` where there is no such range, step or event. */
export function alignedWindows(
  before: Side,
  after: Side,
  align: CompareAlign = { by: 'start' },
  scaled = false,
): Aligned {
  const whole = { before: wholeOf(before), after: wholeOf(after) };
  const wallNs = { before: lengthOf(whole.before), after: lengthOf(whole.after) };
  const named = align.by === 'steps' ? align.name : undefined;
  const source = ({ events }: Side, own: number): StepSource => {
    let work: CalledWork | null = null;
    return { ranges: events.ranges, wallNs: own, work: () => (work ??= calledWork(events)) };
  };
  const steps = findSteps(source(before, wallNs.before), source(after, wallNs.after), named);
  const result = (windows: { before: Window; after: Window }, name: string | null, origins = windows): Aligned => ({
    ...windows,
    ...{ steps, untilDoneNs: null },
    align: {
      ...{ by: align.by, name, scaled },
      before: { originNs: origins.before.fromNs, scale: 1 },
      after: {
        originNs: origins.after.fromNs,
        scale: scaled && lengthOf(windows.after) > 0 ? lengthOf(windows.before) / lengthOf(windows.after) : 1,
      },
    },
  });
  switch (align.by) {
    case 'start':
      return result(whole, null);
    case 'steps': {
      if (!steps) {
        const what = named === undefined ? 'steps' : `ranges "${named}" that follow each other`;
        throw new SimsightError(
          'bad-request',
          `The traces have no ${what} in common.`,
          'Name the ranges that are steps, or align the traces otherwise.',
        );
      }
      const windowOf = (own: readonly Step[], { trace }: Side): Window => stepsWindow(own, align.number, trace);
      return result({ before: windowOf(steps.before, before), after: windowOf(steps.after, after) }, steps.name);
    }
    case 'range': {
      const windowOf = (side: Side): Window => rangeWindow(side, align.name, align.number ?? 0);
      const windows = { before: windowOf(before), after: windowOf(after) };
      const untilDone = ({ events }: Side, { fromNs, toNs }: Window): number =>
        Math.max(toNs, doneAt(calledWork(events), fromNs, toNs + 1)) - fromNs;
      const untilDoneNs = { before: untilDone(before, windows.before), after: untilDone(after, windows.after) };
      return { ...result(windows, align.name), untilDoneNs };
    }
    case 'events': {
      const origin = ({ trace }: Side, ref: EventRef): Window => ({ fromNs: startOf(trace, ref), toNs: 0 });
      return result(whole, null, { before: origin(before, align.before), after: origin(after, align.after) });
    }
  }
}

const lengthOf = ({ fromNs, toNs }: Window): number => toNs - fromNs;

/** Recordings of large programs begin long before they do anything, and profilers go on when the program has ended. */
function wholeOf({ trace: { info, facts } }: Side): Window {
  const { fromNs, toNs } = facts.programSpan ?? { fromNs: info.firstEventNs, toNs: info.durationNs };
  const end = Math.min(toNs, info.durationNs);
  return { fromNs: Math.min(fromNs, end), toNs: end };
}

function stepsWindow(steps: readonly Step[], number: number | undefined, trace: Trace): Window {
  const [first, last] = number === undefined ? [steps[0], steps.at(-1)] : [steps[number], steps[number]];
  if (!first || !last) {
    throw new SimsightError(
      'bad-request',
      `${trace.path} has no step ${number}.`,
      `It has ${steps.length}, numbered from 0.`,
    );
  }
  return { fromNs: first.startNs, toNs: last.startNs + last.durationNs };
}

const mostNamed = 12;

function rangeWindow({ trace, events: { ranges } }: Side, asked: string, number: number): Window {
  const { count, starts, ends, names, list, texts } = ranges;
  const fits = list.map(
    (name, i) => [name, texts[i]!, stepName(texts[i]!)].includes(asked) || name === rangeName(asked),
  );
  let left = number;
  for (let i = 0; i < count; i++) {
    if (fits[names[i]!] && ends[i]! > starts[i]! && left-- === 0) return { fromNs: starts[i]!, toNs: ends[i]! };
  }
  const isThere = left < number;
  const some = list.slice(0, mostNamed).join(', ');
  const all = list.length > mostNamed ? `${some} and ${list.length - mostNamed} more` : some;
  throw new SimsightError(
    'bad-request',
    isThere
      ? `${trace.path} has ${number - left} ranges "${asked}", numbered from 0: there is no number ${number}.`
      : `${trace.path} has no range "${asked}".`,
    list.length > 0 ? `Its ranges: ${all}.` : 'It has no ranges at all.',
  );
}

function startOf(trace: Trace, { kind, row }: EventRef): number {
  const start = trace.query(`SELECT start FROM ${kindOf[kind].table.name} WHERE rowid = ?`, row)[0]?.[0];
  if (start === undefined || start === null)
    throw new SimsightError('bad-request', `${trace.path} has no ${kind} ${row}.`, 'Choose another event.');
  return Number(start);
}
