/** The counters of a launch, which the runtime kept by block of code and by access, added up to what a kernel's event says. */
import type {
  AccessSample,
  BlockCounts,
  GlobalAccesses,
  InstructionClass,
  KernelCounts,
  SiteCounts,
} from '../../model/execution.ts';
import { instructionClasses } from '../../model/execution.ts';
import {
  blockCounterBytes,
  blockCounterField,
  launchField,
  siteCounterBytes,
  siteCounterField,
  statistics,
} from '../layout.ts';
import type { ModuleKernel } from '../module.ts';

/** A launch that has ended. */
export interface CountedLaunch {
  kernel: ModuleKernel;
  /** Executed ones. */
  blocks: number;
  warps: number;
  /** Addresses of the launch struct, the counters of blocks and of sites. */
  launch: number;
  counts: number;
  sites: number;
  /** Memory of other GPUs, and of the host, was within reach. */
  hasPeers: boolean;
  hasHost: boolean;
  /** Passes of atomics on the busiest addresses. */
  hottest: number;
  /** Also by block of code and by access. */
  samples: AccessSample[][] | null;
}

const noAccesses: GlobalAccesses = { requests: 0, sectors: 0, lines: 0, wavefronts: 0, passes: 0 };

const noCounts = (): Omit<KernelCounts, 'blocks' | 'warps' | (typeof statistics)[number]> => ({
  warpInstructions: 0,
  warpInstructionsByClass: {} as Record<InstructionClass, number>,
  threadInstructions: 0,
  branches: 0,
  divergentBranches: 0,
  barriers: 0,
  globalLoad: { ...noAccesses },
  globalStore: { ...noAccesses },
  globalAtomic: { ...noAccesses, lanes: 0, conflicts: 0, hottest: 0 },
  globalReduction: { requests: 0, sectors: 0 },
  localLoad: { requests: 0, sectors: 0 },
  localStore: { requests: 0, sectors: 0 },
  sharedLoad: { requests: 0, wavefronts: 0, idealWavefronts: 0 },
  sharedStore: { requests: 0, wavefronts: 0, idealWavefronts: 0 },
  sharedAtomic: { requests: 0, wavefronts: 0, idealWavefronts: 0, lanes: 0 },
  bulkLoad: { requests: 0, sectors: 0, lines: 0 },
  bulkStore: { requests: 0, sectors: 0, lines: 0 },
  textureLoad: { requests: 0, sectors: 0, lines: 0 },
  surfaceLoad: { requests: 0, sectors: 0, lines: 0 },
  surfaceStore: { requests: 0, sectors: 0, lines: 0 },
});

/** Reads the counters; `memory` is the device's. */
export function collectCounts(memory: WebAssembly.Memory, launch: CountedLaunch): KernelCounts {
  return new Collection(memory, launch).collect();
}

class Collection {
  private readonly launch: CountedLaunch;
  private readonly kernel: ModuleKernel;
  private readonly view: DataView;
  private readonly counts: KernelCounts;
  /** Warp instructions; loops that are unrolled leave fractions. */
  private readonly byClass = new Float64Array(instructionClasses.length);
  /** Tests of barriers in vain, and their lanes, by block of code. */
  private readonly vain: { times: number; lanes: number }[];
  /** Executions by block of code. */
  private executed: number[] = [];

  constructor(memory: WebAssembly.Memory, launch: CountedLaunch) {
    this.launch = launch;
    this.kernel = launch.kernel;
    this.view = new DataView(memory.buffer);
    this.vain = this.vainTests();
    this.counts = {
      blocks: launch.blocks,
      warps: launch.warps,
      ...noCounts(),
      ...(Object.fromEntries(statistics.map((name) => [name, this.ofLaunch(name)])) as Record<
        (typeof statistics)[number],
        number
      >),
      ...(launch.hasPeers && {
        peerReads: this.ofLaunch('peerReads'),
        peerWrites: this.ofLaunch('peerWrites'),
      }),
      ...(launch.hasHost && {
        hostReads: this.ofLaunch('hostReads'),
        hostWrites: this.ofLaunch('hostWrites'),
        hostPartial: this.ofLaunch('hostPartial'),
      }),
    };
  }

  collect(): KernelCounts {
    const { counts, kernel, launch } = this;
    this.addBlocks();
    kernel.sites.forEach((_, i) => this.addSite(i));
    counts.globalAtomic.hottest = launch.hottest;
    instructionClasses.forEach((name, i) => {
      counts.warpInstructionsByClass[name] = Math.round(this.byClass[i] ?? 0);
      counts.warpInstructions += counts.warpInstructionsByClass[name];
    });
    counts.threadInstructions = Math.round(counts.threadInstructions);
    if (launch.samples !== null) {
      const { samples } = launch;
      counts.places = {
        blocks: kernel.blocks.map((_, i) => this.blockCounts(i)),
        sites: kernel.sites.map((_, i) => this.siteCounts(i, samples[i]!)),
      };
    }
    return counts;
  }

  private u64(at: number): number {
    return Number(this.view.getBigUint64(at, true));
  }

  private ofLaunch(field: keyof typeof launchField): number {
    return this.u64(this.launch.launch + launchField[field]);
  }

  private ofBlock(block: number, field: keyof typeof blockCounterField): number {
    return this.u64(this.launch.counts + block * blockCounterBytes + blockCounterField[field]);
  }

  private ofSite(site: number, field: keyof typeof siteCounterField): number {
    return this.u64(this.launch.sites + site * siteCounterBytes + siteCounterField[field]);
  }

