/**
 * Managed memory: where each page is, what accesses to it cost, and what they move. State changes in the order of the
 * program's calls; what a launch, an access of the host or a prefetch has to do comes back as {@link Paging}, which the
 * simulated system puts into time.
 *
 * As the driver does it on x86 (open-gpu-kernel-modules, kernel-open/nvidia-uvm): faults are of pages of 4 KiB; blocks are
 * 2 MiB of aligned addresses; a fault brings the 64 KiB around it and, by the tree of densities, the largest part of the
 * block of which more than 51 % will be there (uvm_perf_prefetch.c). The GPU's faults are served in batches of 256, block by
 * block; when its memory is full, the block that came longest ago is evicted. The H200 reference shows the same: one thread
 * that reads every 64 KiB faults at 0, 1, 2, 4, 8 and 16 times 64 KiB of each block and nowhere else. The host gets a whole block
 * of pages with its first access to one, and clears it unless all of it is elsewhere (uvm_va_block.c,
 * block_populate_pages_cpu).
 *
 * When a kernel starts, all resident blocks fault at once, so that a page which several share is reported by each; later they
 * are out of step, and the others find it there.
 *
 * GPUs reach each other's managed memory over NVLink, also without peer access (H200 reference, managed_peers.json), and
 * through the host where there is none.
 *
 * Known errors: what a kernel waits for at its start lies apart by half from one machine to the next (rows of managed.json up
 * to 2 MB), and a memset of 256 KB to 4 MB takes half as long here; stores do not wait, so that faults of a kernel that writes
 * come from more blocks at once than here (gpu_write_after_cpu, 0.8 times its time); so do those of warps whose lanes are far
 * apart (touch_each_65536_shuffled, 0.55; touch_each_4096, 0.7); pages that are only mapped cost 1.4 times as much
 * (managed_peers.json, prefers_gpu0_gpu1_read); a GPU's writes to pages of which others have copies take 3 to 45 us a page
 * there, the more the more there are (read_mostly_gpu1_write), next to nothing here; access counters and the driver's own
 * measures against thrashing are missing.
 */
import { nanosecondsPerSecond, ns, type Nanoseconds } from '../base/units.ts';
import { bit, blockPages, gpu, host, ManagedPages, pageBytes, type Block } from './managed-pages.ts';
import type { HostProfile } from './hosts.ts';
import type { MigrationCause } from '../model/event-kinds/memcpy.ts';

/** Big pages of the GPU: what a fault brings at least. */
const leafPages = 16;
const leaves = blockPages / leafPages;
/** Percent of a part of a block: uvm_perf_prefetch_threshold. */
const densityThreshold = 51;
/** uvm_perf_fault_batch_count. */
const faultsPerBatch = 256;

/** Bits of {@link Touches.access}. */
export const access = { read: 1, write: 2, atomic: 4 } as const;

/** Pages of managed memory that a launch accessed, by page number, in the order of their first accesses. */
export interface Touches {
  pages: Uint32Array;
  /** Bits of {@link access}. */
  access: Uint8Array;
  /** Sectors of 32 bytes that were asked of L2. */
  sectors: Uint32Array;
  /** Blocks that accessed it; none where it is not blocks that do. */
  blocks?: Uint32Array;
  /** Ascending: pages with the same are asked for at once, by warps that wait for them before they go on. All, where there are none. */
  rounds?: Uint32Array;
  /** Blocks that are resident at a time. */
  resident?: number;
}

export interface Migration {
  /** Within its step, ns. */
  offset: number;
  duration: number;
  from: number;
  to: number;
  address: number;
  bytes: number;
  cause: MigrationCause;
}

/** Faults of one block that are served together, or the part of a prefetch that goes to one block. */
export interface PagingStep {
  duration: number;
  faults: { processor: number; address: number; count: number; access: 'read' | 'write' | 'atomic' } | null;
  migrations: Migration[];
}

