/** The state of every warp in every cycle, counted for the whole run and per instruction, and told to a sink that draws timelines. */
import { warpStates } from '../../model/warp-states.ts';
import { pipesPerSub } from './pipes.ts';
import { running } from './resident-warps.ts';
import { stateNumbers } from './state-numbers.ts';
import { pipe } from './types.ts';
import type { StateSink } from '../../model/warp-timeline.ts';
import type { ResidentWarps } from './resident-warps.ts';
import type { SmOptions, SmProgram } from './types.ts';

const { not_selected: notSelected, selected } = stateNumbers;

/** Stall reason of a warp whose pipe is busy. */
export const throttleOf = new Uint8Array(pipesPerSub).fill(stateNumbers.math_pipe_throttle);
throttleOf[pipe.xu] = throttleOf[pipe.mio] = stateNumbers.mio_throttle;
throttleOf[pipe.lg] = stateNumbers.lg_throttle;
throttleOf[pipe.tex] = stateNumbers.tex_throttle;

export class StateSamples {
  private readonly program: SmProgram;
  private readonly subs: number;
  private readonly warps: ResidentWarps;

  readonly sink: StateSink | null;
  readonly issueActive: Float64Array;
  readonly warpCycles = new Float64Array(warpStates.length);
  readonly issues: Float64Array | null;
  readonly instructionCycles: Float64Array | null;

  constructor(options: SmOptions, warps: ResidentWarps) {
    this.program = options.program;
    this.subs = options.program.parameters.subPartitions;
    this.warps = warps;
    this.sink = options.sink ?? null;
    this.issueActive = new Float64Array(this.subs);
    const count = options.program.pipe.length;
    this.issues = options.perInstruction ? new Float64Array(count) : null;
    this.instructionCycles = options.perInstruction ? new Float64Array(count * warpStates.length) : null;
  }

  countInstruction(p: number, w: number, first: number, throttled: number, now: number): void {
    const { warps } = this;
    const cycles = this.instructionCycles!;
    const base = p * warpStates.length;
    const readyAt = warps.readyAt[w]!;
    this.issues![p]!++;
    cycles[base + warps.why[w]!]! += readyAt - first;
    cycles[base + throttleOf[this.program.pipe[p]!]!]! += throttled;
    cycles[base + notSelected]! += now - readyAt - throttled;
    cycles[base + selected]!++;
  }

  /** The busy cycles of a ready warp are told as one stretch in front of those in which others were chosen. */
  tell(w: number, first: number, throttled: number, now: number): void {
    const { warps } = this;
    const sink = this.sink!;
    const { skipped } = this.warps;
    const readyAt = warps.readyAt[w]! + skipped;
    const from = first + warps.skippedThen[w]!;
    if (readyAt > from) sink(w, warps.why[w]!, from, readyAt);
    const chosenFrom = readyAt + throttled;
    const issued = now + skipped;
    if (throttled > 0) sink(w, throttleOf[this.program.pipe[warps.pc[w]!]!]!, readyAt, chosenFrom);
    if (issued > chosenFrom) sink(w, notSelected, chosenFrom, issued);
    sink(w, selected, issued, issued + 1, warps.pc[w]!);
  }

  /** Adds what warps have been doing since their last issue, for runs that are stopped. */
  closeStates(end: number, ready: Int32Array): void {
    const { warps } = this;
    for (let w = 0; w < warps.alive.length; w++) {
      if (warps.alive[w] === 0) continue;
      const first = warps.lastIssue[w]! + 1;
      if (first >= end) continue;
      const isReady = warps.alive[w] === running && (ready[warps.subOf[w]!]! & warps.bitOf[w]!) !== 0;
      const until = isReady ? warps.readyAt[w]! : end;
      this.warpCycles[warps.why[w]!]! += until - first;
      const { skipped } = this.warps;
      if (until > first) this.sink?.(w, warps.why[w]!, first + warps.skippedThen[w]!, until + skipped);
      if (!isReady) continue;
      this.warpCycles[notSelected]! += end - until;
      if (end > until) this.sink?.(w, notSelected, until + skipped, end + skipped);
    }
  }
}
