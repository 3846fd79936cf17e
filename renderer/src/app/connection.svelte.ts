/** The client to the engine and whether it is there. Calls made while it is not are refused with a clear sentence. */
import type { Method, Params, Result } from '../../../engine/api/contract.ts';
import { createClient, type CallOptions, type Client } from '../../../engine/api/rpc.ts';
import type { Connect } from '../bridge.ts';

export type ConnectionState = 'connecting' | 'open' | 'lost' | 'failed';

export class Connection {
  state = $state<ConnectionState>('connecting');
  /** Reason for the failure. */
  message = $state('');
  readonly #connect: Connect;
  #client: Client | null = null;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** True when the engine is there afterwards. */
  async open(): Promise<boolean> {
    this.state = 'connecting';
    try {
      const channel = await this.#connect();
      const client = createClient(channel, 'The connection to the engine was lost.');
      channel.onClose(() => {
        if (this.#client !== client) return;
        this.#client = null;
        this.state = 'lost';
        this.message = 'The connection to the engine was lost.';
      });
      this.#client = client;
      this.state = 'open';
      return true;
    } catch (error) {
      this.state = 'failed';
      this.message = error instanceof Error ? error.message : String(error);
      return false;
    }
  }

  call<M extends Method>(method: M, params: Params<M>, options?: CallOptions<M>): Promise<Result<M>> {
    if (!this.#client) return Promise.reject(new Error('There is no connection to the engine.'));
    return this.#client.call(method, params, options);
  }
}
