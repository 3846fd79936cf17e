/** Ports of messages between processes. */
import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Electron's port over Node's. */
export class MessagePortMain extends EventEmitter {
  readonly port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.port = port;
  }
  start(): void {
    this.port.on('message', (data) => this.emit('message', { data, ports: [] }));
    this.port.on('close', () => this.emit('close'));
  }
  postMessage(message: unknown, transfer: unknown[] = []): void {
    if (transfer.some((item) => !(item instanceof MessagePortMain))) {
      throw new TypeError('Port at index 0 is not a valid port'); // as Electron says
    }
    this.port.postMessage(message);
  }
  close(): void {
    this.port.close();
  }
}
/** Two such ports, connected. */
export class MessageChannelMain {
  readonly port1: MessagePortMain;
  readonly port2: MessagePortMain;
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new MessagePortMain(port1);
    this.port2 = new MessagePortMain(port2);
  }
}
