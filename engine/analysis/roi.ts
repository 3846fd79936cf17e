/**
 * The return of an optimization for the work that it takes, before anybody starts on it.
 *
 *   returnsOf([{ name: 'tiling', beforeNs: 10e6, afterNs: 3.33e6, runsPerDay: 1000, engineerDays: 2 }, …]);
 */

/** Seconds of work in an engineer-day, where nothing else is said. */
export const usualWorkingHours = 8;

export interface Candidate {
  name: string;
  beforeNs: number;
  afterNs: number;
  runsPerDay: number;
  engineerDays: number;
}

export interface Return extends Candidate {
  speedup: number;
  /** Negative where it makes things slower. */
  savedSecondsPerDay: number;
  savedSecondsPerEngineerDay: number;
  /** Days of running until as much time is saved as was worked; null where it never will be. */
  breakEvenDays: number | null;
}

/** The most saved per engineer-day first; of equal ones what saves more. How often it runs changes when it has paid, not which is first. */
export function returnsOf(candidates: readonly Candidate[], workingHours = usualWorkingHours): Return[] {
  const returns = candidates.map((candidate): Return => {
    const { beforeNs, afterNs, runsPerDay, engineerDays } = candidate;
    const savedSecondsPerDay = ((beforeNs - afterNs) * runsPerDay) / 1e9;
    return {
      ...candidate,
      speedup: beforeNs / afterNs,
      savedSecondsPerDay,
      savedSecondsPerEngineerDay: savedSecondsPerDay / engineerDays,
      breakEvenDays: savedSecondsPerDay > 0 ? (engineerDays * workingHours * 3600) / savedSecondsPerDay : null,
    };
  });
  return returns.sort(
    (a, b) =>
      b.savedSecondsPerEngineerDay - a.savedSecondsPerEngineerDay || b.savedSecondsPerDay - a.savedSecondsPerDay,
  );
}
