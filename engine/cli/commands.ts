/** The commands of `simsight`. Each is loaded when it is called: most of the engine is of no use to most commands. */
import type { Command } from './command.ts';

interface Entry {
  /** One line for `simsight --help`. */
  summary: string;
  load(): Promise<Command>;
}

/** By name, in the order in which they are listed. */
export const commands: Readonly<Record<string, Entry>> = {
  record: {
    summary: 'compile a CUDA program, run it on a simulated GPU, write a trace',
    load: async () => (await import('./record.ts')).record,
  },
  run: {
    summary: 'compile and run a CUDA program on a simulated GPU, without a trace',
    load: async () => (await import('./run.ts')).run,
  },
  bench: {
    summary: 'benchmark statistics of a program: launches as runs, median, quartiles, outliers',
    load: async () => (await import('./bench.ts')).bench,
  },
  nvcc: {
    summary: "compile and link CUDA programs, with nvcc's command line",
    load: async () => (await import('./nvcc.ts')).nvcc,
  },
  cc: {
    summary: 'compile and link C, beside nvcc',
    load: async () => (await import('./nvcc.ts')).cc,
  },
  'c++': {
    summary: 'compile and link C++, beside nvcc',
    load: async () => (await import('./nvcc.ts')).cxx,
  },
  toolkit: {
    summary: 'write a folder like a CUDA toolkit, for CMake and makefiles',
    load: async () => (await import('./toolkit.ts')).toolkit,
  },
  'what-if': {
    summary: 'record a program without each limit in turn, to bound the gain of a fix',
    load: async () => (await import('./what-if.ts')).whatIf,
  },
  sweep: {
    summary: 'record a program with many parameters and find the best; on one machine, Slurm or Kubernetes',
    load: async () => (await import('./sweep.ts')).sweep,
  },
  open: {
    summary: 'show traces in a browser',
    load: async () => (await import('./serve.ts')).open,
  },
  serve: {
    summary: 'start the app in browser mode',
    load: async () => (await import('./serve.ts')).serve,
  },
  stats: {
    summary: 'print reports of a trace, with the names and columns of nsys stats',
    load: async () => (await import('./stats.ts')).stats,
  },
  advise: {
    summary: 'find what costs time in a trace, and how to fix it',
    load: async () => (await import('./advise.ts')).advise,
  },
  sql: {
    summary: 'run an SQL query on a trace',
    load: async () => (await import('./sql.ts')).sql,
  },
  compare: {
    summary: 'compare traces: verdict, why, kernels, calls, copies, ranges',
    load: async () => (await import('./compare.ts')).compare,
  },
  report: {
    summary: 'write a recording as an HTML page or Markdown, with pictures',
    load: async () => (await import('./report.ts')).report,
  },
  roi: {
    summary: 'rank optimizations by the time they save per engineer-day',
    load: async () => (await import('./roi.ts')).roi,
  },
  import: {
    summary: 'convert a recording of another tool to a trace',
    load: async () => (await import('./import.ts')).importCommand,
  },
  export: {
    summary: 'convert a trace for other programs: Perfetto, CSV, Parquet, SQLite as nsys exports it',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  gpus: {
    summary: 'list the GPUs that can be simulated',
    load: async () => (await import('./gpus.ts')).gpus,
  },
  lab: {
    summary: 'record an example before and after a fix, and show the gain',
    load: async () => (await import('./lab.ts')).lab,
  },
  completion: {
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completionCommand(loadAll),
  },
};

/** A command with its line in the list. */
export type ListedCommand = Command & Pick<Entry, 'summary'>;

const loadAll = (): Promise<ListedCommand[]> =>
  Promise.all(Object.values(commands).map(async ({ summary, load }) => ({ ...(await load()), summary })));
