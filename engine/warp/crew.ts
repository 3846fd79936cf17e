/**
 * Blocks of a grid side by side, on the machine's cores, with the results and counts of one after the other.
 *
 * A grid is split by SMs, so that each part has L1 caches of its own. What a part asks of L2 is logged, and replayed in the
 * order of blocks. Blocks that get in each other's way (one writes what another reads or writes) would make results depend
 * on chance: every part notes what it reads and writes and keeps what was there before; after a round of blocks the
 * notes are compared, and if anything is amiss (a conflict, a fault, a full log), the round is undone and executed one
 * block after the other. So neither the number of cores nor their speed ever shows.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { SimsightError } from '../base/errors.ts';
import { workerUrl } from '../base/paths.ts';
import {
  blockBegins,
  blockCounterBytes,
  blockStateBytes,
  crewBase,
  heapStart,
  launchBytes,
  statistics,
  launchField,
  localCleared,
  maxParts,
  pageBytes,
  partArea,
  partBytes,
  siteCounterBytes,
  siteCounterField,
  undoBytes,
  undoField,
  undoGranule,
} from './layout.ts';

/** Words of the control block of a part: what to run, and how it ended. */
export const control = {
  /** 0: nothing to do; 1: run. */
  go: 0,
  unit: 1,
  entry: 2,
  launch: 3,
  first: 4,
  count: 5,
  counts: 6,
  sites: 7,
  /** 1: it was given up. */
  failed: 8,
  words: 16,
} as const;

export interface CrewMember {
  memory: WebAssembly.Memory;
  /** Its control block. */
  control: Int32Array;
  /** One word that all parts count with. */
  sequence: Int32Array;
  stackTop: number;
  /** Brings compiled units, `{ unit, module }`. */
  port: MessagePort;
}

/** Starts a thread of `crew-worker.ts`; its port is to be transferred. */
export type StartCrewThread = (member: CrewMember) => void;

/** Here; with the rights in `execArgv`, or else those of the thread that calls. */
export const startCrewThread = (workerData: CrewMember, execArgv?: string[]): void => {
  const rights = execArgv === undefined ? {} : { execArgv };
  new Worker(workerUrl('warp/crew-worker'), { workerData, transferList: [workerData.port], ...rights }).unref();
};

/** A grid under way. */
export interface GridRun {
  unit: { number: number; module: WebAssembly.Module; instance: WebAssembly.Instance };
  entry: number;
  /** Addresses of the launch struct, the counters of blocks and of sites. */
  launch: number;
  counts: number;
  sites: number;
  blockCounters: number;
  siteCounters: number;
  warps: number;
  warpBytes: number;
  sharedBytes: number;
  localTotal: number;
  smCount: number;
  /** The L1 caches of all SMs. */
  l1: { address: number; bytes: number };
  /** End of the device memory that is in use. */
  heapEnd: number;
}

const firstStatistic = launchField[statistics[0]];

/** Rounds use at most this share of a part's log and copies, going by the round before. */
const fullShare = 0.7;
/** Rounds of fewer blocks per part are not worth their start, but for long ones. */
const fewestBlocks = 4;
const longBlockMilliseconds = 1;
const waitMilliseconds = 100;

interface Part {
  base: number;
  state: Record<'launch' | 'counts' | 'sites' | 'blocks' | 'warps' | 'shared' | 'local', number>;
}

interface Round {
  /** `full`: undone because a part's log or copies had no more room. */
  ended: 'done' | 'full' | 'undone';
  /** Fill level of the fullest part's log and copies, 0 to 1. */
  used: number;
}

export class Crew {
  readonly parts: number;
  /** One word: numbers the copies that are kept of written memory. */
  readonly sequence = new Int32Array(new SharedArrayBuffer(4));
  /** Blocks executed side by side until now. */
  blocks = 0;
  private readonly memory: WebAssembly.Memory;
  private readonly startThread: StartCrewThread;
  /** The L1 caches as a round found them. */
  private cachesBefore = new Uint8Array();
  private readonly members: { control: Int32Array; port: MessagePort; known: Set<number> }[] = [];

