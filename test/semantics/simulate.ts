/** Runs programs of the suite on the simulated device. */
import { compileModule, dim, download, launch, upload } from '../unit/warp/cuda.ts';
import { Device } from '../../engine/warp/device.ts';
import type { Entry } from './entry.ts';
import { blockOf, deviceText, type Form, nameIn, type Program, quadsOf, resultsOf, tuplesOf } from './programs.ts';
import { tuples } from './values.ts';

/** The bits for each tuple. */
export type Results = Map<Entry, bigint[]>;

/** In each of the forms; `chosen`: tuples that are constants. */
export async function simulate(
  program: Program,
  forms: readonly Form[],
  chosen: readonly number[],
): Promise<Results[]> {
  const module = await compileModule(deviceText(program, forms, chosen));
  const device = Device.create([module], { memoryBytes: 1 << 26 });
  const names = module.kernels.map(({ name }) => name);
  return forms.map((form) => {
    const results: Results = new Map();
    for (const kernel of program.kernels) {
      const count = tuplesOf(kernel, form, chosen);
      const columns = tuples(kernel.inputs).map((column) => upload(device, BigUint64Array.from(column)));
      while (columns.length < 3) columns.push(columns[0]!);
      const size = 4 * count * quadsOf(kernel);
      const out = upload(device, new Uint32Array(size));
      const block = blockOf(form);
      launch(device, names, nameIn(kernel, form), dim(count / block), dim(block), [...columns, out]);
      const written = download(device, out, new Uint32Array(size));
      for (const [entry, values] of resultsOf(kernel, written, count)) results.set(entry, values);
      for (const address of [...new Set([...columns, out])]) device.free(address);
    }
    return results;
  });
}
