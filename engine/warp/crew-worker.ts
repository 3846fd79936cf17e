/** A thread that executes a part of a grid when told; see crew.ts. */
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { importsFor } from '../base/program-imports.ts';
import { SecondMissing, serve, type CrewMember, type CrewUnit } from './crew.ts';
import { secondFunctions } from './second-functions.ts';

const member = workerData as CrewMember;
const { memory, sequence, port } = member;
const units = new Map<number, CrewUnit>();
let current: { unit: CrewUnit; instance: WebAssembly.Instance; second: WebAssembly.Instance | null } | null = null;

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

/** The second functions of the current unit, which somebody else has to have entered before. */
function second(): WebAssembly.Instance {
  const module = current!.unit.second;
  if (module === null) throw new SecondMissing();
  return (current!.second ??= new WebAssembly.Instance(module, importsFor(module, { env })));
}

/** Own data of units is constant and the same for all: to instantiate one writes what is there already. */
function load(number: number): WebAssembly.Instance {
  for (let found = receiveMessageOnPort(port); found; found = receiveMessageOnPort(port)) {
    const message = found.message as CrewUnit;
    units.set(message.unit, message);
  }
  const unit = units.get(number)!;
  if (current?.unit !== unit) {
    const functions = secondFunctions(unit.module, () => current!.instance, second);
    const instance = new WebAssembly.Instance(unit.module, importsFor(unit.module, { env: { ...env, ...functions } }));
    current = { unit, instance, second: null };
  }
  return current.instance;
}

serve(member, load);
