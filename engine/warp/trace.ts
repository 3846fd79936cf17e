/**
 * Streams of the warps of some blocks, one by one ({@link WarpStream}). The runtime (runtime/trace.c) records them while it executes; here
 * they are split by warp.
 */
import { lineBytes } from '../model/geometry.ts';
import {
  launchField,
  sampleBytes,
  sampleField,
  samplesBytes,
  samplesField,
  samplesPerSite,
  siteCounterBytes,
  siteCounterField,
} from './layout.ts';
import type { ModuleKernel } from './module.ts';
import type { AccessSample } from '../model/execution.ts';
import { ClockWaits } from './clock-waits.ts';
import { Waits } from './waits.ts';
import {
  accessKind,
  accessOf,
  actionWritten,
  isBarrierWritten,
  isWrittenAlone,
  lengthOf,
  mostAccesses,
  phasesWritten,
  syncAction,
  syncToken,
  tokenType,
  typeOf,
  waitAccess,
  warpWritten,
  withKind,
  type AccessKind,
} from '../model/warp-stream.ts';
import type { TraceRequest } from '../model/kernel-timing.ts';

/** Words that are collected before they are taken apart. */
const bufferWords = 1 << 18;
/** A request of 32 lanes is one word, two lines for each at most, and its passes. */
const longestToken = 66;
/** Places of barriers in a block's shared memory. */
const barriersPerBlock = 1 << 20;

export class Tracer {
  /** No more blocks are wanted. */
  done = false;
  /** Blocks until now. */
  traced = 0;
  private readonly memory: WebAssembly.Memory;
  private readonly request: TraceRequest;
  private readonly kinds: AccessKind[];
  private readonly buffer: number;
  private readonly firstSites: number;
  private readonly seen: number;
  private readonly siteCount: number;
  private readonly samples: number;
  private readonly kernel: ModuleKernel;
  /** Polling waits, where blocks run side by side. */
  private waits: Waits | null = null;
  /** Clock waits of the present block, or of all where blocks run side by side. */
  private clockWaits: ClockWaits | null = null;
  private warpsPerBlock = Infinity;
  private warpCount = 1;
  private words = 0;
  private isCut = false;
  private launch = 0;
  private warp = 0;
  private warps: number[][] = [];
  /** Phases that are over, by barriers of the block. */
  private readonly phases = new Map<number, number>();
  /** Position of the last block of code of each warp, and of the one in which it found a phase not over, by access. */
  private lastBlocks: number[] = [];
  private vain: Map<number, number>[] = [];
  /** Warps of which no more is kept, and where that begins. */
  private full = new Set<number>();
  private mostOfWarp = Infinity;

  /** `take` finds room in device memory for as long as the launch runs. */
  constructor(
    memory: WebAssembly.Memory,
    kernel: ModuleKernel,
    request: TraceRequest,
    take: (bytes: number) => number,
  ) {
    if (kernel.sites.length > mostAccesses) throw new RangeError(`${kernel.name} has too many accesses to be traced`);
    this.memory = memory;
    this.kernel = kernel;
    this.request = request;
    this.kinds = kernel.sites.map(({ kind, pastL1, unit }) => {
      if (unit === 'texture' || unit === 'surface')
        return kind === 'load' ? accessKind.texture : accessKind.surfaceStore;
      if (unit === 'bulk') return kind === 'load' ? accessKind.bulkLoad : accessKind.bulkStore;
      return pastL1 === true ? accessKind.loadPastL1 : accessKind[kind === 'trap' ? 'load' : kind];
    });
    this.siteCount = kernel.sites.length;
    this.buffer = take(4 * bufferWords);
    this.firstSites = take(4 * (kernel.blocks.length + 1));
    this.seen = take(8 * Math.max(1, kernel.sites.length));
    this.samples = take(kernel.sites.length * samplesBytes);
    const words = new Uint32Array(memory.buffer);
    for (let site = 0; site < kernel.sites.length; site++)
      words[(this.samples + site * samplesBytes + samplesField.count) / 4] = 0;
    // Sites are numbered block by block.
    const first = new Uint32Array(memory.buffer, this.firstSites, kernel.blocks.length + 1).fill(kernel.sites.length);
    for (let block = kernel.blocks.length - 1, site = kernel.sites.length - 1; block >= 0; block--) {
      while (site >= 0 && kernel.sites[site]!.block >= block) site--;
      first[block] = site + 1;
    }
  }

