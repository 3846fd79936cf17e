/** The suite of operations (`npm run semantics`), in the forms and with the random kernels that it takes by itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('operations and random kernels give the bits that a GPU gave', async () => {
  const suite = spawn(process.execPath, [join(import.meta.dirname, 'run.ts')], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (piece: Buffer) => (printed += String(piece)));
  const [code] = await once(suite, 'close');
  expect(code, printed).toBe(0);
  expect(printed).toMatch(/^\d{4,} entries over \d{6,} tuples of operands, 0 with mismatches;/m);
  expect(printed).toMatch(/^48 random kernels against the host, 48 of them against a GPU, 0 mismatches;/m);
});
