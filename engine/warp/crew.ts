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
  blockCounterBytes,
  blockStateBytes,
  crewBase,
  heapStart,
  hotGranules,
  l2Slices,
  launchBytes,
  statistics,
  statisticsElsewhere,
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
import { stackPointerOf } from './second-functions.ts';

/** Words of the control block of a part: what to do, and how it ended. */
const control = {
  /** 0: nothing to do; 1: do the task. */
  go: 0,
  unit: 1,
  /** Its arguments follow. */
  task: 2,
  /** Of {@link tasks.compare}: 1 where the part got in another's way. */
  found: 10,
  /** How it ended: {@link endings}. */
  failed: 11,
  words: 12,
} as const;

/** `givenUp`: the thread of the program does it, one block after the other. `unknown`: it did not have the second functions. */
const endings = { done: 0, givenUp: 1, unknown: 2 } as const;

/** Thrown where a thread has no second functions yet. */
export class SecondMissing extends Error {}

const tasks = { execute: 0, compare: 1, settle: 2 } as const;
type Exports = Record<string, (...args: number[]) => number>;

/** Does what a control block says. */
function perform(exports: Exports, words: Int32Array): void {
  const [task, ...args] = words.subarray(control.task, control.found);
  if (task === tasks.execute) {
    const [entry, launch, first, count, counts, sites] = args;
    exports[`run_${entry}`]!(launch!, first!, count!, counts!, sites!);
  } else if (task === tasks.compare) {
    const [launch, parts] = args;
    words[control.found] = exports['conflicts']!(launch!, parts!, partBytes);
  } else {
    const [launch, parts, first, count, slices, heapEnd] = args;
    exports['replay']!(launch!, first!, count!, parts!, partBytes, slices!);
    exports['forget_part']!(launch!, heapEnd!);
  }
}

/** The thread of a member: waits for tasks and does them. `load` gives the unit of a number. */
export function serve({ control: words, stackTop }: CrewMember, load: (unit: number) => WebAssembly.Instance): never {
  for (;;) {
    // A worker may see the word before the call that wakes it, which then wakes it again when it is done.
    while (Atomics.load(words, control.go) === 0) Atomics.wait(words, control.go, 0);
    try {
      const instance = load(words[control.unit]!);
      stackPointerOf(instance).value = stackTop | 0;
      perform(instance.exports as Exports, words);
    } catch (error) {
      words[control.failed] = error instanceof SecondMissing ? endings.unknown : endings.givenUp;
    }
    Atomics.store(words, control.go, 0);
    Atomics.notify(words, control.go);
  }
}

export interface CrewMember {
  memory: WebAssembly.Memory;
  /** Its control block. */
  control: Int32Array;
  /** One word that all parts count with. */
  sequence: Int32Array;
  stackTop: number;
  /** Brings compiled units: {@link CrewUnit}. */
  port: MessagePort;
}

/** A unit for a crew's thread, and its second functions where there are any by then. */
export interface CrewUnit {
  unit: number;
  module: WebAssembly.Module;
  second: WebAssembly.Module | null;
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
  unit: {
    number: number;
    module: WebAssembly.Module;
    instance: WebAssembly.Instance;
    second: { module: WebAssembly.Module } | null;
    loadSecond: () => void;
  };
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
  /** Blocks whose atomics meet, and what to do after each time so many; null where there are none. */
  meeting: { blocks: number; end: () => void } | null;
}

/** 64-bit fields of a launch that add up. */
const counted = [...statistics, ...statisticsElsewhere].map((name) => launchField[name]);

/** Rounds use at most this share of a part's log and copies, going by the round before. */
const fullShare = 0.7;
/** Rounds of fewer blocks per part are not worth their start, but for long ones. */
const fewestBlocks = 4;
const longBlockMilliseconds = 1;
const waitMilliseconds = 100;
/** So many SMs in a row are of one part, in rounds that have enough blocks. */
const adjacentSms = 8;

interface Part {
  base: number;
  state: Record<'launch' | 'hot' | 'counts' | 'sites' | 'blocks' | 'warps' | 'shared' | 'local', number>;
}

