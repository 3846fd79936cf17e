/**
 * Public programs, unmodified, with the arguments of their own makefiles: which come to their end, right or wrong, which are refused and
 * why, and what takes the time. None of their sources are here.
 *
 *   npm run strangers -- --sources DIR [--suite NAME] [--limit SECONDS] [--gpu ID] [--sample | --then-sample] [--twice] [--json FILE]
 *     [--measured] [--page FILE] [WORD…]
 *
 * DIR has a folder for each suite, named as in programs.json, which says of what repository and version. Words choose programs by their names,
 * or by parts of them where nothing is called so; the limit is for one program, compiling included. They run one after the other, with all
 * cores. `--sample` is that of recordings: what programs say of their results says nothing then, and where launches were not executed they end
 * as `sampled`. `--then-sample`: those that are at the limit are recorded again with `--sample`, from what was compiled the first time.
 * `--twice`: those that come to their end are recorded again with every launch executed, which has to give the same trace, byte for byte, and
 * may take ten times the limit; FILE's outcomes get to know that it did, and stay as they are. `--measured`: kernels of those that come to
 * their end, as samples too, beside what an H200 took. `--json` writes all outcomes; those that FILE has already of programs that are not run now stay. `--page` writes docs/what-runs.md of them, which is of
 * h200.json beside this file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SimsightError } from '../../engine/base/errors.ts';
import { releaseCompiler } from '../../engine/compile/index.ts';
import type { RecordProgress } from '../../engine/model/recording.ts';
import { FailedChecks } from '../../engine/recording/races.ts';
import { record } from '../../engine/recording/record.ts';
import type { RecordCall } from '../../engine/recording/types.ts';
import { openTrace } from '../../engine/trace/reader.ts';
import { compareWithMeasured, linesOfMeasured, summaryOfMeasured } from './measured.ts';
import { endings, type Conditions, type Ending, type Outcome, type Outcomes } from './outcomes.ts';
import { pageOf } from './page.ts';
import list from './programs.json' with { type: 'json' };

interface Stranger {
  suite: string;
  program: string;
  folder: string;
  sources: string[];
  includes: string[];
  defines: string[];
  arguments: string[];
  /** What its makefile has nvcc make before, for the program to load: the words after "nvcc". */
  builds?: string[][];
  /** GPUs of the machine, where one is not enough. */
  gpus?: number;
  /** The library or data file that is not in the suite. */
  needs?: string;
  /** What it does wrong, so that it says on an H200 too that its results are. */
  fails?: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sources: { type: 'string' },
    suite: { type: 'string' },
    limit: { type: 'string', default: '60' },
    gpu: { type: 'string', default: 'h200' },
    sample: { type: 'boolean', default: false },
    'then-sample': { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
    measured: { type: 'boolean', default: false },
    json: { type: 'string' },
    page: { type: 'string' },
  },
});
if (values.sources === undefined) {
  console.error('Name the folder of the suites with --sources; test/strangers/programs.json says what is in it.');
  process.exit(2);
}
const sources = resolve(values.sources);
/** Errors of programs against those that were measured. */
const errors: number[] = [];
const folder = mkdtempSync(join(tmpdir(), 'simsight-strangers-'));

