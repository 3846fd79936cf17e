/**
 * Bounds on the output of a program and on the names that it gives: neither may fill a disk, and a trace with names of a megabyte cannot be
 * drawn. Omissions are reported, once: in the trace, and on the program's stderr. The bounds are far above what people read.
 */
import { cutOff } from '../base/harmless.ts';
import type { Nanoseconds } from '../base/units.ts';
import type { EventSink } from '../model/events.ts';

/** Characters of stdout and stderr together; a piece counts for some more, as it is a row of the trace. */
export const mostOutput = 32 * 2 ** 20;
const perPiece = 32;
/** From this many pieces on, which nobody reads one by one, those of one moment are gathered: an image as text is a million lines. */
const mostSingle = 100_000;
/** Characters that are gathered at most. */
const mostGathered = 65_536;
/** Characters of a range's, domain's or thread's name. */
export const longestName = 4096;

export class ProgramText {
  private readonly sink: EventSink;
  private left = mostOutput;
  private pieces = 0;
  private gathered: { time: Nanoseconds; stream: 'stdout' | 'stderr'; text: string } | null = null;
  private readonly said = new Set<string>();

  constructor(sink: EventSink) {
    this.sink = sink;
  }

  print(time: Nanoseconds, stream: 'stdout' | 'stderr', text: string): void {
    if (this.left === 0) return;
    const continues = this.gathered?.time === time && this.gathered.stream === stream;
    const room = Math.max(0, this.left - (continues ? 0 : perPiece));
    this.left = Math.max(0, room - text.length);
    const shown = text.length <= room ? text : text.slice(0, room).toWellFormed();
    if (continues) this.gathered!.text += shown;
    else {
      this.flush();
      this.gathered = { time, stream, text: shown };
    }
    const isSingle = this.pieces++ < mostSingle;
    if (isSingle || this.gathered!.text.length >= mostGathered) this.flush();
    if (this.left > 0) return;
    this.say(time, `The program printed ${mostOutput / 2 ** 20} MiB; what it printed after that is left out.`, '\n');
  }

  /** Shows what has been gathered. */
  flush(): void {
    const { gathered } = this;
    this.gathered = null;
    if (gathered !== null && gathered.text !== '') this.sink({ type: 'console', ...gathered });
  }

  name(time: Nanoseconds, text: string): string {
    if (text.length <= longestName) return text;
    this.say(time, `Names of ranges and threads are cut off after ${longestName} characters.`);
    return cutOff(text, longestName);
  }

  /** `before`: ends what the program has begun. */
  say(time: Nanoseconds, notice: string, before = ''): void {
    if (this.said.has(notice)) return;
    this.said.add(notice);
    this.flush();
    this.sink({ type: 'notice', text: notice });
    this.remark(time, notice, before);
  }

  /** Simsight's own words among what the program prints. */
  remark(time: Nanoseconds, text: string, before = ''): void {
    this.flush();
    this.sink({ type: 'console', time, stream: 'stderr', text: `${before}Simsight: ${text}\n` });
  }
}
