/** A process of its own for {@link file://./chrome-memory.slow.test.ts}: imports a file and says what that took. */
import { existsSync, readFileSync } from 'node:fs';
import { prepare, preparationOf } from '../../../engine/formats/prepare.ts';

const [path, target] = process.argv.slice(2) as [string, string];
const since = performance.now();
await prepare(path, preparationOf(path)!, target, () => {});
// Kilobytes. What Linux says of a process that was started by a large one includes that one, up to the moment it was started; its own
// statistics do not.
const own = existsSync('/proc/self/status')
  ? /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  : undefined;
const peak = own ? Number(own) : process.resourceUsage().maxRSS;
console.log(JSON.stringify({ seconds: (performance.now() - since) / 1000, peakMb: peak / 1000 }));