  private set(field: number, value: number): void {
    new Uint32Array(this.memory.buffer)[(this.launch + field) / 4] = value;
  }

  private begin(launch: number, sites: number): void {
    this.launch = launch;
    this.warps = [];
    this.phases.clear();
    this.lastBlocks = [];
    this.vain = [];
    this.full = new Set();
    this.mostOfWarp = Infinity;
    this.set(launchField.traceEnd, this.buffer + 4 * (bufferWords - longestToken));
    this.set(launchField.traceFirst, this.firstSites);
    this.set(launchField.traceSeen, this.seen);
    this.set(launchField.traceSites, sites);
    this.set(launchField.samples, this.samples);
    this.set(launchField.traceBlock, 0xffff_ffff);
  }

  /**
   * Executes a grid whose blocks may wait for each other by `execute`, and hands over what the warps of those asked for did.
   * `launch` and `sites` as the runtime has them; `shown`: what clocks have shown a warp of a block until now, cycles.
   */
  runBeside(
    launch: number,
    sites: number,
    warpsPerBlock: number,
    execute: () => void,
    shown: (block: number, warp: number) => readonly number[],
  ): void {
    const { blocks } = this.request;
    const silent = this.kernel.sites.map(({ changesNothing }) => changesNothing === true);
    this.waits = new Waits(this.kernel.polls, (access) => silent[access]!, warpsPerBlock);
    this.warpsPerBlock = warpsPerBlock;
    this.clockWaits = this.newClockWaits(
      (warp) => shown(blocks[Math.floor(warp / warpsPerBlock)]!, warp % warpsPerBlock),
      true,
    );
    this.begin(launch, sites);
    this.set(launchField.trace, 0);
    this.set(launchField.traceAt, this.buffer);
    this.set(launchField.traceStep, blocks[1] ?? 0x7fff_ffff);
    this.set(launchField.traceCount, blocks.length);
    this.set(launchField.siteCount, this.siteCount);
    try {
      execute();
      this.set(launchField.trace, new Uint32Array(this.memory.buffer)[(launch + launchField.traceAt) / 4]!);
      this.drain();
    } finally {
      this.set(launchField.trace, 0);
      this.set(launchField.traceStep, 0);
    }
    this.clockWaits?.finish(this.warps);
    const streams = this.waits.finish(Array.from(this.warps, (words) => words ?? []));
    this.warps = [];
    for (const block of blocks) {
      const ofBlock = streams.slice(this.traced * warpsPerBlock, (this.traced + 1) * warpsPerBlock);
      if (ofBlock.length < warpsPerBlock) break;
      this.traced++;
      this.request.onBlock(block, ofBlock);
    }
    this.done = true;
  }

  /**
   * Executes one block of `warpCount` warps by `execute` and hands over what they did. `launch` and `sites` as the runtime has them;
   * `shown`: what clocks have shown a warp of the block until now, cycles.
   */
  run(
    block: number,
    launch: number,
    sites: number,
    warpCount: number,
    execute: () => void,
    shown: (warp: number) => readonly number[],
  ): void {
    const each = siteCounterBytes / 8;
    const counters = new BigUint64Array(this.memory.buffer, sites, each * this.siteCount);
    const seen = new BigUint64Array(this.memory.buffer, this.seen, this.siteCount);
    for (let site = 0; site < this.siteCount; site++)
      seen[site] = counters[each * site + siteCounterField.wavefronts / 8]!;
    this.begin(launch, sites);
    this.warpCount = warpCount;
    this.set(launchField.trace, this.buffer);
    this.clockWaits = this.newClockWaits(shown, false);
    try {
      execute();
      this.drain();
    } finally {
      this.set(launchField.trace, 0);
    }
    this.clockWaits?.finish(this.warps);
    const streams = this.warps.map((words) => Uint32Array.from(words));
    this.warps = [];
    this.traced++;
    this.done = !this.request.onBlock(block, streams, this.full);
  }

