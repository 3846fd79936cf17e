/**
 * Results of tool runs on disk, by the hash of everything that went in: arguments, every file, the compiler's version.
 * So nothing ever has to be invalidated, a half-written entry cannot be seen (written aside, then renamed), and whatever
 * is not an entry to the last bit ({@link file://./cache-entry.ts}) is treated as absent: it is compiled again, and replaced.
 *
 * The app comes with a folder of entries, which is only read: its first example need not be compiled.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledFolder } from '../base/paths.ts';
import { withRegularFile } from '../base/regular-file.ts';
import { isAlive } from '../base/unfinished-files.ts';
import { readEntry, writeEntry } from './cache-entry.ts';
import { runTool, type ToolResult, type ToolRun } from './clang.ts';
import { compilerVersion } from './package.ts';
import { sysrootVersion } from './sysroot.ts';

export interface CacheOptions {
  cacheFolder: string;
  /** Beyond this, the entries unused for longest go; absent: {@link mostCacheBytes}. */
  mostBytes?: number;
  /** Entries that are there from the beginning; absent: the app's. */
  shippedFolder?: string;
  signal?: AbortSignal | undefined;
}

export interface CachedResult extends ToolResult {
  cached: boolean;
}

const mostCacheBytes = 512 * 2 ** 20;
/** Raise it when entries change their form. */
const cacheVersion = 2;

let libraries = '';

/** Digests of files, which a program's runs have in common; nobody writes to what was read. */
const digests = new WeakMap<Uint8Array, string>();

function digestOf(bytes: Uint8Array): string {
  let digest = digests.get(bytes);
  if (digest === undefined) digests.set(bytes, (digest = createHash('sha256').update(bytes).digest('hex')));
  return digest;
}

function keyOf(run: ToolRun): string {
  const hash = createHash('sha256');
  libraries ||= sysrootVersion();
  hash.update(JSON.stringify([cacheVersion, compilerVersion(), libraries, run.arguments, run.outputs]));
  if (run.library) hash.update(run.library.digest);
  for (const [path, bytes] of run.files) hash.update(`\n${path}:${digestOf(bytes)}\n`);
  return hash.digest('hex');
}

/** Files take whole blocks of most disks. */
const onDisk = (bytes: number): number => Math.ceil(bytes / 4096) * 4096;

/** Killed writers leave files; those of a writer that lives are younger. */
const abandonedMs = 3_600_000;

/** Part of the limit that is made free at once, and that is added before the folder is looked through again: others add to it, too. */
const share = 1 / 16;

/** Where there is too much, removes the entries unused for longest; and what killed writers left. Returns how much is left. */
async function trimCache(folder: string, mostBytes: number): Promise<number> {
  const entries: { file: string; bytes: number; used: number }[] = [];
  let left = 0;
  for (const name of await readdir(folder)) {
    if (!/\.(llvm|writing|claim)$/.test(name)) continue;
    const file = join(folder, name);
    const info = await lstat(file).catch(() => null);
    if (!info) continue;
    const isEntry = name.endsWith('.llvm');
    if (!isEntry && Date.now() - info.mtimeMs > abandonedMs) {
      await rm(file, { recursive: true, force: true });
      continue;
    }
    const bytes = onDisk(info.size);
    left += bytes;
    if (isEntry) entries.push({ file, bytes, used: info.mtimeMs });
  }
  if (left <= mostBytes) return left;
  entries.sort((a, b) => a.used - b.used);
  for (const { file, bytes } of entries) {
    if (left <= mostBytes * (1 - share)) break;
    await rm(file, { recursive: true, force: true });
    left -= bytes;
  }
  return left;
}

/** The known contents of each folder: its size when it was looked through, and how much this thread has added since. */
const knownFolders = new Map<string, { found: number; added: number }>();

/** Keeps a folder within its limit while entries are added. Looking through it is left until it may be necessary. */
async function keepWithin(folder: string, addedBytes: number, mostBytes = mostCacheBytes): Promise<void> {
  const known = knownFolders.get(folder);
  if (known) {
    known.added += onDisk(addedBytes);
    if (known.added < mostBytes * share && known.found + known.added <= mostBytes) return;
  }
  knownFolders.set(folder, { found: await trimCache(folder, mostBytes), added: 0 });
}

/** A claim is not believed for longer: whoever made it may be gone, and to compile twice only costs time. */
const longestClaimMs = 60_000;
/** So long there may be a claim in which nothing is written yet. */
const longestEmptyMs = 2_000;
const longestClaimBytes = 4096;
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
    // On a full disk there is a file, with nothing in it.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  }
}

