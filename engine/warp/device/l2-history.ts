/** Changes to a GPU's L2 between two launches, which the next one finds in it. */
import { lineBytes } from '../../model/geometry.ts';
import type { KernelLaunch } from '../../model/execution.ts';
import { shapeText } from '../../model/launch-shape.ts';

/** Launches that are alike come to SMs in one of so many ways: fewer, and L2 keeps too much of what they read (`npm run fidelity:reuse`). */
const ways = 3;
/** Rounds of launches, of which the runtime tells apart what it has asked L2 for. */
const rounds = 15;

/** `number`: the same for every third of launches that are alike. `round`: 1 to 15, again and again. */
export interface LaunchNumbers {
  number: number;
  round: number;
}

/** FNV-1a; goes on from the hash of what is before. */
function hash32(bytes: Uint8Array, before = 0x811c9dc5): number {
  let hash = before;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}

export class L2History {
  /** Launches until now, by a hash of what they do. */
  private readonly launches = new Map<number, number>();
  /** What {@link hash32} has come to after the shape of a launch. */
  private readonly shapes = new Map<string, number>();
  private round = 0;
  /** Bytes of L2 that the state in memory is of; the state is made anew where they change. */
  private bytes = -1;
  /** Bytes by copies to and from the host since the last launch. */
  private moved = 0;
  /** Lines that memsets and copies within the device wrote since the last launch; `end` is not among them. */
  private written: { first: number; end: number }[] = [];

  /** Copies to and from the host moved so many bytes through L2. */
  copied(bytes: number): void {
    this.moved += bytes;
  }

  /** A memset or a copy within the device wrote these bytes. */
  wrote(address: number, bytes: number): void {
    const first = Math.floor(address / lineBytes);
    const end = Math.ceil((address + bytes) / lineBytes);
    const last = this.written.at(-1);
    if (last !== undefined && first >= last.first && first <= last.end) last.end = Math.max(last.end, end);
    else this.written.push({ first, end });
  }

  /** The state is of no use any more. */
  forget(): void {
    this.bytes = 0;
  }

  /** Begins a launch on `l2Bytes` of L2; true where it finds nothing of the launches before. */
  begin(l2Bytes: number): boolean {
    const isEmpty = this.bytes !== l2Bytes || this.moved >= l2Bytes;
    this.bytes = l2Bytes;
    this.moved = 0;
    return isEmpty;
  }

  /** Numbers of a launch; `again`: the next of its kind will have the same. */
  numbers(launch: KernelLaunch, again: boolean): LaunchNumbers {
    const kind = hash32(launch.parameters, this.hashOfShape(launch));
    const before = this.launches.get(kind) ?? 0;
    if (!again) this.launches.set(kind, before + 1);
    this.round = (this.round % rounds) + 1;
    return { number: (kind + (before % ways)) | 0, round: this.round };
  }

  private hashOfShape(launch: KernelLaunch): number {
    const text = shapeText(launch);
    let hash = this.shapes.get(text);
    if (hash === undefined) {
      const { kernel, grid, block, dynamicSharedBytes } = launch;
      hash = hash32(Buffer.from(JSON.stringify([kernel, grid, block, dynamicSharedBytes])));
      this.shapes.set(text, hash);
    }
    return hash;
  }

  takeWritten(): readonly { first: number; end: number }[] {
    const { written } = this;
    this.written = [];
    return written;
  }
}
