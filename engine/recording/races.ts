/**
 * Races on shared memory as the reason why a program failed. A race often gives the right result on hardware and another one here, where
 * warps take other turns, and nothing would say so. Looking for races costs a third more and keeps blocks on one core, so it is done
 * only where a program has failed: it runs again, the same to the last bit, and every access to shared memory is compared with those of
 * other warps since the last barrier.
 */
import type { RecordResult } from '../model/recording.ts';
import { SimsightError } from '../base/errors.ts';
import type { DeviceModule } from '../warp/module.ts';
import type { RecordCall } from './types.ts';

/** Warp instructions of the run that looks for races; a program that needs more is not looked at to its end. */
const mostInstructions = 1e9;

/** Lines in which programs say that a check of their own failed. */
const failed =
  /\b(fail(ed|ure|s)?|mismatch(es)?|incorrect|wrong|does not match|do not match|not equal|verification error)\b/i;
/** And in which they say that none did: `0 mismatches`, `failed: 0`, `no failures`. */
const noneFailed =
  /\b(no|0|zero|without) +(fail|mismatch|incorrect|wrong|error)|\b(fail\w*|mismatch\w*|incorrect|wrong)\W{0,3}(=|:)?\s*0\b(?![.\d])/i;
/** And in which they say that what failed was to: `assert failed as expected`. */
const failedAsExpected = /\b(fail\w*|assert\w*|error\w*)\b.*\bas expected\b/i;
/** What the runtime says of a kernel; not the program's words. */
const ofRuntime = /^Simsight: /;

/** Takes what a program prints, in pieces, and says whether it has printed a failed check. */
export class FailedChecks {
  private rest = '';
  found = false;
  /** It has said that something failed as it was to: a kernel that did is not wrong. */
  expected = false;

  take(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!.slice(-1000);
    for (const line of lines) this.takeLine(line);
  }
  /** At the end of the program, which may not have ended its last line. */
  end(): boolean {
    this.takeLine(this.rest);
    return this.found;
  }

  private takeLine(line: string): void {
    if (ofRuntime.test(line)) return;
    if (failedAsExpected.test(line)) this.expected = true;
    else if (failed.test(line) && !noneFailed.test(line)) this.found = true;
  }
}

/** Kernels that come later may. */
const usesShared = ({ kernels, later = [] }: DeviceModule): boolean =>
  later.length > 0 ||
  kernels.some(({ sites, staticSharedBytes }) => staticSharedBytes > 0 || sites.some(({ space }) => space === 3));

/**
 * True if a failed program is run again to look for races: it has shared memory, its run did not look for races, it may not
 * write files, which it would do twice, and it is not a what-if run of a program recorded before.
 */
export const mayHaveRaced = (call: RecordCall, modules: readonly DeviceModule[]): boolean =>
  (call.checks ?? []).every((check) => check !== 'racecheck' && check !== 'order') &&
  call.writableFolder === undefined &&
  call.lifted === undefined &&
  modules.some(usesShared);

/** Race report as the runtime prints it, see faultError in engine/warp/faults.ts. */
const race = /^Simsight: (Race on __shared__ memory: .*) \(cuda\w+\)$/m;

/**
 * Runs a program again and returns the first race of its kernels between a read and a write of shared memory, as a sentence that names
 * both lines; null if there is none. `again` is `record`. Errors: `cancelled`.
 */
export async function findRace(
  call: RecordCall,
  again: (call: RecordCall) => Promise<RecordResult>,
): Promise<string | null> {
  const enough = new AbortController();
  let printed = '';
  let found: string | null = null;
  const { output: _, onKernelTimes: __, ...program } = call;
  try {
    await again({
      ...program,
      checks: ['order'],
      detail: 'counters',
      keepTrace: false,
      maxInstructions: Math.min(mostInstructions, call.maxInstructions ?? Infinity),
      signal: call.signal ? AbortSignal.any([call.signal, enough.signal]) : enough.signal,
      onProgress: ({ console }) => {
        for (const { stream, text } of console) if (stream === 'stderr') printed += text;
        found ??= race.exec(printed)?.[1] ?? null;
        if (found !== null) enough.abort();
        printed = printed.slice(printed.lastIndexOf('\n') + 1);
      },
    });
  } catch (error) {
    if (call.signal?.aborted === true) throw new SimsightError('cancelled', 'The recording was cancelled.');
    // It failed before as well, or needs more than it may; who has found something is stopped.
    if (!(error instanceof SimsightError)) throw error;
  }
  return found;
}
