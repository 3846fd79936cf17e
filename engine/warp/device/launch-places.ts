/** Places of the parts of one launch between module data and heap, and what stands in them when it begins. */
import { lineBytes, warpSize } from '../../model/geometry.ts';
import { SimsightError } from '../../base/errors.ts';
import type { CacheGeometry, DeviceVariable, KernelLaunch } from '../../model/execution.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { KernelError } from '../faults.ts';
import {
  blockCounterBytes,
  blockStateBytes,
  guardBase,
  guardBytes,
  heapStart,
  hotGranules,
  l1SetBytes,
  l1SetLines,
  l2AreaBytes,
  l2SetBytes,
  l2SetLines,
  l2SliceBits,
  l2SliceGroup,
  l2Slices,
  launchBytes,
  launchField,
  managedPageEntryBytes,
  ownerBytes,
  partialLineBytes,
  shadowBytes,
  siteCounterBytes,
  siteCounterField,
  warpField,
} from '../layout.ts';
import type { ModuleKernel } from '../module.ts';
import type { LaunchNumbers } from './l2-history.ts';
import { ownersBase, type AddressRange, type DeviceMemory } from './memory.ts';

/** Blocks that may wait for each other where nothing is said of the GPU. */
const defaultBlocksPerSm = 8;

/** Pages of managed memory that launches may touch: the first, and how many. */
export interface ManagedPages {
  first: number;
  pages: number;
}

/** A launch, with the GPU, memory and variables that it uses. */
export interface PlacedLaunch {
  kernel: ModuleKernel;
  /** Name of the kernel for messages. */
  name: string;
  launch: KernelLaunch;
  caches: CacheGeometry;
  gpu: number;
  blocks: number;
  threads: number;
  /** Per block. */
  warps: number;
  variables: readonly DeviceVariable[];
  managed: ManagedPages;
  /** Checks to make on shared memory, `checkBit`. */
  raceChecks: number;
}

/** Addresses of the parts, and their sizes in bytes. */
export interface LaunchPlaces {
  launch: number;
  variables: number;
  parameters: number;
  counts: number;
  sites: number;
  hot: number;
  managed: number;
  touched: number;
  shadow: number;
  blockStates: number;
  shared: number;
  sharedBytes: number;
  sharedStride: number;
  warps: number;
  local: number;
  localTotal: number;
  localStride: number;
  l1: { address: number; bytes: number; sets: number };
  /** L2, with rows of DRAM and lines stored in part behind it: `bytes` are of all. */
  l2: {
    address: number;
    bytes: number;
    rows: number;
    rowEntries: number;
    partial: number;
    partialsOfSet: number;
    sets: number;
    halves: 1 | 2;
    /** Whose slice a set is, see slice_of; 0: all are one. */
    slices: number;
  };
  /** Places for blocks that wait for each other. */
  slots: number;
  /** Blocks that are resident at a time. */
  resident: number;
  /** Memory for their warps, which is to be given back; null where they lie with the rest. */
  borrowed: AddressRange | null;
}

const align = (bytes: number): number => Math.ceil(bytes / 128) * 128;

/** Gives out room, 128-byte aligned. */
class Arena {
  private next: number;
  private readonly end: number;
  private readonly kernel: string;

  constructor(start: number, end: number, kernel: string) {
    this.next = start;
    this.end = end;
    this.kernel = kernel;
  }

  get free(): number {
    return this.end - this.next;
  }

  take(bytes: number): number {
    const address = align(this.next);
    this.next = address + bytes;
    if (this.next > this.end)
      throw new SimsightError(
        'kernel-failed',
        `The kernel ${this.kernel} needs too much local memory.`,
        'Use smaller arrays per thread or smaller blocks.',
      );
    return address;
  }

  takeAt(address: number, bytes: number): number {
    this.next = address;
    return this.take(bytes);
  }
}

/** Rows of DRAM, and lines stored in part, that are remembered: at least so many. */
const rowsRemembered = 8192;
const partialLinesRemembered = 16384;

/** First of all, so that the contents of L2 keep their place from launch to launch. */
function placeL2(arena: Arena, memory: DeviceMemory, caches: CacheGeometry, gpu: number): LaunchPlaces['l2'] {
  const { l2Halves: halves = 1 } = caches;
  const sets = Math.max(1, Math.floor(caches.l2Bytes / halves / (lineBytes * l2SetLines)));
  const isGrouped = sets % l2SliceGroup === 0;
  if (halves === 2 && (!isGrouped || sets < 1024)) throw new Error(`L2 cannot have two halves of ${sets} sets.`);
  // A group takes the lines of a row of DRAM.
  const groups = isGrouped ? sets / (halves === 2 ? 4 : 8) : 1;
  const rowEntries = groups * Math.ceil(rowsRemembered / groups);
  const partialsOfSet = halves * Math.ceil(partialLinesRemembered / sets / halves);
  const tables = {
    ...{ sets, halves, rowEntries, partialsOfSet },
    slices: isGrouped ? Math.ceil(2 ** l2SliceBits / Math.ceil(sets / l2SliceGroup / l2Slices)) : 0,
  };
  const l2Bytes = halves * sets * l2SetBytes;
  const rowsBytes = 4 * rowEntries;
  const bytes = l2Bytes + rowsBytes + sets * partialsOfSet * partialLineBytes;
  let address = arena.take(bytes);
  if (memory.hasOwners) {
    arena.takeAt(ownersBase + ownerBytes, memory.gpuCount * l2AreaBytes);
    address = ownersBase + ownerBytes + gpu * l2AreaBytes;
  }
  return { address, rows: address + l2Bytes, partial: address + l2Bytes + rowsBytes, bytes, ...tables };
}