/** Which blocks of a round a part executes: see part_of of the runtime. */
interface Share {
  part: number;
  parts: number;
  adjacent: number;
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
  /** `known`: the units that they have, and whether with second functions. */
  private readonly members: { control: Int32Array; port: MessagePort; known: Map<number, boolean> }[] = [];
  /** The control block of this thread. */
  private readonly own = new Int32Array(control.words);

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
      const untilMeeting = grid.meeting === null ? Infinity : grid.meeting.blocks - (next % grid.meeting.blocks);
      const count = Math.min(end - next, most, untilMeeting);
      const { ended, used } = this.round(grid, parts as Part[], next, count);
      // A warp has entered second functions that its thread does not have: with them it is tried again.
      const isUnknown =
        ended === 'undone' && this.members.some((member) => member.control[control.failed] === endings.unknown);
      if (isUnknown) grid.unit.loadSecond();
      else if (ended === 'undone') return next;
      if (ended === 'done') {
        next += count;
        this.blocks += count;
        if (count === untilMeeting) grid.meeting!.end();
        tell(next);
      }
      const grown = Math.max(8 * count, most);
      most = Math.floor(ended === 'full' ? count / 4 : Math.min(grown, (count * fullShare) / Math.max(used, 1e-6)));
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
      this.members.push({ control: words, port: port1, known: new Map() });
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
    // The first two have the same place always: passes are zero but while a round is settled.
    const state = {
      launch: take(launchBytes),
      hot: take(8 * hotGranules),
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
    const words = new Uint32Array(buffer);
    const caches = new Uint8Array(buffer, grid.l1.address, grid.l1.bytes);
    if (this.cachesBefore.length < caches.length) this.cachesBefore = new Uint8Array(caches.length);
    this.cachesBefore.set(caches);
    this.sequence[0] = 0;
    const adjacent = count < 4 * adjacentSms * parts.length ? 1 : adjacentSms;
    parts.forEach((part, index) => begin(buffer, grid, part, { part: index, parts: parts.length, adjacent }));
    const firstLaunch = parts[0]!.state.launch;
    const isWhole = this.together(grid, parts, ({ launch, counts, sites }) => [
      ...[tasks.execute, grid.entry, launch, first],
      ...[count, counts, sites],
    ]);
    const used = Math.max(...parts.map((part) => usedBy(words, part)));
    if (!isWhole || !this.together(grid, parts, ({ launch }) => [tasks.compare, launch, firstLaunch])) {
      const copies = parts.flatMap((part) => copiesOf(words, part));
      restore(new Uint8Array(buffer), words, copies);
      caches.set(this.cachesBefore.subarray(0, caches.length));
      for (const part of parts) forget(buffer, grid, part);
      return { ended: used >= 1 ? 'full' : 'undone', used };
    }
    const exports = grid.unit.instance.exports as Exports;
    // First accesses to pages of managed memory are in a list of the launch.
    const isManaged = words[(grid.launch + launchField.managed) / 4] !== 0;
    if (isManaged) exports['replay']!(grid.launch, first, count, firstLaunch, partBytes, -1);
    const isSettled = this.together(grid, parts, ({ launch }, index) => [
      ...[tasks.settle, launch, firstLaunch, first, count],
      ...[isManaged ? 0 : slicesOf(index, parts.length), grid.heapEnd],
    ]);
    if (!isSettled) throw new Error('The log of a part is damaged.');
    for (const part of parts) merge(buffer, grid, part);
    return { ended: 'done', used };
  }

