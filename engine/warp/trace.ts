/**
 * What the warps of some blocks do, one by one: which blocks of code with which lanes, which lines of memory, how many
 * wavefronts. The runtime (runtime.c) writes it down while it executes; here it is taken apart by warps.
 */
import { launchField } from './layout.ts';
import type { ModuleKernel } from './module.ts';

/**
 * One warp, as tokens:
 *
 *   0 0 block:30                   executes this block of code; the mask of its lanes follows
 *   0 1 kind:6 site:16 count:8     accesses global or local memory: so many words line:25 | sectors:4 << 25 follow
 *   1 0 kind:6 site:16 passes:8    accesses shared memory in so many wavefronts
 *
 * `kind`: 0 load, 1 store, 2 atomic. Accesses follow the block that they are in.
 */
export type WarpStream = Uint32Array;

export interface TraceRequest {
  /** Numbers of blocks, ascending. */
  blocks: readonly number[];
  /** In their order; `warps` are those of the block. False: no more of them. */
  onBlock: (block: number, warps: WarpStream[]) => boolean;
}

/** Words that are collected before they are taken apart. */
const bufferWords = 1 << 18;
/** A request of 32 lanes is one word and two lines for each at most. */
const longestToken = 65;
const tokenKinds = { load: 0, store: 1, atomic: 2, trap: 0 } as const;

export class Tracer {
  /** Those that are still wanted. */
  blocks: readonly number[];
  private readonly memory: WebAssembly.Memory;
  private readonly request: TraceRequest;
  private readonly kinds: number[];
  private readonly buffer: number;
  private readonly firstSites: number;
  private readonly seen: number;
  private readonly siteCount: number;
  private launch = 0;
  private warp = 0;
  private warps: number[][] = [];

  /** `take` finds room in device memory for as long as the launch runs. */
  constructor(
    memory: WebAssembly.Memory,
    kernel: ModuleKernel,
    request: TraceRequest,
    take: (bytes: number) => number,
  ) {
    this.memory = memory;
    this.request = request;
    this.blocks = request.blocks;
    this.kinds = kernel.sites.map(({ kind }) => tokenKinds[kind]);
    this.siteCount = kernel.sites.length;
    this.buffer = take(4 * bufferWords);
    this.firstSites = take(4 * (kernel.blocks.length + 1));
    this.seen = take(8 * Math.max(1, kernel.sites.length));
    // Sites are numbered block by block.
    const first = new Uint32Array(memory.buffer, this.firstSites, kernel.blocks.length + 1).fill(kernel.sites.length);
    for (let block = kernel.blocks.length - 1, site = kernel.sites.length - 1; block >= 0; block--) {
      while (site >= 0 && kernel.sites[site]!.block >= block) site--;
      first[block] = site + 1;
    }
  }

  /** Executes one block by `execute` and hands over what its warps did. `launch` and `sites` as the runtime has them. */
  run(block: number, launch: number, sites: number, execute: () => void): void {
    const counters = new BigUint64Array(this.memory.buffer, sites, 8 * this.siteCount);
    const seen = new BigUint64Array(this.memory.buffer, this.seen, this.siteCount);
    for (let site = 0; site < this.siteCount; site++) seen[site] = counters[8 * site + 1]!;
    this.launch = launch;
    this.warps = [];
    const set = (field: number, value: number): void => {
      new Uint32Array(this.memory.buffer)[(launch + field) / 4] = value;
    };
    set(launchField.trace, this.buffer);
    set(launchField.traceEnd, this.buffer + 4 * (bufferWords - longestToken));
    set(launchField.traceFirst, this.firstSites);
    set(launchField.traceSeen, this.seen);
    set(launchField.traceSites, sites);
    set(launchField.traceBlock, 0xffff_ffff);
    try {
      execute();
      this.drain();
    } finally {
      set(launchField.trace, 0);
    }
    const streams = this.warps.map((words) => Uint32Array.from(words));
    this.warps = [];
    if (!this.request.onBlock(block, streams)) this.blocks = [];
  }

  /** Empties the buffer, when it is full and at the end of a block. */
  drain(): void {
    const words = new Uint32Array(this.memory.buffer);
    const end = words[(this.launch + launchField.trace) / 4]! / 4;
    let at = this.buffer / 4;
    let stream = (this.warps[this.warp] ??= []);
    while (at < end) {
      const word = words[at++]!;
      const token = word >>> 30;
      if (token === 3) {
        this.warp = word & 0x3fff_ffff;
        stream = this.warps[this.warp] ??= [];
      } else if (token === 0) stream.push(word, words[at++]!);
      else {
        stream.push((word | (this.kinds[(word >>> 8) & 0xffff]! << 24)) >>> 0);
        if (token === 1) for (let count = word & 0xff; count > 0; count--) stream.push(words[at++]!);
      }
    }
    words[(this.launch + launchField.trace) / 4] = this.buffer;
  }
}
