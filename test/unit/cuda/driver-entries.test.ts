import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cudaIncludeFolder } from '../../../engine/base/paths.ts';

const header = (name: string): string => readFileSync(join(cudaIncludeFolder, name), 'utf8');

test('programs can look up every function of the driver that the headers declare, and no other', () => {
  const declared = ['cuda.h', 'simsight/driver_graphs.h', 'simsight/driver_deprecated.h'].flatMap((name) =>
    [...header(name).matchAll(/^CUresult (cu\w+)\(/gm)].map(([, declaration]) => declaration!),
  );
  const entries = [
    ...header('simsight/driver_entries.h').matchAll(/^__SIMSIGHT_ENTRY\((\w+), (\w+), (\d+), (\d+)\)$/gm),
  ];
  expect(entries.map(([, , name]) => name).sort()).toEqual([...new Set(declared)].sort());
  for (const [, name, of, version, perThread] of entries) {
    expect(of!.replace(/_v\d$/, '')).toBe(name);
    expect(Number(perThread)).toBeGreaterThanOrEqual(Number(version) > 7000 ? Number(version) : 0);
  }
});
