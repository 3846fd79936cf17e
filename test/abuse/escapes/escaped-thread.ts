/** In the place of the program's thread, with its rights: tries all ways, and says which worked. */
import { parentPort, workerData } from 'node:worker_threads';
import { sealThread } from '../../../engine/recording/seal.ts';
import { ways, type WaysTarget } from './ways.ts';

/** How much stands between the thread and the machine: nothing, rights alone, or all that a program has. */
export type Walls = 'none' | 'rights' | 'all';

export interface WayTaken {
  name: string;
  worked: boolean;
  /** Why not. */
  refusal: string;
}

const { target, walls } = workerData as { target: WaysTarget; walls: Walls };
if (walls === 'all') sealThread();
const taken: WayTaken[] = [];
// A later failure of a way that was refused is nothing new.
process.on('uncaughtException', () => {});
for (const [name, way] of Object.entries(ways)) {
  try {
    await way(target);
    taken.push({ name, worked: true, refusal: '' });
  } catch (error) {
    taken.push({ name, worked: false, refusal: String(error) });
  }
}
parentPort!.postMessage(taken);
