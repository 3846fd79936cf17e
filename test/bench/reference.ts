/** Wall time that each kernel of the H200 reference takes from its launch to its time: executed, simulated on a sample. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { runHostProgram, type CudaDevice } from '../../engine/cuda/index.ts';
import { gpuById } from '../../engine/gpus/index.ts';
import { kernelModel } from '../../engine/sm/kernel-model.ts';
import { translate } from '../../engine/recording/translate.ts';
import { createSystemSimulator, defaultHost } from '../../engine/system/index.ts';
import { Device } from '../../engine/warp/device.ts';
import { programOf, suites, type Suite } from '../fidelity/programs.ts';
import { cacheFolder } from '../unit/cuda/program.ts';

export interface TimedKernel {
  suite: Suite;
  kernel: string;
  /** Its launch, as the program made it. */
  blocks: number;
  seconds: number;
}

/** Compiling is not part of it. */
export async function timeReference(suite: Suite): Promise<TimedKernel[]> {
  const gpu = gpuById('h200');
  const source = programOf(suite);
  const call = { sources: [source], includeFolders: [], defines: [...suites[suite]], cacheFolder };
  const program = await translate(
    { ...call, gpu: gpu.id, arguments: [], environment: [], recordingsFolder: '', keepTrace: false },
    gpu,
    () => undefined,
  );
  for (const unit of program.modules.flatMap(({ units }) => units)) unit.wasm ??= await program.compileUnit(unit);

  const timed: TimedKernel[] = [];
  let spent = 0;
  const clocked = <T>(work: () => T): T => {
    const before = performance.now();
    try {
      return work();
    } finally {
      spent += (performance.now() - before) / 1e3;
    }
  };
  const device: CudaDevice = Device.create(program.modules, { memoryBytes: gpu.memory.capacityBytes });
  const launch = device.launch.bind(device);
  device.launch = (...parameters) => clocked(() => launch(...parameters));
  const model = kernelModel(gpu);
  const [clock, timeKernel] = [model.clock!.bind(model), model.timeKernel.bind(model)];
  model.clock = (...parameters) => clocked(() => clock(...parameters));
  model.timeKernel = (description, request, counts, traced) => {
    const result = clocked(() => timeKernel(description, request, counts, traced));
    const { x, y, z } = request.grid;
    timed.push({ suite, kernel: description.name, blocks: x * y * z, seconds: spent });
    spent = 0;
    return result;
  };
  const out = mkdtempSync(join(tmpdir(), 'simsight-bench-'));
  try {
    await runHostProgram({
      host: program.host,
      programName: suite,
      arguments: [out],
      environment: ['LAB_PROFILE=1'],
      folder: dirname(source),
      writable: { path: out, name: out },
      gpu,
      device,
      system: createSystemSimulator({ gpu, host: defaultHost, sink: () => undefined }),
      model,
    });
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
  return timed;
}