/** One step after the other. */
export interface Paging {
  /** All that it takes, the time before the first step included. */
  duration: number;
  before: number;
  steps: PagingStep[];
  /** Bytes that a kernel accesses where they are: on the host, and on other GPUs. */
  remoteBytes: number;
  peerBytes: number;
}

export interface Advice {
  kind: 'read-mostly' | 'preferred-location' | 'accessed-by';
  on: boolean;
  /** Processor of the latter two. */
  processor: number;
}

export interface ManagedOptions {
  costs: HostProfile['managed'];
  gpus: readonly ManagedGpu[];
  /** Bandwidth of the direct link between two GPUs, by their numbers, bytes per second; null where only the host joins them. */
  linkBetween?: (one: number, other: number) => number | null;
}

export interface ManagedGpu {
  /** Bandwidth of its link to the host, bytes per second. */
  hostToDevice: number;
  deviceToHost: number;
  /** Bytes of its memory. */
  capacity: number;
  smCount: number;
  /** Since Pascal, pages move when they are accessed; before, all that is elsewhere moves at each launch. */
  onDemand: boolean;
}

/** Round trips of blocks between host and GPU. */
export interface RoundTrips {
  /** Bytes of the blocks that did so at least as often as asked. */
  bytes: number;
  most: number;
}

export class ManagedMemory {
  /** Bytes of the GPU's memory that cannot be had for managed memory. */
  allocatedElsewhere: (device: number) => number = () => 0;
  private readonly options: ManagedOptions;
  readonly pages: ManagedPages;
  private readonly allocations = new Map<number, { bytes: number; hostTouched: boolean }>();
  private arrivals = 0;
  /** Processor that faulted last. */
  private lastServed = host;

  constructor(options: ManagedOptions) {
    this.options = options;
    this.pages = new ManagedPages(options.gpus.length);
  }

  get isUsed(): boolean {
    return this.allocations.size > 0;
  }

  /** Nobody has its pages until somebody touches them, except for variables, which the host initializes. */
  allocate(address: number, bytes: number, initialized = false): void {
    this.allocations.set(address, { bytes, hostTouched: initialized });
    this.pages.eachPage(address, bytes, (block, page) => {
      // Small allocations lie side by side in one page.
      if (block.policy[page] !== 0) return;
      block.policy[page] = 1;
      block.pages = Math.min(blockPages, block.pages + 1);
      block.resident[page] = initialized ? bit(host) : 0;
      block.onHost ||= initialized;
      this.pages.protect(block, page);
    });
  }

  free(address: number): void {
    const found = this.allocations.get(address);
    if (!found) return;
    this.allocations.delete(address);
    const last = Math.floor((address + found.bytes - 1) / pageBytes);
    const shared = (page: number): boolean =>
      [...this.allocations].some(
        ([start, { bytes }]) => start < (page + 1) * pageBytes && start + bytes > page * pageBytes,
      );
    const first = Math.floor(address / pageBytes);
    const kept = new Set([first, last].filter(shared));
    this.pages.eachPage(address, found.bytes, (block, page) => {
      if (kept.has(block.number * blockPages + page)) return;
      this.pages.setResident(block, page, 0);
      block.mapped[page] = block.policy[page] = 0;
      this.pages.onProtect(block.number * blockPages + page, 0);
      if (page === blockPages - 1 || block.number * blockPages + page === last) this.emptied(block);
    });
  }

  /** Clears the state of a block that has no allocations left. */
  private emptied(block: Block): void {
    if (block.policy.some((policy) => policy !== 0)) return;
    block.onHost = false;
    block.left = 0;
  }

  /** CPU time of giving it back. */
  freeingTime(bytes: number): Nanoseconds {
    const { fixed, perByte } = this.options.costs.free;
    return ns(Math.round(fixed + perByte * bytes));
  }

