/** State that CUDA and NVTX keep for each host thread. */
import type { LaunchConfiguration, StreamState } from './context.ts';
import type { DeviceState } from './device-state.ts';
import type { Range } from './nvtx.ts';

export class ThreadState {
  /** The device that `cudaSetDevice` chose. */
  current: DeviceState;
  /** Below it, by `cuCtxPushCurrent`. */
  readonly pushed: DeviceState[] = [];
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
}
