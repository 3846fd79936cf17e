/** Names of GPUs in recordings that say no more about them. */
import { gpus } from '../gpus/index.ts';
import type { Row, Trace } from './trace.ts';

/**
 * Names of GPUs by CUDA device number. Recordings list all adapters of a machine, and those without CUDA have the number of the first
 * device or none: if some have multiprocessors, the others are left out; of several with one number, the first counts.
 */
export function gpuNames(trace: Pick<Trace, 'query'>): Map<number, string> {
  return namesByDevice((sql) => trace.query(sql));
}

/** Names of GPUs in any database with those tables. */
export function namesByDevice(query: (sql: string) => Iterable<Row>): Map<number, string> {
  const rows = [
    ...query(
      `SELECT coalesce(d.cudaId, g.cuDevice, g.id), g.name, coalesce(g.smCount > 0 OR g.computeMajor > 0, 0)
       FROM TARGET_INFO_GPU g LEFT JOIN TARGET_INFO_CUDA_DEVICE d ON d.gpuId = g.id WHERE g.name IS NOT NULL
       ORDER BY d.cudaId IS NULL, g.cuDevice IS NULL, g.id, g.rowid`,
    ),
  ];
  const capable = rows.filter(([, , isCapable]) => isCapable === 1);
  const names = new Map<number, string>();
  for (const [device, name] of capable.length > 0 ? capable : rows)
    if (!names.has(Number(device))) names.set(Number(device), String(name));
  return names;
}

/** Number of multiprocessors of devices, as the recording says, or the catalogue of a GPU of that name. */
export function multiprocessors(trace: Pick<Trace, 'query' | 'facts'>): Map<number, number> {
  const found = new Map<number, number>();
  for (const [device, name] of gpuNames(trace)) {
    const known = gpus.find((gpu) => bareName(gpu.name) === bareName(name));
    if (known) found.set(device, known.core.smCount);
  }
  const rows = trace.query(
    `SELECT coalesce(d.cudaId, g.cuDevice, g.id), g.smCount FROM TARGET_INFO_GPU g
     LEFT JOIN TARGET_INFO_CUDA_DEVICE d ON d.gpuId = g.id WHERE g.smCount > 0 ORDER BY d.cudaId IS NOT NULL, g.id DESC`,
  );
  for (const [device, count] of rows) found.set(Number(device), Number(count));
  [trace.facts.gpu, ...trace.facts.otherGpus].forEach((gpu, device) => {
    if (gpu) found.set(device, gpu.core.smCount);
  });
  return found;
}

const bareName = (name: string): string => name.toLowerCase().replaceAll(/nvidia|tesla|quadro|geforce|[\s()-]/g, '');
