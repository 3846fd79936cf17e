/** A system that only counts time and a device whose kernels are TypeScript functions: the runtime's surroundings. */
import { bytes, ns, type Nanoseconds } from '../../../engine/base/units.ts';
import type { CudaDevice, HostProgramOptions } from '../../../engine/cuda/index.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { defaultHost } from '../../../engine/system/hosts.ts';
import { HostThreads } from '../../../engine/system/host-threads.ts';
import { ManagedMemory } from '../../../engine/system/managed.ts';
import type { CallCost } from '../../../engine/system/call-costs.ts';
import type { ApiCall, CallUse, SystemSimulator } from '../../../engine/system/types.ts';
import type { DeviceVariable, KernelCounts, KernelDescription, KernelLaunch } from '../../../engine/model/execution.ts';

export const microsecond = 1000;

/** Every call takes a microsecond, every operation on the device ten; one queue for all streams. */
export class FakeSystem implements SystemSimulator {
  readonly host = defaultHost;
  readonly threads = new HostThreads({ next: Infinity, step: () => undefined });
  readonly managed = new ManagedMemory({
    costs: defaultHost.managed,
    gpus: [{ hostToDevice: 50e9, deviceToHost: 50e9, capacity: 2 ** 40, smCount: 132, onDemand: true }],
  });
  readonly calls: { name: string; code: number }[] = [];
  readonly operations: Record<string, unknown>[] = [];
  readonly failures: Parameters<SystemSimulator['failed']>[0][] = [];
  readonly output = { stdout: '', stderr: '' };
  private busyUntil = 0;
  private lastStream = 0;
  private lastEvent = 0;
  private readonly eventTimes = new Map<number, number>();

  get now(): Nanoseconds {
    return ns(this.threads.current.clock);
  }

  get clockReading(): Nanoseconds {
    return this.now;
  }

  inHostFunction<Result>(_stream: number, run: () => Result): Result {
    return run();
  }

  private pass(duration: number): void {
    this.threads.current.clock += duration;
  }

  private enqueue(operation: Record<string, unknown>): void {
    this.operations.push(operation);
    this.busyUntil = Math.max(this.busyUntil, this.now) + 10 * microsecond;
    if (operation.async === false) this.waitUntil(this.busyUntil);
  }

  private waitUntil(time: number): void {
    this.threads.current.clock = Math.max(this.now, time);
  }

  /** Calls that depend on bytes. */
  readonly sized: { name: string; bytes: number }[] = [];

  failed(event: Parameters<SystemSimulator['failed']>[0]): void {
    this.failures.push(event);
  }

  beginApi(name: string, _cost?: CallCost, { bytes = 0 }: CallUse = {}): ApiCall {
    if (bytes > 0) this.sized.push({ name, bytes });
    const call = { name, correlationId: this.calls.length + 1, start: this.now };
    this.pass(microsecond);
    return call;
  }
  openApi(name: string): ApiCall {
    return { ...this.beginApi(name), waits: [] };
  }
  enterStream(): void {}
  leaveStream(): void {}
  chargeApi(): void {}
  roomIn(): void {}
  endApi(call: ApiCall, code: number): void {
    this.calls.push({ name: call.name, code });
  }
  hostFaults({ duration }: { duration: number }): void {
    this.pass(duration);
  }
  prefetch(_call: ApiCall, stream: number, _paging: object, toDevice: boolean): void {
    this.enqueue({ type: 'prefetch', stream, toDevice });
  }
  hostWork(duration: number): void {
    this.pass(duration);
  }
  createStream(): number {
    return ++this.lastStream;
  }
  destroyStream(): void {}
  createEvent(): number {
    return ++this.lastEvent;
  }
  destroyEvent(): void {}
  recordEvent(_call: ApiCall, event: number): void {
    this.eventTimes.set(event, Math.max(this.busyUntil, this.now));
  }
  streamWaitEvent(): void {}
  synchronizeStream(): void {
    this.waitUntil(this.busyUntil);
  }
  synchronizeEvent(_call: ApiCall, event: number): void {
    this.waitUntil(this.eventTimes.get(event) ?? 0);
  }
  synchronizeDevice(): void {
    this.waitUntil(this.busyUntil);
  }
  queryStream(): boolean {
    return this.busyUntil <= this.now;
  }
  queryEvent(event: number): boolean {
    return (this.eventTimes.get(event) ?? 0) <= this.now;
  }
  elapsedMilliseconds(start: number, end: number): number | null {
    if (!this.queryEvent(end)) return null;
    return (this.eventTimes.get(end)! - this.eventTimes.get(start)!) / 1e6;
  }
  copy(_call: ApiCall, request: object): void {
    this.enqueue({ type: 'copy', ...request });
  }
  setBlockingWaits(): void {}
  expectedStart() {
    return this.now;
  }
  memset(_call: ApiCall, request: object): void {
    this.enqueue({ type: 'memset', ...request });
  }
  launch(_call: ApiCall, request: object): void {
    this.enqueue({ type: 'kernel', ...request });
  }
  hold(): number {
    return 0;
  }
  letGo(): void {}
  hostFunction(): void {
    this.enqueue({ type: 'host' });
  }
  graphCall(): void {}
  eventOfCall(): void {}
  launchGraph(_call: ApiCall, request: object): void {
    this.enqueue({ type: 'graph', ...request });
  }
  nvtx(event: object): void {
    this.operations.push({ type: 'nvtx', ...event });
  }
  nameThread(): void {}
  memory(): void {}
  console(stream: 'stdout' | 'stderr', text: string): void {
    this.output[stream] += text;
  }
  remark(text: string): void {
    this.output.stderr += `Simsight: ${text}\n`;
  }
  notice(text: string): void {
    if (!this.output.stderr.includes(text)) this.remark(text);
  }
  nameOf(text: string): string {
    return text;
  }
  finish(): void {}
}

