/** Changes to a GPU's L2 between two launches, which the next one finds in it. */
import { lineBytes } from '../../model/geometry.ts';

export class L2History {
  /** Launches on this GPU until now. */
  launches = 0;
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

  takeWritten(): readonly { first: number; end: number }[] {
    const { written } = this;
    this.written = [];
    return written;
  }
}
