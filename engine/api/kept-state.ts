/**
 * State that the app keeps for a user between sessions: preferences, and the last view of each trace. It is a file of the
 * engine, `state.json` in the data folder, because every server of browser mode is another origin to a browser and starts
 * with an empty storage. The meaning of the values is the front end's business; here they are JSON of bounded size.
 *
 *   store.change({ preferences: { theme: 'light' } });
 *   store.read(); // { preferences: { theme: 'light' }, views: [], problem: null }
 *
 * A change names only what changed, so that two windows do not undo each other's.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readSmallFile, replaceFile } from '../base/replace-file.ts';
import { SimsightError } from '../base/errors.ts';
import type { KeptState } from './types.ts';

const mostBytes = 2 * 2 ** 20;
const mostViews = 40;
/** Limit of unreadable files that are set aside and kept. */
const mostBroken = 100;
/** JSON of all preferences, and of one view. */
const longest = { preferences: 512 * 1024, view: 128 * 1024 };

const preferences = z.record(z.string().max(64), z.json());
const view = z.strictObject({ path: z.string().min(1).max(4096), state: z.json() });
export const stateChange = z.strictObject({ preferences: preferences.optional(), view: view.optional() });
export type StateChange = z.infer<typeof stateChange>;

const stored = z.object({
  simsight: z.literal('state'),
  version: z.literal(1),
  preferences,
  views: z.array(view).max(mostViews),
});
type Stored = Pick<z.infer<typeof stored>, 'preferences' | 'views'>;

export class KeptStateStore {
  private readonly file: string;

  constructor(dataFolder: string) {
    this.file = join(dataFolder, 'state.json');
  }

  /** A file that is none of ours counts as none; it is put aside as `state.json.broken`, and `problem` says so. */
  read(): Stored & Pick<KeptState, 'problem'> {
    if (!existsSync(this.file)) return { preferences: {}, views: [], problem: null };
    try {
      const { preferences, views } = stored.parse(JSON.parse(readSmallFile(this.file, mostBytes)));
      return { preferences, views, problem: null };
    } catch (error) {
      const why =
        error instanceof z.ZodError ? 'it does not contain saved state' : error instanceof Error ? error.message : '';
      return { preferences: {}, views: [], problem: `${this.file} could not be read: ${why}.${this.putAside()}` };
    }
  }

  /** The views that were kept last come last, and the first go where there is no room. Throws `bad-request` for what is too large. */
  change({ preferences, view }: StateChange): KeptState {
    const { problem, ...before } = this.read();
    const after: Stored = { preferences: { ...before.preferences, ...preferences }, views: before.views };
    if (view) after.views = [...before.views.filter(({ path }) => path !== view.path), view].slice(-mostViews);
    for (const [what, value] of [['preferences', after.preferences] as const, ['view', view?.state ?? null] as const]) {
      const { length } = JSON.stringify(value);
      if (length > longest[what])
        throw new SimsightError('bad-request', `State of ${length} characters is too large to save.`);
    }
    try {
      replaceFile(this.file, textOf(after));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return {
        ...after,
        problem: `${this.file} could not be written: ${why}. Your changes last for this session only.`,
      };
    }
    return { ...after, problem };
  }

  private putAside(): string {
    try {
      const broken = `${this.file}.broken`;
      if (existsSync(broken)) {
        const older = [...Array(mostBroken).keys()].map((i) => `${broken}-${i + 1}`);
        const free = older.find((path) => !existsSync(path));
        if (free === undefined) return ' It is ignored.';
        renameSync(broken, free);
      }
      renameSync(this.file, broken);
      return ' It was renamed to state.json.broken, and a new file was started.';
    } catch {
      return ' It is ignored.';
    }
  }
}

/** Text of the state with as many of the latest views as there is room for. */
function textOf({ preferences, views }: Stored): string {
  for (let from = 0; ; from++) {
    const text = `${JSON.stringify({ simsight: 'state', version: 1, preferences, views: views.slice(from) })}\n`;
    if (Buffer.byteLength(text) <= mostBytes || from >= views.length) return text;
  }
}
