/** cuSOLVER's singular values: those that are known, and vectors whose product is the matrix that they are of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

test('singular values and vectors of every type: one matrix, rotations, batches, the 64-bit calls', async () => {
  const text = readFileSync(join(import.meta.dirname, 'cusolver-singular.cu'), 'utf8');
  const { trace, exitCode } = await recorded(text, { includeFolders: [import.meta.dirname] });
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  expect(said).toEqual([
    'without a handle: 1',
    ...['float', 'double', 'complex', 'double complex'].flatMap((type) =>
      ['singular values', 'rotations', '64-bit calls'].map((what) => `${what} of ${type}: right`),
    ),
  ]);
  expect(exitCode).toBe(0);
});
