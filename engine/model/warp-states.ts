/** What a warp does in a cycle. */

/** What a resident warp does in a cycle, by the names of Nsight Compute (`smsp__average_warps_issue_stalled_…`). */
export const warpStates = [
  'selected', // issues
  'not_selected', // could issue, another warp does
  'wait', // result of an instruction of fixed latency
  'short_scoreboard', // result of shared memory, special functions, shuffles
  'long_scoreboard', // result of global or local memory
  'mio_throttle', // queue of shared memory, shuffles or special functions full
  'lg_throttle', // queue of global and local memory full
  'math_pipe_throttle', // pipe busy
  'barrier',
  'branch_resolving',
  'no_instruction', // a new block's first instruction is on its way
  'dispatch_stall', // never here: register ports are not modelled
  'drain', // has issued EXIT, stores are still in the SM
  'membar',
  'sleeping', // NANOSLEEP
  'imc_miss', // never here: constants hit
  'tex_throttle', // queue of the texture unit full
] as const;

export type WarpState = (typeof warpStates)[number];
