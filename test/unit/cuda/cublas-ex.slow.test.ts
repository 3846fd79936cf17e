/** cuBLAS's calls on vectors of a type that is an argument: each beside loops of the host, and what is not supported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

test('dots, norms, sums and multiples of vectors of every type', async () => {
  const { trace, exitCode } = await recorded(readFileSync(join(import.meta.dirname, 'cublas-ex.cu'), 'utf8'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  expect(said).toEqual(['half', 'bfloat16', 'float', 'double', 'complex', 'double complex'].map((t) => `${t}: right`));
  expect(exitCode).toBe(0);
});
