/** What the desktop app's main process and the engine's process say to each other; calls go over ports of their own. */
import type { RecentTrace } from '../api/types.ts';
import type { ProgramReply, ProgramRequest } from './electron-programs.ts';
import type { SqlReply, SqlRequest } from './electron-sql.ts';

/** `recent`: the list at start, and whenever it changes, the latest first. */
export type FromEngine = SqlRequest | ProgramRequest | { type: 'recent'; traces: RecentTrace[] };

/** `connect` brings the port of a page. `end`: stop what runs, finish its files, and exit. */
export type ToEngine = SqlReply | ProgramReply | { type: 'connect' } | { type: 'end' } | { type: 'clear-recent' };
