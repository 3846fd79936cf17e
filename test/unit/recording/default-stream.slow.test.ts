/** Whose stream 0 is: an option for the whole program, a macro of the command line, a macro of a source. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DefaultStream } from '../../../engine/model/record-options.ts';
import { record } from '../../../engine/recording/record.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { cacheFolder, newFolder } from '../cuda/program.ts';

const macro = 'CUDA_API_PER_THREAD_DEFAULT_STREAM';
/** Only a stream of the thread's own can be captured: bit 0 for the .cu file, bit 1 for the .cpp file. */
const main = `int plain();
int main() { return (cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaSuccess ? 1 : 0) + 2 * plain(); }
`;
const plain = `#include <cuda_runtime.h>
int plain() {
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  if (cudaStreamIsCapturing(0, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive) return 1;
  if (cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) != cudaSuccess) return 0;
  return cudaStreamEndCapture(0, &graph) == cudaSuccess;
}
`;

test.each<[string, { main?: boolean; other?: boolean; defines?: string[]; defaultStream?: DefaultStream }, number]>([
  ['nobody asks for one', {}, 0],
  ['a .cpp file does', { other: true }, 2],
  ['a .cu file does, in vain', { main: true }, 0],
  ['the command line does', { defines: [macro] }, 3],
  ['the option does', { defaultStream: 'per-thread' }, 3],
  ['the option refuses', { defines: [`${macro}=1`], defaultStream: 'legacy' }, 0],
])('%s', async (_, { main: inMain, other, defines = [], defaultStream }, expected) => {
  const folder = newFolder();
  const sources = [join(folder, 'app.cu'), join(folder, 'plain.cpp')];
  const define = (wanted?: boolean): string => (wanted ? `#define ${macro} 1\n` : '');
  writeFileSync(sources[0]!, `${define(inMain)}#include <cuda_runtime.h>\n${main}`);
  writeFileSync(sources[1]!, define(other) + plain);
  const output = join(folder, 'app.simsight');
  const { exitCode } = await record({
    ...{ sources, gpu: 'h200', includeFolders: [], defines, environment: [] },
    ...{ arguments: [], output, recordingsFolder: folder, keepTrace: true, cacheFolder },
    ...(defaultStream ? { defaultStream } : {}),
  });
  expect(exitCode).toBe(expected);
  const trace = openTrace(output);
  const names = trace.query('SELECT DISTINCT value FROM StringIds').flat().join();
  const { notices } = trace.info;
  trace.close();
  expect(names).toContain('cudaStreamBeginCapture');
  expect(names).not.toContain('_ptsz');
  expect(notices.some((notice) => notice.startsWith(`app.cu defines ${macro}`))).toBe(inMain === true);
});
