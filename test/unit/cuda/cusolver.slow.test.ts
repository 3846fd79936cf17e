/** cuSOLVER's dense factorizations: their products beside the matrices that they are of, solutions and orthogonal matrices. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

test('Cholesky, LU and QR factorizations of every type, and what is solved with them', async () => {
  const text = readFileSync(join(import.meta.dirname, 'cusolver.cu'), 'utf8');
  const { trace, exitCode } = await recorded(text, { includeFolders: [import.meta.dirname] });
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  expect(said).toEqual([
    'without a handle: 1',
    'version: 0',
    'stream: 1',
    ...['float', 'double', 'complex', 'double complex'].flatMap((type) =>
      ['Cholesky', 'LU', 'QR', '64-bit calls'].map((what) => `${what} of ${type}: right`),
    ),
  ]);
  expect(exitCode).toBe(0);
});
