/** Reports against figures worked out by hand from the example recording. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatReport } from '../../../engine/analysis/formats.ts';
import { makeReport, reportNames } from '../../../engine/analysis/reports.ts';
import { openTrace } from '../../../engine/trace/reader.ts';
import { api, copy, facts, kernel, temporaryFolder, write } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const saxpy = 'void saxpy<float>(int, float, float const*, float*)';
const gpu = `${facts.gpu.name} (0)`;

/** Kernels of 100, 200, 600 ns and one of 100 ns by another name; copies of 1 and 3 MB in, 2 MB out. */
const trace = openTrace(
  write(join(folder, 'reports.simsight'), [
    api('cudaLaunchKernel_v7000', 0, 40, 1),
    api('cudaLaunchKernel_v7000', 50, 70, 2),
    api('cudaLaunchKernel_v7000', 80, 110, 3),
    api('cudaLaunchKernel_v7000', 120, 150, 4),
    api('cudaDeviceSynchronize', 200, 1080, 5),
    kernel(30, 130, 1),
    kernel(130, 330, 2),
    kernel(330, 930, 3),
    kernel(930, 1030, 4, 7, { kernel: '_Z5otherv' }),
    copy(2000, 3000, 6, { bytes: 1_000_000 }),
    copy(3000, 5000, 7, { bytes: 3_000_000, hostMemory: 'pageable' }),
    copy(5000, 6000, 8, { bytes: 2_000_000, direction: 'device-to-host' }),
  ]),
);
const csv = (name: string): string[] => formatReport(makeReport(trace, name), 'csv').trimEnd().split('\n');

test('kernel summary: shares of what is listed, sample deviation, median', () => {
  expect(csv('cuda_gpu_kern_sum')).toEqual([
    'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name',
    `90.0,900,3,300.0,200.0,100,600,264.6,"${saxpy}"`,
    '10.0,100,1,100.0,100.0,100,100,0.0,_Z5otherv',
  ]);
});

test('API summary: versions of calls are not part of their names', () => {
  expect(csv('cuda_api_sum')).toEqual([
    'Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name',
    '88.0,880,1,880.0,880.0,880,880,0.0,cudaDeviceSynchronize',
    '12.0,120,4,30.0,30.0,20,40,8.2,cudaLaunchKernel',
  ]);
});

test('memory operations by time and by size', () => {
  expect(csv('cuda_gpu_mem_time_sum')).toEqual([
    'Time (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation',
    '75.0,3000,2,1500.0,1500.0,1000,2000,707.1,[CUDA memcpy Host-to-Device]',
    '25.0,1000,1,1000.0,1000.0,1000,1000,0.0,[CUDA memcpy Device-to-Host]',
  ]);
  expect(csv('cuda_gpu_mem_size_sum')).toEqual([
    'Total (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation',
    '4.000,2,2.000,2.000,1.000,3.000,1.414,[CUDA memcpy Host-to-Device]',
    '2.000,1,2.000,2.000,2.000,2.000,0.000,[CUDA memcpy Device-to-Host]',
  ]);
});

test('GPU summary: kernels and memory operations together', () => {
  const rows = csv('cuda_gpu_sum');
  expect(rows[0]).toMatch(/,StdDev \(ns\),Category,Operation$/);
  expect(
    rows.slice(1).map((row) => row.replace(/^([^,]*,[^,]*,[^,]*).*?,(MEMORY_OPER|CUDA_KERNEL),.*/, '$1,$2')),
  ).toEqual(['60.0,3000,2,MEMORY_OPER', '20.0,1000,1,MEMORY_OPER', '18.0,900,3,CUDA_KERNEL', '2.0,100,1,CUDA_KERNEL']);
});

test('GPU trace: launches and copies in order of time', () => {
  const rows = csv('cuda_gpu_trace');
  expect(rows[0]).toBe(
    'Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),' +
      'Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name',
  );
  expect(rows[1]).toBe(`30,100,1,4096,2,1,256,1,1,24,0.001,0.002,,,,,${gpu},1,,7,"${saxpy}"`);
  expect(rows[6]).toBe(
    `3000,2000,7,,,,,,,,,,3.000,1500000.000,Pageable,Device,${gpu},1,,7,[CUDA memcpy Host-to-Device]`,
  );
  expect(rows).toHaveLength(8);
});

test('API trace names thread and result', () => {
  expect(csv('cuda_api_trace').slice(0, 2)).toEqual([
    'Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name',
    '0,40,cudaLaunchKernel,0,1,1000,1000,20,saxpy.cu',
  ]);
});

test('launch and execution: a kernel queues from the end of its call, if it starts after it', () => {
  const rows = csv('cuda_kern_exec_trace');
  expect(rows[0]).toBe(
    'API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),Total Dur (ns),' +
      'PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name',
  );
  const end = `1000,1000,0,cudaLaunchKernel,4096    2    1, 256    1    1,"${saxpy}"`;
  expect(rows[1]).toBe(`0,40,,,30,100,130,${end}`);
  expect(rows[2]).toBe(`50,20,70,60,130,200,280,${end}`);

  const summary = csv('cuda_kern_exec_sum');
  expect(summary[0]).toMatch(/^PID,TID,DevId,Count,QCount,TAvg \(ns\),TMed .*,KStdDev \(ns\),API Name,Kernel Name$/);
  // Totals 130, 280, 850; calls 40, 20, 30; queues 60, 220; kernels 100, 200, 600.
  expect(summary[1]).toBe(
    `1000,1000,0,3,2,420.0,280.0,130,850,379.9,30.0,30.0,20,40,10.0,140.0,140.0,60,220,113.1,300.0,200.0,100,600,264.6,cudaLaunchKernel,"${saxpy}"`,
  );
});

test('an unknown report says which there are', () => {
  expect(() => makeReport(trace, 'cuda_gpu_kernel_sum')).toThrow(
    expect.objectContaining({ code: 'unknown-report', remedy: expect.stringContaining('cuda_gpu_kern_sum') }),
  );
  expect(() => makeReport(trace, 'constructor')).toThrow(/There is no report "constructor"/);
});

test('as JSON and as text', () => {
  const rows = JSON.parse(formatReport(makeReport(trace, 'cuda_gpu_kern_sum'), 'json')) as unknown[];
  expect(rows[1]).toEqual({
    'Time (%)': 10,
    'Total Time (ns)': 100,
    Instances: 1,
    'Avg (ns)': 100,
    'Med (ns)': 100,
    'Min (ns)': 100,
    'Max (ns)': 100,
    'StdDev (ns)': 0,
    Name: '_Z5otherv',
  });
  expect(formatReport(makeReport(trace, 'cuda_gpu_mem_size_sum'), 'table')).toBe(
    [
      '',
      ' ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum):',
      '',
      ' Total (MB)  Count  Avg (MB)  Med (MB)  Min (MB)  Max (MB)  StdDev (MB)           Operation',
      ' ----------  -----  --------  --------  --------  --------  -----------  ----------------------------',
      '      4.000      2     2.000     2.000     1.000     3.000        1.414  [CUDA memcpy Host-to-Device]',
      '      2.000      1     2.000     2.000     2.000     2.000        0.000  [CUDA memcpy Device-to-Host]',
      '',
      '',
    ].join('\n'),
  );
});

test('reports of a trace without events are empty, not errors', () => {
  const empty = openTrace(write(join(folder, 'empty.simsight'), []));
  for (const name of reportNames) {
    expect(makeReport(empty, name).rows).toEqual([]);
    expect(formatReport(makeReport(empty, name), 'json')).toBe('[]\n');
  }
  empty.close();
});
