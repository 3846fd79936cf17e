/** Error numbers of Linux on x86-64 (asm-generic/errno-base.h, errno.h). */
import { SimsightError } from '../../base/errors.ts';

export const errno = {
  perm: 1,
  noent: 2,
  srch: 3,
  io: 5,
  badf: 9,
  again: 11,
  acces: 13,
  fault: 14,
  busy: 16,
  exist: 17,
  notdir: 20,
  isdir: 21,
  inval: 22,
  nfile: 23,
  notty: 25,
  fbig: 27,
  nospc: 28,
  spipe: 29,
  rofs: 30,
  range: 34,
  deadlk: 35,
  nametoolong: 36,
  nosys: 38,
  notempty: 39,
  loop: 40,
  timedout: 110,
} as const;

/** A system call that fails: its number becomes the call's answer. */
export class Refusal extends Error {
  readonly errno: number;

  constructor(number: number) {
    super(`errno ${number}`);
    this.errno = number;
  }
}

export function refuse(number: number): never {
  throw new Refusal(number);
}

const byCode: Readonly<Record<string, number>> = {
  ENOENT: errno.noent,
  ENOTDIR: errno.notdir,
  EISDIR: errno.isdir,
  EEXIST: errno.exist,
  ENOTEMPTY: errno.notempty,
  EACCES: errno.acces,
  EPERM: errno.acces,
  ERR_ACCESS_DENIED: errno.acces,
  ENOSPC: errno.nospc,
  EDQUOT: errno.nospc,
  EFBIG: errno.fbig,
  EROFS: errno.rofs,
  EMFILE: errno.nfile,
  ENFILE: errno.nfile,
  ELOOP: errno.loop,
  ENAMETOOLONG: errno.nametoolong,
  ERR_INVALID_ARG_VALUE: errno.inval,
  ERR_OUT_OF_RANGE: errno.inval,
};

/**
 * The number for what a call threw: a refusal, an error of the machine's file system, or an address outside of the program's memory.
 * Anything else is thrown on: it ends the program.
 */
export function errnoOf(error: unknown): number {
  if (error instanceof Refusal) return error.errno;
  if (!(error instanceof Error) || error instanceof SimsightError) throw error;
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof RangeError && code === undefined) return errno.fault;
  if (typeof code !== 'string') throw error;
  return byCode[code] ?? errno.io;
}
