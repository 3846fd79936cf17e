/**
 * The thread of one recording: runs the host program against the simulated CUDA runtime and posts what happened in
 * batches. It works synchronously, its host threads too, in a process of its own (`program-process.ts`) which may be killed at
 * any moment.
 */
import { deserialize, serialize } from 'node:v8';
import { parentPort, workerData, type Transferable } from 'node:worker_threads';
import { reportOf } from '../base/errors.ts';
import { harmlessLine } from '../base/harmless.ts';
import { errorName, errorText, runHostProgram, type UncheckedLaunches } from '../cuda/index.ts';
import { gpuById } from '../gpus/index.ts';
import type { GpuDescription } from '../gpus/types.ts';
import { liftedGpu } from '../sm/lifted.ts';
import { createSystemSimulator, defaultHost, hostProfileById } from '../system/index.ts';
import type { KernelDetails, KernelProfile, ProfiledInstruction } from '../model/kernel-profile.ts';
import type { FailureEvent } from '../model/events.ts';
import type { KernelEvent } from '../model/event-kinds/kernel.ts';
import { formatBytes } from '../model/format.ts';
import { Device } from '../warp/device.ts';
import { whereText } from '../warp/faults.ts';
import { EventBatches } from './batches.ts';
import { nameInTrace } from './file-names.ts';
import { kernelCodeFrom } from './kernel-code.ts';
import { kernelModel } from '../sm/kernel-model.ts';
import { sealThread } from './seal.ts';
import { withinSeconds } from './wall-clock.ts';
import type { FromProgram, FromThread, ProgramOrder, ThreadData } from './messages.ts';

/** Returns to the GPU from which on managed memory is said to thrash. */
const fewestRoundTrips = 3;

sealThread();
const shared = workerData as ThreadData;
const order = deserialize(shared.order) as ProgramOrder;
const { options } = order;
const { lifted = null, coldStart = false, maxSeconds } = options;
const gpus = order.gpus.map(gpuById);
const [gpu, ...others] = gpus as [GpuDescription, ...GpuDescription[]];
// One for all GPUs of a kind: what was simulated on one stands for the others.
const models = new Map(gpus.map((each) => [each, kernelModel(each, options.detail, lifted, gpus.length)]));
/** The system has events while it is made, which takes a while on a busy machine: until then no time has passed. */
let simulatedTime = (): number => 0;
const batches = new EventBatches(shared.inFlight, (events) =>
  post({ type: 'events', events, simulatedNs: simulatedTime(), apiCalls }),
);
const profiles = new Map<KernelProfile, number>();
/** Details without their profile: launches that are alike share them. */
const detailsAlone = new WeakMap<KernelDetails, KernelDetails>();
let apiCalls = 0;

/** `CUDA_DEVICE_MAX_CONNECTIONS`; what is not a number from 1 to 32 is ignored, as by the driver. */
function connectionsOf(environment: readonly string[]): number | undefined {
  const value = /^CUDA_DEVICE_MAX_CONNECTIONS=(\d+)$/m.exec(environment.join('\n'))?.[1];
  return value !== undefined && Number(value) >= 1 && Number(value) <= 32 ? Number(value) : undefined;
}

const system = createSystemSimulator({
  ...options,
  gpu: liftedGpu(gpu, lifted),
  others: others.map((each) => liftedGpu(each, lifted)),
  host: hostProfileById(options.hostProfile ?? defaultHost.id),
  connections: connectionsOf(options.environment),
  contextCreation: coldStart,
  lazyLoading: coldStart,
  sink: (event) => {
    if (event.type === 'api') apiCalls++;
    if (event.type === 'kernel') addKernel(withPlace(event));
    else batches.add(event.type === 'failure' ? withPlace(event) : event);
  },
});
simulatedTime = () => system.now;