  private vainTests(): { times: number; lanes: number }[] {
    const vain = this.kernel.blocks.map(() => ({ times: 0, lanes: 0 }));
    this.kernel.sites.forEach(({ block, kind, unit }, i) => {
      if (unit !== 'sync' || kind !== 'load') return;
      vain[block]!.times += this.ofSite(i, 'lanes');
      vain[block]!.lanes += this.ofSite(i, 'conflicts');
    });
    return vain;
  }

  private timesOf(block: number): number {
    return this.ofBlock(block, 'times') - this.vain[block]!.times;
  }

  private lanesOf(block: number): number {
    return this.ofBlock(block, 'lanes') - this.vain[block]!.lanes;
  }

  private addBlocks(): void {
    const { counts, byClass } = this;
    this.executed = this.kernel.blocks.map(({ mix, branches, barriers, counted }, i) => {
      const times = this.timesOf(counted);
      const lanes = this.lanesOf(counted);
      mix.forEach((amount, k) => {
        byClass[k] = (byClass[k] ?? 0) + amount * times;
        counts.threadInstructions += amount * lanes;
      });
      counts.branches += branches * times;
      counts.barriers += barriers * times;
      counts.divergentBranches += this.ofBlock(i, 'diverged');
      return this.timesOf(i);
    });
  }

  private addSite(i: number): void {
    const { kind, unit, block } = this.kernel.sites[i]!;
    if (kind === 'trap' || unit === 'sync') return;
    const requests = this.executed[block] ?? 0;
    if (unit === undefined) return this.addAccess(i, kind, requests);
    const { counts } = this;
    const other = unit === 'texture' ? counts.textureLoad : counts[`${unit}${kind === 'load' ? 'Load' : 'Store'}`];
    // Lanes copy one after the other, each by an instruction of its own.
    other.requests += unit === 'bulk' ? this.ofSite(i, 'lanes') : requests;
    other.sectors += this.ofSite(i, 'sectors');
    other.lines += this.ofSite(i, 'lines');
  }

  private addAccess(i: number, kind: 'load' | 'store' | 'atomic', requests: number): void {
    const { counts } = this;
    const { space } = this.kernel.sites[i]!;
    const [toShared, toLocal] = [this.ofSite(i, 'sharedRequests'), this.ofSite(i, 'localRequests')];
    const global = kind === 'load' ? counts.globalLoad : kind === 'store' ? counts.globalStore : counts.globalAtomic;
    const shared = kind === 'load' ? counts.sharedLoad : kind === 'store' ? counts.sharedStore : counts.sharedAtomic;
    const toBanks = space === 3 ? requests : space === 0 ? toShared : 0;
    const toGlobal = space === 1 ? requests : space === 0 ? requests - toShared - toLocal : 0;
    shared.requests += toBanks;
    shared.idealWavefronts += toBanks + this.ofSite(i, 'wide');
    if (space !== 4) shared.wavefronts += this.ofSite(i, 'wavefronts');
    if (space === 0) {
      // Generic addresses: only the run shows where they lead.
      this.move(`${kind}-global`, `${kind}-shared`, toShared);
      if (kind !== 'atomic') this.move(`${kind}-global`, `${kind}-local`, toLocal);
    }
    const sectors = this.ofSite(i, 'sectors');
    global.requests += toGlobal;
    global.sectors += sectors;
    global.lines += this.ofSite(i, 'lines');
    global.wavefronts += this.ofSite(i, 'banks');
    global.passes += this.ofSite(i, 'passes');
    if (kind === 'atomic') this.addAtomic(i, toGlobal, sectors);
    else {
      const local = kind === 'load' ? counts.localLoad : counts.localStore;
      local.requests += space === 5 ? requests : toLocal;
      local.sectors += this.ofSite(i, 'localSectors');
    }
  }

  private addAtomic(i: number, toGlobal: number, sectors: number): void {
    const { counts } = this;
    const { space, isReduction } = this.kernel.sites[i]!;
    if (isReduction === true) {
      counts.globalReduction.requests += toGlobal;
      counts.globalReduction.sectors += sectors;
    }
    (space === 3 ? counts.sharedAtomic : counts.globalAtomic).lanes += this.ofSite(i, 'lanes');
    counts.globalAtomic.conflicts += this.ofSite(i, 'conflicts');
  }

  private move(from: InstructionClass, to: InstructionClass, amount: number): void {
    this.byClass[instructionClasses.indexOf(from)]! -= amount;
    this.byClass[instructionClasses.indexOf(to)]! += amount;
  }

  private blockCounts(i: number): BlockCounts {
    const { counted } = this.kernel.blocks[i]!;
    // Lanes are missing where the predicate is off, too.
    const full = Math.max(0, this.timesOf(i) - this.ofBlock(i, 'partial'));
    const times = this.timesOf(counted);
    return {
      times,
      lanes: this.lanesOf(counted),
      on: this.lanesOf(i),
      diverged: this.ofBlock(i, 'diverged'),
      partial: Math.max(0, times - full),
    };
  }

  private siteCounts(i: number, samples: AccessSample[]): SiteCounts {
    const { block, space, unit } = this.kernel.sites[i]!;
    const wavefronts = this.ofSite(i, 'wavefronts');
    const toBanks = space === 3 ? (this.executed[block] ?? 0) : this.ofSite(i, 'sharedRequests');
    // Textures and constant memory have no banks.
    const hasBanks = unit === undefined && (space === 3 || space === 0);
    return {
      sectors: this.ofSite(i, 'sectors') + this.ofSite(i, 'localSectors'),
      wavefronts,
      idealWavefronts: hasBanks ? Math.min(wavefronts, toBanks + this.ofSite(i, 'wide')) : wavefronts,
      samples,
    };
  }
}
