/** The meaning of each warp state, for people who do not know Nsight Compute's names by heart: "Warps mostly wait …". */
const words: Readonly<Record<string, string>> = {
  Selected: 'issue an instruction',
  'Not Selected': 'are ready, but another warp was chosen',
  Wait: 'wait for the fixed latency of the instruction before',
  'Short Scoreboard': 'wait for shared memory or special functions',
  'Long Scoreboard': 'wait for data from global, local or texture memory',
  'MIO Throttle': 'wait for room in the queue of shared memory and special functions',
  'LG Throttle': 'wait for room in the queue of global and local memory',
  'Math Pipe Throttle': 'wait for an arithmetic pipe that is busy',
  Barrier: 'wait for other warps at a barrier',
  'Branch Resolving': 'wait for the target of a branch',
  'No Instruction': 'wait for instructions to be fetched',
  'Dispatch Stall': 'wait for the dispatcher',
  Drain: 'wait for their stores to leave after the last instruction',
  Membar: 'wait for a memory fence',
  Sleeping: 'sleep, as the program says',
  'IMC Miss': 'wait for constants to be fetched',
  'TEX Throttle': 'wait for room in the queue of textures',
};

/** Without a subject; empty for a state that is not known. */
export const meaningOf = (state: string): string => words[state] ?? '';
