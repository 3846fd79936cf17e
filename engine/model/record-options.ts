/**
 * Options of a recording: one table, a row per option. To add an option, add its row and read it where it acts:
 *
 *   carveout: {
 *     type: { kind: 'percent' },
 *     flag: { name: 'carveout', argument: 'P', help: 'percent of the most shared memory that …' },
 *     field: { label: 'Shared-memory carve-out', hint: 'percent: 0 to 100', place: 'limits' },
 *     axis: { kind: 'carveout', name: 'Carve-out', hint: '0, 50, 100 (percent)' },
 *     notice: (percent: number) => `All kernels of the program prefer ${percent} % …`,
 *   },
 *
 * The rows make: the type of `RecordOptions`, the schema of the API's calls and of `sweep.json` (record-schema.ts), the command line's
 * flags, help and completion (engine/cli/option-flags.ts), the fields of the record dialog and their complaints
 * (renderer/src/record/record-form.ts), the axes of sweeps (engine/sweep/axes.ts) and the notices of traces
 * (engine/recording/record.ts). Options reach the parts of the engine whole ({@link PassedOptions}). Command line, dialog and axes
 * read text in the same way (option-text.ts).
 *
 * The page imports this file, so it is plain data without Node and without schemas.
 */
import { limits, type Limit } from '../base/limits.ts';

/** Type of an option's value, and its text form. */
export type OptionType =
  | { kind: 'text' | 'path' }
  /** A name from a list that the catalogue of GPUs or of hosts has; who looks it up there refuses others. */
  | { kind: 'name'; of: keyof Catalogues }
  /** `pattern`: what each has to match. */
  | { kind: 'texts'; pattern?: RegExp }
  | { kind: 'paths' }
  | { kind: 'switch' }
  /** Each choice in words; `usual` is what it is when nobody says. */
  | { kind: 'choice'; choices: Readonly<Record<string, string>>; usual?: string }
  | { kind: 'choices'; choices: Readonly<Record<string, string>> }
  | { kind: 'integer'; least: number; most: number }
  /** 0 to 100, whole. */
  | { kind: 'percent' }
  /** Above 0. */
  | { kind: 'number'; most?: number }
  /** Written as 8192 or as 8K, with powers of 1024. */
  | { kind: 'bytes'; least: number; most?: number };

/** Names that the table does not have itself, and which of them is taken when nobody says. */
export type Catalogues = Readonly<Record<'gpus' | 'hosts', { names: readonly string[]; usual: string }>>;

/** Facts that notices mention beside the option's value. */
export interface NoticeFacts {
  /** Registers per thread that ptxas allows where so many are asked for. */
  registersAllowed(asked: number): number;
}

interface OptionRow {
  type: OptionType;
  /** A recording cannot do without; lists may be empty. */
  required?: true;
  /** Message after a refused value, and the remedy, where the type alone does not give them. */
  refused?: string;
  remedy?: string;
  /** `--name ARGUMENT`, or `-s ARGUMENT`. In `help`, `{names}` are the choices that there are, and `{usual}` is what it is when nobody says. */
  flag?: { name: string; short?: string; argument?: string; help: string };
  /** Field of the record dialog: above the others, among them, or in their row of limits. */
  field?: { label: string; hint: string; place: 'front' | 'more' | 'limits'; prose?: true };
  /** It can be varied by sweeps: what `sweep.json` calls it, people read, and the dialog suggests. */
  axis?: { kind: string; name: string; hint: string };
  /** Calls that do not have it; what a sweep varies, it has as an axis. */
  notIn?: readonly ('sweep' | 'what-if')[];
  /** Notice in the trace; null: none. `leads`: before all other notices. */
  notice?: (value: never, facts: NoticeFacts) => string | null;
  leads?: true;
}

/** Meanings of stream 0. */
const defaultStreams = {
  legacy: 'one shared by all host threads',
  'per-thread': 'one per host thread',
} as const;

/**
 * How much is simulated of the blocks that one SM gets, and recorded of it: `counters` and `sampled` simulate the same sample,
 * so that all figures agree, but the first keeps only sums, not what each warp did in each cycle nor addresses of single
 * accesses; `full` simulates all blocks and keeps all of it.
 */
const details = {
  counters: 'totals per source line, no warps or accesses; smallest file',
  sampled: 'some blocks of one SM, warp by warp; up to 0.2 MB per kernel',
  full: 'all blocks of one SM, without extrapolation; slower, and file size grows with their work',
} as const;

