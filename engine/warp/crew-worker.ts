/** A thread that executes a part of a grid when told; see crew.ts. */
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { importsFor } from '../base/program-imports.ts';
import { serve, type CrewMember } from './crew.ts';

const member = workerData as CrewMember;
const { memory, sequence, port } = member;
const modules = new Map<number, WebAssembly.Module>();
let unit = -1;
let instance: WebAssembly.Instance | null = null;

class GivenUp extends Error {}
const giveUp = (): never => {
  throw new GivenUp();
};
const env = {
  memory,
  fault: giveUp,
  tick: () => {},
  sequence: () => Atomics.add(sequence, 0, 1),
  // Blocks that are traced run outside of the crew.
  drain: () => {},
  print: giveUp,
  allocate: giveUp,
  release: giveUp,
  device_runtime: giveUp,
  // Launches whose memory is paged have one thread, but the runtime's functions know of both.
  page_in: giveUp,
  clock: giveUp,
};

/** Own data of units is constant and the same for all: to instantiate one writes what is there already. */
function load(number: number): WebAssembly.Instance {
  for (let found = receiveMessageOnPort(port); found; found = receiveMessageOnPort(port)) {
    const message = found.message as { unit: number; module: WebAssembly.Module };
    modules.set(message.unit, message.module);
  }
  if (unit !== number || instance === null) {
    const module = modules.get(number)!;
    instance = new WebAssembly.Instance(module, importsFor(module, { env }));
    unit = number;
  }
  return instance;
}

serve(member, load);
