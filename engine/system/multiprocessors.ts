/**
 * Blocks of kernels on SMs. Kernels are served by priority, then in the order in which their turn came; each puts as many
 * blocks on SMs as fit, one by one on the least occupied, and the next gets what is left. So a kernel of many waves keeps
 * others waiting until its last blocks are placed, and what has a higher priority gets the next places that become free.
 *
 * SMs that hold the same are kept as one group, blocks that start together on a group as one batch. A batch works at the rate
 * that its SMs and DRAM leave to it ({@link file://./contention.ts}); alone, a kernel takes as long as it was estimated to.
 *
 * Measured on an H200, block by block: test/reference/h200/cuda/system.cu, S2.
 */
import { intensityOf, servedAlike, servedInTurn } from './contention.ts';
import { changeRate, enterWork, exactEnd, wholeEnd } from './operations.ts';
import type { Operation, Paced } from './operations.ts';
import type { ActionQueue } from './queues.ts';
import type { KernelBlocks } from '../model/kernel-profile.ts';

/** CUDA C++ Programming Guide, technical specifications: resident grids per device, compute capability 6.1 and up. */
const residentGrids = 128;

/** Sums of shares go beyond 1 by rounding alone. */
const rounding = 1e-9;

const resources = ['warps', 'registers', 'shared', 'slots'] as const;
type Shares = Record<(typeof resources)[number], number>;

/** A kernel whose turn in its stream has come. */
interface Kernel {
  readonly operation: Operation;
  readonly blocks: KernelBlocks;
  /** Blocks that have no place yet. */
  pending: number;
  /** Blocks that are on SMs. */
  resident: number;
  /**
   * Occupancy by the blocks that fit on the otherwise idle GPU at once: how many, how many of them an SM has, what they ask of SM, DRAM and
   * link, and what they then get per intensity.
   */
  readonly alone: {
    blocks: number;
    perSm: number;
    sm: number;
    dram: number;
    link: number;
    fromSm: number;
    fromDram: number;
  };
  /** Nanoseconds of a wave: those of a kernel are alike. */
  readonly wave: number;
  readonly isOneWave: boolean;
}

/** Blocks of one kernel that started together on the SMs of one group. */
export interface Batch extends Paced {
  readonly kernel: Kernel;
  readonly group: Group;
  perSm: number;
}

export interface KernelListener {
  /** The first blocks of a kernel are placed. */
  started: (operation: Operation, time: number) => void;
  /** Copies over the link get more or less of it. */
  linkChanged: (time: number) => void;
}

/** SMs that hold the same. */
interface Group {
  sms: number;
  /** Batches in the order in which they were placed. */
  batches: Batch[];
}

export class Multiprocessors {
  private readonly actions: ActionQueue;
  private readonly listener: KernelListener | null;
  private readonly smCount: number;
  private groups: Group[];
  /** Kernels by priority (lower number first), then by the order in which their turn came. */
  private readonly kernels: Kernel[] = [];
  /** Number of kernels that have blocks on SMs. */
  private resident = 0;
  /** Load that copies put on DRAM and on the link meanwhile. */
  private copies = { dram: 0, link: 0 };
  /**
   * Share of the link to the host for each user that asks for all of it: kernels that access the host's memory and copies take their
   * time one after the other, whichever way they go (test/reference/h200/zero_copy.json, read and write beside upload and download).
   */
  linkShare = 1;
  /** DRAM throughput per intensity when rates were last set, and the groups that changed since. */
  private fromDram = 1;
  private readonly changed = new Set<Group>();

  constructor(smCount: number, actions: ActionQueue, listener: KernelListener | null = null) {
    this.listener = listener;
    this.smCount = smCount;
    this.actions = actions;
    this.groups = [{ sms: smCount, batches: [] }];
  }

  /** A kernel whose turn in its stream has come. */
  add(operation: Operation, time: number): void {
    let index = this.kernels.length;
    while (index > 0 && this.kernels[index - 1]!.operation.priority > operation.priority) index--;
    this.kernels.splice(index, 0, newKernel(operation, this.smCount));
    this.dispatch(time, time);
  }

  /** A batch has ended; the kernel's operation when that was its last. */
  progress(batch: Batch, time: number): Operation | null {
    const { kernel, group } = batch;
    const since = exactEnd(batch);
    group.batches.splice(group.batches.indexOf(batch), 1);
    this.changed.add(group);
    kernel.resident -= batch.perSm * group.sms;
    if (kernel.resident === 0) this.resident--;
    const isDone = kernel.resident === 0 && kernel.pending === 0;
    if (isDone) this.kernels.splice(this.kernels.indexOf(kernel), 1);
    if (group.batches.length === 0) this.uniteIdle();
    this.dispatch(time, since);
    return isDone ? kernel.operation : null;
  }