/** Claims of this thread, whose runs may wait for others for a minute. */
const ownClaims = new Set<string>();

async function isUnderWay(claim: string): Promise<boolean> {
  if (ownClaims.has(claim)) return true;
  const found = await withRegularFile(claim, longestClaimBytes, async (file) => ({
    text: await file.readFile('utf8'),
    age: Math.abs(Date.now() - (await file.stat()).mtimeMs),
  }));
  if (!found || found.age > longestClaimMs) return false;
  if (found.text === '') return found.age <= longestEmptyMs;
  try {
    const { pid, host } = JSON.parse(found.text) as { pid: number; host: string };
    // Processes of other machines may be alive: that cannot be known.
    return host === hostname() && Number.isInteger(pid) && pid > 0 && isAlive(pid);
  } catch {
    return false;
  }
}

/** Until this caller is to make the entry, or somebody has. */
async function claimOrWait(
  options: CacheOptions,
  { key, file, claim }: Entry,
): Promise<{ known: ToolResult } | { isOurs: boolean }> {
  try {
    for (;;) {
      const known = await readEntry(key, file);
      if (known) return { known };
      if (options.signal?.aborted) return { isOurs: false };
      if (await claimed(options.cacheFolder, claim)) {
        ownClaims.add(claim);
        return { isOurs: true };
      }
      if (!(await isUnderWay(claim))) await rm(claim, { recursive: true, force: true });
      else await sleep(pollMs);
    }
  } catch {
    // Without a claim the worst is that others make it, too.
    return { isOurs: false };
  }
}

interface Entry {
  key: string;
  /** The entry's file, the app's own copy, and the claim of the thread that is making it. */
  file: string;
  shipped: string;
  claim: string;
}

function filesOf(key: string, { cacheFolder, shippedFolder = compiledFolder }: CacheOptions): Omit<Entry, 'key'> {
  const [file, shipped] = [cacheFolder, shippedFolder].map((folder) => join(folder, `${key}.llvm`)) as [string, string];
  return { file, shipped, claim: join(cacheFolder, `${key}.claim`) };
}

function entryOf(run: ToolRun, options: CacheOptions): Entry {
  const key = keyOf(run);
  return { key, ...filesOf(key, options) };
}

/** The entry with a key that is not of a run: what others make of what was compiled. Null where there is none. */
export async function readKept(key: string, options: CacheOptions): Promise<ToolResult | null> {
  const entry = { key, ...filesOf(key, options) };
  const known = await readFound(entry);
  if (known) await markUsed(entry.file);
  return known;
}

/** The app's own copy before that of the cache. */
const readFound = async ({ key, file, shipped }: Entry): Promise<ToolResult | null> =>
  (await readEntry(key, shipped)) ?? (await readEntry(key, file));

/** Puts such an entry into the cache; where that cannot be, it costs the time to make it again. */
export async function keep(key: string, result: ToolResult, options: CacheOptions): Promise<void> {
  await writeEntry(key, filesOf(key, options).file, result)
    .then((bytes) => keepWithin(options.cacheFolder, bytes, options.mostBytes))
    .catch(() => {});
}

async function markUsed(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => {});
}

/** True if this very run has succeeded before. */
export async function isCached(run: ToolRun, options: CacheOptions): Promise<boolean> {
  return (await readFound(entryOf(run, options))) !== null;
}

/**
 * {@link runTool}, answered from the cache when this very run has succeeded before. A cache that cannot be read or written only
 * costs time. `faster` makes another run of it that gives the same, for when it is not in the cache.
 */
export async function runCached(
  run: ToolRun,
  options: CacheOptions,
  faster: (run: ToolRun) => Promise<ToolRun> = (same) => Promise.resolve(same),
): Promise<CachedResult> {
  const entry = entryOf(run, options);
  const ready = await readEntry(entry.key, entry.shipped);
  if (ready) return { ...ready, cached: true };
  const claim = await claimOrWait(options, entry);
  if ('known' in claim) {
    await markUsed(entry.file);
    return { ...claim.known, cached: true };
  }
  try {
    const result = await runTool(await faster(run), options);
    if (result.outcome === 'success') await keep(entry.key, result, options);
    return { ...result, cached: false };
  } finally {
    if (claim.isOurs) {
      ownClaims.delete(entry.claim);
      await rm(entry.claim, { force: true }).catch(() => {});
    }
  }
}
