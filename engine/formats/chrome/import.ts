/**
 * Reads traces in Chrome's JSON format, of PyTorch's profiler (Kineto), of Chrome itself and whatever else writes it, plain or
 * compressed with gzip, into a trace of ours with the tables of Nsight Systems. The file is read once, from front to back, and rows are
 * written as they come: memory does not grow with it.
 */
import Database from 'better-sqlite3';
import { createReadStream, rmSync, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync, constants } from 'node:zlib';
import type { OpenProgress } from '../../model/timeline.ts';
import { SimsightError } from '../../base/errors.ts';
import { createSchema } from '../../trace/schema.ts';
import { indexTracks } from '../../trace/track-index.ts';
import { ChromeEvents } from './events.ts';
import { readHead } from '../../base/head.ts';
import { NotATrace, TraceEventReader } from './reader.ts';

/** Bytes at a time, and where each of them counts. */
const pieceSize = 2 ** 20;
const smallPieceSize = 2 ** 10;
/** The same of a compressed file, so that how much was read says how much was unpacked of it. */
const packedPieceSize = 2 ** 16;
/**
 * Recordings are compressed to a 20th, those with the most repetition seen to a 60th; deflate itself ends at a 1032nd. What goes on
 * beyond that and says so little is a trap.
 */
const mostRatio = 100;
const ratioSince = 256 * 2 ** 20;
/** The same of events, of which each costs far more than its letters: recordings have one for some ten bytes of the compressed file. */
const mostEventsPerByte = 0.5;
const eventsSince = 2 ** 18;
/** The most that is unpacked of a compressed file: ten times the largest recordings seen, which take minutes. Bytes. */
const mostUnpacked = 2 ** 34;

