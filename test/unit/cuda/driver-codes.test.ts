/** Status codes of the driver API, against those that our cuda.h declares. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cudaIncludeFolder } from '../../../engine/base/paths.ts';
import { driverCode, driverErrorName } from '../../../engine/cuda/driver/codes.ts';
import { cudaError } from '../../../engine/model/cuda-errors.ts';

const header = readFileSync(join(cudaIncludeFolder, 'cuda.h'), 'utf8');
const declared = [...header.matchAll(/^ {2}(CUDA_(?:SUCCESS|ERROR_\w+)) = (\d+)/gm)].map(
  ([, name, code]) => [Number(code), name!] as const,
);

describe('codes of the driver', () => {
  test('their names are those of the header', () => {
    expect(declared.length).toBeGreaterThan(90);
    expect(declared.map(([code]) => [code, driverErrorName(code)])).toEqual(declared);
  });

  test('codes that the runtime alone has become one that the driver has', () => {
    expect(driverErrorName(cudaError.InvalidConfiguration)).toBeNull();
    expect(driverCode(cudaError.InvalidConfiguration)).toBe(cudaError.InvalidValue);
    expect(driverCode(cudaError.InvalidDeviceFunction)).toBe(400);
    expect(driverCode(cudaError.IllegalAddress)).toBe(700);
  });
});
