/**
 * The thread of one recording: compiles, translates the kernels, runs the host program against the simulated CUDA
 * runtime, and posts what happened in batches. It works synchronously while the program runs (a WebAssembly host program
 * cannot wait for promises); whoever started it may end it at any moment.
 */
import { basename, dirname } from 'node:path';
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { reportOf } from '../base/errors.ts';
import { compileIrToWasm, compileProgram, demangle, shortName, type CompiledProgram } from '../compile/index.ts';
import { runHostProgram } from '../cuda/index.ts';
import { gpuById } from '../gpus/index.ts';
import { estimateKernel } from '../sm/estimate.ts';
import { createSystemSimulator } from '../system/index.ts';
import type { TraceEvent } from '../trace/events.ts';
import { buildDeviceModule, Device, type DeviceModule } from '../warp/index.ts';
import { maxBatchesInFlight, type FromProgram, type KernelName, type ProgramOrder } from './messages.ts';

const order = workerData as ProgramOrder;
const notices: string[] = ['Kernel times are estimates from counted instructions, memory sectors and DRAM bytes: the SM model is not in this version.'];

function post(message: FromProgram): void {
  parentPort!.postMessage(message);
}

/** Events leave in batches of this many, or when this much wall time has gone by. */
const batchEvents = 4096;
const batchMilliseconds = 100;

try {
  await run();
} catch (error) {
  post({ type: 'failed', error: reportOf(error), notices });
}

async function run(): Promise<void> {
  const gpu = gpuById(order.gpu);
  post({ type: 'phase', phase: 'compile', message: `Compiling ${order.sources.map((s) => basename(s)).join(', ')}` });
  const program = await compileProgram(
    {
      sources: order.sources,
      includeFolders: order.includeFolders,
      defines: order.defines,
      computeCapability: gpu.computeCapability,
    },
    { cacheFolder: order.cacheFolder },
  );
  post({ type: 'phase', phase: 'translate', message: 'Translating kernels to warp-wide code' });
  const modules = await Promise.all(
    program.device.map(({ source, ir }) =>
      buildDeviceModule(ir, {
        sourceName: source,
        toWasm: (llvmIr, exports) => compileIrToWasm({ llvmIr, exports }, { cacheFolder: order.cacheFolder }),
      }),
    ),
  );
  const device = await Device.create(modules, { memoryBytes: gpu.memory.capacityBytes });
  post({ type: 'facts', names: await kernelNames(modules), sources: sourceTexts(program) });
  runProgram(program, device);
}

async function kernelNames(modules: DeviceModule[]): Promise<Map<string, KernelName>> {
  const mangled = modules.flatMap((module) => module.kernels.map((kernel) => kernel.name));
  const demangled = await demangle(mangled, { cacheFolder: order.cacheFolder });
  return new Map(mangled.map((name, i) => [name, { demangled: demangled[i]!, short: shortName(demangled[i]!) }]));
}

function sourceTexts(program: CompiledProgram) {
  return order.sources.map((path) => ({ path: basename(path), text: readFileSync(path, 'utf8') }));
}
