/** A utilityProcess for the stand-in: a worker thread with the `process.parentPort` that Electron gives to such a process. */
import { EventEmitter } from 'node:events';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';

class Port extends EventEmitter {
  private readonly port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.port = port;
    port.on('close', () => this.emit('close'));
  }
  start(): void {
    this.port.on('message', (data) => this.emit('message', { data, ports: [] }));
  }
  postMessage(message: unknown, transfer: unknown[] = []): void {
    if (transfer.length) throw new TypeError('Port at index 0 is not a valid port');
    this.port.postMessage(message);
  }
}

interface Delivery {
  message: unknown;
  ports: MessagePort[];
}
const parent = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => parentPort!.postMessage(message),
});
(process as unknown as { parentPort: EventEmitter }).parentPort = parent;

const deliver = ({ message, ports }: Delivery): void => {
  parent.emit('message', { data: message, ports: ports.map((port) => new Port(port)) });
};
// Electron keeps messages back until the program listens.
const early: Delivery[] = [];
let ready = false;
parentPort!.on('message', (delivery: Delivery) => (ready ? deliver(delivery) : early.push(delivery)));
await import((workerData as { entry: string }).entry);
ready = true;
early.forEach(deliver);
