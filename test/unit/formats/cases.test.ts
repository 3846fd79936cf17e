/** Recordings of other tools that people met with: named right, opened where they can be, refused with what to do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { makeReport } from '../../../engine/analysis/reports.ts';
import { SimsightError } from '../../../engine/base/errors.ts';
import { writeChromeTrace } from '../../../engine/formats/export-chrome.ts';
import { openRecordingFile } from '../../../engine/formats/open.ts';
import { temporaryFolder } from '../trace/example-recording.ts';
import { changedSample, opened } from './nsys-samples.ts';
import { chromeFiles, kernel, range } from './chrome-file.ts';

const folder = temporaryFolder();
const caseFile = (name: string): string => new URL(`../../cases/${name}`, import.meta.url).pathname;
const changed = changedSample(folder);
const files = chromeFiles(folder);

/** GPUs on the timeline, and the machine's description. */
const gpusOf = (path: string): Promise<{ gpu: string; titles: string[] }> =>
  opened(path, ({ info }) => ({
    gpu: info.gpu,
    titles: info.tracks.flatMap(({ kind, parent, title }) => (kind === 'gpu' && parent === null ? [title] : [])),
  }));
async function refusal(path: string): Promise<SimsightError> {
  const error = await opened(path, () => null).catch((thrown: unknown) => thrown);
  if (!(error instanceof SimsightError)) throw new Error(`${path} was not refused`);
  return error;
}

test('of several adapters a device is that of CUDA', async () => {
  const name = 'NVIDIA GeForce RTX 5070 Ti Laptop GPU';
  expect(await gpusOf(caseFile('nsys_multi_adapter.sqlite'))).toEqual({ gpu: name, titles: [`${name} (0)`] });
  const report = await opened(caseFile('nsys_multi_adapter.sqlite'), (trace) => makeReport(trace, 'cuda_gpu_trace'));
  expect(JSON.stringify(report.rows)).toContain(`${name} (0)`);
  // In another order, and with adapters that CUDA has no number for.
  for (const [i, order] of ['id', 'id DESC'].entries()) {
    const path = changed(
      `adapters-${i}.sqlite`,
      `CREATE TABLE kept AS SELECT * FROM TARGET_INFO_GPU LIMIT 1;
       UPDATE kept SET smCount = 0, computeMajor = 0, computeMinor = 0, name = 'Intel(R) UHD Graphics', id = 7, cuDevice = NULL;
       INSERT INTO kept SELECT * FROM TARGET_INFO_GPU;
       DELETE FROM TARGET_INFO_GPU; INSERT INTO TARGET_INFO_GPU SELECT * FROM kept ORDER BY ${order}; DROP TABLE kept`,
    );
    expect((await gpusOf(path)).gpu).not.toContain('Intel');
  }
});

test('old schemas have another column for the device', async () => {
  const name = 'A100-PCIE-40GB';
  expect(await gpusOf(caseFile('nsys_old_target_info.sqlite'))).toEqual({ gpu: name, titles: [`${name} (0)`] });
});

test('ROCm numbers GPUs from behind the processors', async () => {
  const name = 'AMD Instinct MI300X';
  expect(await gpusOf(caseFile('rocm_device_offset.json'))).toEqual({ gpu: name, titles: [`${name} (2)`] });
  const properties = [0, 1, 2, 3].map((id) => ({ id, name: `GPU of kind ${id}` }));
  const several = files.written(
    JSON.stringify({
      ...{ schemaVersion: 1, deviceProperties: properties },
      traceEvents: [2, 3, 4, 5]
        .map((device) => kernel('k', 10 * device, 5, { device }))
        .map((event) => ({ ...event, pid: (event['args'] as { device: number }).device })),
    }),
  );
  expect((await gpusOf(several)).titles).toEqual([2, 3, 4, 5].map((device) => `GPU of kind ${device - 2} (${device})`));
  // As NVIDIA's are: what is used is described.
  const usual = files.written(
    JSON.stringify({
      ...{ schemaVersion: 1, deviceProperties: properties },
      traceEvents: [{ ...kernel('k', 10, 5, { device: 3 }), pid: 3 }],
    }),
  );
  expect((await gpusOf(usual)).titles).toEqual(['GPU of kind 3 (3)']);
});

