/** Messages between the desktop app's main process and the engine's process; calls go over ports of their own. */
import type { RecentTrace } from '../api/types.ts';
import type { ProgramReply, ProgramRequest } from './electron-programs.ts';
import type { SqlReply, SqlRequest } from './electron-sql.ts';

/** `recent`: the list at start, and whenever it changes, the latest first. `granted`: a grant is in force. */
export type FromEngine =
  SqlRequest | ProgramRequest | { type: 'recent'; traces: RecentTrace[] } | { type: 'granted'; id: number };

/** `connect` brings the port of a page. `grant`: pages may name these. `end`: stop what runs, finish its files, and exit. */
export type ToEngine =
  | SqlReply
  | ProgramReply
  | { type: 'connect' }
  | { type: 'grant'; id: number; paths: string[] }
  | { type: 'end' }
  | { type: 'clear-recent' };
