/** Code of kernels on its way to the thread that waits for it. */
import { serialize } from 'node:v8';
import { MessageChannel } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { handOnCode, kernelCodeFrom } from '../../../engine/recording/kernel-code.ts';
import type { DeviceModule, ModuleUnit } from '../../../engine/warp/module.ts';

test('who is woken for the answer before goes on waiting for its own', () => {
  const unit = {} as ModuleUnit;
  const { port1, port2 } = new MessageChannel();
  const answers = new Int32Array(new SharedArrayBuffer(4));
  const wait = vi
    .spyOn(Atomics, 'wait')
    .mockImplementationOnce(() => 'ok')
    .mockImplementationOnce(() => {
      handOnCode(port1, answers, serialize({ wasm: new Uint8Array([7]) }));
      return 'ok';
    });
  try {
    const { compile } = kernelCodeFrom({ port: port2, answers }, [{ units: [unit] } as unknown as DeviceModule]);
    expect([...compile(unit)]).toEqual([7]);
  } finally {
    wait.mockRestore();
    port1.close();
  }
});
