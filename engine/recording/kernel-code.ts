/**
 * Kernels are compiled while the program runs already: the units of the user's sources one after the other, two at a
 * time; one that the program is about to launch goes first. The program's thread works synchronously, so it asks by
 * message, sleeps, and finds the answer at its port; its process hands on both.
 */
import { deserialize, serialize } from 'node:v8';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Part } from '../model/recording.ts';
import type { RunTimeModule, RunTimeSource } from '../model/run-time-compilation.ts';
import { errorFrom, reportOf, SimsightError, type ErrorReport } from '../base/errors.ts';
import type { DeviceModule, KernelSource, ModuleUnit } from '../warp/module.ts';
import { firstUnits } from '../warp/unit-code.ts';

/** The program thread's end; its port is to be transferred. */
export interface KernelCodeClient {
  port: MessagePort;
  /** One word: changes with each answer. */
  answers: Int32Array;
}

/**
 * A unit of a module, the module for paged memory, that of a kernel left for later, or that of an image; each counts as one more from then on. Or an
 * image of a text.
 */
export type KernelCodeRequest =
  | { module: number; unit: number | 'paged' }
  | { module: number; kernel: string }
  | { image: Uint8Array }
  | { text: RunTimeSource };
type Answer =
  | { wasm: Uint8Array }
  | { made: { number: number; module: DeviceModule } }
  | { loaded: { number: number; image: LoadedImage } }
  | { compiled: RunTimeModule }
  | { error: ErrorReport };

/** A module of an image that the program loads. Its kernels and variables have names that no other module's have. */
export interface LoadedImage {
  module: DeviceModule;
  /** Names in the image, in the order of the module's kernels and variables. */
  kernels: string[];
  variables: string[];
  /** Demangled names of the kernels, likewise. */
  demangled: string[];
  /** The source. */
  text: string;
}

const side = 2;

/** Those who make kernels' code. */
export interface KernelCompilers {
  compileUnit: (unit: ModuleUnit) => Promise<Uint8Array>;
  /** The module for paged memory. */
  pagedModule: (module: DeviceModule) => Promise<DeviceModule>;
  /** A kernel that its module leaves for later. */
  laterKernel: (module: DeviceModule, kernel: string) => Promise<DeviceModule>;
  loadImage: (image: Uint8Array) => Promise<LoadedImage>;
  compileText: (source: RunTimeSource) => Promise<RunTimeModule>;
}

/** The engine's end: compiles ahead, answers (serialized), stops. `aheadOf` says of which modules all units are compiled ahead; `compiled` counts them. */
export function serveKernelCode(
  modules: readonly DeviceModule[],
  { compileUnit, pagedModule, laterKernel, loadImage, compileText }: KernelCompilers,
  aheadOf: (module: DeviceModule) => boolean,
): {
  answer: (request: KernelCodeRequest) => Promise<Uint8Array>;
  compiledAhead: Promise<unknown>;
  compiled: Part;
  close: () => void;
} {
  const running = new Map<ModuleUnit, Promise<Uint8Array>>();
  const all = [...modules];
  let stopped = false;

  function start(unit: ModuleUnit): Promise<Uint8Array> {
    let result = running.get(unit);
    if (!result) {
      result = compileUnit(unit);
      // Whoever needs it sees the failure.
      result.catch(() => {});
      running.set(unit, result);
    }
    return result;
  }

  async function answer(request: KernelCodeRequest): Promise<Uint8Array> {
    let reply: Answer;
    try {
      if ('image' in request) {
        const image = await loadImage(request.image);
        reply = { loaded: { number: all.push(image.module) - 1, image } };
      } else if ('text' in request) reply = { compiled: await compileText(request.text) };
      else if ('kernel' in request || request.unit === 'paged') {
        const whole = all[request.module]!;
        const module = 'kernel' in request ? await laterKernel(whole, request.kernel) : await pagedModule(whole);
        reply = { made: { number: all.push(module) - 1, module } };
      } else reply = { wasm: await start(all[request.module]!.units[request.unit]!) };
    } catch (error) {
      reply = { error: reportOf(error) };
    }
    return serialize(reply);
  }

  const ofOwn = modules.filter(aheadOf);
  // Second functions are seldom entered.
  const units = ofOwn.flatMap((module) => firstUnits(module.units).map((unit) => () => start(unit)));
  const later = ofOwn.flatMap((module) =>
    (module.later ?? []).map((kernel) => async () => {
      for (const unit of firstUnits((await laterKernel(module, kernel)).units)) await start(unit);
    }),
  );
  const compiled = { done: 0, total: units.length + later.length };
  async function compileAhead(steps: Iterable<() => Promise<unknown>>): Promise<void> {
    for (const step of steps) {
      if (stopped) return;
      await step().catch(() => {});
      compiled.done++;
    }
  }
  const ahead = units.values();
  // Whoever waits for a kernel that has been left for later finds a thread of the compiler.
  const compiledAhead = Promise.all(Array.from({ length: side }, () => compileAhead(ahead))).then(() =>
    compileAhead(later),
  );

  return {
    answer,
    compiledAhead,
    compiled,
    close: () => void (stopped = true),
  };
}

/** In the thread's process: an answer has come. */
export function handOnCode(port: MessagePort, answers: Int32Array, answer: Uint8Array): void {
  port.postMessage(answer);
  Atomics.add(answers, 0, 1);
  Atomics.notify(answers, 0);
}

/** The thread's end: waits for what it asks for. Errors: the compiler's. */
export function kernelCodeFrom(
  { port, answers }: KernelCodeClient,
  modules: readonly DeviceModule[],
): {
  compile: (unit: ModuleUnit) => Uint8Array;
  paged: (module: DeviceModule) => DeviceModule;
  later: KernelSource;
  image: (image: Uint8Array) => LoadedImage;
  text: (source: RunTimeSource) => RunTimeModule;
} {
  const all = [...modules];
  function answerTo(request: KernelCodeRequest): Exclude<Answer, { error: ErrorReport }> {
    const seen = Atomics.load(answers, 0);
    port.postMessage(request);
    // The call that wakes for an answer may come as late as here for the next one.
    while (Atomics.load(answers, 0) === seen) Atomics.wait(answers, 0, seen);
    const received = receiveMessageOnPort(port) as { message: Uint8Array } | undefined;
    if (!received) throw new SimsightError('internal', 'A kernel’s code did not arrive.');
    const answer = deserialize(received.message) as Answer;
    if ('error' in answer) throw errorFrom(answer.error);
    return answer;
  }
  function made(request: KernelCodeRequest): DeviceModule {
    const { number, module } = (answerTo(request) as Extract<Answer, { made: unknown }>).made;
    all[number] = module;
    return module;
  }
  return {
    compile: (unit) => {
      const module = all.findIndex(({ units }) => units.includes(unit));
      return (answerTo({ module, unit: all[module]!.units.indexOf(unit) }) as { wasm: Uint8Array }).wasm;
    },
    paged: (module) => made({ module: all.indexOf(module), unit: 'paged' }),
    later: (module, kernel) => made({ module: all.indexOf(module), kernel }),
    image: (image) => {
      const { loaded } = answerTo({ image }) as Extract<Answer, { loaded: unknown }>;
      all[loaded.number] = loaded.image.module;
      return loaded.image;
    },
    text: (text) => (answerTo({ text }) as { compiled: RunTimeModule }).compiled,
  };
}