type FakeKernel = Partial<KernelDescription> & {
  /** Sizes of the parameters, in order; offsets follow with natural alignment. */
  sizes: number[];
  run: (parameters: DataView, launch: KernelLaunch, memory: DataView) => void;
};

export class FakeDevice implements CudaDevice {
  readonly memory = new WebAssembly.Memory({ initial: 64 });
  readonly variables: DeviceVariable[];
  private readonly kernels = new Map<string, FakeKernel>();
  private next = 0x10000;

  constructor(kernels: Record<string, FakeKernel> = {}, variables: DeviceVariable[] = []) {
    this.kernels = new Map(Object.entries(kernels));
    this.variables = variables;
  }

  allocateAnywhere(size: number): number | null {
    return this.allocate(size);
  }
  isPaged(): boolean {
    return false;
  }
  pieces(address: number, bytes: number): Uint8Array[] {
    return [new Uint8Array(this.memory.buffer, address, bytes)];
  }
  takeChanged(): { address: number; bytes: number }[] {
    return [{ address: 0, bytes: this.memory.buffer.byteLength }];
  }
  allocate(size: number, lowest = 0): number | null {
    const address = Math.max(this.next, lowest);
    if (address + size > this.memory.buffer.byteLength) return null;
    this.next = (address + size + 255) & ~255;
    return address;
  }
  free(): boolean {
    return true;
  }
  reserve(size: number): number | null {
    return this.allocate(size);
  }
  unreserve(): void {}
  place(): boolean {
    return true;
  }
  moveVariable(): boolean {
    return false;
  }
  hasKernel(name: string): boolean {
    return this.kernel(name) !== undefined;
  }

  kernel(name: string): KernelDescription | undefined {
    const kernel = this.kernels.get(name);
    if (!kernel) return undefined;
    let offset = 0;
    const parameters = kernel.sizes.map((size) => {
      const alignment = Math.min(size, 8);
      offset = Math.ceil(offset / alignment) * alignment;
      offset += size;
      return { offset: offset - size, size };
    });
    return {
      name,
      parameters,
      parameterBytes: offset,
      staticSharedBytes: 0,
      registersPerThread: 32,
      localBytes: 0,
      maxThreadsPerBlock: null,
      minBlocksPerSm: 1,
      ...kernel,
    };
  }
  launch(launch: KernelLaunch): KernelCounts {
    const { buffer, byteOffset, byteLength } = launch.parameters;
    const parameters = new DataView(buffer, byteOffset, byteLength);
    this.kernels.get(launch.kernel)!.run(parameters, launch, new DataView(this.memory.buffer));
    return {} as KernelCounts;
  }
}

/** Options for a run on an A100 with everything faked. */
export function fakeRun(host: Uint8Array<ArrayBuffer>, device = new FakeDevice(), system = new FakeSystem()) {
  const options: HostProgramOptions = {
    host,
    programName: 'app',
    arguments: [],
    environment: [],
    folder: null,
    writable: null,
    gpu: gpuById('a100-80gb'),
    device,
    system,
    model: {
      timeKernel: () => ({
        duration: ns(5000),
        blocks: {
          count: 1,
          perSm: 1,
          share: { warps: 1, registers: 1, shared: 0, slots: 1 },
          load: { sm: 0, dram: 0 },
        },
        details: {
          registersPerThread: 32,
          staticSharedBytes: 0,
          localBytesPerThread: 0,
          sharedConfigBytes: 0,
          metrics: {},
        },
      }),
      cacheGeometry: () => ({ smCount: 108, l1Bytes: bytes(1 << 17), l2Bytes: bytes(40 << 20) }),
      blocksPerSm: (kernel, { threadsPerBlock }) => Math.floor(65536 / (kernel.registersPerThread * threadsPerBlock)),
    },
  };
  return { options, device, system };
}
