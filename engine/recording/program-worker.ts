/**
 * The thread of one recording: compiles, translates the kernels, runs the host program against the simulated CUDA
 * runtime, and posts what happened in batches. It works synchronously while the program runs (a WebAssembly host program
 * cannot wait for promises); whoever started it may end it at any moment.
 */
import { basename, dirname } from 'node:path';
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { reportOf } from '../base/errors.ts';
import { compileIrToWasm, compileProgram, demangle, shortName } from '../compile/index.ts';
import { runHostProgram } from '../cuda/index.ts';
import { gpuById } from '../gpus/index.ts';
import { withFallbacks } from '../gpus/fallbacks.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { defaultHost } from '../system/hosts.ts';
import { createSystemSimulator } from '../system/simulator.ts';
import type { SystemSimulator } from '../system/types.ts';
import type { TraceEvent } from '../trace/events.ts';
import { buildDeviceModule, Device, type DeviceModule } from '../warp/index.ts';
import { kernelModel } from './kernel-model.ts';
import {
  maxBatchesInFlight,
  type FromProgram,
  type KernelName,
  type ProgramOrder,
  type SourceText,
} from './messages.ts';

const order = workerData as ProgramOrder;
/** Said with the trace, in the app and by the CLI. */
const notices: string[] = [];

function post(message: FromProgram): void {
  parentPort!.postMessage(message);
}

/** Events leave in batches of this many, or when this much wall time has gone by. */
const batchEvents = 4096;
const batchMilliseconds = 100;
/** A blocked program looks this often whether its batches have been written. */
const waitMilliseconds = 1000;

try {
  await run();
} catch (error) {
  post({ type: 'failed', error: reportOf(error), notices });
}

async function run(): Promise<void> {
  const gpu = gpuById(order.gpu);
  notices.push(...noticesFor(gpu));
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
  post({ type: 'facts', names: await kernelNames(modules), sources: sourceTexts() });
  await runProgram(program.host, gpu, device);
}

async function runProgram(host: Uint8Array<ArrayBuffer>, gpu: GpuDescription, device: Device): Promise<void> {
  post({ type: 'phase', phase: 'run', message: 'Running the program' });
  let events: TraceEvent[] = [];
  let apiCalls = 0;
  let lastPost = performance.now();
  const system: SystemSimulator = createSystemSimulator({
    gpu,
    host: defaultHost,
    contextCreation: order.coldStart,
    lazyLoading: order.coldStart,
    sink: (event) => {
      if (event.type === 'api') apiCalls++;
      events.push(event);
      if (events.length >= batchEvents || performance.now() - lastPost > batchMilliseconds) flush();
    },
  });

  function flush(): void {
    if (events.length === 0) return;
    while (Atomics.load(order.inFlight, 0) >= maxBatchesInFlight) {
      Atomics.wait(order.inFlight, 0, maxBatchesInFlight, waitMilliseconds);
    }
    Atomics.add(order.inFlight, 0, 1);
    post({ type: 'events', events, simulatedNs: system.now, apiCalls });
    events = [];
    lastPost = performance.now();
  }

  try {
    const { exitCode } = await runHostProgram({
      host,
      programName: basename(order.sources[0]!).replace(/\.[^.]*$/, ''),
      arguments: order.arguments,
      environment: order.environment,
      folder: dirname(order.sources[0]!),
      gpu,
      device,
      system,
      model: kernelModel(gpu),
    });
    system.finish();
    flush();
    post({ type: 'done', exitCode, durationNs: system.now, apiCalls, notices });
  } catch (error) {
    system.finish();
    flush();
    throw error;
  }
}

async function kernelNames(modules: DeviceModule[]): Promise<Map<string, KernelName>> {
  const mangled = modules.flatMap((module) => module.kernels.map((kernel) => kernel.name));
  const demangled = await demangle(mangled, { cacheFolder: order.cacheFolder });
  return new Map(mangled.map((name, i) => [name, { demangled: demangled[i]!, short: shortName(demangled[i]!) }]));
}

function sourceTexts(): SourceText[] {
  return order.sources.map((path) => ({ path: basename(path), text: readFileSync(path, 'utf8') }));
}

function noticesFor(gpu: GpuDescription): string[] {
  const { assumptions } = withFallbacks(gpu);
  const estimate =
    'Kernel times are estimates from counted instructions, memory sectors and DRAM bytes, until the model of the SM lands.';
  if (assumptions.length === 0) return [estimate];
  const figures = assumptions.map(({ figure, value, reason }) => `${figure} = ${value} (${reason})`).join('; ');
  return [estimate, `Not published for the ${gpu.name}, so assumed: ${figures}.`];
}