  /** True if any part of the range is managed. */
  holds(address: number, bytes: number): boolean {
    for (const [start, { bytes: size }] of this.allocations) {
      if (start < address + bytes && start + size > address) return true;
    }
    return false;
  }

  /** Paging that a kernel's accesses need before they can be made. */
  launch(device: number, touches: Touches): Paging {
    const processor = gpu(device);
    const paging = newPaging();
    if (!this.options.gpus[device]!.onDemand) {
      this.moveAll(processor, paging);
      return finished(paging);
    }
    const faulting: number[] = [];
    touches.pages.forEach((page, i) => {
      const block = this.pages.blocks.get(Math.floor(page / blockPages));
      const at = page % blockPages;
      if (!block || block.policy[at] === 0) return;
      const where = this.accessRemote(block, at, processor);
      if (where !== 'local')
        paging[block.resident[at]! & bit(host) ? 'remoteBytes' : 'peerBytes'] += touches.sectors[i]! * 32;
      if (where !== 'mapped' && this.faults(block, at, processor, writesTo(touches, i))) faulting.push(i);
    });
    let shared = touches.resident ?? 0;
    const { smCount } = this.options.gpus[device]!;
    const waiting = waitingOf(touches);
    for (let next = 0; next < faulting.length;) {
      const batch = new Map<Block, number[]>();
      let most = 1;
      for (let count = 0; next < faulting.length && count < most; next++) {
        const i = faulting[next]!;
        const block = this.pages.blocks.get(Math.floor(touches.pages[i]! / blockPages))!;
        // Pages that an earlier fault migrated along no longer fault.
        if (!this.faults(block, touches.pages[i]! % blockPages, processor, writesTo(touches, i))) continue;
        if (count === 0) most = Math.min(faultsPerBatch, waiting(i));
        count++;
        const list = batch.get(block);
        if (list) list.push(i);
        else batch.set(block, [i]);
      }
      for (const [block, list] of [...batch].sort(([a], [b]) => a.number - b.number)) {
        const kinds = list.reduce((all, i) => all | touches.access[i]!, 0);
        const pages = list.map((i) => touches.pages[i]! % blockPages);
        const written = list.map((i) => writesTo(touches, i));
        const step = this.serve(block, processor, pages, written, kinds);
        const others = list.reduce((sum, i) => sum + Math.min(touches.blocks?.[i] ?? 1, smCount) - 1, 0);
        const repeated = Math.min(shared, others);
        shared -= repeated;
        this.delay(step, repeated * this.options.costs.gpuFault.fault);
        paging.steps.push(step);
      }
    }
    if (paging.steps.length > 0) {
      paging.before = this.options.costs.gpuFault.first;
      this.lastServed = processor;
    }
    return finished(paging);
  }

  /** Paging that an access of the host needs; null if it needs none. */
  hostAccess(address: number, bytes: number, writes: boolean): Paging | null {
    const paging = newPaging();
    this.pages.eachPage(address, bytes, (block, page) => {
      if (block.policy[page] === 0 || !this.faults(block, page, host, writes)) return;
      paging.steps.push(this.serve(block, host, [page], [writes], writes ? access.write : access.read));
    });
    if (paging.steps.length === 0) return null;
    const { cpuFault } = this.options.costs;
    const first = this.allocationAt(address);
    const moves = paging.steps.some(({ migrations }) => migrations.length > 0);
    if (moves && this.lastServed !== host) paging.before = cpuFault.first;
    this.lastServed = host;
    if (first && !first.hostTouched) paging.before += cpuFault.firstOfAllocation;
    if (first) first.hostTouched = true;
    return finished(paging);
  }

