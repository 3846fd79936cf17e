/** Writes Chrome traces of any size as Kineto would, piece by piece: ranges, calls, kernels, copies, arrows. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Length of a piece written to the file, characters. */
const pieceLength = 2 ** 20;

/** Gives how many events a timeline shows of it. Compressed where the name ends in `.gz`. */
export async function writeLargeChrome(path: string, bytes: number): Promise<number> {
  const file = createWriteStream(path);
  const target = path.endsWith('.gz') ? createGzip({ level: 1 }) : file;
  if (target !== file) target.pipe(file);
  const write = async (piece: string): Promise<void> => {
    if (!target.write(piece)) await once(target, 'drain');
  };
  let piece =
    '{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "numSms": 132}],\n"traceEvents": [\n';
  let [written, step] = [0, 0];
  while (written + piece.length < bytes) {
    piece += stepOf(step++);
    if (piece.length < pieceLength) continue;
    written += piece.length;
    await write(piece);
    piece = '';
  }
  await write(`${piece}{"ph": "M", "name": "process_name", "pid": 4000, "tid": 0, "args": {"name": "python3"}}\n]}\n`);
  target.end();
  await finished(file);
  return eventsPerStep * step;
}

const eventsPerStep = 5;

/** One operator of a network: two ranges, a launch, its kernel, now and then a copy. */
function stepOf(step: number): string {
  const ts = 1_717_000_000_000_000 + 40 * step;
  const at = (more: number): string => `${ts + more}.${String(step % 1000).padStart(3, '0')}`;
  const id = step + 1;
  const name = step % 97;
  const host = '"pid": 4000, "tid": 4000';
  return `  {"ph": "X", "cat": "cpu_op", "name": "aten::op_${name}", ${host}, "ts": ${at(0)}, "dur": 30.5, "args": {"External id": ${id}, "Sequence number": ${step}, "Fwd thread id": 0, "Record function id": 0, "Ev Idx": ${step}}},
  {"ph": "X", "cat": "cpu_op", "name": "aten::inner_${name}", ${host}, "ts": ${at(1)}, "dur": 25, "args": {"External id": ${id}, "Record function id": 0, "Ev Idx": ${step}}},
  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", ${host}, "ts": ${at(3)}, "dur": 4.25, "args": {"External id": ${id}, "cbid": 211, "correlation": ${id}}},
  {"ph": "s", "id": ${id}, ${host}, "ts": ${at(3)}, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::functor_${name}<float>, std::array<char*, 2ul> >(int, at::native::functor_${name}<float>, std::array<char*, 2ul>)", "pid": 0, "tid": ${7 + (step & 3)}, "ts": ${at(9)}, "dur": 20.75, "args": {"External id": ${id}, "queued": 0, "device": 0, "context": 1, "stream": ${7 + (step & 3)}, "correlation": ${id}, "registers per thread": 32, "shared memory": 0, "blocks per SM": 4.8, "warps per SM": 19.2, "grid": [${640 + name}, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 30}},
  {"ph": "f", "id": ${id}, "pid": 0, "tid": ${7 + (step & 3)}, "ts": ${at(9)}, "cat": "ac2g", "name": "ac2g", "bp": "e"},
  {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "pid": 0, "tid": 20, "ts": ${at(31)}, "dur": 5, "args": {"External id": ${id}, "device": 0, "context": 1, "stream": 20, "correlation": ${id}, "bytes": ${4096 << (step % 8)}, "memory bandwidth (GB/s)": 25.1}},
`;
}