/** Standards of C++, as nvcc calls them, beside what each is known for. */
const standards = {
  'c++11': 'lambdas, auto',
  'c++14': 'generic lambdas',
  'c++17': 'if constexpr, std::filesystem',
  'c++20': 'concepts, std::span',
  'c++23': 'std::expected, std::print',
} as const;

const trueOrFalse = { true: '', false: '' } as const;

/** Checks by request, as compute-sanitizer's tools are called; what costs nearly nothing is always on. */
const checks = {
  memcheck: 'always on',
  racecheck: 'races on shared memory',
  synccheck: 'always on',
} as const;

const rows = {
  sources: { type: { kind: 'paths' }, required: true },
  /** One GPU, or several of one machine: `2xh200`, `h200,a100`. */
  gpu: {
    type: { kind: 'name', of: 'gpus' },
    required: true,
    flag: {
      name: 'gpu',
      argument: 'ID',
      help: 'GPU to simulate (default {usual}); "simsight gpus" lists all',
    },
    axis: { kind: 'gpu', name: 'GPU', hint: 'a100, h200' },
  },
  includeFolders: {
    type: { kind: 'texts' },
    required: true,
    flag: {
      name: 'include',
      short: 'I',
      argument: 'DIR',
      help: 'folder to search for included files; can be repeated. The folder of each source is always searched',
    },
    field: { label: 'Include folders', hint: '/path/to/include', place: 'more' },
  },
  defines: {
    type: { kind: 'texts', pattern: /^[A-Za-z_]\w*(\([^)]*\))?(=|$)/ },
    required: true,
    refused: 'is not NAME or NAME=VALUE',
    flag: {
      name: 'define',
      short: 'D',
      argument: 'NAME[=VALUE]',
      help: 'macro for the compiler; can be repeated',
    },
    field: { label: 'Defines', hint: 'TILE=16 USE_PINNED', place: 'more' },
  },
  /** For all sources but those in C. */
  standard: {
    type: { kind: 'choice', choices: standards, usual: 'c++17' },
    flag: { name: 'std', argument: 'NAME', help: 'standard of C++, as for nvcc (default {usual})' },
    field: { label: 'C++ standard', hint: '', place: 'more' },
  },
  /** As `nvcc -include`. */
  forcedIncludes: {
    type: { kind: 'texts' },
    flag: {
      name: 'pre-include',
      argument: 'FILE',
      help: 'file to include before each source, as nvcc -include; can be repeated',
    },
  },
  /** Stands for the four that follow, and for approximate functions of the math library. */
  fastMath: {
    type: { kind: 'switch' },
    flag: {
      name: 'use_fast_math',
      help: 'approximate division, square roots and math functions in float, as for nvcc',
    },
  },
  ftz: {
    type: { kind: 'choice', choices: trueOrFalse, usual: 'false' },
    flag: { name: 'ftz', argument: 'BOOL', help: 'flush subnormal floats to zero, as for nvcc (default {usual})' },
  },
  precDiv: {
    type: { kind: 'choice', choices: trueOrFalse, usual: 'true' },
    flag: { name: 'prec-div', argument: 'BOOL', help: 'float division is exact, as for nvcc (default {usual})' },
  },
  precSqrt: {
    type: { kind: 'choice', choices: trueOrFalse, usual: 'true' },
    flag: { name: 'prec-sqrt', argument: 'BOOL', help: 'float square roots are exact, as for nvcc (default {usual})' },
  },
  fmad: {
    type: { kind: 'choice', choices: trueOrFalse, usual: 'true' },
    flag: {
      name: 'fmad',
      argument: 'BOOL',
      help: 'sums of products become one instruction, as for nvcc (default {usual})',
    },
  },
  /** Nothing else of an environment is visible to the program. */
  environment: {
    type: { kind: 'texts', pattern: /^[^=]+=/ },
    required: true,
    refused: 'is not NAME=VALUE',
    flag: { name: 'env', argument: 'NAME=VALUE', help: 'environment variable of the program; can be repeated' },
    field: { label: 'Environment', hint: 'NAME=VALUE', place: 'more' },
  },
  /** The program's; on the command line, what stands after `--`. */
  arguments: {
    type: { kind: 'texts' },
    required: true,
    field: { label: 'Program arguments', hint: 'for example: 1024 --check', place: 'front' },
  },
  detail: {
    type: { kind: 'choice', choices: details, usual: 'sampled' },
    flag: {
      name: 'detail',
      argument: 'NAME',
      help: 'how much of each kernel to simulate and keep (default {usual})',
    },
    field: { label: 'Detail of kernels', hint: '', place: 'more' },
  },
  checks: {
    type: { kind: 'choices', choices: checks },
    refused: 'is not a check',
    flag: {
      name: 'check',
      argument: 'NAME',
      help: 'error to check for, named like the tools of compute-sanitizer; can be repeated',
    },
  },
  /**
   * Include what a fresh process pays once: creating the context (some 100 ms) and loading each kernel at its first
   * launch. Off by default: it would hide everything else.
   */
  coldStart: {
    type: { kind: 'switch' },
    flag: {
      name: 'cold-start',
      help: 'include one-time costs of a fresh process: creating the context, loading kernels',
    },
  },
  /** Meaning of stream 0: the legacy default stream (if absent) or one per host thread (`nvcc --default-stream`). */
  defaultStream: {
    type: { kind: 'choice', choices: defaultStreams, usual: 'legacy' },
    flag: { name: 'default-stream', argument: 'NAME', help: 'meaning of stream 0, as for nvcc (default {usual})' },
    field: { label: 'Default stream', hint: '', place: 'more' },
  },
  /** Host profile, which sets the cost of API calls: `linux` if absent, see `hostProfiles` in engine/system/hosts.ts. */
  hostProfile: {
    type: { kind: 'name', of: 'hosts' },
    flag: {
      name: 'host',
      argument: 'NAME',
      help: 'host profile, which sets the cost of API calls: {names} (default {usual})',
    },
  },
  /**
   * Operations per nanosecond at which the program's own work on the CPU takes time; without, it takes none. Counted in the
   * compiled program, so that recordings stay equal.
   */
  hostRate: {
    type: { kind: 'number' },
    flag: {
      name: 'host-work',
      argument: 'N',
      help: "speed of the program's own CPU work, in operations per nanosecond; without it, that work takes no time",
    },
  },
  /** Nothing but the time that it takes depends on it. */
  executeAll: {
    type: { kind: 'switch' },
    flag: {
      name: 'execute-all',
      help: 'execute every launch, also those that do what an earlier one did; slower, with the same results and traces',
    },
  },
  /** Without, an access outside of all allocations ends the program. */
  allowOverruns: {
    type: { kind: 'switch' },
    flag: {
      name: 'allow-overruns',
      help: 'let kernels access what lies beside their allocations or was freed, where a GPU would not notice; without it, that ends the program',
    },
    notice: (allowed: boolean) =>
      allowed
        ? 'Accesses beside allocations, and to what was freed, were let pass where a GPU would not notice them (--allow-overruns). What they read or overwrite depends on where allocations lie, and may differ from a GPU.'
        : null,
  },
  /** Launches like those before are timed, and their results not computed. */
  sample: {
    type: { kind: 'switch' },
    flag: {
      name: 'sample',
      help: 'execute only some of the launches of a kernel that take equally long, and some blocks of large ones, and time the others: faster, but their results are missing, so that checks of the program may fail',
    },
    field: {
      label: 'Sample launches',
      hint: 'execute only some of the launches that take equally long, and some blocks of large ones; the results of the others are missing',
      place: 'more',
    },
    leads: true,
    notice: (sample: boolean) =>
      sample
        ? 'Sampled: launches of a kernel that take equally long, and blocks of large ones, are timed and, but for some, not executed. Their results are missing: what the program computes of them is wrong, and its own checks may fail.'
        : null,
  },
  /** Warp instructions of all kernels together. */
  maxInstructions: {
    type: { kind: 'number' },
    flag: {
      name: 'max-instructions',
      argument: 'N',
      help: 'stop the program after N warp instructions of all its kernels together',
    },
  },
  /** Kernels that libraries, graphs and other kernels launch are counted as well. */
  maxKernels: {
    type: { kind: 'integer', least: 1, most: 1e9 },
    flag: { name: 'max-kernels', argument: 'N', help: 'stop the program after N kernels' },
  },
  /** Node's timers end there. */
  maxSeconds: {
    type: { kind: 'number', most: 1e6 },
    flag: { name: 'max-seconds', argument: 'S', help: 'stop the program after S seconds' },
  },
  /** Device memory that the program may allocate, bytes. */
  maxMemoryBytes: {
    type: { kind: 'bytes', least: 1 },
    flag: {
      name: 'max-memory',
      argument: 'BYTES',
      help: 'stop the program when it allocates more device memory than this (K, M, G: powers of 1024)',
    },
  },
  /** Registers per thread that kernels without `__launch_bounds__` may have (`nvcc -maxrregcount`): what needs more is spilled. */
  maxRegisters: {
    type: { kind: 'integer', least: 1, most: 255 },
    refused: 'is not a number of registers',
    remedy: 'A thread can have 1 to 255.',
    flag: {
      name: 'max-registers',
      argument: 'N',
      help: 'most registers per thread for kernels without __launch_bounds__, as nvcc -maxrregcount; excess values are spilled',
    },
    field: { label: 'Maximum registers per thread', hint: 'as nvcc -maxrregcount: 64', place: 'limits' },
    axis: { kind: 'registers', name: 'Registers', hint: '32, 64, 128' },
    notice: (asked: number, { registersAllowed }: NoticeFacts) => {
      const given = registersAllowed(asked);
      const least = given > asked ? `, the fewest that ptxas takes, not ${asked},` : '';
      return `Kernels without __launch_bounds__ have at most ${given} registers per thread${least} as by nvcc -maxrregcount.`;
    },
  },
  /**
   * Percent of the most shared memory that all kernels of the program prefer over L1, whatever they ask for themselves
   * (`cudaFuncAttributePreferredSharedMemoryCarveout`).
   */
  carveout: {
    type: { kind: 'percent' },
    flag: {
      name: 'carveout',
      argument: 'P',
      help: "percent of the maximum shared memory that all kernels prefer over L1, overriding the program's own carveout",
    },
    field: { label: 'Shared-memory carve-out', hint: 'percent: 0 to 100', place: 'limits' },
    axis: { kind: 'carveout', name: 'Carve-out', hint: '0, 50, 100 (percent)' },
    notice: (percent: number) => `All kernels of the program prefer ${percent} % of the most shared memory over L1.`,
  },
  /** Bytes of dynamic shared memory that every launch of the program's gets beside what it asks for, opted in where needed. */
  extraSharedBytes: {
    type: { kind: 'bytes', least: 0, most: 2 ** 30 },
    refused: 'is not a number of bytes per block',
    remedy: 'Write 8192, or 8K.',
    flag: {
      name: 'extra-shared',
      argument: 'B',
      help: 'dynamic shared memory to add to every launch (K, M), which lowers the number of blocks per SM',
    },
    field: { label: 'Extra shared memory per block', hint: 'bytes: 16384 or 16K', place: 'limits' },
    axis: { kind: 'shared', name: 'Extra shared', hint: '0, 16K (bytes per block)' },
    notice: (bytes: number) =>
      bytes === 0
        ? null
        : `All launches of the program have ${bytes} bytes of dynamic shared memory more than it says.`,
  },
  /** A what-if: times are computed without this limit. Results and counters stay the program's own. */
  lifted: {
    type: { kind: 'choice', choices: Object.fromEntries(limits.map(({ id }) => [id, ''])) as Record<Limit, ''> },
    refused: 'is not a limit',
    flag: {
      name: 'lift',
      argument: 'NAME',
      help: 'a what-if: times without this limit; "simsight what-if" compares all limits. {names}',
    },
    notIn: ['sweep', 'what-if'],
    leads: true,
    notice: (limit: Limit) => {
      const { title, changes } = limits.find(({ id }) => id === limit)!;
      return `What if: times as with ${title}, which is not what the program takes. ${changes} Counters are the program's own.`;
    },
  },
  /** A folder that the program may write to; it reads from the first source's folder in any case. */
  writableFolder: {
    type: { kind: 'path' },
    flag: {
      name: 'writable',
      argument: 'DIR',
      help: "folder that the program may write to, outside Simsight's own folders; it can always read the source's folder",
    },
    notIn: ['sweep'],
  },
  /** Shown as the trace's title; the source's name when absent. */
  title: {
    type: { kind: 'text' },
    field: { label: 'Title', hint: "Title of the trace; the source's name if empty", place: 'more', prose: true },
  },
  /** Path of the trace; the engine picks a name in its recordings folder when absent. */
  output: { type: { kind: 'path' }, notIn: ['sweep', 'what-if'] },
} as const satisfies Record<string, OptionRow>;

