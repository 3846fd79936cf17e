/** Tiles that go to shared memory by way of registers: the warp waits for each before it can store it. */
import { cyclesIn, isBarrier, isGlobalLoad, isSharedStore } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured, timeOfWarps } from '../kernel-rule.ts';
import { leastGain, leastRounds } from '../thresholds.ts';
import { parseOpcode, type Opcode } from '../../../model/opcodes.ts';

const pastRegisters: ReadonlySet<Opcode | undefined> = new Set<Opcode>(['LDGSTS', 'UBLKCP.S.G', 'UBLKCP.G.S']);

export const missedAsyncCopy = kernelRule({
  id: 'missed-async-copy',
  stage: 'latency',
  title: 'Tiles that are loaded and waited for, one after the other',
  lab: 'warp-specialization',
  find(kernel) {
    const { gpu, view } = kernel;
    const { instructions } = view;
    if (!gpu || instructions.some(({ opcode }) => pastRegisters.has(parseOpcode(opcode)?.opcode))) return null;
    const stores = instructions.filter(({ opcode }) => isSharedStore(opcode));
    const barriers = instructions.filter(({ opcode }) => isBarrier(opcode));
    // A tile after the other, several for each warp, with barriers between them.
    const rounds = Math.max(0, ...barriers.map(({ executed }) => executed)) / Math.max(1, kernel.warps);
    const staged = stores.filter(({ executed }) => executed >= leastRounds * kernel.warps);
    if (staged.length === 0 || rounds < leastRounds || !instructions.some(({ opcode }) => isGlobalLoad(opcode)))
      return null;
    const waiting = kernel.inStatesAt(staged, ['Long Scoreboard']);
    if (waiting < leastGain) return null;
    const barrier = kernel.inStates('Barrier') ?? 0;
    const hasAsync = gpu.computeCapability.major >= 8;
    return {
      says: `waits ${inPercent(waiting)} of the time of its warps for tiles before it can store them to shared memory`,
      evidence: [
        timeOfWarps('Long Scoreboard before STS', waiting),
        ...counters(
          kernel,
          'smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio',
          'smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio',
          'smsp__inst_executed_op_shared_st.sum',
        ),
        measured('tiles of each warp', rounds, 'ratio'),
      ],
      places: kernel.placesOf(staged, (one) => cyclesIn(one, ['Long Scoreboard'])),
      why:
        'Each tile is loaded into registers and stored to shared memory from there: the warp waits for memory in between, and at the barrier ' +
        'behind it all warps of the block wait for the last, before anybody computes.',
      todo: hasAsync
        ? 'Copy the next tile while this one is computed with: two or more buffers in shared memory, filled by __pipeline_memcpy_async or ' +
          'cuda::memcpy_async (cp.async), which need no registers and no wait.'
        : 'Load the next tile into registers before computing with this one, and store it to a second buffer afterwards: this GPU has no ' +
          'asynchronous copies to shared memory (from compute capability 8.0 on).',
      saves: {
        share: Math.min(waiting + barrier, kernel.leftBeside('memory', 'compute')),
        basis: `At most: the ${inPercent(waiting)} of the time of warps that is waiting for tiles, and the ${inPercent(barrier)} at barriers.`,
      },
    };
  },
});