  constructor(
    memory: WebAssembly.Memory,
    parts = availableParallelism(),
    startThread: StartCrewThread = startCrewThread,
  ) {
    this.memory = memory;
    this.startThread = startThread;
    this.parts = Math.min(maxParts, parts);
  }

  /**
   * Executes the blocks from `first` on, as far as they go; returns the first that remains. `tell` hears of each round; `blockMilliseconds`: what
   * a block takes.
   */
  run(grid: GridRun, first: number, end: number, tell: (done: number) => void, blockMilliseconds = 0): number {
    // Most grids are done by now, and programs that have no others need no threads.
    if (first === end) return first;
    if (this.members.length < this.parts - 1) this.start();
    const parts = Array.from({ length: this.parts }, (_, i) => this.place(grid, crewBase + i * partBytes));
    if (parts.some((part) => part === null)) return first;
    let next = first;
    // Long blocks write much, and a round that is undone as a log is full is much lost.
    const isLong = blockMilliseconds > longBlockMilliseconds;
    const fewest = (isLong ? 1 : fewestBlocks) * this.parts;
    let most = isLong ? 2 * fewest : grid.smCount;
    while (next < end) {
      const count = Math.min(end - next, most);
      const { ended, used } = this.round(grid, parts as Part[], next, count);
      if (ended === 'undone') return next;
      if (ended === 'done') {
        next += count;
        this.blocks += count;
        tell(next);
      }
      most = Math.floor(ended === 'full' ? count / 4 : Math.min(8 * count, (count * fullShare) / Math.max(used, 1e-6)));
      if (most < fewest) return next;
    }
    return next;
  }

  /**
   * Executes blocks by `run` and puts back what they wrote. False where they did not come to their end, or wrote too much.
   * `launch`: the address of their launch struct.
   */
  rehearse(launch: number, run: () => void): boolean {
    this.reserve();
    const bytes = new Uint8Array(this.memory.buffer);
    const words = new Uint32Array(this.memory.buffer);
    const part = { base: crewBase, state: { launch } };
    const set = (field: number, value: number): void => void (words[(launch + field) / 4] = value);
    set(launchField.granules, part.base + partArea.granules);
    set(launchField.undo, part.base + partArea.undo);
    set(launchField.undoEnd, part.base + partArea.granules);
    this.sequence[0] = 0;
    try {
      run();
      return true;
    } catch (error) {
      if (error instanceof SimsightError) throw error;
      return false;
    } finally {
      const copies = copiesOf(words, part);
      restore(bytes, words, copies);
      forgetGranules(words, part, copies);
      set(launchField.undo, 0);
    }
  }

