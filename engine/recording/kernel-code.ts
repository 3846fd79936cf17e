/**
 * Kernels are compiled while the program runs already: the units of the user's sources one after the other, two at a
 * time; one that the program is about to launch goes first. The program's thread works synchronously, so it asks by
 * message, sleeps, and finds the answer at its port; its process hands on both.
 */
import { deserialize, serialize } from 'node:v8';
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Part } from '../model/recording.ts';
import { errorFrom, reportOf, SimsightError, type ErrorReport } from '../base/errors.ts';
import type { DeviceModule, ModuleUnit } from '../warp/module.ts';

/** The program thread's end; its port is to be transferred. */
export interface KernelCodeClient {
  port: MessagePort;
  /** One word: changes with each answer. */
  answers: Int32Array;
}

export interface KernelCodeRequest {
  module: number;
  unit: number;
}
type Answer = { wasm: Uint8Array } | { error: ErrorReport };

const side = 2;

export type CompileUnit = (unit: ModuleUnit) => Promise<Uint8Array>;

/** The engine's end: compiles ahead, answers (serialized), stops. `aheadOf` says of which modules all units are compiled ahead; `compiled` counts them. */
export function serveKernelCode(
  modules: DeviceModule[],
  compile: CompileUnit,
  aheadOf: (module: DeviceModule) => boolean,
): {
  answer: (request: KernelCodeRequest) => Promise<Uint8Array>;
  compiledAhead: Promise<unknown>;
  compiled: Part;
  close: () => void;
} {
  const running = new Map<ModuleUnit, Promise<Uint8Array>>();
  let stopped = false;

  function start(unit: ModuleUnit): Promise<Uint8Array> {
    let result = running.get(unit);
    if (!result) {
      result = compile(unit);
      // Whoever needs it sees the failure.
      result.catch(() => {});
      running.set(unit, result);
    }
    return result;
  }

  async function answer({ module, unit }: KernelCodeRequest): Promise<Uint8Array> {
    let reply: Answer;
    try {
      reply = { wasm: await start(modules[module]!.units[unit]!) };
    } catch (error) {
      reply = { error: reportOf(error) };
    }
    return serialize(reply);
  }

  const units = modules.filter(aheadOf).flatMap((module) => module.units);
  const compiled = { done: 0, total: units.length };
  const ahead = units.values();
  async function compileAhead(): Promise<void> {
    for (const unit of ahead) {
      if (stopped) return;
      await start(unit).catch(() => {});
      compiled.done++;
    }
  }
  const compiledAhead = Promise.all(Array.from({ length: side }, compileAhead));

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

/** The thread's end: waits for a unit. Errors: the compiler's. */
export function kernelCodeFrom(
  { port, answers }: KernelCodeClient,
  modules: DeviceModule[],
): (unit: ModuleUnit) => Uint8Array {
  return (unit) => {
    const module = modules.findIndex(({ units }) => units.includes(unit));
    const seen = Atomics.load(answers, 0);
    port.postMessage({ module, unit: modules[module]!.units.indexOf(unit) } satisfies KernelCodeRequest);
    // The call that wakes for an answer may come as late as here for the next one.
    while (Atomics.load(answers, 0) === seen) Atomics.wait(answers, 0, seen);
    const received = receiveMessageOnPort(port) as { message: Uint8Array } | undefined;
    if (!received) throw new SimsightError('internal', 'A kernel’s code did not arrive.');
    const answer = deserialize(received.message) as Answer;
    if ('error' in answer) throw errorFrom(answer.error);
    return answer.wasm;
  };
}