  /** Sets the load that copies over the link put on DRAM and on the link from now on. */
  setCopies(dram: number, link: number, time: number): void {
    if (dram === this.copies.dram && link === this.copies.link) return;
    this.copies = { dram, link };
    this.setRates(time);
  }

  /** Share of each resource that the fullest SM holds, for checks; 1 is all. */
  get fullest(): Shares {
    const most: Shares = { warps: 0, registers: 0, shared: 0, slots: 0 };
    for (const group of this.groups) {
      for (const name of resources) most[name] = Math.max(most[name], held(group, name));
    }
    return most;
  }

  /** `since`: when the places became free, not rounded. */
  private dispatch(time: number, since: number): void {
    let grids = 0;
    for (const kernel of this.kernels) {
      if (++grids > residentGrids) break;
      if (kernel.pending === 0) continue;
      if (kernel.blocks.cooperative && kernel.resident === 0 && this.room(kernel) < kernel.pending) break;
      this.place(kernel, time, since);
      if (kernel.pending > 0) break;
    }
    this.setRates(time);
  }

  private schedule(batch: Batch): void {
    this.actions.push(wholeEnd(batch), { kind: 'blocks', batch });
  }

  private place(kernel: Kernel, time: number, since: number): void {
    const started: Batch[] = [];
    while (kernel.pending > 0) {
      const { group, perSm } = this.leastOccupied(kernel);
      if (!group) break;
      const sms = Math.min(group.sms, kernel.pending);
      const place = sms < group.sms ? this.split(group, sms, started) : group;
      this.changed.add(place);
      kernel.pending -= perSm * sms;
      if (kernel.resident === 0) this.resident++;
      kernel.resident += perSm * sms;
      const last = place.batches.at(-1);
      if (last?.kernel === kernel && started.includes(last)) last.perSm += perSm;
      else {
        const batch: Batch = { kernel, group: place, perSm, version: 0, remaining: 0, since, rate: 0 };
        place.batches.push(batch);
        started.push(batch);
      }
    }
    if (started.length === 0) return;
    if (kernel.operation.start < 0) {
      kernel.operation.start = time;
      this.listener?.started(kernel.operation, time);
    }
    const isLastOfSeveral = kernel.pending === 0 && !kernel.isOneWave;
    for (const batch of started) {
      // The estimate is the time of a wave when the kernel is alone, also of one that leaves places empty.
      enterWork(batch, kernel.wave * (isLastOfSeveral ? paceAlone(kernel, batch) : 1), since);
    }
  }

  /** The group whose SMs get the next blocks, and how many each until others are the least occupied ones. */
  private leastOccupied(kernel: Kernel): { group: Group | null; perSm: number } {
    let [best, least, next, room]: [Group | null, number, number, number] = [null, Infinity, Infinity, 0];
    for (const group of this.groups) {
      const warps = held(group, 'warps');
      const fits = warps < next ? roomIn(group, kernel) : 0;
      if (fits < 1) continue;
      if (warps >= least) next = warps;
      else [best, least, next, room] = [group, warps, least, fits];
    }
    if (!best) return { group: null, perSm: 0 };
    const untilNext = Math.ceil((next - least) / kernel.blocks.share.warps - rounding);
    return { group: best, perSm: Math.max(1, Math.min(room, untilNext, Math.floor(kernel.pending / best.sms))) };
  }

  /** Blocks of the kernel that could start now. */
  private room(kernel: Kernel): number {
    return this.groups.reduce((sum, group) => sum + group.sms * roomIn(group, kernel), 0);
  }

  /** Takes SMs out of a group, into one of their own; batches that start now stay among `started`. */
  private split(group: Group, sms: number, started: Batch[]): Group {
    const taken: Group = { sms, batches: [] };
    for (const batch of group.batches) {
      const part: Batch = { ...batch, group: taken, version: 0 };
      taken.batches.push(part);
      if (started.includes(batch)) started.push(part);
      else if (batch.rate > 0) this.schedule(part);
    }
    group.sms -= sms;
    this.groups.push(taken);
    return taken;
  }

  private uniteIdle(): void {
    const idle = this.groups.filter(({ batches }) => batches.length === 0);
    if (idle.length < 2) return;
    idle[0]!.sms = idle.reduce((sum, { sms }) => sum + sms, 0);
    const others = new Set(idle.slice(1));
    this.groups = this.groups.filter((group) => !others.has(group));
  }