type Rows = typeof rows;
export type OptionId = keyof Rows;

type ValueOf<T extends OptionType> = T extends { kind: 'texts' | 'paths' }
  ? string[]
  : T extends { kind: 'switch' }
    ? boolean
    : T extends { kind: 'choice'; choices: infer Choices }
      ? keyof Choices & string
      : T extends { kind: 'choices'; choices: infer Choices }
        ? (keyof Choices & string)[]
        : T extends { kind: 'text' | 'path' | 'name' }
          ? string
          : number;
export type OptionValue<Id extends OptionId> = ValueOf<Rows[Id]['type']>;

/** Options whose row has this. */
type IdsWith<Column> = { [Id in OptionId]: Rows[Id] extends Column ? Id : never }[OptionId];
export type RequiredOption = IdsWith<{ required: true }>;
export type FlagOption = IdsWith<{ flag: object }>;
export type FieldOption = IdsWith<{ field: object }>;
export type AxisOption = IdsWith<{ axis: object }>;
export type FlagName<Id extends FlagOption> = Rows[Id]['flag']['name'];
/** Number of values that an option's flag takes: none, one or several. */
export type FlagOf<Id extends FlagOption> = Rows[Id]['type'] extends { kind: 'switch' }
  ? { type: 'boolean' }
  : Rows[Id]['type'] extends { kind: 'texts' | 'choices' }
    ? { type: 'string'; multiple: true }
    : { type: 'string' };

