/** A limit of time for what a thread computes: on a busy machine, waiting for a core does not count, up to a point. */
import type { Worker } from 'node:worker_threads';

/** However little the thread came to compute: so many times as long. */
const longest = 2;
/** A thread that does not answer for so long is in something that cannot be interrupted. Milliseconds. */
const answerMilliseconds = 2000;

/** Seconds that the thread has computed; null where it does not tell. */
function computed(worker: Worker): Promise<number | null> {
  // Node before 24.6 lacks it.
  if (!('cpuUsage' in worker)) return Promise.resolve(null);
  const asked = worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1e6,
    () => null,
  );
  return Promise.race([asked, new Promise<null>((resolve) => setTimeout(resolve, answerMilliseconds, null).unref())]);
}

/** Calls `end` when the thread has computed for so many seconds from now on. Returns what ends the watch. */
export function endAfter(worker: Worker, seconds: number, end: () => void): () => void {
  let isOver = false;
  let timer = setTimeout(() => void look(), seconds * 1000);
  const begin = performance.now();
  const before = computed(worker).then((used) => used ?? 0);

  async function look(): Promise<void> {
    const used = await computed(worker);
    const own = used === null ? Infinity : used - (await before);
    if (isOver) return;
    const rest = Math.min(seconds - own, longest * seconds - (performance.now() - begin) / 1000);
    if (rest <= 0) end();
    else timer = setTimeout(() => void look(), Math.max(100, rest * 1000));
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
