/** A kernel that is as near to a roof as kernels get. */
import type { Precision } from '../../../model/kernel-view.ts';
import type { PipeCounter } from '../../../model/opcodes.ts';
import { counters, inPercent, measured } from '../kernel-rule.ts';
import type { KernelFacts } from '../kernel-facts.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { saturated } from '../thresholds.ts';

export const stopHere: Rule = {
  id: 'stop-here',
  stage: 'stop',
  title: 'Near the roof',
  lab: null,
  find({ kernels }, found) {
    // The launches that take most time stand for those that differ.
    const first = [...Map.groupBy(kernels, ({ kernel }) => kernel).values()].map(([most]) => most!);
    return first.flatMap((kernel): RuleFinding[] => {
      const roof = roofOf(kernel);
      // Bytes or operations that could be saved are work, however fast they go.
      const isNamed = found.some(
        ({ stage, places }) =>
          (stage === 'memory' || stage === 'compute') &&
          places.some((place) => 'kernel' in place && place.kernel === kernel.row),
      );
      if (!roof || roof.share < saturated || isNamed) return [];
      return [
        {
          title: `${kernel.name} reaches ${inPercent(roof.share)} of ${roof.name}: leave it`,
          evidence: [
            measured(`share of ${roof.name}`, 100 * roof.share, 'percent'),
            ...counters(kernel, ...roof.counters, 'gpu__time_duration.sum'),
          ],
          places: kernel.places(() => 0),
          why: `From ${inPercent(saturated)} of a roof on, what is left is less than what it costs to get it.`,
          todo: 'Only less work helps from here: another algorithm, fewer bytes (smaller types, fused kernels), or another GPU.',
          gain: null,
        },
      ];
    });
  },
};

function pipeCounterOf(precision: Precision): PipeCounter {
  if (!precision.startsWith('Tensor')) return precision === 'FP64' ? 'fp64' : 'fma';
  return precision === 'Tensor FP64'
    ? 'tensor_op_dmma'
    : precision.includes('INT')
      ? 'tensor_op_imma'
      : 'tensor_op_hmma';
}

/** The nearest roof of the roofline: bandwidth of DRAM, or operations of a precision. */
function roofOf({ view }: KernelFacts): { name: string; share: number; counters: string[] } | null {
  const { roofline } = view;
  if (!roofline) return null;
  const seconds = roofline.durationNs * 1e-9;
  const bytes = roofline.traffic.find(({ level }) => level === 'DRAM')?.bytes ?? 0;
  const bandwidth = roofline.bandwidths.find(({ level }) => level === 'DRAM')?.bytesPerSecond;
  const memory =
    bandwidth === undefined
      ? []
      : [
          {
            name: 'the bandwidth of DRAM',
            share: bytes / (bandwidth * seconds),
            counters: ['dram__bytes_read.sum', 'dram__bytes_write.sum'],
          },
        ];
  const compute = roofline.work.flatMap(({ precision, flop }) => {
    const roof = roofline.roofs.find((each) => each.precision === precision);
    const pipe = pipeCounterOf(precision);
    return roof
      ? [
          {
            name: `the ${precision} roof`,
            share: flop / (roof.flopsPerSecond * seconds),
            counters: [`sm__inst_executed_pipe_${pipe}.sum`],
          },
        ]
      : [];
  });
  const [nearest] = [...memory, ...compute].sort((a, b) => b.share - a.share);
  return nearest ?? null;
}
