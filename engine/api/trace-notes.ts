/**
 * Users' notes on a trace, in a file of their own: `run.simsight.notes.json` beside `run.simsight`, so that they go where the
 * trace goes; in the data folder where that cannot be written. The trace itself is never touched.
 *
 *   notes.read('/work/run.simsight');
 *   notes.write('/work/run.simsight', [{ timeNs: 1300, durationNs: 2000, text: 'why so long?' }], of);
 */
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SimsightError } from '../base/errors.ts';
import { readSmallFile, replaceFile } from '../base/replace-file.ts';
import { mostNotes, noteSchema } from './note.ts';
import type { TraceNote, TraceNotes } from './types.ts';

const mostBytes = 4 * 2 ** 20;
const stored = z.object({
  simsight: z.literal('notes'),
  version: z.literal(1),
  trace: z.object({ durationNs: z.number(), eventCount: z.number() }),
  notes: z.array(noteSchema).max(mostNotes),
});
/** Tells whether notes were made on this recording or on one that had its name before. */
export interface NotedTrace {
  durationNs: number;
  eventCount: number;
}

export class NotesStore {
  private readonly folder: string;
  private readonly mayWrite: (path: string) => boolean;

  constructor(dataFolder: string, mayWrite: (path: string) => boolean = () => true) {
    this.folder = join(dataFolder, 'notes');
    this.mayWrite = mayWrite;
  }

  /** None where there is no file; throws `notes-unreadable` where there is one that is none of ours. */
  read(path: string, trace: NotedTrace): TraceNotes {
    const place = this.placesOf(path).find((each) => existsSync(each));
    if (place === undefined) return { notes: [], place: null, isOfThisRecording: true };
    try {
      const { notes, trace: noted } = stored.parse(JSON.parse(readSmallFile(place, mostBytes)));
      const same = noted.durationNs === trace.durationNs && noted.eventCount === trace.eventCount;
      return { notes, place, isOfThisRecording: same };
    } catch (error) {
      const why =
        error instanceof z.ZodError ? 'it is not a file of notes' : error instanceof Error ? error.message : '';
      throw new SimsightError(
        'notes-unreadable',
        `The notes in ${place} cannot be read: ${why}.`,
        'Correct or move that file; until then Simsight saves no notes.',
        { file: place },
      );
    }
  }

  /** All notes at once, in order of time; without any, the file goes. Throws `notes-unwritable`, and `notes-unreadable` as above. */
  write(path: string, notes: readonly TraceNote[], trace: NotedTrace): TraceNotes {
    const { place: before } = this.read(path, trace);
    const sorted = [...notes].sort((a, b) => a.timeNs - b.timeNs);
    const text = `${JSON.stringify({ simsight: 'notes', version: 1, trace, notes: sorted }, null, 2)}\n`;
    let failure: unknown;
    for (const place of before === null ? this.placesOf(path) : [before]) {
      try {
        if (sorted.length === 0) {
          rmSync(place, { force: true });
          return { notes: [], place: null, isOfThisRecording: true };
        }
        replaceFile(place, text);
        return { notes: sorted, place, isOfThisRecording: true };
      } catch (error) {
        failure = error;
      }
    }
    throw new SimsightError(
      'notes-unwritable',
      `The notes of ${path} cannot be written: ${failure instanceof Error ? failure.message : String(failure)}.`,
      'Make its folder writable; your notes stay on screen until then.',
      { file: path },
    );
  }

  /** Beside the trace, then where it can always be written. */
  private placesOf(path: string): string[] {
    const beside = `${path}.notes.json`;
    const own = join(this.folder, `${createHash('sha256').update(path).digest('hex').slice(0, 32)}.json`);
    return this.mayWrite(beside) ? [beside, own] : [own];
  }
}
