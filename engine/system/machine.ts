/**
 * The GPUs of one machine in simulated time: one order of events for all of them, so that work of one may wait for that of
 * another. It runs as far as it is told, never further, because the host may still hand it work.
 */
import { SimsightError } from '../base/errors.ts';
import type { EventSink } from '../model/events.ts';
import { Device } from './device.ts';
import { PeerCopies } from './peercopies.ts';
import { ActionQueue } from './queues.ts';
import type { HostProfile } from './hosts.ts';
import type { Operation } from './operations.ts';

export class Machine {
  readonly devices: readonly Device[];
  private readonly actions = new ActionQueue();
  /** Time up to which it may be simulated ahead of what some host thread has yet to do. */
  private readonly horizon: () => number;
  /** Time of the last event that happened. */
  time = 0;

  /** `peerBothWays`: see {@link PeerCopies}. */
  constructor(options: {
    devices: readonly { smCount: number; copyEngines: number; copies: HostProfile['copies'] }[];
    peerBothWays: { direct: number; staged: number };
    horizon: () => number;
    sink: EventSink;
  }) {
    const { actions } = this;
    this.horizon = options.horizon;
    const peerCopies = new PeerCopies(options.devices.length, options.peerBothWays, actions);
    this.devices = options.devices.map(
      (device, index) => new Device({ ...device, index, actions, peerCopies, sink: options.sink }),
    );
  }

  /** When the next event happens; Infinity without one. */
  get next(): number {
    return this.actions.next;
  }

  /** Everything up to and including `time`, as far as host threads allow. */
  advance(time: number): void {
    while (this.actions.next <= time && this.actions.next <= this.horizon()) this.step();
  }

  runUntilStarted(work: Operation): void {
    while (work.start < 0) this.stepOn();
  }

  runUntilEnded(work: Operation): void {
    while (work.end < 0) this.stepOn();
  }

  /** Until all that a device was given has ended; without one, all devices. */
  runUntilIdle(device?: Device): void {
    while (device ? device.unfinished > 0 : this.actions.next < Infinity) this.stepOn();
  }

  /** The next event happens, for which something waits. */
  private stepOn(): void {
    if (this.actions.next === Infinity) throw new SimsightError('internal', 'The host waits for work that never ends.');
    this.step();
  }

  /** The next event happens. */
  step(): void {
    const action = this.actions.pop();
    if (!action) return;
    const { time, happening } = action;
    this.time = time;
    const { device } = happening.kind === 'blocks' ? happening.batch.kernel.operation : happening.operation;
    this.devices[device]!.act(happening, time);
  }
}
