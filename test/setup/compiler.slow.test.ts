/** The compiler that the tests of a run share (`npm test`): its replies are those of a thread of one's own, and it outlives whoever asked. */
import { expect, test } from 'vitest';
import { runTool, type ToolRun } from '../../engine/compile/clang.ts';

const run = (text: string): ToolRun => ({
  arguments: ['clang', '-cc1', '-triple', 'wasm32-unknown-wasip1', '-emit-llvm', '-o', '-', '-x', 'c', '/a.c'],
  files: [['/a.c', new TextEncoder().encode(text)]],
  outputs: ['-'],
});

test.skipIf(!process.env['SIMSIGHT_TEST_COMPILER'])('replies, errors and limits come back', async () => {
  const cancel = new AbortController();
  const endless = runTool(run(`int x = sizeof(char[${'1+'.repeat(3000)}1]);`), cancel);
  cancel.abort();
  await expect(endless).rejects.toThrow('cancelled');

  const [one, other] = await Promise.all([runTool(run('int x = 42;')), runTool(run('int x = 42;'))]);
  expect(new TextDecoder().decode(one.outputs[0]![1])).toContain('@x = global i32 42');
  expect({ ...other, id: 0 }).toEqual({ ...one, id: 0 });
  expect(await runTool(run('int x = 42;'))).toEqual({ ...one, id: expect.any(Number) as number });

  const wrong = await runTool(run('int x = y;'));
  expect(wrong).toMatchObject({ outcome: 'failure', outputs: [] });
  expect(wrong.messages).toContain("use of undeclared identifier 'y'");

  await expect(runTool(run(`int x = ${'('.repeat(200_000)}1${')'.repeat(200_000)};`))).rejects.toThrow(
    /nested too deeply/,
  );
});
