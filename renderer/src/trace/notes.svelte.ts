/** The user's notes on a trace: bookmarks and remarks at times, kept by the engine beside the file. */
import type { TraceNote } from '../../../engine/api/types.ts';
import { problemOf, type Problem } from '../app/problem.ts';
import { formatTime } from '../../../engine/model/format.ts';
import type { TimelineView } from '../timeline/view.svelte.ts';
import type { OpenTrace } from './open-trace.svelte.ts';

export class Notes {
  /** In order of time. */
  list = $state.raw<readonly TraceNote[]>([]);
  /** The file that has them. */
  place = $state<string | null>(null);
  isOfThisRecording = $state(true);
  problem = $state.raw<Problem | null>(null);
  /** The one whose text is to be typed next. */
  editing = $state.raw<TraceNote | null>(null);
  readonly #trace: OpenTrace;
  #loaded: Promise<void> | null = null;
  #saving = Promise.resolve();

  constructor(trace: OpenTrace) {
    this.#trace = trace;
  }

  get view(): TimelineView {
    return this.#trace.view;
  }

  load(): Promise<void> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }
  async #load(): Promise<void> {
    try {
      const { notes, place, isOfThisRecording } = await this.#trace.ask('trace.notes', {});
      this.list = notes;
      this.place = place;
      this.isOfThisRecording = isOfThisRecording;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf('The notes could not be read', error);
      this.#loaded = null;
    }
  }

  /** At the measured range, the selected event, the pointer or the middle of the view, in this order. */
  async add(): Promise<void> {
    await this.load();
    // Without knowing what there is, nothing is added to it.
    if (!this.#loaded) return;
    const { view, selection } = this.#trace;
    const { measured, cursor, window } = view;
    const seen = cursor !== null && cursor >= window.start && cursor <= window.start + window.span;
    const at = measured
      ? { timeNs: measured.from, durationNs: measured.to - measured.from }
      : selection
        ? { timeNs: selection.event.startNs, durationNs: selection.event.durationNs }
        : { timeNs: seen ? cursor : view.middle, durationNs: 0 };
    const timeNs = Math.min(Math.max(0, at.timeNs), this.#trace.info.durationNs);
    const note = { ...at, timeNs, text: '' };
    this.editing = note;
    await this.#save([...this.list, note]);
  }
  async write(note: TraceNote, text: string): Promise<void> {
    if (note.text === text) return;
    await this.#save(this.list.map((each) => (each === note ? { ...note, text } : each)));
  }
  async remove(note: TraceNote): Promise<void> {
    await this.#save(this.list.filter((each) => each !== note));
  }

  /** The written notes stay on screen, whatever becomes of the file. */
  async #save(notes: readonly TraceNote[]): Promise<void> {
    this.list = notes.toSorted((a, b) => a.timeNs - b.timeNs);
    const mine = this.list;
    this.#saving = this.#saving.then(async () => {
      try {
        const { place } = await this.#trace.ask('trace.setNotes', { notes: mine.map((note) => ({ ...note })) });
        this.place = place;
        this.isOfThisRecording = true;
        this.problem = null;
      } catch (error) {
        this.problem = problemOf('The notes could not be saved', error);
      }
    });
    await this.#saving;
  }
  retry(): void {
    if (this.#loaded) void this.#save(this.list);
    else void this.load();
  }

  go(note: TraceNote): void {
    const { view } = this.#trace;
    if (note.durationNs > 0) view.fit(note.timeNs, note.timeNs + note.durationNs);
    else view.centre(note.timeNs);
  }
  /** The next one after the middle of the view, or the one before it. */
  step(direction: 1 | -1): void {
    const { middle, nsPerPixel } = this.#trace.view;
    // Where it went to last is not where it goes next.
    const centreOf = ({ timeNs, durationNs }: TraceNote): number => timeNs + durationNs / 2;
    const next =
      direction > 0
        ? this.list.find((note) => centreOf(note) > middle + 2 * nsPerPixel)
        : this.list.findLast((note) => centreOf(note) < middle - 2 * nsPerPixel);
    if (next) this.go(next);
  }
}

export const titleOf = ({ timeNs, durationNs, text }: TraceNote): string =>
  [
    text || 'Bookmark',
    durationNs > 0 ? `${formatTime(timeNs)}, ${formatTime(durationNs)} long` : formatTime(timeNs),
  ].join('\n');
