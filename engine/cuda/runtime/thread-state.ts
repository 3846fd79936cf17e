/** State that CUDA and NVTX keep for each host thread. */
import type { ContextState, LaunchConfiguration, StreamState } from './context.ts';
import type { DeviceState } from './device-state.ts';
import type { Range } from './nvtx.ts';

export class ThreadState {
  /** The device that `cudaSetDevice` chose, or that of the current context. */
  current: DeviceState;
  /** Contexts of the driver API: the last one is current. Calls of the runtime make a primary one current where there is none. */
  readonly contexts: ContextState[] = [];
  lastError = 0;
  readonly configurations: LaunchConfiguration[] = [];
  /** The next launch is one by `<<<…>>>`. */
  configured = false;
  /** `cudaThreadExchangeStreamCaptureMode`. */
  captureMode = 0;
  /** The call under way is of a source that takes stream 0 for the thread's own. */
  perThreadCall = false;
  /** `cudaStreamPerThread`, by device; made when first used. */
  readonly defaultStreams = new Map<DeviceState, StreamState>();
  /** Push-pop ranges of NVTX that are open, per domain. */
  readonly ranges = new Map<number, Range[]>();

  constructor(current: DeviceState) {
    this.current = current;
  }

  /** The current context; null before the first call that needs one. */
  get context(): ContextState | null {
    return this.contexts.at(-1) ?? null;
  }
}
