/** Kernels that do a little to each element, one after the other: what one stores, the next one loads again, by way of DRAM. */
import { sectorBytes } from '../../../model/geometry.ts';
import type { Trace } from '../../../trace/trace.ts';
import { formatBytes, formatNumber } from '../../../model/format.ts';
import { num } from '../../columns.ts';
import {
  isBarrier,
  isAtomic,
  isGlobalLoad,
  isGlobalStore,
  type GlobalAccess,
  type KernelFacts,
} from '../kernel-facts.ts';
import { inPercent, measured } from '../kernel-rule.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { latencyBound, leastGain } from '../thresholds.ts';

export const unfusedKernels: Rule = {
  id: 'unfused-kernels',
  stage: 'memory',
  title: 'Element-wise kernels that could be one',
  lab: 'fusion',
  find(facts) {
    const candidates = facts.kernels.filter(isElementWise);
    const pairs = candidates.flatMap((first) =>
      candidates.flatMap((second) => {
        const passed = first === second ? null : passedOn(first, second);
        return passed ? [{ first, second, ...passed }] : [];
      }),
    );
    if (pairs.length === 0) return [];
    const successions = successionsOf(facts.trace);
    return pairs.flatMap(({ first, second, store, load }): RuleFinding[] => {
      const times = successions.get(`${shapeOf(first)} ${shapeOf(second)}`) ?? 0;
      const [stored, loaded] = [partOfDram(first, store), partOfDram(second, load)];
      const ns = Math.round(times * (first.durationNs * stored + second.durationNs * loaded));
      if (times === 0 || ns < leastGain * (first.totalNs + second.totalNs)) return [];
      const bytes = store.sectors * sectorBytes;
      return [
        {
          title: `${first.name} stores ${formatBytes(bytes)} that ${second.name}, the next kernel, loads again${times > 1 ? `, ${formatNumber(times)} times` : ''}`,
          evidence: [
            measured(`dram__bytes_write.sum of ${first.name}`, first.metric('dram__bytes_write.sum') ?? 0, 'bytes'),
            measured(`dram__bytes_read.sum of ${second.name}`, second.metric('dram__bytes_read.sum') ?? 0, 'bytes'),
            measured('bytes stored by the one and loaded by the other', bytes, 'bytes'),
            measured('one right behind the other', times, 'count'),
          ],
          places: [...first.placesOf([store], () => 1), ...second.placesOf([load], () => 1)],
          why:
            'Each thread loads what the thread of the same number stored in the kernel before, and there is too much of it for L2: it goes to ' +
            'DRAM and back, while both kernels are bound by DRAM.',
          todo:
            'Make one kernel of both: what is passed on stays in a register, and the array in between is needed only if somebody else reads it. ' +
            'A launch is saved as well.',
          gain: {
            ns,
            basis: `At most: ${inPercent(stored)} of the DRAM traffic of ${first.name} and ${inPercent(loaded)} of that of ${second.name} are for it.`,
          },
        },
      ];
    });
  },
};

/** Every access once for each thread, nothing in shared memory, and time that DRAM takes. */
function isElementWise(kernel: KernelFacts): boolean {
  const { instructions } = kernel.view;
  return (
    kernel.useOf('DRAM') >= latencyBound &&
    kernel.global.length > 0 &&
    kernel.global.every(({ executed, opcode }) => executed <= kernel.warps && !isAtomic(opcode)) &&
    !instructions.some(({ wavefronts, opcode }) => wavefronts > 0 || isBarrier(opcode))
  );
}

/** The stores of the first that the same threads of the second load. */
function passedOn(first: KernelFacts, second: KernelFacts): { store: GlobalAccess; load: GlobalAccess } | null {
  if (String([first.view.grid, first.view.block]) !== String([second.view.grid, second.view.block])) return null;
  for (const store of first.global.filter(({ opcode }) => isGlobalStore(opcode))) {
    for (const load of second.global.filter(({ opcode }) => isGlobalLoad(opcode))) {
      if (areSame(store, load)) return { store, load };
    }
  }
  return null;
}

/** In all warps that both were recorded in, and there are some. */
function areSame(store: GlobalAccess, load: GlobalAccess): boolean {
  const stored = new Map(store.samples.map((sample) => [`${sample.block} ${sample.warp}`, String(sample.addresses)]));
  const common = load.samples.filter(({ block, warp }) => stored.has(`${block} ${warp}`));
  return (
    common.length > 0 &&
    common.every(({ block, warp, addresses }) => stored.get(`${block} ${warp}`) === String(addresses))
  );
}

function partOfDram(kernel: KernelFacts, { sectors }: GlobalAccess): number {
  const all = (kernel.metric('dram__bytes_read.sum') ?? 0) + (kernel.metric('dram__bytes_write.sum') ?? 0);
  return all > 0 ? Math.min(1, (sectors * sectorBytes) / all) : 0;
}

const shapeOf = ({ kernel, view }: KernelFacts): string => `${kernel} ${view.grid.join(' ')} ${view.block.join(' ')}`;

/** Number of times that a kernel came right behind another in a stream, by name and shape of both. */
function successionsOf(trace: Trace): Map<string, number> {
  const rows = trace.query(
    `SELECT s.deviceId || ' ' || s.demangledName || ' ' || s.gridX || ' ' || s.gridY || ' ' || s.gridZ || ' ' || s.blockX || ' ' ||
       s.blockY || ' ' || s.blockZ, s.deviceId, s.streamId, f.start + e.start AS start, 1 FROM SIMSIGHT_EVENTS_KERNEL e
       JOIN SIMSIGHT_SHAPES_KERNEL s ON s.id = e.shape JOIN SIMSIGHT_FRAMES_KERNEL f ON f.id = e.rowid >> 10
     UNION ALL SELECT '', deviceId, streamId, start, 0 FROM CUPTI_ACTIVITY_KIND_MEMCPY
     ORDER BY start`,
  );
  const last = new Map<string, string>();
  const found = new Map<string, number>();
  for (const [shape, device, stream, , isKernel] of rows) {
    const key = `${device} ${stream}`;
    const before = last.get(key);
    if (num(isKernel) === 1 && before) found.set(`${before} ${shape}`, (found.get(`${before} ${shape}`) ?? 0) + 1);
    last.set(key, num(isKernel) === 1 ? String(shape) : '');
  }
  return found;
}