/** The most memory that a child of this process has had, as Linux says it; 0 elsewhere. */
function memoryOfChildren(): number {
  try {
    const children = readdirSync(`/proc/${process.pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${process.pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
    );
    const most = children.map((pid) =>
      Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
    );
    return 1024 * Math.max(0, ...most);
  } catch {
    return 0;
  }
}

/** A tenth of a second is as much as is repeatable. */
const rounded = (seconds: number): number => Number(seconds.toFixed(1));

/** What is being done when the time is up. */
function describe({ phase, kernel, blocks }: RecordProgress): string {
  if (phase !== 'run') return `in the phase ${phase}`;
  if (kernel === null) return 'in host code';
  const share = blocks === null ? '' : `, ${((100 * blocks.done) / blocks.total).toFixed(1)} % of its blocks`;
  return `in launch ${kernel.launches + 1} of ${kernel.name}${share}`;
}

/** How long kernels take in a sampled recording beside one of all, by kernel, and all of them. */
function differences(sampled: string, all: string): string {
  const [some, whole] = [sampled, all].map((path) => {
    const trace = openTrace(path);
    const rows = trace.query(
      'SELECT s.value, sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName GROUP BY 1',
    );
    trace.close();
    return new Map(rows as [string, number][]);
  }) as [Map<string, number>, Map<string, number>];
  const total = (times: Map<string, number>): number => [...times.values()].reduce((sum, time) => sum + time, 0);
  const off = (one: number, other: number): string => `${((100 * one) / other - 100).toFixed(1).padStart(7)} %`;
  const lines = [...whole].map(([name, time]) => {
    const share = ((100 * time) / total(whole)).toFixed(0).padStart(4);
    return `${off(some.get(name) ?? 0, time)} ${share} % of the time  ${name.slice(0, 80)}`;
  });
  return [...lines, `${off(total(some), total(whole))}  all kernels`].join('\n');
}

/** Makes what the program loads, beside its sources; errors are what the command says. */
function build({ builds = [] }: Stranger, at: string): void {
  const cli = join(import.meta.dirname, '..', '..', 'engine', 'cli.ts');
  for (const words of builds) {
    // The cache is that of the recordings.
    const env = { ...process.env, SIMSIGHT_HOME: folder };
    const { status, stderr } = spawnSync(process.execPath, [cli, 'nvcc', ...words], { cwd: at, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`simsight nvcc ${words.join(' ')}: ${stderr}`);
  }
}

async function run(stranger: Stranger, sample: boolean): Promise<Outcome> {
  const at = join(sources, stranger.suite, stranger.folder);
  const start = performance.now();
  const phases: Outcome['phases'] = {};
  let [phase, since, launches, repeated, memory, last] = ['compile' as RecordProgress['phase'], start, 0, 0, 0, ''];
  const checks = new FailedChecks();
  let doing = '';
  let same = false;
  const enter = (next: RecordProgress['phase']): void => {
    const now = performance.now();
    phases[phase] = (phases[phase] ?? 0) + (now - since) / 1000;
    [phase, since] = [next, now];
  };
  const outcome = (ending: Ending, why = ''): Outcome => {
    enter(phase);
    const seconds = (performance.now() - start) / 1000;
    const executed = launches === 0 ? 1 : 1 - repeated / launches;
    return {
      suite: stranger.suite,
      program: stranger.program,
      ending,
      why,
      seconds: rounded(seconds),
      phases: Object.fromEntries(Object.entries(phases).map(([name, each]) => [name, rounded(each)])),
      launches,
      executed: Number(executed.toFixed(3)),
      memory,
      ...(same && { same }),
    };
  };
  const look = setInterval(() => (memory = Math.max(memory, memoryOfChildren())), 100);
  const signal = AbortSignal.timeout(1000 * Number(values.limit));
  const call: RecordCall = {
    sources: stranger.sources.map((source) => join(at, source)),
    includeFolders: stranger.includes.map((include) => join(at, include)),
    defines: stranger.defines,
    arguments: stranger.arguments,
    gpu: stranger.gpus === undefined ? values.gpu : `${stranger.gpus}x${values.gpu}`,
    environment: [],
    cacheFolder: join(folder, 'cache'),
    recordingsFolder: folder,
    // Many write their results beside their sources.
    writableFolder: at,
    output: join(folder, 'trace.simsight'),
    keepTrace: true,
    readsArguments: true,
    sample,
  };
  try {
    build(stranger, at);
    const result = await record({
      ...call,
      signal,
      onProgress: (progress) => {
        if (progress.phase !== phase) enter(progress.phase);
        ({ launches, repeated } = progress);
        doing = describe(progress);
        // What the compiler warns of says nothing of results.
        if (progress.phase === 'compile' || progress.phase === 'translate') return;
        for (const { text } of progress.console) {
          checks.take(text);
          last = text.trim().split('\n').at(-1) || last;
        }
      },
    });
    const { exitCode, failedKernel } = result;
    ({ launches } = result);
    repeated = result.repeated + result.timedOnly;
    const compared = values.measured ? compareWithMeasured(call.output!, nameOf(stranger)) : null;
    if (compared !== null) {
      console.log(linesOfMeasured(compared).join('\n'));
      errors.push(compared.error);
    }
    // Nothing stops a trace that is being stored.
    if (performance.now() - start > 1000 * Number(values.limit))
      return outcome('limit', `after ${values.limit} s, ${doing}`);
    if (values.twice && (result.timedOnly > 0 || !sample)) {
      const all = { ...call, executeAll: true, sample: false, output: join(folder, 'all.simsight') };
      const longest = AbortSignal.timeout(10_000 * Number(values.limit));
      await record({ ...all, signal: longest }).catch((error: unknown) => {
        if (!longest.aborted) throw error;
        console.log(
          `Executing every launch of ${nameOf(stranger)} takes longer than ten times the limit: not compared.`,
        );
      });
      if (!longest.aborted) {
        if (sample) console.log(differences(call.output!, all.output));
        const [one, other] = [readFileSync(call.output!), readFileSync(all.output)];
        if (!sample && !one.equals(other)) return outcome('differs', 'the trace is not that of executing all launches');
        same = !sample;
      }
    }
    if (result.timedOnly > 0) {
      const ended = exitCode === 0 ? '' : `, ended with exit code ${exitCode}`;
      return outcome('sampled', `${result.timedOnly} launches were timed and not executed${ended}`);
    }
    const saysSo = checks.end();
    const kernel = checks.expected ? null : failedKernel;
    if (exitCode === 0 && kernel === null && !saysSo) return outcome('right');
    if (exitCode === 0 && stranger.fails !== undefined)
      return outcome('right', `fails on an H200 too: ${stranger.fails}`);
    return outcome('wrong', kernel ?? (exitCode === 0 ? 'says so' : `exit code ${exitCode}: ${last}`));
  } catch (error) {
    if (signal.aborted) return outcome('limit', `after ${values.limit} s, ${doing}`);
    const isOurs = error instanceof SimsightError;
    const isWrong = isOurs && (error.code === 'host-program-failed' || error.code === 'kernel-failed');
    return outcome(isWrong ? 'wrong' : 'refused', isOurs ? error.message : String(error));
  } finally {
    clearInterval(look);
    for (const name of ['trace', 'all']) rmSync(join(folder, `${name}.simsight`), { force: true });
  }
}

const short = (text: string): string => text.split('\n')[0]!.slice(0, 120);
const ofSuite = (list.programs as Stranger[]).filter(
  ({ suite }) => values.suite === undefined || suite === values.suite,
);
const isName = (word: string): boolean => ofSuite.some(({ program }) => program === word);
const chosen = ofSuite.filter(
  ({ program }) =>
    positionals.length === 0 || positionals.some((word) => (isName(word) ? program === word : program.includes(word))),
);
const nameOf = ({ suite, program }: Pick<Outcome, 'suite' | 'program'>): string => `${suite} ${program}`;
const outcomes = new Map<string, Outcome>();
if (values.json !== undefined && existsSync(values.json)) {
  const earlier = JSON.parse(readFileSync(values.json, 'utf8')) as Outcomes;
  for (const outcome of earlier.outcomes) outcomes.set(nameOf(outcome), outcome);
}
const conditions: Conditions = {
  gpu: values.gpu,
  cores: availableParallelism(),
  limitSeconds: Number(values.limit),
  sample: values.sample,
  thenSample: values['then-sample'],
};

/** In the order of the list, whichever were run now, and with what it says now that they need. */
const inOrder = (): Outcome[] =>
  (list.programs as Stranger[]).flatMap((each): Outcome[] => {
    const outcome = outcomes.get(nameOf(each));
    if (outcome === undefined) return [];
    return [{ ...outcome, why: outcome.why.replaceAll(`${sources}/`, ''), needs: each.needs }];
  });
const writeJson = (): void => {
  if (values.json === undefined) return;
  const kept: Outcomes = { conditions, outcomes: inOrder() };
  writeFileSync(values.json, `${JSON.stringify(kept, null, 1)}\n`);
};

function show(outcome: Outcome): void {
  const { ending, seconds, launches, executed, memory, why } = outcome;
  const figures =
    `${seconds.toFixed(1).padStart(6)} s ${(memory / 2 ** 20).toFixed(0).padStart(6)} MiB ` +
    `${String(launches).padStart(7)} launches ${(100 * executed).toFixed(0).padStart(4)} %`;
  console.log(`${ending.padEnd(8)} ${figures}  ${nameOf(outcome).padEnd(44)} ${short(why)}`.trimEnd());
}

try {
  for (const stranger of chosen) {
    const isThere = existsSync(join(sources, stranger.suite, stranger.folder, stranger.sources[0] ?? ''));
    if (!isThere) {
      console.log(`absent   ${nameOf(stranger)}`);
      continue;
    }
    let outcome = await run(stranger, values.sample);
    show(outcome);
    if (outcome.ending === 'limit' && values['then-sample']) {
      outcome = await run(stranger, true);
      show(outcome);
    }
    const before = outcomes.get(nameOf(stranger));
    const stays = values.twice && before !== undefined && outcome.ending !== 'differs';
    const same = outcome.ending !== 'differs' && (outcome.same ?? before?.same);
    outcomes.set(nameOf(stranger), { ...(stays ? before : outcome), ...(same && { same }) });
    // What is done stays where a run of hours is broken off.
    writeJson();
  }
} finally {
  releaseCompiler();
  rmSync(folder, { recursive: true, force: true });
}

const all = inOrder();
const summary = [...new Set(all.map(({ suite }) => suite)), 'all'].map((suite) => {
  const own = all.filter((each) => suite === 'all' || each.suite === suite);
  const counts = endings.map((ending) => [ending, own.filter((each) => each.ending === ending).length] as const);
  return { suite, programs: own.length, ...Object.fromEntries(counts) };
});
console.table(summary);
if (errors.length > 0) console.log(summaryOfMeasured(errors));
if (values.page !== undefined) writeFileSync(values.page, await pageOf({ conditions, outcomes: all }, values.page));