export type RecordOptions = {
  -readonly [Id in keyof Rows as Id extends RequiredOption ? Id : never]: OptionValue<Id>;
} & {
  -readonly [Id in keyof Rows as Id extends RequiredOption ? never : Id]?: OptionValue<Id>;
};

/** The calls that record something. */
type RecordingCall = 'recording' | 'what-if' | 'sweep';
type Lacks<Row, Call> = Row extends { notIn: readonly (infer Without)[] }
  ? Call extends Without
    ? true
    : false
  : false;
/** A sweep has what can be varied as an axis. */
export type OptionOf<Call extends RecordingCall> = {
  [Id in OptionId]: Lacks<Rows[Id], Call> extends true ? never : Call extends 'sweep' ? Exclude<Id, AxisOption> : Id;
}[OptionId];

/** Options as passed to the parts of the engine that act on them. GPU and checks reach those parts by types of their own. */
export type PassedOptions = Partial<Omit<RecordOptions, 'gpu' | 'checks'>>;

export type Detail = OptionValue<'detail'>;
export type Check = OptionValue<'checks'>[number];
export type DefaultStream = OptionValue<'defaultStream'>;

/** The row of an option as one of them. */
export const rowOf = (id: OptionId): OptionRow => rows[id];
export const optionIds = Object.keys(rows) as readonly OptionId[];

