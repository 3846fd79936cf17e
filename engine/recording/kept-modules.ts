/**
 * What kernels were translated to, kept in the compile cache by the hash of all that went in: IR, options, the GPU, and the code that
 * translates. A program that has been recorded before starts without the thread that translates. From source nothing is kept.
 */
import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { workerContent } from '../base/paths.ts';
import type { CacheOptions } from '../compile/cache.ts';
import { keep, readKept } from '../compile/index.ts';
import { hasFusedMultiplyAdd } from '../warp/fused.ts';
import type { DeviceModule } from '../warp/module.ts';
import type { UnitCode } from '../warp/unit-code.ts';
import { widen, type WidenOrder } from './widen.ts';

/** Of programs that are larger, reading takes long, and the cache has room for few. */
const mostBytes = 32 << 20;
const output = 'module';

let content: string | null | undefined;

/**
 * The key of what `order` is translated to: 64 hexadecimal digits, or null where nothing is kept. Whether the machine multiplies and adds
 * with one rounding (`isFused`) is a part of it, as other code is made where it does not. Where the source lies is none: the app's first
 * example comes translated, wherever the app is.
 */
export function keptKey({ ir, sourceName: _, ...others }: WidenOrder, isFused = hasFusedMultiplyAdd()): string | null {
  content ??= workerContent('recording/widen-worker');
  if (content === null) return null;
  const machine = [process.versions.v8, isFused];
  const hash = createHash('sha256').update(JSON.stringify(['widened', content, machine, others]));
  return hash.update(ir).digest('hex');
}

/** {@link widen}, or what it gave before; its errors. */
export async function widenKept(
  order: WidenOrder,
  options: CacheOptions,
  onUnits: (units: readonly UnitCode[]) => void = () => {},
): Promise<DeviceModule> {
  const key = keptKey(order);
  if (key === null) return widen(order, options.signal, onUnits);
  const known = await readKept(key, options);
  if (known !== null) {
    const module = { ...(deserialize(known.outputs[0]![1]) as DeviceModule), sourceName: order.sourceName };
    onUnits(module.units);
    return module;
  }
  const module = await widen(order, options.signal, onUnits);
  const bytes = serialize({ ...module, sourceName: '' });
  if (bytes.length <= mostBytes)
    await keep(key, { outcome: 'success', messages: '', outputs: [[output, bytes]] }, options);
  return module;
}
