/** A process of its own for {@link file://./chrome-memory.test.ts}: imports a file and says what that took. */
import { prepare, preparationOf } from '../../../engine/formats/prepare.ts';

const [path, target] = process.argv.slice(2) as [string, string];
const since = performance.now();
await prepare(path, preparationOf(path)!, target, () => {});
// Kilobytes.
const peak = process.resourceUsage().maxRSS;
console.log(JSON.stringify({ seconds: (performance.now() - since) / 1000, peakMb: peak / 1000 }));
