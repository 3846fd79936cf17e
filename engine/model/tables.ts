/** Tables: what SQL and reports answer with. */

/** The answer to an SQL query. */
export interface SqlTable {
  columns: string[];
  /** Whole numbers beyond 2^53 and blobs are text. */
  rows: (string | number | null)[][];
  limit: number;
  /** There are more rows than `limit`. */
  cut: boolean;
}

export type CellType = 'text' | 'integer' | 'number' | 'nanoseconds' | 'bytes' | 'percent';

/** A report table, as `nsys stats` names its reports and columns. */
export interface ReportTable {
  report: string;
  title: string;
  columns: { name: string; type: CellType }[];
  rows: (string | number | null)[][];
}

export const documentFormats = ['html', 'markdown'] as const;

export type DocumentFormat = (typeof documentFormats)[number];

/** A report as a document, with the names that its files have to have. */
export interface WrittenReport {
  fileName: string;
  text: string;
  /** SVG files that lie beside it; none where they are in it. */
  pictures: { fileName: string; text: string }[];
}