  /** Each part does a task, this thread the first one's; false where one gave up or found something. */
  private together(
    grid: GridRun,
    parts: Part[],
    taskOf: (state: Part['state'], index: number) => readonly number[],
  ): boolean {
    this.members.forEach((member, i) => {
      const { number, module, second } = grid.unit;
      if (member.known.get(number) !== (second !== null)) {
        member.port.postMessage({ unit: number, module, second: second?.module ?? null } satisfies CrewUnit);
        member.known.set(number, second !== null);
      }
      member.control.set([0, 0], control.found);
      member.control.set([grid.unit.number, ...taskOf(parts[i + 1]!.state, i + 1)], control.unit);
      Atomics.store(member.control, control.go, 1);
      Atomics.notify(member.control, control.go);
    });
    this.own.set([0, 0], control.found);
    this.own.set(taskOf(parts[0]!.state, 0), control.task);
    const { exports } = grid.unit.instance;
    const stackPointer = stackPointerOf(grid.unit.instance);
    const stackTop = stackPointer.value;
    try {
      perform(exports as Exports, this.own);
    } catch {
      this.own[control.failed] = endings.givenUp;
      stackPointer.value = stackTop;
    }
    for (const member of this.members)
      while (Atomics.load(member.control, control.go) === 1)
        Atomics.wait(member.control, control.go, 1, waitMilliseconds);
    return [this.own, ...this.members.map((member) => member.control)].every(
      (words) => words[control.failed] === 0 && words[control.found] === 0,
    );
  }
}

/** Slices of L2 that one of `parts` looks up, a bit each. */
function slicesOf(index: number, parts: number): number {
  let slices = 0;
  for (let slice = index; slice < l2Slices; slice += parts) slices |= 1 << slice;
  return slices;
}

/** Prepares a part for a round. */
function begin(buffer: ArrayBufferLike, grid: GridRun, { base, state }: Part, share: Share): void {
  const bytes = new Uint8Array(buffer);
  const words = new Uint32Array(buffer);
  bytes.copyWithin(state.launch, grid.launch, grid.launch + launchBytes);
  for (const field of counted) bytes.fill(0, state.launch + field, state.launch + field + 8);
  bytes.fill(0, state.counts, state.counts + grid.blockCounters * blockCounterBytes);
  bytes.fill(0, state.sites, state.sites + grid.siteCounters * siteCounterBytes);
  for (let at = siteCounterField.pastL1; at < grid.siteCounters * siteCounterBytes; at += siteCounterBytes)
    bytes[state.sites + at] = bytes[grid.sites + at] === 0 ? 0 : 1;
  bytes.fill(0, state.blocks, state.blocks + blockStateBytes);
  const warps = words[(grid.launch + launchField.warpBase) / 4]!;
  bytes.copyWithin(state.warps, warps, warps + grid.warps * grid.warpBytes);
  const fields: Partial<Record<keyof typeof launchField, number>> = {
    ...{ shared: state.shared, local: state.local, warpBase: state.warps, slots: 1, blocks: state.blocks, ...share },
    ...{ logFirst: base + partArea.log, log: base + partArea.log, logEnd: base + partArea.undo, hot: state.hot },
    ...{ undo: base + partArea.undo, undoEnd: base + partArea.granules },
    ...{ granules: base + partArea.granules, reads: base + partArea.reads },
    ...{ atomics: base + partArea.atomics, atomicsFirst: 0xffffffff, atomicsLast: 0 },
  };
  for (const [name, value] of Object.entries(fields))
    words[(state.launch + launchField[name as keyof typeof fields]) / 4] = value;
}

/** Fill level of a part's log and copies, 0 to 1 where there was room. */
function usedBy(words: Uint32Array, { base, state }: Part): number {
  const end = (name: 'log' | 'undo'): number => words[(state.launch + launchField[name]) / 4]! - base;
  return Math.max(
    (end('log') - partArea.log) / (partArea.undo - partArea.log),
    (end('undo') - partArea.undo) / (partArea.granules - partArea.undo),
  );
}

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

/** Makes room for the next round after one that was undone. */
function forget(buffer: ArrayBufferLike, { heapEnd }: GridRun, part: Part): void {
  const words = new Uint32Array(buffer);
  forgetGranules(words, part, copiesOf(words, part));
  const bytes = new Uint8Array(buffer);
  for (const area of [partArea.reads, partArea.atomics])
    bytes.fill(0, part.base + area + heapStart / 256, part.base + area + Math.ceil(heapEnd / 256));
  bytes.fill(0, part.state.hot, part.state.hot + 8 * hotGranules);
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
  for (const field of counted) add(grid.launch + field, state.launch + field, 1);
  (grid.unit.instance.exports as Exports)['add_hot']!(grid.launch, state.launch);
}