  /** Sets the rates of groups that changed; of all groups if DRAM or the link gives more or less than before. */
  private setRates(time: number): void {
    let { dram, link } = this.copies;
    let left = this.resident;
    for (const { alone, resident } of this.kernels) {
      // Kernels that wait, thousands perhaps, ask for nothing.
      if (left === 0) break;
      if (resident === 0) continue;
      left--;
      dram += (alone.dram * resident) / alone.blocks;
      link += (alone.link * resident) / alone.blocks;
    }
    const fromDram = servedAlike(dram);
    const linkShare = 1 / Math.max(1, link);
    const groups = fromDram === this.fromDram && linkShare === this.linkShare ? this.changed : this.groups;
    this.fromDram = fromDram;
    if (linkShare !== this.linkShare) {
      this.linkShare = linkShare;
      if (this.copies.link > 0) this.listener?.linkChanged(time);
    }
    for (const { batches } of groups) {
      let earlier = 0;
      batches.forEach(({ kernel }, index) => {
        if (batches.findIndex((batch) => batch.kernel === kernel) < index) return;
        const own = onSm(kernel, batches);
        const pace = paceOf(kernel, servedInTurn(earlier, own), fromDram, linkShare);
        earlier += own;
        for (const batch of batches) {
          if (batch.kernel === kernel && changeRate(batch, pace, time)) this.schedule(batch);
        }
      });
    }
    this.changed.clear();
  }
}

/**
 * How fast blocks go for what SM and DRAM give per intensity and the link to who asks for all of it, as a multiple of a full wave of
 * the kernel alone.
 */
function paceOf({ alone }: Kernel, fromSm: number, fromDram: number, linkShare = 1): number {
  const ofSm = alone.sm > 0 ? fromSm / alone.fromSm : Infinity;
  const ofDram = alone.dram > 0 ? fromDram / alone.fromDram : Infinity;
  const ofLink = alone.link > linkShare ? linkShare / alone.link : Infinity;
  const pace = Math.min(ofSm, ofDram, ofLink);
  return Number.isFinite(pace) ? Math.max(pace, slowest) : 1;
}

/** Nothing stands still for good: rounding would make it. */
const slowest = 1e-6;

/** The same where nothing but the kernel's own blocks are on the GPU. */
function paceAlone(kernel: Kernel, { group }: Batch): number {
  const dram = (kernel.alone.dram * kernel.resident) / kernel.alone.blocks;
  return paceOf(kernel, servedInTurn(0, onSm(kernel, group.batches)), servedAlike(dram));
}

/** Load that the blocks of a kernel put on their SM. */
function onSm(kernel: Kernel, batches: readonly Batch[]): number {
  const blocks = batches.reduce((sum, batch) => sum + (batch.kernel === kernel ? batch.perSm : 0), 0);
  return (kernel.alone.sm * blocks) / kernel.alone.perSm;
}

/** Share of each SM of a group that its blocks hold. */
function held({ batches }: Group, name: keyof Shares): number {
  return batches.reduce((sum, { kernel, perSm }) => sum + perSm * kernel.blocks.share[name], 0);
}

/** Blocks of the kernel that each SM of the group still takes. */
function roomIn(group: Group, kernel: Kernel): number {
  const { blocks } = kernel;
  let room = blocks.perSm;
  for (const batch of group.batches) if (batch.kernel === kernel) room -= batch.perSm;
  for (const name of resources) {
    const share = blocks.share[name];
    if (share > 0) room = Math.min(room, Math.floor((1 - held(group, name)) / share + rounding));
  }
  return room;
}

function newKernel(operation: Operation, smCount: number): Kernel {
  const blocks = operation.blocks!;
  const { duration } = operation.phases[0]!;
  const places = blocks.perSm * smCount;
  const atOnce = Math.min(blocks.count, places);
  const [sm, dram] = [intensityOf(blocks.load.sm), intensityOf(blocks.load.dram)];
  return {
    operation,
    blocks,
    pending: blocks.count,
    resident: 0,
    alone: {
      blocks: atOnce,
      perSm: Math.ceil(atOnce / smCount),
      sm,
      dram,
      link: blocks.load.link ?? 0,
      fromSm: servedAlike(sm),
      fromDram: servedAlike(dram),
    },
    wave: duration / Math.ceil(blocks.count / places),
    isOneWave: blocks.count <= places,
  };
}
