/** Records until it is killed; prints how many events are in for certain. For the test of killed recordings. */
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { api, facts, kernel } from './example-recording-events.ts';

const writer = createTraceWriter(process.argv[2]!, facts);
process.stdout.write('started\n');
let count = 0;
function batch(): void {
  for (let i = 0; i < 50; i++, count++) {
    writer.append([
      api('cudaLaunchKernel', count * 10, count * 10 + 3, count),
      kernel(count * 10 + 4, count * 10 + 9, count),
    ]);
  }
  setImmediate(batch);
}
batch();