  /** Makes pages resident ahead of their use. */
  prefetch(address: number, bytes: number, processor: number): Paging {
    const { prefetch } = this.options.costs;
    const paging = newPaging(prefetch.fixed);
    const pagesOf = new Map<Block, number[]>();
    this.pages.eachPage(address, bytes, (block, page) => {
      const list = pagesOf.get(block);
      if (list) list.push(page);
      else pagesOf.set(block, [page]);
    });
    for (const [block, pages] of pagesOf) {
      const wanted = pages.filter((page) => block.policy[page] !== 0 && !(block.resident[page]! & bit(processor)));
      const step: PagingStep = { duration: prefetch.block, faults: null, migrations: [] };
      this.bring(block, processor, wanted, () => false, step, 'user');
      paging.steps.push(step);
    }
    if (paging.steps.some(({ migrations }) => migrations.length > 0)) paging.before += prefetch.moving;
    return finished(paging);
  }

  /** Returns how long the call takes for what the host has to change in its page table. */
  advise(address: number, bytes: number, { kind, on, processor }: Advice): Nanoseconds {
    let changed = 0;
    this.pages.eachPage(address, bytes, (block, page) => {
      if (block.policy[page] === 0) return;
      const policy = { ...this.pages.policies[block.policy[page]!]! };
      if (kind === 'read-mostly') {
        policy.readMostly = on;
        if (on && block.resident[page]! & bit(host)) changed += pageBytes;
      } else if (kind === 'preferred-location') policy.preferred = on ? processor : -1;
      else if (on) policy.accessedBy |= bit(processor);
      else policy.accessedBy &= ~bit(processor);
      block.policy[page] = this.pages.policyNumber(policy);
      if (!on) block.mapped[page] = 0;
    });
    return ns(Math.round(changed * this.options.costs.readMostlyPerByte));
  }

  /** Blocks that went to a GPU and came back at least so often. */
  roundTrips(least: number): RoundTrips {
    const result = { bytes: 0, most: 0 };
    for (const { roundTrips, pages } of this.pages.blocks.values()) {
      result.most = Math.max(result.most, roundTrips);
      if (roundTrips >= least) result.bytes += pages * pageBytes;
    }
    return result;
  }

  /** Processors that have a page: bits, for tests and reports. */
  residency(address: number): number {
    const page = Math.floor(address / pageBytes);
    return this.pages.blocks.get(Math.floor(page / blockPages))?.resident[page % blockPages] ?? 0;
  }

  // Faults

  /** True if the processor cannot access the page as it is. */
  private faults(block: Block, page: number, processor: number, writes: boolean): boolean {
    const resident = block.resident[page]!;
    if (!(resident & bit(processor))) return true;
    return writes && resident !== bit(processor);
  }

  /**
   * Pages that a GPU accesses over the link: those that it was told to map, at once; those that prefer to be elsewhere, after
   * a fault that maps them.
   */
  private accessRemote(block: Block, page: number, processor: number): 'local' | 'mapped' | 'to-map' {
    // The host cannot map the GPU's memory (x86).
    if (processor === host) return 'local';
    const policy = this.pages.policies[block.policy[page]!]!;
    const elsewhere = policy.preferred >= 0 && policy.preferred !== processor && !policy.readMostly;
    if (block.resident[page]! & bit(processor)) return 'local';
    if (elsewhere && block.resident[page] === 0 && this.canMap(processor, bit(policy.preferred)))
      this.pages.setResident(block, page, bit(policy.preferred));
    const resident = block.resident[page]!;
    if (policy.readMostly || !this.canMap(processor, resident)) return 'local';
    if ((policy.accessedBy | block.mapped[page]!) & bit(processor)) return 'mapped';
    return elsewhere && resident & bit(policy.preferred) ? 'to-map' : 'local';
  }

  /** True if a GPU can access a page where it is: on the host, or on a GPU that it has a direct link to. */
  private canMap(processor: number, resident: number): boolean {
    return resident !== 0 && ((resident & bit(host)) !== 0 || this.linked(processor, resident) !== host);
  }

  /** The first processor of several that a link of their own joins to a GPU; else the host. */
  private linked(processor: number, of: number): number {
    if (processor === host) return host;
    for (let other = 1; other <= this.options.gpus.length; other++) {
      if (of & bit(other) && this.linkOf(processor, other) !== null) return other;
    }
    return host;
  }