const having = <Id extends OptionId>(column: keyof OptionRow): readonly Id[] =>
  optionIds.filter((id): id is Id => rowOf(id)[column] !== undefined);
export const flagIds = having<FlagOption>('flag');
export const fieldIds = having<FieldOption>('field');
export const axisIds = having<AxisOption>('axis');
export const requiredIds = having<RequiredOption>('required');
export const flagOf = <Id extends FlagOption>(id: Id): NonNullable<OptionRow['flag']> & { name: FlagName<Id> } =>
  rows[id].flag;
export const fieldOf = (id: FieldOption): NonNullable<OptionRow['field']> => rowOf(id).field!;
export const axisOf = <Id extends AxisOption>(id: Id): Rows[Id]['axis'] => rows[id].axis;

export const callOptions = <Call extends RecordingCall>(call: Call): readonly OptionOf<Call>[] =>
  optionIds.filter(
    (id): id is OptionOf<Call> =>
      !rowOf(id).notIn?.some((without) => without === call) && !(call === 'sweep' && rowOf(id).axis !== undefined),
  );

/** `define`: a macro. `argument`: a value that arguments, macros or environment have as `{NAME}`. Others are options. */
export type SweepAxisKind = 'define' | 'argument' | Rows[AxisOption]['axis']['kind'];
export const sweepAxisKinds: readonly SweepAxisKind[] = ['define', 'argument', ...axisIds.map((id) => axisOf(id).kind)];
/** The option that an axis of this kind varies. */
export const axisOption = (kind: SweepAxisKind): AxisOption | undefined =>
  axisIds.find((id) => axisOf(id).kind === kind);

/** Notices on options: either those that lead all other notices, or the rest. */
export function noticesOf(options: PassedOptions, facts: NoticeFacts, leading: boolean): string[] {
  return optionIds.flatMap((id) => {
    const { notice, leads = false } = rowOf(id);
    const value = (options as Partial<RecordOptions>)[id];
    if (notice === undefined || value === undefined || leads !== leading) return [];
    return notice(value as never, facts) ?? [];
  });
}

/** The options alone, of something that has more; for what takes nothing but data. */
export const onlyOptions = <Options extends object>(from: Options): Pick<Options, keyof Options & OptionId> =>
  Object.fromEntries(
    Object.entries(from).filter(([id, value]) => Object.hasOwn(rows, id) && value !== undefined),
  ) as Pick<Options, keyof Options & OptionId>;
