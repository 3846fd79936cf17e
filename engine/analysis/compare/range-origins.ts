/**
 * The makers of a trace's ranges. Whoever wants to say where a step begins annotates it; profilers write what they did themselves, and
 * call stacks, operators and libraries repeat within steps, or span several of them.
 */
import { nvtxTypes } from '../../model/nsight-codes.ts';
import type { Trace } from '../../trace/trace.ts';

export type RangeOrigin = 'program' | 'library' | 'recorder';

/** Categories of Kineto and its older versions, and of tracers of functions: VizTracer, Chrome's own. */
const libraryCategories =
  /^(cpu_op|operator|python_function|python function|fwdbwd|fee|function|toplevel|v8|blink|cc|ipc|mojom|gpu|collective_comm|cpu_instant_event|xpu_runtime|mtia_runtime)\b/i;
const recorderCategories = /^(trace|overhead)$/i;
/** NVTX domains of libraries. */
const libraryDomains =
  /^(nccl|nvshmem|cublas|cudnn|cusparse|cusolver|cufft|curand|cutensor|cutlass|cccl|cub|thrust|tensorrt|tsl|rapids|libcudf|dali|nvjpeg|openacc|mpi|ucx)/i;
/** Operators and functions by what they are called, where nobody says more: `aten::mm, seq = 4`, `model.py(12): forward`. */
const libraryNames = /^(aten|prim|prims|autograd|torch|c10d?|cudnn|cublas|nccl)::|\.pyx?(\(\d+\)|:\d+)|^<built-in /;

/** Origins by the full text of a range; those that are not in it are the program's. */
export function rangeOrigins(trace: Trace): ReadonlyMap<string, RangeOrigin> {
  const domains = new Map(
    trace
      .query(
        `SELECT domainId, coalesce(text, value) FROM SIMSIGHT_SHAPES_NVTX LEFT JOIN StringIds ON StringIds.id = textId
         WHERE eventType = ?`,
        nvtxTypes['domain-create'],
      )
      .map(([id, name]) => [Number(id), String(name)]),
  );
  const { areThreads } = trace.facts;
  const origin = (name: string, domain: string): RangeOrigin => {
    if (areThreads && recorderCategories.test(domain)) return 'recorder';
    if ((areThreads ? libraryCategories : libraryDomains).test(domain) || libraryNames.test(name)) return 'library';
    return 'program';
  };
  const found = new Map<string, RangeOrigin>();
  const shapes = trace.query(
    `SELECT DISTINCT coalesce(text, value), domainId FROM SIMSIGHT_SHAPES_NVTX LEFT JOIN StringIds ON StringIds.id = textId
     WHERE eventType != ?`,
    nvtxTypes['domain-create'],
  );
  for (const [text, id] of shapes) {
    const name = String(text ?? '');
    const own = origin(name, domains.get(Number(id ?? 0)) ?? '');
    const known = found.get(name);
    // A name that the program and a library share is the program's.
    if (known === undefined || own === 'program') found.set(name, own);
  }
  return found;
}
