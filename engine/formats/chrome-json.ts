/**
 * Reads traces in Chrome's JSON format, of PyTorch's profiler (Kineto), of Chrome itself and whatever else writes it, plain or
 * compressed with gzip, into a trace of ours with the tables of Nsight Systems. The file is read once, from front to back, and rows are
 * written as they come: memory does not grow with it.
 */
import Database from 'better-sqlite3';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync, constants } from 'node:zlib';
import type { OpenProgress } from '../api/types.ts';
import { SimsightError } from '../base/errors.ts';
import { migrate } from '../trace/migrations.ts';
import { indexTracks } from '../trace/track-index.ts';
import { ChromeEvents } from './chrome-events.ts';
import { readHead } from './head.ts';
import { NotATrace, TraceEventReader } from './trace-event-reader.ts';

/** Bytes at a time. */
const pieceSize = 2 ** 20;
/**
 * Recordings are compressed to a 20th, those with the most repetition seen to a 60th; deflate itself ends at a 1032nd. What goes on
 * beyond that and says so little is a trap.
 */
const mostRatio = 300;
const ratioSince = 256 * 2 ** 20;
/** Of what is in a compressed file. */
const mostUnpacked = 2 ** 36;

/** Whether a file starts as JSON, plain or compressed. Throws for compressed files with anything else in them. */
export function isTraceJson(path: string): boolean {
  const head = readHead(path, 512);
  if (!head || !isGzip(head)) return head !== null && startsAsJson(head);
  let inside: Buffer;
  try {
    inside = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    inside = Buffer.alloc(0);
  }
  if (startsAsJson(inside)) return true;
  throw new SimsightError(
    'trace-foreign',
    `${path} is compressed with gzip, and what is in it is no trace in Chrome's JSON format.`,
    'Unpack it, if it is a trace of another kind.',
    { file: path },
  );
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

const startsAsJson = (bytes: Buffer): boolean => /^(?:\xef\xbb\xbf)?[ \t\r\n]*[[{]/.test(bytes.toString('latin1'));

/**
 * Makes a trace at `target` of the JSON at `path`. Throws a `SimsightError` for what is none; what is cut short or broken in places
 * becomes a trace of the rest, which says so.
 */
export async function importChrome(
  path: string,
  target: string,
  onProgress: (progress: OpenProgress) => void = () => {},
): Promise<void> {
  const db = new Database(target);
  try {
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    migrate(db);
    db.exec('BEGIN');
    const events = new ChromeEvents(db);
    const reader = new TraceEventReader(events);
    let damage: string | null = null;
    try {
      damage = await readPieces(path, (piece) => reader.read(piece), onProgress);
      const result = reader.finish();
      if (!result.hasEvents) throw new NotATrace('it has no list "traceEvents"', result.end);
      if (result.form === 'list' && events.seen === 0) throw new NotATrace('there is no event in it', result.end);
      events.finish(result, damage);
    } catch (error) {
      throw error instanceof NotATrace ? foreign(path, error, damage) : error;
    }
    db.exec('COMMIT');
    onProgress({ phase: 'index', done: 0, total: 0, unit: 'rows' });
    indexTracks(db);
  } finally {
    db.close();
  }
}

/** Hands out the file's pieces; gives what is wrong with it, if reading ended early. */
async function readPieces(
  path: string,
  read: (piece: Buffer) => void,
  onProgress: (progress: OpenProgress) => void,
): Promise<string | null> {
  const total = (await stat(path)).size;
  const source = createReadStream(path, { highWaterMark: pieceSize });
  let unpacked = 0;
  const take = (piece: Buffer): void => {
    unpacked += piece.length;
    read(piece);
    onProgress({ phase: 'read', done: Math.min(source.bytesRead, total), total, unit: 'bytes' });
  };
  if (!isGzip(readHead(path, 2) ?? Buffer.alloc(0))) {
    await pipeline(source, eachPiece(take));
    return null;
  }
  let damage: string | null = null;
  // Without a proper end it gives what it has.
  const unzip = createGunzip({ chunkSize: pieceSize, finishFlush: constants.Z_SYNC_FLUSH });
  const takeUnpacked = (piece: Buffer): void => {
    take(piece);
    const isTrap = unpacked > ratioSince && unpacked > mostRatio * source.bytesRead;
    if (isTrap || unpacked > mostUnpacked) throw new TooMuch();
  };
  try {
    await pipeline(source, unzip, eachPiece(takeUnpacked));
  } catch (error) {
    if (error instanceof TooMuch) {
      damage = `its ${megabytes(source.bytesRead)} become more than ${megabytes(unpacked)}, which no recording does`;
    } else if (/^Z_/.test((error as NodeJS.ErrnoException).code ?? '')) {
      damage = `its compressed data are damaged after ${megabytes(unpacked)} of JSON`;
    } else throw error;
  }
  return damage;
}

class TooMuch extends Error {}

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