  private linkOf(one: number, other: number): number | null {
    return one === other ? null : (this.options.linkBetween?.(one - 1, other - 1) ?? null);
  }

  /** Before anything moves. */
  private delay(step: PagingStep, time: number): void {
    step.duration += time;
    for (const migration of step.migrations) migration.offset += time;
  }

  /** Serves faults of one processor in one block. */
  private serve(block: Block, processor: number, pages: number[], written: boolean[], kinds: number): PagingStep {
    const { gpuFault, cpuFault } = this.options.costs;
    const onHost = processor === host;
    const address = (block.number * blockPages + pages[0]!) * pageBytes;
    const kind = kinds & access.atomic ? 'atomic' : kinds & access.write ? 'write' : 'read';
    const step: PagingStep = {
      duration: onHost ? cpuFault.block : gpuFault.block + gpuFault.fault * pages.length,
      faults: { processor, address, count: pages.length, access: kind },
      migrations: [],
    };
    const writes = new Set(pages.filter((_, i) => written[i]!));
    const missing: number[] = [];
    for (const page of pages) {
      if (block.resident[page]! & bit(processor)) {
        // Somebody else has a copy, which is void now.
        this.pages.setResident(block, page, bit(processor));
        if (onHost) step.duration += cpuFault.duplicate - cpuFault.block;
      } else if (this.accessRemote(block, page, processor) === 'to-map') block.mapped[page]! |= bit(processor);
      else missing.push(page);
    }
    if (missing.length === 0) return step;
    const around = this.grow(block, processor, missing);
    if (!onHost && around.some((page) => block.resident[page] !== 0)) step.duration += gpuFault.moving;
    const whole = this.wholeOn(block);
    this.bring(block, processor, around, (page) => writes.has(page), step, 'coherence');
    const wholeNow = this.wholeOn(block);
    if (!onHost && wholeNow & bit(processor)) step.duration += gpuFault.wholeBlock;
    if (!onHost && whole & ~wholeNow) step.duration += gpuFault.split;
    return step;
  }

  /** Rate that a migration reaches, if the links let it; bytes per nanosecond. */
  private rate(from: number, to: number, cause: MigrationCause): number {
    const { gpuFault, cpuFault, prefetch } = this.options.costs;
    const link = (processor: number, direction: 'hostToDevice' | 'deviceToHost'): number =>
      this.options.gpus[processor - 1]![direction] / nanosecondsPerSecond;
    if (to === host)
      return Math.min(cause === 'coherence' ? cpuFault.toHost : prefetch.toHost, link(from, 'deviceToHost'));
    const up = link(to, 'hostToDevice') * (cause === 'coherence' ? gpuFault.shareOfLink : 1);
    if (from === host) return up;
    const between = this.linkOf(from, to);
    if (between === null) return 1 / (1 / Math.min(prefetch.toHost, link(from, 'deviceToHost')) + 1 / up);
    return Math.min(cause === 'coherence' ? gpuFault.fromPeer : prefetch.fromPeer, between / nanosecondsPerSecond);
  }

  /** Time of making pages that nobody had; the host makes all of a block at once, and clears it unless all of it is elsewhere. */
  private making(block: Block, processor: number, pages: number): number {
    const { gpuFault, cpuFault } = this.options.costs;
    const bytes = pages * pageBytes;
    if (processor !== host) return bytes / gpuFault.zero;
    const mapping = bytes / cpuFault.toHost;
    if (block.policy.includes(0)) return mapping + bytes / cpuFault.zero;
    const clears = !block.onHost && block.resident.includes(0);
    return mapping + (clears ? (blockPages * pageBytes) / cpuFault.zero : 0);
  }

  /** Bits of the GPUs that have all of a block. */
  private wholeOn(block: Block): number {
    return block.resident.reduce((all, resident) => all & resident, ~bit(host));
  }

