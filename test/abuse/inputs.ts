/** Programs and recordings that the sections do harm with. */
import Database from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { writeNsysExport } from '../../engine/formats/export-sqlite.ts';
import { openTraceFile } from '../../engine/trace/open-file.ts';
import { createTraceWriter } from '../../engine/trace/writer.ts';
import { api, end, events, facts, kernel } from '../unit/trace/example-recording-events.ts';

/** A program that launches a kernel so often. */
export function writeProgram(path: string, launches: number): string {
  writeFileSync(
    path,
    `#include <cuda_runtime.h>
__global__ void add(int *x) { *x += 1; }
int main() {
  int *x;
  cudaMalloc(&x, sizeof(int));
  for (int i = 0; i < ${launches}; i++) add<<<1, 1>>>(x);
  return cudaDeviceSynchronize();
}
`,
  );
  return path;
}

/** A trace of a program that launched a kernel so often; a small one of everything if not given. */
export function writeTrace(path: string, launches?: number): string {
  const writer = createTraceWriter(path, facts);
  const many = Array.from({ length: launches ?? 0 }, (_, i) => [
    api('cudaLaunchKernel', i * 10, i * 10 + 3, i),
    kernel(i * 10 + 4, i * 10 + 9, i),
  ]).flat();
  writer.append(launches === undefined ? events : many);
  writer.finish(end);
  return path;
}

/** Writes the trace as Nsight Systems would have exported it. */
export function writeNsys(path: string, trace: string): string {
  const file = openTraceFile(trace);
  writeNsysExport(file, path);
  file.close();
  return path;
}

/** A recording of Chrome's format. */
export function writeChrome(path: string, count: number): string {
  const list = Array.from({ length: count }, (_, i) => ({
    ...{ ph: 'X', cat: 'kernel', name: `kernel ${i % 7}`, pid: 0, tid: 7, ts: i * 10, dur: 5 },
    args: { device: 0, stream: 7, correlation: i },
  }));
  const text = JSON.stringify({ traceEvents: list });
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

/** A database of another program, with something in its log where `mode` is wal. */
export function writeForeign(path: string, mode: 'delete' | 'wal' = 'delete'): string {
  const db = new Database(path);
  db.pragma(`journal_mode = ${mode}`);
  db.exec("CREATE TABLE accounts (name TEXT, sum INTEGER); INSERT INTO accounts VALUES ('savings', 1000000)");
  db.close();
  return path;
}