/**
 * Finds room for a launch; `placeTrace` takes what its trace needs.
 * @throws SimsightError where it does not fit, or a cooperative one cannot be resident.
 */
export function placeLaunch(
  memory: DeviceMemory,
  placed: PlacedLaunch,
  placeTrace: (take: (bytes: number) => number) => void,
): LaunchPlaces {
  const { kernel, launch, caches, blocks, warps, managed, raceChecks } = placed;
  const arena = new Arena(guardBase + guardBytes, heapStart, launch.kernel);
  const sets = Math.max(1, Math.floor(caches.l1Bytes / (lineBytes * l1SetLines)));
  const l2 = placeL2(arena, memory, caches, placed.gpu);
  const l1Bytes = Math.min(blocks, caches.smCount) * sets * l1SetBytes;
  const sharedBytes = Math.ceil(kernel.staticSharedBytes / 16) * 16 + launch.dynamicSharedBytes;
  const sharedStride = align(Math.max(sharedBytes, 128));
  const localTotal = warps * warpSize * kernel.localBytes;
  const localStride = align(localTotal);
  const first = {
    launch: arena.take(launchBytes),
    variables: arena.take(4 * placed.variables.length),
    l1: { address: arena.take(l1Bytes), bytes: l1Bytes, sets },
    parameters: arena.take(Math.max(launch.parameters.length, kernel.parameterBytes)),
    counts: arena.take(kernel.blocks.length * blockCounterBytes),
    sites: arena.take(kernel.sites.length * siteCounterBytes),
    hot: arena.take(8 * hotGranules),
    managed: arena.take(managed.pages * managedPageEntryBytes),
    touched: arena.take(managed.pages * 4),
    shadow: arena.take(raceChecks === 0 ? 0 : (sharedBytes / 4 + 1) * shadowBytes),
  };
  placeTrace((bytes) => arena.take(bytes));
  // As many as are resident on the GPU, if there is room.
  const resident = Math.min(blocks, (caches.blocksPerSm ?? defaultBlocksPerSm) * caches.smCount);
  const perSlot = sharedStride + localStride + warps * kernel.warpBytes + blockStateBytes;
  let slots = raceChecks === 0 ? Math.max(1, Math.min(resident, Math.floor((arena.free - 4096) / perSlot))) : 1;
  // All blocks of a cooperative launch have to be there at once.
  const ofWarps = blocks * warps * kernel.warpBytes;
  const isTight = launch.cooperative === true && raceChecks === 0 && slots < blocks && blocks === resident;
  const borrowed =
    isTight && blocks * (perSlot - warps * kernel.warpBytes) < arena.free - 4096 ? memory.borrow(ofWarps) : null;
  if (borrowed !== null) slots = blocks;
  if (launch.cooperative === true && slots < blocks)
    throw new KernelError(
      cudaError.CooperativeLaunchTooLarge,
      `The cooperative launch of ${placed.name} has ${blocks} blocks, but only ${slots} can be resident.`,
      'Launch fewer blocks.',
    );
  return {
    ...first,
    blockStates: arena.take(slots * blockStateBytes),
    shared: arena.take(slots * sharedStride),
    warps: borrowed?.start ?? arena.take(slots * warps * kernel.warpBytes),
    local: arena.take(slots * localStride),
    ...{ sharedBytes, sharedStride, localTotal, localStride, l2, slots, resident, borrowed },
  };
}

/** Places of launches without a trace; those of the last launch are of use for the next, if that is alike. */
export class KnownPlaces {
  private readonly memory: DeviceMemory;
  private readonly last = new WeakMap<
    ModuleKernel,
    { placed: PlacedLaunch; hasOwners: boolean; places: LaunchPlaces }
  >();

  constructor(memory: DeviceMemory) {
    this.memory = memory;
  }

  /** As {@link placeLaunch}. */
  of(placed: PlacedLaunch): LaunchPlaces {
    const { hasOwners } = this.memory;
    const last = this.last.get(placed.kernel);
    if (last?.hasOwners === hasOwners && isPlacedAlike(last.placed, placed)) return last.places;
    const places = placeLaunch(this.memory, placed, () => undefined);
    if (places.borrowed === null) this.last.set(placed.kernel, { placed, hasOwners, places });
    return places;
  }
}

function isPlacedAlike(a: PlacedLaunch, b: PlacedLaunch): boolean {
  return (
    a.blocks === b.blocks &&
    a.warps === b.warps &&
    a.caches === b.caches &&
    a.gpu === b.gpu &&
    a.managed.pages === b.managed.pages &&
    a.raceChecks === b.raceChecks &&
    a.launch.dynamicSharedBytes === b.launch.dynamicSharedBytes &&
    a.launch.parameters.length === b.launch.parameters.length &&
    a.launch.cooperative === b.launch.cooperative &&
    a.variables.length === b.variables.length
  );
}