  /** The pages around faulting ones that come along, in order. */
  private grow(block: Block, processor: number, faulting: number[]): number[] {
    const { resident } = block;
    const wanted = new Uint8Array(blockPages);
    const mayMove = (page: number): boolean =>
      block.policy[page] !== 0 && this.accessRemote(block, page, processor) === 'local';
    const faultingLeaves = [...new Set(faulting.map((page) => Math.floor(page / leafPages)))];
    const bringLeaves = (first: number, count: number): void => {
      for (let page = first * leafPages; page < (first + count) * leafPages; page++)
        if (mayMove(page)) wanted[page] = 1;
    };
    for (const leaf of faultingLeaves) bringLeaves(leaf, 1);
    const there = new Uint16Array(leaves);
    const all = new Uint16Array(leaves);
    for (let page = 0; page < blockPages; page++) {
      if (block.policy[page] === 0) continue;
      const leaf = Math.floor(page / leafPages);
      all[leaf]!++;
      if (wanted[page] || resident[page]! & bit(processor)) there[leaf]!++;
    }
    const sum = (of: Uint16Array, first: number, count: number): number =>
      of.subarray(first, first + count).reduce((a, b) => a + b, 0);
    for (const leaf of faultingLeaves) {
      for (let count = leaves; count > 1; count /= 2) {
        const first = leaf - (leaf % count);
        if (100 * sum(there, first, count) <= densityThreshold * sum(all, first, count)) continue;
        bringLeaves(first, count);
        break;
      }
    }
    const pages: number[] = [];
    for (let page = 0; page < blockPages; page++) {
      if (wanted[page] && !(resident[page]! & bit(processor))) pages.push(page);
    }
    return pages;
  }

  // Moving

  /** Makes pages of a block resident, in order; copies for what is mostly read, else nobody else keeps them. */
  private bring(
    block: Block,
    processor: number,
    pages: number[],
    isWritten: (page: number) => boolean,
    step: PagingStep,
    cause: MigrationCause,
  ): void {
    if (pages.length === 0) return;
    if (processor !== host) this.makeRoom(block, processor, pages.length, step);
    const made = pages.reduce((count, page) => count + (block.resident[page] === 0 ? 1 : 0), 0);
    const making = this.making(block, processor, made);
    let left = 0;
    let last = -2;
    for (const page of pages) {
      const resident = block.resident[page]!;
      const policy = this.pages.policies[block.policy[page]!]!;
      const linked = this.linked(processor, resident);
      const lowest = resident === 0 ? -1 : 31 - Math.clz32(resident & -resident);
      const from = linked === host ? lowest : linked;
      if (from >= 0) {
        left |= bit(from);
        const run = step.migrations.at(-1);
        if (run && last === page - 1 && run.from === from) run.bytes += pageBytes;
        else {
          const address = (block.number * blockPages + page) * pageBytes;
          step.migrations.push({
            offset: 0,
            duration: 0,
            from,
            to: processor,
            address,
            bytes: pageBytes,
            cause,
          });
        }
        last = page;
      }
      const keeps = policy.readMostly && !isWritten(page);
      this.pages.setResident(block, page, (keeps ? resident : 0) | bit(processor));
      block.mapped[page] = 0;
    }
    step.duration = Math.round(step.duration + making);
    if (processor === host) block.onHost = true;
    for (const run of step.migrations) {
      if (run.cause === 'eviction') continue;
      run.offset = step.duration;
      run.duration = Math.max(1, Math.round(run.bytes / this.rate(run.from, run.to, cause)));
      step.duration += run.duration;
    }
    if (processor !== host) block.arrival = ++this.arrivals;
    if (left === 0) return;
    // Prefetched blocks are wanted there, so prefetching counts as no round trip.
    if (processor !== host && block.left & bit(processor) && cause !== 'user') block.roundTrips++;
    block.left = (block.left | left) & ~bit(processor);
  }

