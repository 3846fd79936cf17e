/** A section of `npm run abuse`: one kind of harm, tried many times. */
export interface Attempt {
  /** The attempt, in a few words: with it and the seed the same can be tried again. */
  name: string;
  /** Null where Simsight stood it; else what went wrong. */
  failure: string | null;
  milliseconds: number;
}

export interface AbuseOptions {
  /** A folder of its own, empty, for whatever the section writes; it is removed afterwards. */
  folder: string;
  /** Chooses what is random: the same seed tries the same. */
  seed: string;
  /** How many are tried, where that can be chosen; all, or the section's usual number, when absent. */
  count?: number;
  /** The first that is tried, where they have numbers: a lost one can be tried again alone. */
  from?: number;
  onAttempt(attempt: Attempt): void;
}

export interface Section {
  /** One word, as typed: `npm run abuse -- escapes`. */
  name: string;
  /** The attempt in general, and what must not happen. */
  title: string;
  run(options: AbuseOptions): Promise<void>;
}

/** Tries one thing; what it throws, or the text it returns, is a failure. */
export async function attempt(
  { onAttempt }: AbuseOptions,
  name: string,
  work: () => Promise<string | null | void> | string | null | void,
): Promise<void> {
  const start = performance.now();
  let failure: string | null;
  try {
    failure = (await work()) ?? null;
  } catch (error) {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  onAttempt({ name, failure, milliseconds: performance.now() - start });
}
