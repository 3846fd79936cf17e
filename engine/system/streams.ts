/** The streams and events of a program, and the hardware queues that streams share. */
import { SimsightError } from '../base/errors.ts';
import type { CompleteGpu } from '../gpus/fallbacks.ts';
import type { Device } from './device.ts';
import { mark, type Operation } from './operations.ts';
import { Fifo } from './queues.ts';
import type { SystemState } from './state.ts';
import { isLegacyStream, legacyStreamOf, type EventId, type StreamId } from './types.ts';

/** Ids as Nsight Systems shows them. */
const legacyDefaultStreamInTrace = 7;
const firstCreatedStream = 13;

/** A GPU, with the state that the host keeps for it. */
export interface Gpu {
  readonly index: number;
  readonly description: CompleteGpu;
  readonly device: Device;
  readonly legacy: Stream;
  /** Blocking streams with work since the last operation of the legacy default stream. */
  readonly blockingWithWork: Set<Stream>;
  readonly loadedKernels: Set<string>;
  contextMissing: boolean;
}

/** A hardware queue, with the last operation that entered it. */
export interface Connection {
  last: Operation | null;
}

export interface Stream {
  readonly id: StreamId;
  readonly traceId: number;
  /** Ordinal of its GPU. */
  readonly device: number;
  readonly nonBlocking: boolean;
  readonly priority: number;
  /** The latest operation; all others of the stream end before it. */
  last: Operation | null;
  /** Correlation id of the latest that does something, other than events and waits; 0 if there was none. */
  lastWork: number;
  /** Correlation ids of the work on other streams that the next work waits for. */
  waitsFor: number[];
  /** Operations that may not have ended, oldest first. */
  readonly outstanding: Fifo<Operation>;
  /** Hardware queue of its kernels; shared with other streams. */
  readonly connection: Connection;
  /** Ids in the trace of the further branches of graphs that were launched here. */
  graphStreams: number[] | null;
}

export interface StreamEvent {
  readonly timing: boolean;
  /** A thread that waits for it sleeps. */
  readonly blockingSync: boolean;
  /** The latest record. */
  record: Operation | null;
  /** Correlation id of the work that it was recorded behind: see {@link Stream.lastWork}. */
  behind: number;
}

export class Streams {
  readonly gpus: readonly Gpu[];
  private readonly state: SystemState;
  private readonly streams = new Map<StreamId, Stream>();
  /** Streams that were destroyed with work in them. */
  private retired: Stream[] = [];
  private readonly events = new Map<EventId, StreamEvent>();
  private readonly connectionCount: number;
  /** Hardware queues by GPU and priority. */
  private readonly connections = new Map<string, Connection[]>();
  private lastStream = firstCreatedStream - 1;
  private lastEvent = 0;

  /** `connectionCount`: hardware queues per GPU and priority; `contextMissing`: the first call has to create the context. */
  constructor(state: SystemState, gpus: readonly CompleteGpu[], connectionCount: number, contextMissing: boolean) {
    this.state = state;
    this.connectionCount = connectionCount;
    this.gpus = gpus.map((description, index) => ({
      index,
      description,
      device: state.machine.devices[index]!,
      legacy: this.addStream(legacyStreamOf(index), legacyDefaultStreamInTrace, index, false, 0),
      blockingWithWork: new Set(),
      loadedKernels: new Set(),
      contextMissing,
    }));
  }

  createStream(options: { nonBlocking: boolean; priority: number; device?: number }): StreamId {
    const id = ++this.lastStream;
    return this.addStream(id, id, options.device ?? 0, options.nonBlocking, options.priority).id;
  }

  destroyStream(stream: StreamId): void {
    const destroyed = this.stream(stream);
    if (isLegacyStream(stream)) throw fault('The default stream cannot be destroyed.');
    this.streams.delete(stream);
    this.retired = [...this.retired, destroyed].filter(({ last }) => last !== null && last.end < 0);
  }

  createEvent(options: { timing: boolean; blockingSync: boolean }): EventId {
    this.events.set(++this.lastEvent, { ...options, record: null, behind: 0 });
    return this.lastEvent;
  }

  destroyEvent(event: EventId): void {
    this.event(event);
    this.events.delete(event);
  }

  newRecord(id: EventId): Operation {
    const event = this.event(id);
    event.behind = 0;
    return (event.record = mark('event', event.timing ? this.state.host.timedEvent.duration : 0));
  }

  /** The first branch of a graph runs in the stream itself, the others in streams of their own, as CUPTI shows them. */
  graphStream(stream: Stream, branch: number): number {
    if (branch === 0) return stream.traceId;
    const others = (stream.graphStreams ??= []);
    while (others.length < branch) {
      const streamId = ++this.lastStream;
      others.push(streamId);
      const { device, priority } = stream;
      this.state.sink({ type: 'stream', streamId, ...ordinal(device), priority, nonBlocking: true });
    }
    return others[branch - 1]!;
  }

  /** Streams of a priority take the connections of their GPU in turn. */
  private connectionFor(device: number, priority: number): Connection {
    const key = `${device} ${priority}`;
    const all = this.connections.get(key) ?? [];
    this.connections.set(key, all);
    const connection = all.length < this.connectionCount ? { last: null } : all.shift()!;
    all.push(connection);
    return connection;
  }

  private addStream(id: StreamId, traceId: number, device: number, nonBlocking: boolean, priority: number): Stream {
    const stream: Stream = {
      id,
      traceId,
      device,
      nonBlocking,
      priority,
      last: null,
      lastWork: 0,
      waitsFor: [],
      outstanding: new Fifo(),
      connection: isLegacyStream(id) ? { last: null } : this.connectionFor(device, priority),
      graphStreams: null,
    };
    this.streams.set(id, stream);
    this.state.sink({ type: 'stream', streamId: traceId, ...ordinal(device), priority, nonBlocking });
    return stream;
  }

  gpuOf({ device }: Stream): Gpu {
    return this.gpus[device]!;
  }

  stream(id: StreamId): Stream {
    return this.streams.get(id) ?? raise(`There is no stream ${id}.`);
  }

  event(id: EventId): StreamEvent {
    return this.events.get(id) ?? raise(`There is no event ${id}.`);
  }

  /** The latest operation of each of a GPU's streams, destroyed ones included. */
  lastOperations(gpu: number): Operation[] {
    return [...this.streams.values(), ...this.retired].flatMap(({ device, last }) =>
      device === gpu && last ? [last] : [],
    );
  }
}

/** The ordinal of a GPU in events of streams; left out for the first. */
const ordinal = (deviceId: number): { deviceId?: number } => (deviceId === 0 ? {} : { deviceId });

/** Error for a wrong handle. The runtime checks handles before it calls, so this is a fault of Simsight. */
function fault(message: string): SimsightError {
  return new SimsightError('internal', message, 'This is a bug in Simsight: please report it.');
}

function raise(message: string): never {
  throw fault(message);
}