  private reserve(): void {
    const missing = crewBase + maxParts * partBytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / pageBytes));
  }

  private start(): void {
    this.reserve();
    while (this.members.length < this.parts - 1) {
      const { port1, port2 } = new MessageChannel();
      const words = new Int32Array(new SharedArrayBuffer(4 * control.words));
      const stackTop = crewBase + (this.members.length + 1) * partBytes + partArea.state;
      this.startThread({ memory: this.memory, control: words, sequence: this.sequence, stackTop, port: port2 });
      port1.unref();
      this.members.push({ control: words, port: port1, known: new Set() });
    }
  }

  /** Places the state of a part; null when there is no room. */
  private place(grid: GridRun, base: number): Part | null {
    let next = base + partArea.state;
    const take = (bytes: number): number => {
      const at = next;
      next += Math.ceil(bytes / 128) * 128;
      return at;
    };
    const state = {
      launch: take(launchBytes),
      counts: take(grid.blockCounters * blockCounterBytes),
      sites: take(grid.siteCounters * siteCounterBytes),
      blocks: take(blockStateBytes),
      warps: take(grid.warps * grid.warpBytes),
      shared: take(Math.max(grid.sharedBytes, 128)),
      local: take(grid.localTotal),
    };
    if (grid.localTotal > localCleared) return null;
    return next > base + partArea.log ? null : { base, state };
  }

  /** One round of blocks. */
  private round(grid: GridRun, parts: Part[], first: number, count: number): Round {
    const { buffer } = this.memory;
    const bytes = new Uint8Array(buffer);
    const words = new Uint32Array(buffer);
    const caches = bytes.subarray(grid.l1.address, grid.l1.address + grid.l1.bytes);
    if (this.cachesBefore.length < caches.length) this.cachesBefore = new Uint8Array(caches.length);
    this.cachesBefore.set(caches);
    this.sequence[0] = 0;
    parts.forEach(({ base, state }, index) => {
      bytes.copyWithin(state.launch, grid.launch, grid.launch + launchBytes);
      bytes.fill(0, state.launch + firstStatistic, state.launch + firstStatistic + 8 * statistics.length);
      bytes.fill(0, state.counts, state.counts + grid.blockCounters * blockCounterBytes);
      bytes.fill(0, state.sites, state.sites + grid.siteCounters * siteCounterBytes);
      for (let at = siteCounterField.pastL1; at < grid.siteCounters * siteCounterBytes; at += siteCounterBytes)
        bytes[state.sites + at] = bytes[grid.sites + at] === 0 ? 0 : 1;
      bytes.fill(0, state.blocks, state.blocks + blockStateBytes);
      const warps = words[(grid.launch + launchField.warpBase) / 4]!;
      bytes.copyWithin(state.warps, warps, warps + grid.warps * grid.warpBytes);
      const set = (field: number, value: number): void => void (words[(state.launch + field) / 4] = value);
      set(launchField.shared, state.shared);
      set(launchField.local, state.local);
      set(launchField.warpBase, state.warps);
      set(launchField.slots, 1);
      set(launchField.blocks, state.blocks);
      set(launchField.log, base + partArea.log);
      set(launchField.logEnd, base + partArea.undo);
      set(launchField.part, index);
      set(launchField.parts, parts.length);
      set(launchField.reads, base + partArea.reads);
      set(launchField.granules, base + partArea.granules);
      set(launchField.undo, base + partArea.undo);
      set(launchField.undoEnd, base + partArea.granules);
    });

    this.members.forEach((member, i) => {
      const { state } = parts[i + 1]!;
      if (!member.known.has(grid.unit.number)) {
        member.port.postMessage({ unit: grid.unit.number, module: grid.unit.module });
        member.known.add(grid.unit.number);
      }
      member.control.set(
        [grid.unit.number, grid.entry, state.launch, first, count, state.counts, state.sites, 0],
        control.unit,
      );
      Atomics.store(member.control, control.go, 1);
      Atomics.notify(member.control, control.go);
    });
    let failed = false;
    const { launch, counts, sites } = parts[0]!.state;
    const stackPointer = grid.unit.instance.exports['__stack_pointer'] as WebAssembly.Global<'i32'>;
    const stackTop = stackPointer.value;
    try {
      (grid.unit.instance.exports[`run_${grid.entry}`] as RunBlocks)(launch, first, count, counts, sites);
    } catch {
      failed = true;
      stackPointer.value = stackTop;
    }
    for (const member of this.members) {
      while (Atomics.load(member.control, control.go) === 1)
        Atomics.wait(member.control, control.go, 1, waitMilliseconds);
      failed ||= member.control[control.failed] === 1;
    }

    const copies = parts.map((part) => copiesOf(words, part));
    const field = ({ state }: Part, name: 'log' | 'undo'): number => words[(state.launch + launchField[name]) / 4]!;
    const full = parts.some(
      (part) => field(part, 'log') === part.base + partArea.undo || field(part, 'undo') > part.base + partArea.granules,
    );
    const undone = failed || conflict(bytes, words, parts, copies);
    if (undone) {
      restore(bytes, words, copies.flat());
      caches.set(this.cachesBefore.subarray(0, caches.length));
    } else {
      this.replay(grid, parts, first, count);
      for (const part of parts) merge(buffer, grid, part);
    }
    let fullest = 0;
    parts.forEach((part, i) => {
      const { base } = part;
      const log = field(part, 'log') - (base + partArea.log);
      fullest = Math.max(fullest, log / (partArea.undo - partArea.log));
      fullest = Math.max(fullest, (copies[i]!.length * undoBytes) / (partArea.granules - partArea.undo));
      forgetGranules(words, { base }, copies[i]!);
      bytes.fill(0, base + partArea.reads + heapStart / 256, base + partArea.reads + Math.ceil(grid.heapEnd / 256));
    });
    return { ended: !undone ? 'done' : full ? 'full' : 'undone', used: fullest };
  }

  /** Replays the parts' requests to L2, in the order of blocks. */
  private replay(grid: GridRun, parts: Part[], first: number, count: number): void {
    const words = new Uint32Array(this.memory.buffer);
    const replayLog = grid.unit.instance.exports['replay'] as (
      launch: number,
      block: number,
      at: number,
      end: number,
    ) => number;
    const next = parts.map(({ base }) => base + partArea.log);
    const ends = parts.map(({ state }) => words[(state.launch + launchField.log) / 4]!);
    for (let block = first; block < first + count; block++) {
      const part = (block % grid.smCount) % parts.length;
      const at = next[part]!;
      if (words[at / 4] !== blockBegins || words[at / 4 + 1] !== block)
        throw new Error('The log of a part is damaged.');
      next[part] = replayLog(grid.launch, block, at + 8, ends[part]!) >>> 0;
    }
  }
}

