/**
 * The parts of a report, before it is HTML or Markdown: sections of blocks, with text in pieces. Whatever a recording says goes in
 * as it is; the writers of the two formats make all of it harmless, so that no section has to think of that.
 */

/** Text, or text that is something. `anchor`: a section of this report to go to. */
export type Piece =
  string | { text: string; is: 'code' | 'strong' | 'quiet' | 'good' | 'bad' } | { text: string; anchor: string };
export type Line = readonly Piece[];

export interface Column {
  name: string;
  isNumber?: boolean;
}

/** Drawn by `drawing.ts`; stands in a page, or in a file of its own. */
export interface Picture {
  /** Part of a file's name: `timeline`. */
  name: string;
  /** The content, for those who do not see it. */
  title: string;
  width: number;
  height: number;
  /** SVG inside the `svg` element. */
  content: string;
}

export interface Bar {
  label: Line;
  /** 0 to 100; more is drawn as 100. */
  percent: number;
  /** Beside the bar. */
  text: string;
  colour: BarColour;
}
export type BarColour = 'compute' | 'memory' | 'stall';

export type Block =
  | { type: 'text'; line: Line }
  | { type: 'list'; lines: Line[] }
  /** Caveats about what follows. */
  | { type: 'notices'; lines: Line[] }
  /** The numbers that people look for first. */
  | { type: 'figures'; figures: { name: string; value: string; note: string }[] }
  /** Names and what they are. */
  | { type: 'facts'; facts: { name: string; line: Line }[] }
  | { type: 'table'; columns: Column[]; rows: Line[][] }
  | { type: 'bars'; title: string; bars: Bar[] }
  | { type: 'picture'; picture: Picture }
  /** Text as it was written, fixed width. */
  | { type: 'code'; text: string }
  | { type: 'source'; file: string; lines: { line: number; share: number; mostly: string; text: string }[] };

export interface Section {
  /** Unique in the document: letters, digits, dashes. */
  id: string;
  title: Line;
  blocks: Block[];
  sections?: Section[];
}

export interface ReportDocument {
  title: string;
  /** One line below it. */
  subtitle: Line;
  blocks: Block[];
  sections: Section[];
}

export const code = (text: string): Piece => ({ text, is: 'code' });
export const strong = (text: string): Piece => ({ text, is: 'strong' });
export const quiet = (text: string): Piece => ({ text, is: 'quiet' });