/** Clears what counts from nothing; then parameters and the addresses of variables. */
export function clearLaunch(
  memory: DeviceMemory,
  { kernel, launch, variables, managed, raceChecks }: PlacedLaunch,
  places: LaunchPlaces,
): void {
  const bytes = new Uint8Array(memory.wasm.buffer);
  const clear = (address: number, length: number): void =>
    memory.bulk.fill(bytes.subarray(address, address + length), 0);
  clear(places.l1.address, places.l1.bytes);
  clear(places.counts, kernel.blocks.length * blockCounterBytes);
  clear(places.sites, kernel.sites.length * siteCounterBytes);
  kernel.sites.forEach(({ pastL1, addsFloats }, i) => {
    if (pastL1 === true || addsFloats === true)
      bytes[places.sites + i * siteCounterBytes + siteCounterField.pastL1] = 1;
  });
  clear(places.shared, places.sharedBytes);
  clear(places.blockStates, places.slots * blockStateBytes);
  clear(places.hot, 8 * hotGranules);
  clear(places.managed, managed.pages * managedPageEntryBytes);
  if (raceChecks !== 0) clear(places.shadow, (places.sharedBytes / 4 + 1) * shadowBytes);
  bytes.set(launch.parameters, places.parameters);
  new Int32Array(memory.wasm.buffer).set(
    variables.map(({ address }) => address),
    places.variables / 4,
  );
}

/** Writes fields of the launch, 32 bits each, or several of these. */
function setFields(
  words: Int32Array,
  { launch }: LaunchPlaces,
  fields: Partial<Record<keyof typeof launchField, number | number[]>>,
): void {
  for (const [name, value] of Object.entries(fields))
    words.set([value].flat(), (launch + launchField[name as keyof typeof fields]) / 4);
}

/** Writes what the runtime's `begin_launch` and `stored` read: sizes, addresses, and {@link LaunchNumbers}. */
export function writeLaunch(
  memory: DeviceMemory,
  { kernel, launch, caches, gpu, warps }: PlacedLaunch,
  places: LaunchPlaces,
  { number, round }: LaunchNumbers,
): void {
  const words = new Int32Array(memory.wasm.buffer);
  const { block, grid } = launch;
  const { l1, l2 } = places;
  words.fill(0, places.launch / 4, (places.launch + launchBytes) / 4);
  setFields(words, places, {
    params: places.parameters,
    shared: places.shared,
    sharedBytes: places.sharedBytes,
    ntid: [block.x, block.y, block.z],
    nctaid: [grid.x, grid.y, grid.z],
    local: places.local,
    localBytes: kernel.localBytes,
    lowest: heapStart,
    warps,
    warpStride: kernel.warpBytes,
    warpBase: places.warps,
    smCount: Math.max(1, caches.smCount),
    l1Sets: l1.sets,
    l2Sets: l2.sets,
    l1Base: l1.address,
    l2Base: l2.address,
    l2Halves: l2.halves,
    rows: l2.rows,
    partial: l2.partial,
    rowEntries: l2.rowEntries,
    partialsOfSet: l2.partialsOfSet,
    l2Slices: l2.slices,
    number,
    round,
    ...(memory.hasOwners && { owners: ownersBase, owner: gpu + 1 }),
  });
}

/** Writes what only the execution of blocks needs: tables, places of blocks, threads of warps. */
export function writeExecution(
  memory: DeviceMemory,
  { kernel, launch, threads, warps, managed, raceChecks }: PlacedLaunch,
  places: LaunchPlaces,
): void {
  const words = new Int32Array(memory.wasm.buffer);
  setFields(words, places, {
    variables: places.variables,
    ...(managed.pages > 0 && {
      managed: places.managed,
      managedFirst: managed.first,
      managedPages: managed.pages,
      touched: places.touched,
      touchedCount: 0,
    }),
    resident: Math.max(1, places.resident),
    slots: places.slots,
    blocks: places.blockStates,
    sharedStride: places.sharedStride,
    localStride: places.localStride,
    hot: places.hot,
    checks: raceChecks,
    shadow: places.shadow,
    localTotal: places.localTotal,
  });
  const { block } = launch;
  for (let warp = 0; warp < warps; warp++) {
    const base = (places.warps + warp * kernel.warpBytes) / 4;
    for (let lane = 0; lane < warpSize; lane++) {
      const thread = warp * warpSize + lane;
      const tid = base + warpField.tid / 4 + lane;
      words[tid] = thread % block.x;
      words[tid + warpSize] = Math.floor(thread / block.x) % block.y;
      words[tid + 2 * warpSize] = Math.floor(thread / (block.x * block.y));
    }
    const active = Math.min(warpSize, threads - warp * warpSize);
    words[base + warpField.mask / 4] = active === warpSize ? -1 : (1 << active) - 1;
    words[base + warpField.id / 4] = warp;
  }
}
