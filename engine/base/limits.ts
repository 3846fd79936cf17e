/**
 * The limits that a recording can be made without, to see what they cost: one limit is lifted, the same program runs again, and the
 * difference is what that limit is worth. Results and control flow stay what they are; only times change.
 *
 * All that is said of a limit is here. What each does to the model is in `engine/sm/lifted.ts` (one kernel) and
 * `engine/system/lifted.ts` (everything else), and in MODEL.md why.
 */
export const limits = [
  {
    id: 'bank-conflicts',
    title: 'no bank conflicts',
    meaning: 'Every access to shared memory takes as few wavefronts as its bytes need.',
    changes:
      'Loads and stores of shared memory take at most one wavefront per 128 bytes of their active lanes. Atomics stay: lanes that meet on one word have to take turns in any layout.',
  },
  {
    id: 'coalescing',
    title: 'perfect coalescing',
    meaning: 'The lanes of a warp find what they load and store side by side.',
    changes:
      'Loads and stores of global memory move no more sectors of 32 bytes and lines of 128 than hold the bytes of their active lanes, and DRAM moves no more than that, in whole rows. What a warp leaves of a sector, its next access to it takes. Atomics, textures, copies in bulk and memory behind a link stay.',
  },
  {
    id: 'l1-l2',
    title: 'endless L1 and L2',
    meaning: 'What has been loaded once stays in the caches.',
    changes:
      'L1 is 4 MiB for each SM and still begins empty; L2 is 1 GiB in all and forgets nothing between launches. Latencies and bandwidths of both stay.',
  },
  {
    id: 'dram-bandwidth',
    title: 'endless DRAM bandwidth',
    meaning: 'DRAM moves any amount in no time, after its latency.',
    changes: 'Kernels, fills and copies within a GPU never wait for bytes of DRAM; those of L2 take their time.',
  },
  {
    id: 'latency',
    title: 'no latency',
    meaning: 'The result of an instruction is there in the next cycle.',
    changes:
      'Results of arithmetic, special functions, tensor cores, shuffles, shared memory, L1, L2, DRAM, links, textures and atomics come as soon as their pipe has served them, and fences wait for nothing. Pipes, queues and bandwidths stay, and so do branches, barriers of a block and the start of blocks.',
  },
  {
    id: 'occupancy',
    title: 'full occupancy',
    meaning: 'An SM holds as many blocks as have room in its warp slots.',
    changes: 'Registers, shared memory and block slots limit no kernel; L1 keeps its size. The number of blocks stays.',
  },
  {
    id: 'divergence',
    title: 'no divergence',
    meaning: 'Lanes that do the same fill whole warps.',
    changes:
      'A piece of code with k of 32 lanes is executed in k of 32 cases, and does then for all lanes what memory has to do for them. Code with barriers, asynchronous copies, clocks or loops that wait for others stays.',
  },
  {
    id: 'launches',
    title: 'free launches',
    meaning: 'Starting a kernel takes no time, on the host and on the GPU.',
    changes:
      'Launching kernels and graphs takes the host no time, a kernel starts when what it waits for has ended, and its own start and end take nothing. Waits of the host, copies, kernels that kernels launch and the creation of graphs stay.',
  },
  {
    id: 'overlap',
    title: 'full overlap',
    meaning: 'Copies between host and GPU happen beside everything else.',
    changes:
      'Copies take their engines as long as before, one after the other, but wait for no other work, and neither kernels nor the host wait for them; pageable ones take the host no time. The program ends when all copies have.',
  },
] as const;

export type Limit = (typeof limits)[number]['id'];

export const limitIds: readonly Limit[] = limits.map(({ id }) => id);

export const limitOf = (id: Limit): (typeof limits)[number] => limits.find((limit) => limit.id === id)!;
