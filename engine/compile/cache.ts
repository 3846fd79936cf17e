/**
 * Results of tool runs on disk, by the hash of everything that went in: arguments, every file, the compiler's version.
 * So nothing ever has to be invalidated, a half-written entry cannot be seen (written aside, then renamed), and a
 * damaged one (its own hash does not match) is treated as absent.
 *
 * The app comes with a folder of entries, which is only read: its first example need not be compiled.
 *
 * An entry is a line of JSON (hash, messages, names and sizes of the outputs) followed by the outputs.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledFolder } from '../base/paths.ts';
import { runTool, type ToolResult, type ToolRun } from './clang.ts';

export interface CacheOptions {
  cacheFolder: string;
  /** Entries that are there from the beginning; absent: the app's. */
  shippedFolder?: string;
  signal?: AbortSignal | undefined;
}

export interface CachedResult extends ToolResult {
  cached: boolean;
}

/** Beyond this, the entries unused for longest go. */
const maxCacheBytes = 512 * 2 ** 20;
/** Raise it when entries change their form. */
const cacheVersion = 1;

let compilerVersion = '';
function versionOfCompiler(): string {
  if (!compilerVersion) {
    // The package exports its entry only; its description lies two folders up from that.
    const entry = createRequire(import.meta.url).resolve('@yowasp/clang');
    const description = readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8');
    compilerVersion = (JSON.parse(description) as { version: string }).version;
  }
  return compilerVersion;
}

const digest = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

function keyOf(run: ToolRun): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([cacheVersion, versionOfCompiler(), run.arguments, run.outputs]));
  for (const [path, bytes] of run.files) hash.update(`\n${path}:${bytes.length}\n`).update(bytes);
  return hash.digest('hex');
}

interface EntryHeader {
  hash: string;
  messages: string;
  outputs: { path: string; size: number }[];
}

async function readEntry(file: string): Promise<ToolResult | null> {
  let entry: Buffer;
  try {
    entry = await readFile(file);
  } catch {
    return null;
  }
  const headerEnd = entry.indexOf(10);
  const body = entry.subarray(headerEnd + 1);
  let header: EntryHeader;
  try {
    header = JSON.parse(entry.toString('utf8', 0, headerEnd)) as EntryHeader;
  } catch {
    return null;
  }
  if (digest(body) !== header.hash) return null;
  const outputs: ToolResult['outputs'] = [];
  let offset = 0;
  for (const { path, size } of header.outputs) {
    outputs.push([path, new Uint8Array(body.subarray(offset, offset + size))]);
    offset += size;
  }
  return { outcome: 'success', messages: header.messages, outputs };
}

async function writeEntry(folder: string, file: string, result: ToolResult): Promise<void> {
  const body = Buffer.concat(result.outputs.map(([, bytes]) => bytes));
  const header: EntryHeader = {
    hash: digest(body),
    messages: result.messages,
    outputs: result.outputs.map(([path, bytes]) => ({ path, size: bytes.length })),
  };
  const aside = join(folder, `${randomUUID()}.writing`);
  await mkdir(folder, { recursive: true });
  await writeFile(aside, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]));
  await rename(aside, file);
}

let trimmed = false;
/** Once per process: removes the entries unused for longest, and what crashed writers left. */
async function trimCache(folder: string): Promise<void> {
  if (trimmed) return;
  trimmed = true;
  const entries: { file: string; bytes: number; used: number }[] = [];
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const info = await stat(file).catch(() => null);
    if (!info) continue;
    const abandoned = /\.(writing|claim)$/.test(name) && Date.now() - info.mtimeMs > 3_600_000;
    if (abandoned) await rm(file, { force: true });
    else if (name.endsWith('.llvm')) entries.push({ file, bytes: info.size, used: info.mtimeMs });
  }
  entries.sort((a, b) => b.used - a.used);
  let total = 0;
  for (const entry of entries) {
    total += entry.bytes;
    if (total > maxCacheBytes) await rm(entry.file, { force: true });
  }
}

/**
 * With precompiled headers, Clang keeps each file open that it finds included already, and in its sandbox some hundred
 * files can be open.
 */
const outOfFiles = /cannot open file .*: Out of memory/;

/** A claim is not believed for longer: whoever made it may be gone, and to compile twice only costs time. */
const longestClaimMs = 60_000;
const pollMs = 30;

/**
 * Says to others, threads and processes, that this entry is being made; false where somebody else has said so. Workers of a sweep
 * whose jobs have the same macros so wait for one of them.
 */
async function claimed(folder: string, path: string): Promise<boolean> {
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isUnderWay(claim: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(claim)).mtimeMs > longestClaimMs) return false;
    const { pid, host } = JSON.parse(await readFile(claim, 'utf8')) as { pid: number; host: string };
    // Whether processes of other machines live cannot be known.
    if (host !== hostname()) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Just made, and not written yet.
    return error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Until this caller is to make the entry, or somebody has; null in the first case. */
async function claimOrWait(options: CacheOptions, file: string, claim: string): Promise<ToolResult | null> {
  for (;;) {
    const known = await readEntry(file);
    if (known) return known;
    if (options.signal?.aborted) return null;
    if (await claimed(options.cacheFolder, claim)) return null;
    if (!(await isUnderWay(claim))) await rm(claim, { force: true });
    else await sleep(pollMs);
  }
}

/** What came out, what the app has of it, and the claim of whoever is making it. */
function entryOf(
  run: ToolRun,
  { cacheFolder, shippedFolder = compiledFolder }: CacheOptions,
): { file: string; shipped: string; claim: string } {
  const key = keyOf(run);
  const file = join(cacheFolder, `${key}.llvm`);
  return { file, shipped: join(shippedFolder, `${key}.llvm`), claim: join(cacheFolder, `${key}.claim`) };
}

/** Whether this very run has succeeded before. */
export async function isCached(run: ToolRun, options: CacheOptions): Promise<boolean> {
  const { file, shipped } = entryOf(run, options);
  const found = await Promise.all([file, shipped].map((path) => stat(path).catch(() => null)));
  return found.some((entry) => entry !== null);
}

/**
 * {@link runTool}, answered from the cache when this very run has succeeded before. A cache that cannot be written only
 * costs time. `faster` makes another run of it that gives the same, for when it is not in the cache.
 */
export async function runCached(
  run: ToolRun,
  options: CacheOptions,
  faster: (run: ToolRun) => Promise<ToolRun> = (same) => Promise.resolve(same),
): Promise<CachedResult> {
  const { file, shipped, claim } = entryOf(run, options);
  const ready = await readEntry(shipped);
  if (ready) return { ...ready, cached: true };
  const known = await claimOrWait(options, file, claim).catch(() => null);
  if (known) {
    const now = new Date();
    await utimes(file, now, now).catch(() => {});
    return { ...known, cached: true };
  }
  try {
    const quick = await faster(run);
    let result = await runTool(quick, options.signal);
    if (quick !== run && outOfFiles.test(result.messages)) result = await runTool(run, options.signal);
    if (result.outcome === 'success') {
      await writeEntry(options.cacheFolder, file, result)
        .then(() => trimCache(options.cacheFolder))
        .catch(() => {});
    }
    return { ...result, cached: false };
  } finally {
    await rm(claim, { force: true }).catch(() => {});
  }
}
