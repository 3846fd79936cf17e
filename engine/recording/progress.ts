/** Progress of a recording on its way to whoever asked for it. */
import type { RecordProgress } from '../model/recording.ts';

export const nothingYet = {
  ...{ simulatedNs: 0, kernels: 0, apiCalls: 0, launches: 0, repeated: 0 },
  ...{ compiled: null, blocks: null, kernel: null, console: [] },
};

export interface ProgressReporter {
  report(progress: RecordProgress): void;
  /** Hands on what is still held back. */
  flush(): void;
}

/** Progress is handed on this often (ms), and after as long where no other follows. */
const interval = 100;

/** Hands on progress at most ten times a second, except for changes of phase; console lines are never lost. */
export function progressReporter(onProgress: ((progress: RecordProgress) => void) | undefined): ProgressReporter {
  let lastTime = 0;
  let lastStep = '';
  let held: RecordProgress | undefined;
  let later: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(later);
    later = undefined;
    if (held) onProgress?.(held);
    held = undefined;
    lastTime = performance.now();
  };
  return {
    flush,
    report(progress) {
      held = { ...progress, console: [...(held?.console ?? []), ...progress.console] };
      const step = progress.phase + progress.message;
      if (step === lastStep && performance.now() - lastTime < interval) {
        later ??= setTimeout(flush, interval);
        return;
      }
      lastStep = step;
      flush();
    },
  };
}
