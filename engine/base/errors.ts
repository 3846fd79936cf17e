/**
 * The one error type that reaches people. Everything that can go wrong because of input (a file, an argument, a program)
 * is thrown as a `SimsightError`, so that the CLI, the app and tests show one clear message instead of a stack.
 *
 *   throw new SimsightError('trace-not-sqlite', `${path} is not a Simsight trace: it is no SQLite file.`,
 *     'Choose a .simsight file, or record one with "simsight record".', { file: path });
 */
import { systemFault } from './system-errors.ts';

export type ErrorCode =
  | 'usage'
  | 'file-not-found'
  | 'file-is-directory'
  | 'file-unreadable'
  | 'file-not-allowed'
  | 'file-unwritable'
  | 'disk-full'
  | 'unknown-gpu'
  | 'unknown-report'
  | 'compile-failed'
  | 'unsupported-construct'
  | 'host-program-failed'
  | 'kernel-failed'
  | 'cancelled'
  | 'budget-exceeded'
  | 'trace-not-sqlite'
  | 'trace-foreign'
  | 'trace-damaged'
  | 'trace-newer'
  | 'trace-older'
  | 'trace-not-open'
  | 'notes-unreadable'
  | 'notes-unwritable'
  | 'pairs-unreadable'
  | 'pairs-unwritable'
  | 'sql-failed'
  | 'sweep-damaged'
  | 'unknown-lab'
  | 'lab-damaged'
  | 'sweep-differs'
  | 'sweep-running'
  | 'bad-request'
  | 'internal';

/** Position of an error in a source or trace file. Lines and columns count from 1. */
export interface ErrorPlace {
  file?: string;
  line?: number;
  column?: number;
}

export class SimsightError extends Error {
  override readonly name = 'SimsightError';
  readonly code: ErrorCode;
  /** The user's remedy; one sentence, may be empty. */
  readonly remedy: string;
  readonly place: ErrorPlace;
  /** Several lines to be shown as they are, the message among them: what a compiler printed. Mostly empty. */
  readonly details: string;

  constructor(code: ErrorCode, message: string, remedy = '', place: ErrorPlace = {}, details = '') {
    super(message);
    this.code = code;
    this.remedy = remedy;
    this.place = place;
    this.details = details;
  }
}

/** Any thrown value as the plain object that crosses process boundaries. */
export interface ErrorReport {
  code: ErrorCode;
  message: string;
  remedy: string;
  place: ErrorPlace;
  details: string;
}

/**
 * The message of the operating system or SQLite about a file as our kind of error; null for any other. `file` is the one that the user knows,
 * where the error names another one or none.
 */
export function fileError(error: unknown, file?: string): SimsightError | null {
  const fault = systemFault(error);
  if (fault === null) return null;
  const { code, reason, remedy, writes, path } = fault;
  const named = file ?? path;
  const message = `${named ?? 'A file'} cannot be ${writes ? 'written' : 'used'}: ${reason}.`;
  return new SimsightError(code, message, remedy, named === null ? {} : { file: named });
}

export function reportOf(error: unknown): ErrorReport {
  if (error instanceof SimsightError) {
    const { code, message, remedy, place, details } = error;
    return { code, message, remedy, place, details };
  }
  const ofFile = fileError(error);
  if (ofFile) return reportOf(ofFile);
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    message,
    remedy: 'This is a bug in Simsight: please report it.',
    place: {},
    details: '',
  };
}

/** The reverse of {@link reportOf}, on the other side of a process boundary. */
export function errorFrom(report: ErrorReport): SimsightError {
  return new SimsightError(report.code, report.message, report.remedy, report.place, report.details);
}