  /** `isBeside`: nobody asks how often each warp read the clock. */
  private newClockWaits(shown: (warp: number) => readonly number[], isBeside: boolean): ClockWaits | null {
    const { clockLoops, clockReads } = this.kernel;
    if (clockLoops.length === 0) return null;
    const loops = clockLoops.map((loop) => ({ ...loop, silent: loop.silent || (isBeside && loop.polls) }));
    return new ClockWaits(loops, clockReads, shown);
  }

  /** Empties the buffer, when it is full and at the end of a block. */
  drain(): void {
    const { waits } = this;
    const words = new Uint32Array(this.memory.buffer);
    const end = words[(this.launch + launchField.trace) / 4]! / 4;
    let at = this.buffer / 4;
    let stream = (this.warps[this.warp] ??= []);
    while (at < end) {
      const word = words[at++]!;
      const type = typeOf(word);
      if (isWrittenAlone(word)) {
        if (isBarrierWritten(word)) {
          const [action, barrier, count, bytes] = words.subarray(at, at + 4) as unknown as [
            number,
            number,
            number,
            number,
          ];
          this.barrier(accessOf(word), action, barrier, count, bytes);
          at += 4;
        } else {
          this.warp = warpWritten(word);
          stream = this.warps[this.warp] ??= [];
        }
        continue;
      }
      if (this.full.has(this.warp)) {
        at += lengthOf(word) - 1;
        continue;
      }
      if (type === tokenType.block) {
        this.clockWaits?.goOn(this.warp, stream, word, words[at]!);
        waits?.enter(this.warp, stream, word, words[at]!);
        this.clockWaits?.enter(this.warp, stream, word, words[at]!);
        this.lastBlocks[this.warp] = stream.length;
      }
      stream.push(type === tokenType.block ? word : withKind(word, this.kinds[accessOf(word)]!));
      const from = stream.length - 1;
      for (let rest = lengthOf(word) - 1; rest > 0; rest--) stream.push(words[at++]!);
      if (waits !== null && type === tokenType.global) waits.access(this.warp, stream, from);
    }
    words[(this.launch + launchField.trace) / 4] = this.buffer;
    this.words += end - this.buffer / 4;
    if (waits === null) return this.keepWithin();
    const begun = Math.ceil(this.warps.length / this.warpsPerBlock);
    if (this.isCut) return;
    const { enough, mostWords = Infinity, onCut } = this.request;
    if (this.words > mostWords) {
      this.isCut = true;
      this.set(launchField.traceCount, 0);
      onCut?.();
    } else if (enough?.(begun, this.words) === true) this.set(launchField.traceCount, begun);
  }

  /** Cuts what is more than may be kept of the block. */
  private keepWithin(): void {
    const { mostWordsOfBlock = Infinity } = this.request;
    const kept = this.warps.reduce((sum, { length }) => sum + length, 0);
    if (kept > mostWordsOfBlock) this.mostOfWarp = Math.ceil(mostWordsOfBlock / this.warpCount);
    this.warps.forEach((stream, warp) => {
      if (stream.length <= this.mostOfWarp || this.full.has(warp)) return;
      stream.length = placeToCut(stream, this.mostOfWarp);
      this.clockWaits?.forget(warp);
      this.full.add(warp);
    });
  }

