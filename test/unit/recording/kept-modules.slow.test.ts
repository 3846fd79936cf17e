/** What kernels were translated to is kept: the second time it is read, and only for the same translator, options and GPU. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { beforeAll, describe, expect, test } from 'vitest';
import { entryBytes, parseEntry } from '../../../engine/compile/cache-entry.ts';
import { gpuById } from '../../../engine/gpus/index.ts';
import { keptKey, widenKept } from '../../../engine/recording/kept-modules.ts';
import { widen, type WidenOrder } from '../../../engine/recording/widen.ts';
import { workerContent } from '../../../engine/base/paths.ts';
import { hasFusedMultiplyAdd } from '../../../engine/warp/fused.ts';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { compileText, newFolder } from '../cuda/program.ts';

const isKept = workerContent('recording/widen-worker') !== null;
if (!isKept)
  console.warn('NOT TESTED: kept kernels, as threads are started from source here. `npm test` has them built.');

describe.skipIf(!isKept)('kernels', () => {
  let order: WidenOrder;
  beforeAll(async () => {
    const { device } = await compileText(`__global__ void twice(float *a) { a[threadIdx.x] *= 2; }
int main() { twice<<<1, 32>>>(nullptr); }`);
    const { source: sourceName, ir } = device[0]!;
    order = { ir, sourceName, checks: [], gpu: gpuById('h200'), maxRegisters: null };
  });

  /** Entries of a cache that has nothing else: with their keys, and what was kept. */
  const entriesOf = (folder: string): { file: string; key: string; module: DeviceModule | null }[] =>
    readdirSync(folder).map((name) => {
      const [file, key] = [join(folder, name), name.replace(/\.llvm$/, '')];
      const entry = parseEntry(key, readFileSync(file));
      return { file, key, module: entry && (deserialize(entry.outputs[0]![1]) as DeviceModule) };
    });

  test('are what the translator gives, read or not', async () => {
    const options = { cacheFolder: newFolder() };
    const made = await widen(order);
    expect(await widenKept(order, options)).toEqual(made);
    expect(entriesOf(options.cacheFolder).map(({ module }) => module)).toEqual([{ ...made, sourceName: '' }]);
    let told: readonly unknown[] = [];
    expect(await widenKept(order, options, (units) => (told = units))).toEqual(made);
    expect(told).toEqual(made.units);
  });

  test('are read where they are there to the bit, else made again', async () => {
    const options = { cacheFolder: newFolder() };
    const made = await widenKept(order, options);
    const { file, key } = entriesOf(options.cacheFolder)[0]!;
    const other = serialize({ ...made, later: ['another'] });
    writeFileSync(file, entryBytes(key, { outcome: 'success', messages: '', outputs: [['module', other]] }));
    expect((await widenKept(order, options)).later).toEqual(['another']);

    const damaged = readFileSync(file);
    damaged[damaged.length - 1]! ^= 1;
    writeFileSync(file, damaged);
    expect(await widenKept(order, options)).toEqual(made);
    expect(entriesOf(options.cacheFolder).map(({ module }) => module)).toEqual([{ ...made, sourceName: '' }]);
  });

  test('are those of the same source elsewhere, but for its place', async () => {
    const options = { cacheFolder: newFolder() };
    const made = await widenKept(order, options);
    const elsewhere = await widenKept({ ...order, sourceName: '/elsewhere/app.cu' }, options);
    expect(elsewhere).toEqual({ ...made, sourceName: '/elsewhere/app.cu' });
    expect(entriesOf(options.cacheFolder)).toHaveLength(1);
  });

  test('are kept for each GPU, limit and check apart', async () => {
    const options = { cacheFolder: newFolder() };
    const orders: WidenOrder[] = [
      order,
      { ...order, gpu: gpuById('t4') },
      { ...order, maxRegisters: 32 },
      { ...order, checks: ['order'] },
      { ...order, paged: true },
    ];
    for (const each of orders) expect(await widenKept(each, options)).toEqual(await widen(each));
    expect(entriesOf(options.cacheFolder)).toHaveLength(orders.length);
  });

  test('are not those of a machine that rounds otherwise', async () => {
    const [fused, not] = [keptKey(order, true), keptKey(order, false)];
    expect(fused).not.toBe(not);
    const options = { cacheFolder: newFolder() };
    await widenKept(order, options);
    expect(entriesOf(options.cacheFolder).map(({ key }) => key)).toEqual([hasFusedMultiplyAdd() ? fused : not]);
  });
});