test('traces are called by their files, whatever they were called when they were written', async () => {
  for (const name of ['same_name_before.json', 'same_name_after.json'])
    expect(await opened(caseFile(name), ({ info }) => info.title)).toBe(name);
});

test('an export has the categories of the recording', async () => {
  const exported = async (path: string): Promise<Record<string, string>> => {
    const file = await openRecordingFile(path, { here: true });
    const to = join(folder, 'exported.json');
    await writeChromeTrace(file, to, false);
    file.close();
    const { traceEvents } = JSON.parse(readFileSync(to, 'utf8')) as { traceEvents: Record<string, string>[] };
    return Object.fromEntries(traceEvents.flatMap(({ cat, name }) => (cat && name ? [[name, cat]] : [])));
  };
  const once = await exported(caseFile('categories.json'));
  expect(once).toMatchObject({
    ...{ 'aten::mm': 'cpu_op', 'm.py(1): f': 'python_function', cudaLaunchKernel: 'cuda_runtime' },
    k: 'kernel',
  });
  const again = files.written(readFileSync(join(folder, 'exported.json')));
  expect(await exported(again)).toEqual(once);
  const annotated = files.written(JSON.stringify({ traceEvents: [range('mine', 1, 5, { cat: 'user_annotation' })] }));
  expect(await exported(annotated)).toMatchObject({ mine: 'user_annotation' });
});

test('exports without tables of CUDA are opened where anything has a row, and else refused with what to record', async () => {
  await opened(caseFile('nsys_osrt_only.sqlite'), ({ info }) => {
    expect(info.eventCount).toBe(5);
    expect(info.notices.join(' ')).toMatch(/Nothing of CUDA is in this export.*--trace=cuda,nvtx,osrt/);
  });
  const path = join(folder, 'nothing.sqlite');
  writeFileSync(path, readFileSync(caseFile('nsys_osrt_only.sqlite')));
  const db = new Database(path);
  db.exec('DROP TABLE OSRT_API; VACUUM');
  db.close();
  expect(await refusal(path)).toMatchObject({
    code: 'trace-foreign',
    message: expect.stringMatching(/without a table of CUDA, NVTX or calls of the operating system/),
    remedy: expect.stringMatching(/--trace=cuda,nvtx,osrt" and export again/),
  });
});

test.each([['profile.xplane.pb', /profile of XLA \(JAX, TensorFlow\)/, /\.trace\.json\.gz/]])(
  '%s is refused as what it is',
  async (name, message, remedy) => {
    const error = await refusal(caseFile(name));
    expect(error.message).toMatch(message);
    expect(error.remedy).toMatch(remedy);
    expect(error.remedy).not.toMatch(/traceconv/);
  },
);

test('databases of other profilers are told apart', async () => {
  const made = (name: string, sql: string): string => {
    const path = join(folder, name);
    const db = new Database(path);
    db.exec(sql);
    db.close();
    return path;
  };
  const nvprof = made(
    'nvprof.db',
    'CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start); CREATE TABLE StringTable (_id_)',
  );
  expect((await refusal(nvprof)).message).toMatch(/nvprof .* no more since 13\.0/);
  const rocm = made('rocm.db', 'CREATE TABLE rocpd_api (id); CREATE TABLE rocpd_op (id)');
  expect((await refusal(rocm)).remedy).toMatch(/Chrome JSON/);
});

test('a list of events within what should be the list is refused, and where is said', async () => {
  expect((await refusal(caseFile('nested.json'))).message).toMatch(/it has no list "traceEvents" \(byte 832\)/);
});

// Files that open, with the number of events per table and the notices about the rest.
test.each([
  ['strings.json'],
  ['horovod.json'],
  ['leadcomma.json'],
  ['merged_ranks.json'],
  ['kineto_backslash.json'],
  ['kineto_badutf8.json'],
  ['kineto_nan.json'],
  ['kineto_negdur.json'],
  ['kineto_overlap.json'],
  ['kineto_ts0.json'],
])('%s reads well', async (name) => {
  await opened(caseFile(name), (trace) => {
    const { info } = trace;
    const counts = ['KERNEL', 'RUNTIME', 'NVTX'].map(
      (table) => trace.query(`SELECT count(*) FROM SIMSIGHT_EVENTS_${table}`)[0]![0],
    );
    expect({ counts, durationNs: info.durationNs, complete: info.complete, gpu: info.gpu }).toMatchSnapshot();
  });
});