type RunBlocks = (launch: number, first: number, count: number, counts: number, sites: number) => void;

const granuleOf = (words: Uint32Array, copy: number): number => words[(copy + undoField.granule) / 4]!;

/** Addresses of a part's copies of what it wrote over. */
function copiesOf(words: Uint32Array, { base, state }: { base: number; state: { launch: number } }): number[] {
  const end = Math.min(words[(state.launch + launchField.undo) / 4]!, base + partArea.granules);
  const copies: number[] = [];
  for (let at = base + partArea.undo; at + undoBytes <= end; at += undoBytes) {
    // The last one may not have come to be.
    const granule = granuleOf(words, at);
    if (words[(base + partArea.granules) / 4 + granule] === at) copies.push(at);
  }
  return copies;
}

function forgetGranules(words: Uint32Array, { base }: { base: number }, copies: number[]): void {
  for (const copy of copies) words[(base + partArea.granules) / 4 + granuleOf(words, copy)] = 0;
}

/** True if a part wrote a word that another wrote, or a sector that another read. */
function conflict(bytes: Uint8Array, words: Uint32Array, parts: Part[], copies: number[][]): boolean {
  return parts.some((_, i) =>
    copies[i]!.some((copy) => {
      const granule = granuleOf(words, copy);
      return parts.some(({ base }, k) => {
        if (k === i) return false;
        const read = words[(base + partArea.reads) / 4 + granule]!;
        const other = words[(base + partArea.granules) / 4 + granule]!;
        if (read === 0 && other === 0) return false;
        for (let sector = 0; sector < 32; sector++) {
          const written = bytes[copy + undoField.words + sector]!;
          if (written === 0) continue;
          if ((read >>> sector) & 1) return true;
          if (other !== 0 && written & bytes[other + undoField.words + sector]!) return true;
        }
        return false;
      });
    }),
  );
}

/** Puts back what was there; of several copies of a place the first one counts. */
function restore(bytes: Uint8Array, words: Uint32Array, copies: number[]): void {
  const sequenceOf = (copy: number): number => words[(copy + undoField.sequence) / 4]!;
  for (const copy of copies.sort((a, b) => sequenceOf(b) - sequenceOf(a))) {
    const at = copy + undoField.before;
    bytes.copyWithin(granuleOf(words, copy) * undoGranule, at, at + undoGranule);
  }
}

/** Adds a part's counters to the grid's. */
function merge(buffer: ArrayBufferLike, grid: GridRun, { state }: Part): void {
  const add = (to: number, from: number, count: number): void => {
    const target = new BigUint64Array(buffer, to, count);
    new BigUint64Array(buffer, from, count).forEach((value, i) => (target[i]! += value));
  };
  add(grid.counts, state.counts, (grid.blockCounters * blockCounterBytes) / 8);
  add(grid.sites, state.sites, (grid.siteCounters * siteCounterBytes) / 8);
  add(grid.launch + firstStatistic, state.launch + firstStatistic, statistics.length);
}
