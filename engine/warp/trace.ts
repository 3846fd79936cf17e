/**
 * What the warps of some blocks do, one by one ({@link WarpStream}). The runtime (runtime.c) writes it down while it
 * executes; here it is taken apart by warps.
 */
import { launchField } from './layout.ts';
import type { ModuleKernel } from './module.ts';
import { accessKind, accessOf, lengthOf, tokenType, typeOf, type WarpStream } from './stream.ts';

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
/** In the buffer: the warp whose tokens follow. */
const warpToken = 3;

export class Tracer {
  /** No more blocks are wanted. */
  done = false;
  /** Blocks until now. */
  traced = 0;
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
    this.kinds = kernel.sites.map(({ kind, pastL1 }) =>
      pastL1 === true ? accessKind.loadPastL1 : kind === 'trap' ? 0 : accessKind[kind],
    );
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
    this.traced++;
    this.done = !this.request.onBlock(block, streams);
  }

  /** Empties the buffer, when it is full and at the end of a block. */
  drain(): void {
    const words = new Uint32Array(this.memory.buffer);
    const end = words[(this.launch + launchField.trace) / 4]! / 4;
    let at = this.buffer / 4;
    let stream = (this.warps[this.warp] ??= []);
    while (at < end) {
      const word = words[at++]!;
      const type = typeOf(word);
      if (type === warpToken) {
        this.warp = word & 0x3fff_ffff;
        stream = this.warps[this.warp] ??= [];
        continue;
      }
      stream.push(type === tokenType.block ? word : (word | (this.kinds[accessOf(word)]! << 24)) >>> 0);
      for (let rest = lengthOf(word) - 1; rest > 0; rest--) stream.push(words[at++]!);
    }
    words[(this.launch + launchField.trace) / 4] = this.buffer;
  }
}
