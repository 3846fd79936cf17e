/** Fewer blocks than SMs. */
import { counters, inPercent, kernelRule, measured } from '../kernel-rule.ts';
import { lengthOf } from '../../../trace/spans.ts';
import { workKinds, type DeviceFacts } from '../timeline-facts.ts';
import { launchNs, leastGain } from '../thresholds.ts';

export const smallGrid = kernelRule({
  id: 'small-grid',
  stage: 'latency',
  title: 'Fewer blocks than SMs',
  lab: null,
  find(kernel, { timeline }) {
    const { blocks, gpu, resources } = kernel.view;
    // What is shorter than a launch is not made shorter by more blocks.
    if (!gpu || blocks >= gpu.smCount || kernel.ownNs < launchNs.least) return null;
    const device = timeline.devices.find((each) => each.device === kernel.view.deviceId);
    if (device && sideBySide(device) >= leastGain) return null;
    return {
      says: `launches ${blocks} ${blocks === 1 ? 'block' : 'blocks'} on a GPU of ${gpu.smCount} SMs`,
      evidence: [
        ...counters(kernel, 'launch__grid_size', 'launch__block_size', 'launch__waves_per_multiprocessor'),
        measured('SMs of the GPU', gpu.smCount, 'count'),
      ],
      places: kernel.places(() => 0),
      why: `A block runs on one SM: ${gpu.smCount - blocks} of ${gpu.smCount} have nothing to do while this kernel runs alone.`,
      todo:
        'Divide the work into more blocks' +
        (resources.threadsPerBlock > 128 ? ', which may be smaller' : '') +
        ': fewer elements for each thread, another dimension in the grid, a split sum that is added up afterwards. Where there is no more ' +
        'work, run independent kernels beside it in other streams.',
      saves: {
        share: Math.min(1 - blocks / gpu.smCount, kernel.leftBeside('memory', 'compute')),
        basis: `At most: ${inPercent(1 - blocks / gpu.smCount)} of the SMs have nothing to do.`,
      },
    };
  },
});

/** Of the time of all kernels, that in which others ran as well: these have the SMs that one leaves. */
function sideBySide({ work, kernels }: DeviceFacts): number {
  const all = work.kinds.reduce(
    (sum, kind, i) => sum + (kind === workKinds.kernel ? work.ends[i]! - work.starts[i]! : 0),
    0,
  );
  return all > 0 ? 1 - lengthOf(kernels) / all : 0;
}
