/**
 * The programs of the H200 reference, run on the simulated H200, kernel by kernel beside what was measured and counted
 * there.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { cli } from '../setup/command-line.ts';

/** A case of the reference: one or more kernels that were timed together. */
export interface ReferenceCase {
  suite: string;
  section: string;
  name: string;
  variant: string;
  params: Record<string, unknown>;
  /** Nanoseconds between two events around it, median. */
  time: number;
  /** Time of one of ten back-to-back launches; null where that was not measured. */
  backToBack: number | null;
  kernels: ReferenceKernel[];
}

export interface ReferenceKernel {
  /** Mangled name. */
  kernel: string;
  grid: [number, number, number];
  block: [number, number, number];
  dynamicShared: number;
  registers: number;
  /** Nanoseconds by activity tracing, median; null for some library kernels. */
  time: number | null;
  /** Nsight Compute's counters; those that are 0 are left out. */
  metrics: Record<string, number>;
}

/** A kernel of a case as it was simulated. */
export interface SimulatedKernel {
  reference: ReferenceKernel;
  /** Nanoseconds. */
  time: number;
  warps: number;
  registers: number;
  metrics: Record<string, number>;
}

export interface ComparedCase {
  reference: ReferenceCase;
  /** Another problem size than measured: only what is the same for each warp can be compared. */
  resized: boolean;
  kernels: SimulatedKernel[];
}

/** The programs; `defines` are sizes that can be simulated in minutes and fit 32-bit addresses. */
export const suites = {
  b_stencil2d: [],
  b_mem: [],
  b_reduce_pipeline: [],
  a_mem: ['ONE_AT_A_TIME'],
  b_gemm: ['SGEMM_SIZES=1024'],
  v_apps: [],
  w_apps: [],
  x_apps: [],
  y_apps: [],
} satisfies Record<string, string[]>;
export type Suite = keyof typeof suites;

const folder = fileURLToPath(new URL('../reference/h200/', import.meta.url));
export const cases = JSON.parse(readFileSync(join(folder, 'cases.json'), 'utf8')) as ReferenceCase[];
const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs the command line on the simulated machine; throws where it fails. What it wrote to stderr: of `record`, with the output
 * of the program, since the name of the trace has stdout for itself.
 */
export function simsight(words: readonly string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [cli, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`simsight ${words.join(' ')} failed:\n${stderr}`);
  return stderr;
}

/** Result of `use` with a temporary folder, which exists only meanwhile. */
export function inNewFolder<T>(use: (folder: string) => T): T {
  const out = mkdtempSync(join(tmpdir(), 'simsight-fidelity-'));
  try {
    return use(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

export const programOf = (suite: Suite | 'a_micro'): string => join(folder, 'cuda', `${suite}.cu`);

export const labProgramOf = (lab: string): string => join(root, 'engine/labs', lab, `${lab}.cu`);

/** A case as the programs report it. */
interface ProfiledCase {
  name: string;
  variant: string;
  params: Record<string, unknown>;
  kernels: string[];
}

interface KernelRow {
  id: number;
  /** Mangled. */
  name: string;
  demangled: string;
  /** The grid's three sizes and the block's, with spaces between. */
  shape: string;
  /** Nanoseconds. */
  time: number;
  registers: number;
  warps: number;
}

/** Runs one program, or those of its cases whose `section/name/variant` contains `only`. */
export function runSuite(suite: Suite, only?: string): { compared: ComparedCase[]; missing: ReferenceCase[] } {
  return inNewFolder((out) => {
    const trace = join(out, 'trace.simsight');
    const settings = ['LAB_PROFILE=1', ...(only === undefined ? [] : [`LAB_ONLY=${only}`])];
    const options = [
      ...suites[suite].flatMap((define) => ['-D', define]),
      ...settings.flatMap((word) => ['--env', word]),
    ];
    simsight(['record', programOf(suite), '--gpu', 'h200', '-o', trace, '--writable', out, ...options, '--', out]);
    const profile = JSON.parse(readFileSync(join(out, `${suite}.prof.json`), 'utf8')) as { cases: ProfiledCase[] };
    return compare(suite, profile.cases, kernelsOf(trace), only);
  });
}

/** The kernels of a trace in their order, with their counters. */
export function kernelsOf(trace: string): { rows: KernelRow[]; metrics: (id: number) => Record<string, number> } {
  const database = new Database(trace, { readonly: true });
  const rows = database
    .prepare(
      `SELECT k.rowid AS id, n.value AS name, d.value AS demangled, k."end" - k.start AS time, registersPerThread AS registers,
        concat_ws(' ', gridX, gridY, gridZ, blockX, blockY, blockZ) AS shape,
        gridX * gridY * gridZ * ((blockX * blockY * blockZ + 31) / 32) AS warps
      FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds n ON n.id = k.mangledName JOIN StringIds d ON d.id = k.demangledName
      ORDER BY k.start, k.rowid`,
    )
    .all() as KernelRow[];
  const all = new Map<number, Record<string, number>>();
  const values = database
    .prepare(
      'SELECT kernel, m.value, n.value AS name FROM SIMSIGHT_KERNEL_METRICS m JOIN StringIds n ON n.id = m.nameId',
    )
    .raw()
    .all() as [number, number, string][];
  for (const [kernel, value, name] of values) {
    const metrics = all.get(kernel) ?? {};
    metrics[name] = value;
    all.set(kernel, metrics);
  }
  database.close();
  return { rows, metrics: (id) => all.get(id) ?? {} };
}

/** Each case runs its kernels twice, once to warm up: the second time counts. */
function compare(
  suite: Suite,
  profiled: ProfiledCase[],
  { rows, metrics }: ReturnType<typeof kernelsOf>,
  only: string | undefined,
): { compared: ComparedCase[]; missing: ReferenceCase[] } {
  const compared: ComparedCase[] = [];
  let at = 0;
  for (const { name, variant, params } of profiled) {
    const alike = cases.filter((one) => one.suite === suite && one.name === name && one.variant === variant);
    const same = alike.find((one) => JSON.stringify(one.params) === JSON.stringify(params));
    const reference = same ?? alike[0];
    if (reference === undefined) throw new Error(`The reference has no case ${name} ${variant}.`);
    const next = ({ kernel }: ReferenceKernel): KernelRow => {
      while (at < rows.length && rows[at]!.name !== kernel) at++;
      const row = rows[at++];
      if (row === undefined) throw new Error(`${suite} ${name} ${variant}: ${kernel} was not launched.`);
      return row;
    };
    reference.kernels.forEach(next);
    const kernels = reference.kernels.map((kernel): SimulatedKernel => {
      const { id, time, registers, warps } = next(kernel);
      return { reference: kernel, time, warps, registers, metrics: metrics(id) };
    });
    compared.push({ reference, resized: same === undefined, kernels });
  }
  const missing = cases.filter(
    (one) =>
      one.suite === suite &&
      `${one.section}/${one.name}/${one.variant}`.includes(only ?? '') &&
      !compared.some(({ reference }) => reference === one),
  );
  return { compared, missing };
}
