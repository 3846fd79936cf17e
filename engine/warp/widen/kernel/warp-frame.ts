import { laneBytes } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'entry' | 'writer'>;

/** Addresses in the warp's frame, where the second function keeps what lanes need (see meetings.ts). */
export class WarpFrame {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** Address of a value with `bytes` bytes for all lanes. */
  slot(key: string, bytes: number): string {
    return this.fixed(key, this.kernel.analysis.layout!.offsetOf(key, bytes));
  }

  private fixed(key: string, offset: number): string {
    return this.kernel.entry.once(`frame.${key}`, (emit) => [
      this.kernel.writer.uniform('ptr', emit(`getelementptr nuw i8, ptr %warp, i32 ${offset}`)),
    ])[0]!.text;
  }

  /** Address of the struct Meeting. */
  get meetingAt(): string {
    return this.fixed('meeting', this.kernel.analysis.layout!.meeting);
  }

  /** Address of the masks of all places. */
  get lanesAt(): string {
    return this.fixed('lanes', this.kernel.analysis.layout!.masks);
  }

  /** Address of the mask of one place. */
  placeMask(place: number): string {
    return this.fixed(`place.${place}`, this.kernel.analysis.layout!.masks + 4 * place);
  }

  /** Stack slot with the place to go to. */
  get placeSlot(): string {
    this.kernel.entry.allocas.set('%place', 'i32');
    return '%place';
  }
}

/** Key of a leaf in the frame: of a value (`v`), or of what a phi gets (`p`). */
export const slotKey = (kind: 'v' | 'p', name: string, leaf: number): string => `${kind}.${leaf}.${name}`;

/** Bytes of a leaf in the frame: 32 lanes of `type`, or lane bits. */
export const slotBytes = (type: string): number => (type === 'i1' ? 4 : 32 * laneBytes(type));
