/** Facts of a recording, as its trace has them (`SIMSIGHT_RECORDING`). */
import type { GpuDescription } from '../gpus/types.ts';
import type { Trace, TraceFacts } from './trace.ts';

export function readFacts(trace: Pick<Trace, 'query'>): TraceFacts {
  const facts = new Map(
    trace.query('SELECT name, value FROM SIMSIGHT_RECORDING').map(([name, value]) => [String(name), value ?? null]),
  );
  const text = (name: string): string => String(facts.get(name) ?? '');
  const exitCode = facts.get('exitCode') ?? null;
  const others = parse(text('otherGpus'));
  const list = parse(text('arguments'));
  return {
    engineVersion: text('engineVersion'),
    title: text('title'),
    program: text('program'),
    arguments: Array.isArray(list) ? list.map(String) : [],
    gpuId: text('gpuId'),
    gpu: describedGpu(parse(text('gpu'))),
    otherGpus: Array.isArray(others) ? others.map(describedGpu).filter((gpu) => gpu !== null) : [],
    exitCode: exitCode === null || !Number.isFinite(Number(exitCode)) ? null : Number(exitCode),
    complete: facts.get('complete') === 'true',
    lifted: facts.has('lifted') ? text('lifted') : null,
    areThreads: facts.get('rangesOf') === 'threads',
    programSpan: spanFrom(parse(text('programSpan'))),
  };
}

function spanFrom(value: unknown): TraceFacts['programSpan'] {
  if (!Array.isArray(value)) return null;
  const [fromNs, toNs] = value as unknown[];
  const areTimes = Number.isSafeInteger(fromNs) && Number.isSafeInteger(toNs);
  return areTimes && Number(fromNs) <= Number(toNs) ? { fromNs: Number(fromNs), toNs: Number(toNs) } : null;
}

const groups = [
  'computeCapability',
  'core',
  'limits',
  'throughput',
  'tensorCores',
  'memory',
  'hostLink',
  'latency',
] as const;

/** Description of the GPU as it was recorded; null where the trace has none that makes sense. */
function describedGpu(recorded: unknown): GpuDescription | null {
  const whole = (recorded ?? {}) as Partial<GpuDescription>;
  const hasAll = groups.every((group) => typeof whole[group] === 'object' && whole[group] !== null);
  return typeof whole.name === 'string' && hasAll && hasFigures(whole as GpuDescription)
    ? (whole as GpuDescription)
    : null;
}

/** Sizes and divisors: of a damaged file they can be anything. */
function hasFigures({ core, limits, throughput, memory }: GpuDescription): boolean {
  const { warpsPerSm, blocksPerSm, registersPerSm, sharedBytesPerSm } = limits;
  const positive = [
    ...[core.smCount, core.smClockMhz, throughput.schedulers, throughput.fp32, memory.bandwidth, memory.l2Bytes],
    ...[warpsPerSm, blocksPerSm, registersPerSm, sharedBytesPerSm, limits.threadsPerSm, limits.threadsPerBlock],
  ];
  return positive.every((figure) => typeof figure === 'number' && figure > 0 && Number.isFinite(figure));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
