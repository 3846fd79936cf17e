/**
 * Records until it is killed, or up to so many events and then finishes; prints when it starts to create and to finish the file,
 * and how many events are in for certain. For the test of killed recordings.
 */
import { createTraceWriter } from '../../../engine/trace/writer.ts';
import { api, end, facts, kernel } from './example-recording-events.ts';

const [path, most = 'Infinity'] = process.argv.slice(2) as [string, string?];
process.stdout.write('creating\n');
const writer = createTraceWriter(path, facts);
process.stdout.write('created\n');
let count = 0;
let committed = 0;
function batch(): void {
  for (let i = 0; i < 50; i++, count++) {
    writer.append([
      api('cudaLaunchKernel', count * 10, count * 10 + 3, count),
      kernel(count * 10 + 4, count * 10 + 9, count),
    ]);
  }
  if (writer.committed > committed) process.stdout.write(`committed ${(committed = writer.committed)}\n`);
  if (count < Number(most)) {
    setImmediate(batch);
    return;
  }
  process.stdout.write('finishing\n');
  writer.finish(end);
  process.stdout.write('finished\n');
  // Whoever started it ends it.
  setInterval(() => {}, 1000);
}
batch();
