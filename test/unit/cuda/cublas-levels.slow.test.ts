/** cuBLAS's three levels: every form of matrix, triangle, transposition and type, beside sums over dense matrices. An H200 prints the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

test('products, solutions, updates and rotations are right in all four types', async () => {
  const { trace, exitCode } = await recorded(readFileSync(join(import.meta.dirname, 'cublas-levels.cu'), 'utf8'));
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  const types = ['float', 'double', 'complex', 'double complex'];
  const parts = ['rotations', 'matrices and vectors', 'matrices'];
  expect(said).toEqual([
    ...types.flatMap((type) => parts.map((part) => `${type}, ${part}: right`)),
    'complex vectors: right',
    'groups: right',
  ]);
  expect(exitCode).toBe(0);
});
