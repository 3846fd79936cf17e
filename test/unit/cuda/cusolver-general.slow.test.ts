/** cuSOLVER's eigenvalues of general matrices and inverses of triangles, beside the matrices that they are of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recorded } from '../recording/recorded.ts';

test('general eigenvalues, vectors and inverses of triangles of every type', async () => {
  const text = readFileSync(join(import.meta.dirname, 'cusolver-general.cu'), 'utf8');
  const { trace, exitCode } = await recorded(text, { includeFolders: [import.meta.dirname] });
  const said = trace.query('SELECT text FROM SIMSIGHT_CONSOLE').flat().join('').trimEnd().split('\n');
  trace.close();
  expect(said).toEqual([
    ...['float', 'double', 'complex', 'double complex'].flatMap((type) =>
      ['general eigenvalues', 'inverse triangles'].map((what) => `${what} of ${type}: right`),
    ),
  ]);
  expect(exitCode).toBe(0);
});