  /** Access samples of each site; to be read when all blocks are traced. */
  accessSamples(): AccessSample[][] {
    const words = new Uint32Array(this.memory.buffer);
    return this.kernel.sites.map((_, site) => {
      const at = this.samples + site * samplesBytes;
      // The 1st, the 2nd, the 4th and so on are there.
      const kept = Math.min(samplesPerSite, 32 - Math.clz32(words[(at + samplesField.count) / 4]!));
      const all = Array.from({ length: kept }, (_, i) => sampleAt(words, at + samplesField.of + i * sampleBytes));
      const patterns = new Set<string>();
      return all.filter((one) => {
        const pattern = patternOf(one);
        if (patterns.has(pattern) || patterns.size >= mostPatterns) return false;
        patterns.add(pattern);
        return true;
      });
    });
  }

  private barrier(access: number, what: number, barrier: number, count: number, bytes: number): void {
    const stream = this.warps[this.warp]!;
    const action = actionWritten(what);
    const over = phasesWritten(what);
    const of = Math.floor(this.warp / this.warpsPerBlock) * barriersPerBlock + barrier;
    if (action === syncAction.init) this.phases.set(of, 0);
    if (over > 0) this.phases.set(of, (this.phases.get(of) ?? 0) + over);
    if (this.full.has(this.warp)) return;
    const tests = action === syncAction.test || action === syncAction.testParity;
    if (tests) this.forgetVain(stream, access, count === 0);
    const amount = tests ? (this.phases.get(of) ?? 0) : bytes;
    stream.push(syncToken(action, access), barrier, count, amount);
  }

  /**
   * A loop that does nothing but test a barrier goes around as often as others need: here once. How often it is on hardware,
   * whose test itself waits for a while, the time will tell.
   */
  private forgetVain(stream: number[], access: number, inVain: boolean): void {
    const vain = (this.vain[this.warp] ??= new Map<number, number>());
    const from = vain.get(access);
    let current = this.lastBlocks[this.warp] ?? 0;
    if (from !== undefined && from < current && onlyTests(stream, from, current, access)) {
      stream.splice(from, current - from);
      current = this.lastBlocks[this.warp] = from;
    }
    if (inVain) vain.set(access, current);
    else vain.delete(access);
  }
}

/** True if these words of a stream access nothing but one barrier. */
function onlyTests(stream: readonly number[], from: number, to: number, access: number): boolean {
  for (let at = from; at < to; at += lengthOf(stream[at]!))
    if (typeOf(stream[at]!) !== tokenType.block && accessOf(stream[at]!) !== access) return false;
  return true;
}

/** The last place within `most` words where a block of code begins, and no wait for a time has begun that has not ended. */
function placeToCut(stream: readonly number[], most: number): number {
  let place = 0;
  let waits = false;
  for (let at = 0; at < most; at += lengthOf(stream[at]!)) {
    const word = stream[at]!;
    if (word === syncToken(syncAction.poll, waitAccess)) waits = true;
    else if (word === syncToken(syncAction.pollEnd, waitAccess)) waits = false;
    else if (typeOf(word) === tokenType.block && !waits) place = at;
  }
  return place;
}

/** Most patterns of each site: far more than most have. */
const mostPatterns = 8;

/** Address spaces as LLVM numbers them. */
const spaces: Readonly<Record<number, AccessSample['space']>> = { 1: 'global', 3: 'shared', 5: 'local' };

/** `at`: its address. */
function sampleAt(words: Uint32Array, at: number): AccessSample {
  const field = (name: keyof typeof sampleField): number => words[(at + sampleField[name]) / 4]!;
  const first = (at + sampleField.address) / 4;
  const lanes = field('mask');
  return {
    ...{ block: field('block'), warp: field('warp'), size: field('size'), lanes },
    space: spaces[field('space')] ?? 'global',
    addresses: words.slice(first, first + 32).map((address, lane) => ((lanes >>> lane) & 1 ? address : 0)),
  };
}

/** Pattern that determines sectors and banks: which lanes take part, and where they are from the start of the lowest line. */
function patternOf({ lanes, size, addresses }: AccessSample): string {
  const active = addresses.filter((_, lane) => (lanes >>> lane) & 1);
  const base =
    Math.floor(active.reduce((least, address) => Math.min(least, address), Infinity) / lineBytes) * lineBytes;
  return [lanes, size, ...active.map((address) => address - base)].join();
}
