/** Dialogs that lie over the screen; one at a time, but for the file browser, which lies above any. */

export type Dialog = 'record' | 'what-if' | 'sweep' | 'help' | 'palette' | 'time' | null;

export interface FileChoice {
  title: string;
  kind: 'trace' | 'source';
  multiple: boolean;
  chosen(paths: string[]): void;
}
