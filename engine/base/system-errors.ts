/**
 * Words for what the operating system or SQLite reports when a file cannot be read or written: a full disk is no fault in Simsight.
 * Knows no file system itself, so that pages can hold it.
 */
import type { ErrorCode } from './errors.ts';

export interface SystemFault {
  code: ErrorCode;
  /** Without the file: "disk full". */
  reason: string;
  remedy: string;
  /** True for errors of writing; otherwise it may be either. */
  writes: boolean;
  /** The file, where the error names it. */
  path: string | null;
}

type Known = [code: ErrorCode, reason: string, remedy: string, writes?: 'writes'];

const full: Known = ['disk-full', 'disk full', 'Free some space, or choose a place on another disk.', 'writes'];
const readOnly: Known = ['file-unwritable', 'it is on a read-only file system', 'Choose another place.', 'writes'];

/** Known errors by errno, and by the result code of SQLite. Others have the words of the operating system. */
const known: Readonly<Record<string, Known>> = {
  ENOSPC: full,
  SQLITE_FULL: full,
  EDQUOT: ['disk-full', 'disk full: your quota is exhausted', 'Free some space, or choose another disk.', 'writes'],
  EFBIG: [
    'file-unwritable',
    'it would exceed the file size limit',
    'Raise the limit ("ulimit -f"), or choose another disk.',
    'writes',
  ],
  EROFS: readOnly,
  SQLITE_READONLY: readOnly,
  EACCES: ['file-not-allowed', 'permission denied', 'Change its permissions, or choose another place.'],
  EPERM: ['file-not-allowed', 'the operating system does not allow it', 'Choose another place.'],
  SQLITE_PERM: ['file-not-allowed', 'permission denied', 'Change its permissions, or choose another place.'],
  ENOENT: ['file-not-found', 'no such file or folder', 'Check the path.'],
  ENOTDIR: ['file-not-found', 'a part of its path is not a folder', 'Check the path.'],
  EISDIR: ['file-is-directory', 'it is a folder', 'Give the name of a file.'],
  ENAMETOOLONG: ['file-not-allowed', 'its name is too long', 'Choose a shorter one.'],
  ELOOP: ['file-not-allowed', 'its symbolic links form a loop', 'Choose another place.'],
  EMFILE: ['file-unreadable', 'too many files are open', 'Raise the limit ("ulimit -n").'],
  ENFILE: ['file-unreadable', 'too many files are open on this machine', 'Close some programs.'],
  EIO: ['file-unreadable', 'the disk reports an error', 'Check the disk.'],
  SQLITE_CANTOPEN: ['file-unreadable', 'it cannot be opened', 'Check its permissions and those of its folder.'],
  SQLITE_BUSY: ['file-unreadable', 'another program is using it', 'Wait until that program has ended.'],
};
/** SQLite's I/O errors of writing: a quota, a limit of file size, no room for its index of a log. */
const writeErrors = /^SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|DELETE|SHM\w+|GETTEMPPATH|COMMIT_ATOMIC|LOCK)$/;

const knownOf = (code: string): Known | undefined => {
  if (Object.hasOwn(known, code)) return known[code];
  const [, basic] = /^(SQLITE_(?:READONLY|CANTOPEN|BUSY))_/.exec(code) ?? [];
  if (basic !== undefined) return known[basic];
  return writeErrors.test(code)
    ? [
        'file-unwritable',
        'the disk accepts no more data',
        'Check the disk and its limits, or choose another.',
        'writes',
      ]
    : undefined;
};

/** Null for what is no error of the operating system or of SQLite's files. */
export function systemFault(error: unknown): SystemFault | null {
  if (!(error instanceof Error)) return null;
  const { code, path, dest } = error as Error & { code?: unknown; path?: unknown; dest?: unknown };
  if (typeof code !== 'string') return null;
  const isSystem = /^E[A-Z0-9]+$/.test(code) && 'syscall' in error;
  const found = isSystem || error.name === 'SqliteError' ? knownOf(code) : undefined;
  if (!found && !isSystem) return null;
  const [faultCode, reason, remedy, writes] = found ?? ['file-unreadable', wordsOf(error.message, code), ''];
  // The first of two files is the one that exists.
  const file = writes !== undefined && typeof dest === 'string' ? dest : path;
  return {
    ...{ code: faultCode, reason, remedy, writes: writes !== undefined },
    path: typeof file === 'string' ? file : null,
  };
}

/** `EXDEV: cross-device link not permitted, rename 'a' -> 'b'`: what stands in the middle. */
const wordsOf = (message: string, code: string): string =>
  message
    .replace(`${code}: `, '')
    .replace(/, [a-z]+( '.*)?$/s, '')
    .slice(0, 200) || code;