  /** Evicts blocks from a GPU until so many pages have room. */
  private makeRoom(wanting: Block, processor: number, pages: number, step: PagingStep): void {
    const { capacity } = this.options.gpus[processor - 1]!;
    const room = Math.floor((capacity - this.allocatedElsewhere(processor - 1)) / pageBytes);
    while ((this.pages.residentPages.get(processor) ?? 0) + pages > room) {
      let oldest: Block | null = null;
      for (const block of this.pages.blocks.values()) {
        if (block === wanting || !block.resident.some((resident) => resident & bit(processor))) continue;
        if (!oldest || block.arrival < oldest.arrival) oldest = block;
      }
      if (!oldest) return;
      this.evict(oldest, processor, step);
    }
  }

  private evict(block: Block, processor: number, step: PagingStep): void {
    let bytes = 0;
    let first = -1;
    for (let page = 0; page < blockPages; page++) {
      const resident = block.resident[page]!;
      if (!(resident & bit(processor))) continue;
      if (resident === bit(processor)) {
        bytes += pageBytes;
        if (first < 0) first = page;
      }
      this.pages.setResident(block, page, resident & ~bit(processor) || bit(host));
    }
    if (bytes === 0) return;
    block.left |= bit(processor);
    block.onHost = true;
    const duration = Math.max(1, Math.round(bytes / this.rate(processor, host, 'eviction')));
    const address = (block.number * blockPages + first) * pageBytes;
    step.duration = Math.round(step.duration);
    step.migrations.push({
      offset: step.duration,
      duration,
      from: processor,
      to: host,
      address,
      bytes,
      cause: 'eviction',
    });
    step.duration += duration;
  }

  /** Before Pascal. */
  private moveAll(processor: number, paging: Paging): void {
    for (const block of [...this.pages.blocks.values()].sort((a, b) => a.number - b.number)) {
      const pages: number[] = [];
      for (let page = 0; page < blockPages; page++) {
        if (block.policy[page] !== 0 && !(block.resident[page]! & bit(processor))) pages.push(page);
      }
      if (pages.length === 0) continue;
      const step: PagingStep = { duration: 0, faults: null, migrations: [] };
      this.bring(block, processor, pages, () => true, step, 'user');
      paging.steps.push(step);
    }
  }

  private allocationAt(address: number): { bytes: number; hostTouched: boolean } | undefined {
    for (const [start, allocation] of this.allocations) {
      if (address >= start && address < start + allocation.bytes) return allocation;
    }
    return undefined;
  }
}

const newPaging = (before = 0): Paging => ({ duration: 0, before, steps: [], remoteBytes: 0, peerBytes: 0 });

/** True if the launch wrote to the page. */
const writesTo = ({ access: bits }: Touches, index: number): boolean => (bits[index]! & ~access.read) !== 0;

/** Number of pages that warps wait for at once: those that have theirs ask for the next, so that it is always as many. */
function waitingOf({ pages, rounds }: Touches): (index: number) => number {
  if (!rounds) return () => pages.length;
  const sizes = new Uint32Array((rounds.at(-1) ?? 0) + 1);
  for (const round of rounds) sizes[round]!++;
  return (index) => sizes[rounds[index]!]!;
}

/** One after the other, where both are needed. */
export function together(first: Paging | null, second: Paging | null): Paging | null {
  if (!first || !second) return first ?? second;
  const steps = [...first.steps, ...second.steps];
  const remoteBytes = first.remoteBytes + second.remoteBytes;
  const peerBytes = first.peerBytes + second.peerBytes;
  return finished({ duration: 0, before: Math.max(first.before, second.before), steps, remoteBytes, peerBytes });
}

function finished(paging: Paging): Paging {
  for (const step of paging.steps) step.duration = Math.round(step.duration);
  paging.duration = paging.steps.reduce((sum, { duration }) => sum + duration, Math.round(paging.before));
  return paging;
}
