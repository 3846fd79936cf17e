/**
 * States of a warp: one row per state that Nsight Compute tells apart (`smsp__average_warps_issue_stalled_<key>`), in the order of their
 * ids in traces, to which new ones are appended. The simulated SM counts by key, trace and page show labels, the adviser and the timeline
 * read the other columns.
 */

/** Row of a state. */
interface WarpStateRow {
  /** Nsight Compute's title, by which traces of other tools name it as well. */
  label: string;
  /** Words that follow "warps", shown beside the label. */
  meaning: string;
  /** Memory that it waits for, or waits for room to ask for. */
  memory: 'global' | 'shared' | null;
  /** Latency of a result or an instruction: more warps would hide it. */
  hidden: boolean;
  /** Colour in timelines and charts: hue in degrees, chroma and lightness (on top of the theme's) of OKLCH. */
  colour: { hue: number; chroma: number; lightness?: number };
  /** Pattern over the colour; families that are often seen side by side have different ones. */
  pattern: 'none' | 'rising' | 'falling' | 'horizontal' | 'vertical' | 'dots' | 'checks' | 'wide';
}

/**
 * Green issues, warm colours wait for memory, violet for pipes, blue for other warps, grey for instructions. `dispatch_stall` and
 * `imc_miss` never occur in simulated kernels: register ports are not modelled, and constants hit.
 */
const rows = {
  selected: {
    label: 'Selected',
    meaning: 'issue an instruction',
    memory: null,
    hidden: false,
    colour: { hue: 145, chroma: 0.17, lightness: 0.04 },
    pattern: 'none',
  },
  not_selected: {
    label: 'Not Selected',
    meaning: 'are ready, but another warp was chosen',
    memory: null,
    hidden: false,
    colour: { hue: 130, chroma: 0.09, lightness: 0.1 },
    pattern: 'none',
  },
  wait: {
    label: 'Wait',
    meaning: 'wait for the fixed latency of the instruction before',
    memory: null,
    hidden: true,
    colour: { hue: 95, chroma: 0.1, lightness: 0.06 },
    pattern: 'dots',
  },
  short_scoreboard: {
    label: 'Short Scoreboard',
    meaning: 'wait for shared memory or special functions',
    memory: 'shared',
    hidden: true,
    colour: { hue: 62, chroma: 0.13 },
    pattern: 'falling',
  },
  long_scoreboard: {
    label: 'Long Scoreboard',
    meaning: 'wait for data from global, local or texture memory',
    memory: 'global',
    hidden: true,
    colour: { hue: 28, chroma: 0.15, lightness: -0.05 },
    pattern: 'rising',
  },
  mio_throttle: {
    label: 'MIO Throttle',
    meaning: 'wait for room in the queue of shared memory and special functions',
    memory: 'shared',
    hidden: false,
    colour: { hue: 48, chroma: 0.12, lightness: -0.08 },
    pattern: 'vertical',
  },
  lg_throttle: {
    label: 'LG Throttle',
    meaning: 'wait for room in the queue of global and local memory',
    memory: 'global',
    hidden: false,
    colour: { hue: 5, chroma: 0.13, lightness: -0.02 },
    pattern: 'checks',
  },
  math_pipe_throttle: {
    label: 'Math Pipe Throttle',
    meaning: 'wait for an arithmetic pipe that is busy',
    memory: null,
    hidden: false,
    colour: { hue: 305, chroma: 0.12 },
    pattern: 'horizontal',
  },
  barrier: {
    label: 'Barrier',
    meaning: 'wait for other warps at a barrier',
    memory: null,
    hidden: false,
    colour: { hue: 255, chroma: 0.13 },
    pattern: 'wide',
  },
  branch_resolving: {
    label: 'Branch Resolving',
    meaning: 'wait for the target of a branch',
    memory: null,
    hidden: true,
    colour: { hue: 200, chroma: 0.07, lightness: 0.05 },
    pattern: 'dots',
  },
  no_instruction: {
    label: 'No Instruction',
    meaning: 'wait for instructions to be fetched',
    memory: null,
    hidden: true,
    colour: { hue: 260, chroma: 0.02, lightness: -0.06 },
    pattern: 'none',
  },
  dispatch_stall: {
    label: 'Dispatch Stall',
    meaning: 'wait for the dispatcher',
    memory: null,
    hidden: false,
    colour: { hue: 330, chroma: 0.1 },
    pattern: 'checks',
  },
  drain: {
    label: 'Drain',
    meaning: 'wait for their stores to leave after the last instruction',
    memory: 'global',
    hidden: false,
    colour: { hue: 215, chroma: 0.05, lightness: -0.1 },
    pattern: 'horizontal',
  },
  membar: {
    label: 'Membar',
    meaning: 'wait for a memory fence',
    memory: null,
    hidden: false,
    colour: { hue: 230, chroma: 0.11, lightness: -0.06 },
    pattern: 'wide',
  },
  sleeping: {
    label: 'Sleeping',
    meaning: 'sleep, as the program says',
    memory: null,
    hidden: false,
    colour: { hue: 270, chroma: 0.02, lightness: -0.16 },
    pattern: 'none',
  },
  imc_miss: {
    label: 'IMC Miss',
    meaning: 'wait for constants to be fetched',
    memory: null,
    hidden: false,
    colour: { hue: 320, chroma: 0.1, lightness: -0.08 },
    pattern: 'checks',
  },
  tex_throttle: {
    label: 'TEX Throttle',
    meaning: 'wait for room in the queue of textures',
    memory: null,
    hidden: false,
    colour: { hue: 350, chroma: 0.1, lightness: 0.04 },
    pattern: 'vertical',
  },
} as const satisfies Record<string, WarpStateRow>;

/** Key of a state. */
export type WarpState = keyof typeof rows;

/** Keys of all states, in the order of their ids. */
export const warpStates = Object.keys(rows) as readonly WarpState[];

/** Rows of all states, by their keys. */
export const warpStateRows: Readonly<Record<WarpState, WarpStateRow>> = rows;

const byLabel = new Map<string, WarpStateRow>(Object.values(rows).map((row) => [row.label, row]));

/** Row of the state with this label; undefined if it is none of these, as in traces of other tools. */
export const warpStateLabelled = (label: string): WarpStateRow | undefined => byLabel.get(label);

/** Labels of the states whose row fulfils a condition. */
export const labelsOfStates = (isMeant: (row: WarpStateRow) => boolean): readonly string[] =>
  [...byLabel.values()].filter(isMeant).map(({ label }) => label);