try {
  const code = kernelCodeFrom(shared.code, order.modules);
  const device = Device.create(order.modules, {
    ...options,
    memoryBytes: gpu.memory.capacityBytes,
    others: others.map(({ memory }) => ({ memoryBytes: memory.capacityBytes })),
    names: order.names,
    ...code,
    startThread: (member) => toProcess({ type: 'crew', member }, member.port),
    onUndefined: (text) => system.notice(harmlessLine(text)),
    threads: order.threads,
    progress: shared.progress,
  });
  const { exitCode, uncheckedLaunches, outside } = await runHostProgram({
    ...options,
    host: order.host,
    programName: order.programName,
    folder: order.folder,
    writable: order.writable,
    readable: order.readable,
    gpu,
    device,
    ...(maxSeconds === undefined
      ? {}
      : { start: (run) => withinSeconds(maxSeconds, run, () => whereText(device.whereabouts())) }),
    perThreadStreams: order.perThreadStreams,
    loadImage: (image) => {
      const { module, kernels, variables, demangled } = code.image(image);
      module.kernels.forEach(({ name }, i) => order.names.set(name, demangled[i]!));
      device.load(module);
      const named = (all: readonly { name: string }[], names: string[]): Map<string, string> =>
        new Map(all.map(({ name }, i) => [names[i]!, name]));
      return { kernels: named(module.kernels, kernels), variables: named(module.variables, variables) };
    },
    compileText: code.text,
    onTimedOnly: (kernel) =>
      system.notice(
        `From here on, launches of ${harmlessLine(nameOf(kernel))} are not executed as a whole: some blocks stand for the others, or launches before that took as long. Results are missing.`,
      ),
    system,
    model: models.get(gpu)!,
    others: others.map((each) => ({ gpu: each, model: models.get(each)! })),
  });
  const uncheckedLaunch = uncheckedLaunches ? noticeOf(uncheckedLaunches) : null;
  const notices = uncheckedLaunch === null ? [] : [uncheckedLaunch];
  if (exitCode !== 0 && outside !== null) notices.push(outsideNotice(outside));
  const { bytes, most } = system.managed.roundTrips(fewestRoundTrips);
  if (bytes > 0) notices.push(thrashingNotice(bytes, most, others.length > 0 ? 'GPUs' : 'GPU'));
  for (const notice of notices) system.remark(harmlessLine(notice));
  system.finish();
  batches.flush();
  post({ type: 'done', exitCode, durationNs: system.now, notices, uncheckedLaunch, ...device.launchCounts });
} catch (error) {
  system.finish();
  batches.flush();
  post({ type: 'failed', error: reportOf(error) });
}

/** Files as traces name them. */
function withPlace<Event extends KernelEvent | FailureEvent>(event: Event): Event {
  const { failure } = event;
  if (!failure?.place) return event;
  const { file, line } = failure.place;
  return { ...event, failure: { ...failure, place: { file: nameInTrace(order.folder, file), line } } };
}

/** A profile goes out once, before the first kernel that it stands for. */
function addKernel(event: KernelEvent): void {
  const { profile } = event.details;
  if (profile === undefined) return batches.add(event);
  let id = profiles.get(profile);
  if (id === undefined) {
    id = profiles.size + 1;
    profiles.set(profile, id);
    batches.add({ type: 'profile', id, profile: withNames(profile) });
  }
  let details = detailsAlone.get(event.details);
  if (details === undefined) {
    const { profile: _, ...alone } = event.details;
    detailsAlone.set(event.details, (details = alone));
  }
  batches.add({ ...event, details, profile: id });
}

function withNames(profile: KernelProfile): KernelProfile {
  const named = ({ file, ...rest }: ProfiledInstruction): ProfiledInstruction => ({
    ...rest,
    file: file === null ? null : nameInTrace(order.folder, file),
  });
  return { ...profile, instructions: profile.instructions.map(named) };
}

/** Programs say that they cannot open a file, and not why. */
function outsideNotice(name: string): string {
  return `The program asked for ${name}, which is outside of its folder. If that is why it failed, name a folder around both with --writable.`;
}

/** Once there and back is what a program needs to get its results. */
function thrashingNotice(bytes: number, most: number, gpus: string): string {
  return `${formatBytes(bytes)} of managed memory went back and forth between host and ${gpus}, up to ${most} times: keep accesses on one side, prefetch with cudaMemPrefetchAsync, or advise with cudaMemAdvise.`;
}

function nameOf(kernel: string): string {
  return order.names.get(kernel) ?? kernel;
}

function noticeOf({ kernel, code, count }: UncheckedLaunches): string {
  const others = count > 1 ? `, as did ${count - 1} more` : '';
  return `The launch of ${nameOf(kernel)} failed with ${errorName(code)} (${errorText(code)})${others}, and the program never asked: call cudaGetLastError() after a launch.`;
}

function post(message: FromProgram): void {
  const bytes = serialize(message);
  toProcess({ type: 'program', message: bytes }, bytes.buffer as ArrayBuffer);
}

function toProcess(message: FromThread, ...transfer: Transferable[]): void {
  parentPort!.postMessage(message, transfer);
}