/** True if a file starts as JSON, plain or compressed. Throws for compressed files with anything else in them. */
export function isTraceJson(path: string): boolean {
  const head = readHead(path, 512);
  if (!head) return false;
  if (startsInUtf16(head)) {
    const message = `${path} is text in UTF-16, and JSON is in UTF-8.`;
    throw new SimsightError('trace-foreign', message, 'Save it as UTF-8.', { file: path });
  }
  if (!isGzip(head)) return startsAsJson(head);
  // Behind a name of any length.
  let inside = unpackedHead(head);
  if (inside?.length === 0) inside = unpackedHead(readHead(path, 65536) ?? head);
  if (inside !== null && startsAsJson(inside)) return true;
  throw new SimsightError(
    'trace-foreign',
    inside === null
      ? `${path} is compressed with gzip, and its data are damaged.`
      : `${path} is compressed with gzip, and what is in it is no trace in Chrome's JSON format.`,
    inside === null ? 'Copy it again from where it came from.' : 'Unpack it, if it is a trace of another kind.',
    { file: path },
  );
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

const startsAsJson = (bytes: Buffer): boolean => /^(?:\xef\xbb\xbf)?[ \t\r\n]*[[{]/.test(bytes.toString('latin1'));

/** As some shells write what a program printed. */
const startsInUtf16 = (bytes: Buffer): boolean =>
  /^(?:\xff\xfe[[{ \r\n]\0|\xfe\xff\0[[{ \r\n]|[[{]\0|\0[[{])/.test(bytes.toString('latin1'));

/** The start of what is compressed; null where it is damaged. */
function unpackedHead(head: Buffer): Buffer | null {
  try {
    return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return null;
  }
}

/**
 * Makes a trace at `target` of the JSON at `path`. Throws a `SimsightError` for what is none; what is cut short or broken in places
 * becomes a trace of the rest, which says so.
 */
export async function importChrome(
  path: string,
  target: string,
  onProgress: (progress: OpenProgress) => void = () => {},
): Promise<void> {
  const base = await importFrom(null, path, target, onProgress);
  if (base === null) return;
  rmSync(target);
  await importFrom(base, path, target, onProgress);
}

/** Times count from `base` (µs); gives another one if that is no good, and the trace has to be made anew. */
async function importFrom(
  base: number | null,
  path: string,
  target: string,
  onProgress: (progress: OpenProgress) => void,
): Promise<number | null> {
  const db = new Database(target);
  try {
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    createSchema(db);
    db.exec('BEGIN');
    const events = new ChromeEvents(db, base);
    const reader = new TraceEventReader(events);
    let damage: string | null = null;
    try {
      damage = await readPieces(
        path,
        (piece) => reader.read(piece),
        () => events.seen,
        onProgress,
      );
      const result = reader.finish();
      if (!result.hasEvents) throw new NotATrace('it has no list "traceEvents"', result.end);
      if (result.form === 'list' && events.seen === 0) throw new NotATrace('there is no event in it', result.end);
      if (base === null && events.betterBase !== null) return events.betterBase;
      events.finish(result, damage);
    } catch (error) {
      throw error instanceof NotATrace ? foreign(path, error, damage) : error;
    }
    db.exec('COMMIT');
    indexTracks(db, (done, total) => onProgress({ phase: 'index', done, total, unit: 'rows' }));
    return null;
  } finally {
    db.close();
  }
}

/** Hands out the file's pieces, of which `seen` events were made; gives what is wrong with it, if reading ended early. */
async function readPieces(
  path: string,
  read: (piece: Buffer) => void,
  seen: () => number,
  onProgress: (progress: OpenProgress) => void,
): Promise<string | null> {
  const total = (await stat(path)).size;
  const open = (highWaterMark = pieceSize): ReadStream => createReadStream(path, { highWaterMark });
  const tell = (bytes: number): void =>
    onProgress({ phase: 'read', done: Math.min(bytes, total), total, unit: 'bytes' });
  if (!isGzip(readHead(path, 2) ?? Buffer.alloc(0))) {
    const source = open();
    const take = (piece: Buffer): void => {
      read(piece);
      tell(source.bytesRead);
    };
    await pipeline(source, eachPiece(take));
    return null;
  }
  let unpacked = 0;
  /** From where the last time ended; false where the data are damaged. */
  const unpack = async (chunkSize: number): Promise<boolean> => {
    let known = unpacked;
    const source = open(packedPieceSize);
    const take = (chunk: Buffer): void => {
      const piece = chunk.subarray(known);
      known -= chunk.length - piece.length;
      if (piece.length === 0) return;
      unpacked += piece.length;
      read(piece);
      tell(source.bytesRead);
      const isTrap =
        (unpacked > ratioSince && unpacked > mostRatio * source.bytesRead) ||
        (seen() > eventsSince && seen() > mostEventsPerByte * source.bytesRead);
      if (isTrap || unpacked > mostUnpacked) throw new TooMuch(source.bytesRead);
    };
    try {
      // Without a proper end it gives what it has.
      const unzip = createGunzip({ chunkSize, finishFlush: constants.Z_SYNC_FLUSH });
      await pipeline(source, unzip, eachPiece(take));
      return true;
    } catch (error) {
      if (/^Z_/.test((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw error;
    }
  };
  try {
    if (await unpack(pieceSize)) return null;
    // The unpacked part of the chunk with the damage is lost: with small chunks that is less.
    await unpack(smallPieceSize);
    return `its compressed data are damaged after ${megabytes(unpacked)} of JSON`;
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return `its ${megabytes(error.packed)} become more than ${megabytes(unpacked)}, which no recording does`;
  }
}

class TooMuch extends Error {
  /** Bytes. */
  readonly packed: number;
  constructor(packed: number) {
    super();
    this.packed = packed;
  }
}

const eachPiece = (take: (piece: Buffer) => void) =>
  async function (source: AsyncIterable<Buffer>): Promise<void> {
    for await (const piece of source) take(piece);
  };

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const foreign = (path: string, { message, offset }: NotATrace, damage: string | null): SimsightError =>
  new SimsightError(
    'trace-foreign',
    `${path} is no trace in Chrome's JSON format: ${damage ?? `${message} (byte ${offset})`}.`,
    'Choose what torch.profiler, chrome://tracing or another program exported as a Chrome trace.',
    { file: path },
  );
