/** Values of threads that lie in local memory: what registers do not hold, and arrays that are indexed while the kernel runs. */
import { cyclesIn, isGlobalLoad, isLocal, isLocalLoad } from '../kernel-facts.ts';
import { counters, inPercent, kernelRule, measured } from '../kernel-rule.ts';

export const registerSpills = kernelRule({
  id: 'register-spills',
  stage: 'memory',
  title: 'Register spills and arrays in local memory',
  lab: 'occupancy',
  find(kernel) {
    const { instructions, gpu, resources } = kernel.view;
    const local = instructions.filter(({ opcode, executed }) => isLocal(opcode) && executed > 0);
    const executed = local.reduce((sum, one) => sum + one.executed, 0);
    if (kernel.localBytes === 0 || executed === 0) return null;
    // A wait for a load shows at the instruction that needs it: waits are told apart by how many loads of each kind there are.
    const loads = instructions.filter(({ opcode }) => isGlobalLoad(opcode) || isLocalLoad(opcode));
    const localLoads = loads.filter(({ opcode }) => isLocal(opcode)).reduce((sum, one) => sum + one.executed, 0);
    const allLoads = loads.reduce((sum, one) => sum + one.executed, 0);
    const all = instructions.reduce((sum, one) => sum + cyclesIn(one), 0);
    const waiting = (kernel.inStates('Long Scoreboard') ?? 0) * (allLoads > 0 ? localLoads / allLoads : 0);
    const issuing = all > 0 ? local.reduce((sum, one) => sum + cyclesIn(one), 0) / all : 0;
    // Or the part that they are of what keeps schedulers and memory pipes busy.
    const partOf = (metric: string): number => Math.min(1, executed / Math.max(1, kernel.metric(metric) ?? Infinity));
    const busy = Math.max(
      kernel.useOf('Issue slots') * partOf('smsp__inst_executed.sum'),
      kernel.useOf('LSU pipe') * partOf('sm__inst_executed_pipe_lsu.sum'),
    );
    const most = kernel.gpu?.limits.registersPerThread ?? 255;
    return {
      says: `keeps ${kernel.localBytes} bytes of each thread in local memory`,
      evidence: [
        measured('local memory per thread', kernel.localBytes, 'bytes'),
        measured('LDL and STL instructions executed by warps', executed, 'count'),
        ...counters(kernel, 'smsp__inst_executed.sum', 'launch__registers_per_thread'),
      ],
      places: kernel.placesOf(local, (one) => one.executed),
      why:
        'Local memory is memory of the GPU behind L1: what a thread keeps there costs loads and stores that registers do not, and takes ' +
        'room in L1 and L2.',
      todo:
        resources.registersPerThread >= most
          ? `All ${most} registers are used: let a thread do less at once (smaller tiles, less unrolling), or split the kernel.`
          : 'If registers are limited (__launch_bounds__, -maxrregcount), allow more of them, at the price of occupancy; arrays have to be ' +
            'indexed by constants once loops are unrolled (#pragma unroll), else they cannot be in registers: shared memory holds them as well.',
      saves:
        gpu === null || all === 0
          ? null
          : {
              share: waiting + Math.max(issuing, busy),
              basis: `At most: ${inPercent(waiting)} of the time of warps is waiting for them, and ${inPercent(
                Math.max(issuing, busy),
              )} of it passes at these instructions, or of that of the memory pipe with them.`,
            },
    };
  },
});
