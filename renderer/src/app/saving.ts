/** Saving of what the screen shows, as files: pictures, reports, comparisons. */
import type { DocumentFormat, WrittenReport } from '../../../engine/model/tables.ts';
import type { Comparing } from '../compare/comparing.svelte.ts';
import type { OpenTrace } from '../trace/open-trace.svelte.ts';
import { svgAsPng, viewAsSvg } from '../trace/view-picture.ts';
import { saveFile } from '../widgets/save-file.ts';
import type { Connection } from './connection.svelte.ts';
import type { Preferences } from './preferences.svelte.ts';
import { problemOf, type Problem } from './problem.ts';

/** The screen that is saved, and where problems are shown. */
interface Screen {
  readonly connection: Connection;
  readonly preferences: Preferences;
  readonly traces: readonly OpenTrace[];
  readonly comparing: Comparing | null;
  problem: Problem | null;
}

export class Saving {
  readonly #screen: Screen;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Saves the timelines as they are shown. */
  async picture(kind: 'svg' | 'png'): Promise<void> {
    const { traces, preferences } = this.#screen;
    const [first] = traces;
    if (!first) return;
    const { theme } = preferences;
    const svg = viewAsSvg(
      traces.map((trace) => trace.picture(theme)),
      { theme, headerWidth: preferences.get('headerWidth') },
    );
    await this.#attempt('The view could not be saved', async () => {
      const content = kind === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await svgAsPng(svg, 2);
      saveFile(`${first.info.title}.${kind}`, content);
    });
  }

  /** Saves a report of the second trace against the first where two are open, as the comparison has it. */
  async report(format: DocumentFormat): Promise<void> {
    const { connection, traces } = this.#screen;
    const [first, second] = traces.map(({ info }) => info.traceId);
    if (first === undefined) return;
    const which = second === undefined ? { traceId: first } : { traceId: second, before: first };
    await this.#attempt('The report could not be saved', async () => {
      saveDocument(await connection.call('trace.document', { ...which, format }), format);
    });
  }

  async comparison(format: DocumentFormat): Promise<void> {
    await this.#attempt('The comparison could not be saved', async () => {
      const written = await this.#screen.comparing?.document(format);
      if (written) saveDocument(written, format);
    });
  }

  async #attempt(title: string, save: () => Promise<void>): Promise<void> {
    try {
      await save();
    } catch (error) {
      this.#screen.problem = problemOf(title, error);
    }
  }
}

function saveDocument({ fileName, text, pictures }: WrittenReport, format: DocumentFormat): void {
  const type = format === 'html' ? 'text/html' : 'text/markdown';
  saveFile(fileName, new Blob([text], { type }));
  for (const picture of pictures) saveFile(picture.fileName, new Blob([picture.text], { type: 'image/svg+xml' }));
}
