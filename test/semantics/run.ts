/**
 * Evaluates the suite of operations on the simulated device and compares with what a GPU computed; so random kernels with
 * what the host computes, and the first thousand with what a GPU did.
 *
 *   node build/run.mjs ./test/semantics/run.ts [WORD…] [--form FORM]… [--generated N] [--from N]
 *                      [--most N] [--json FILE] [--write DIR] [--golden DIR --card TEXT]
 *
 * With words, entries and programs whose names hold one. Forms (programs.ts): how operands reach the operations; lanes and
 * constants if none is given. `--write` writes the programs for a real GPU (`nvcc -arch=sm_90 -O3 -std=c++17`; each takes the file
 * that it writes to, NAME.bin), `--golden` makes the reference files of what they wrote. Exit code 1 on a mismatch.
 */
import { fork } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, describe } from './compare.ts';
import type { Entry } from './entry.ts';
import { expectedOf, readGolden, readRandom, writeGolden, writeRandom } from './golden.ts';
import {
  deviceText,
  type Form,
  forms,
  hasConstants,
  hostText,
  lanes,
  type Program,
  programsOf,
  quadsOf,
  resultsOf,
} from './programs.ts';
import { deviceTextOf, digest, evaluate, hostTextOf, kernelBytes, simulateKernels } from './random.ts';
import { simulate } from './simulate.ts';
import { tupleCount } from './values.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    form: { type: 'string', multiple: true, default: ['lanes', 'constants'] },
    generated: { type: 'string', default: '48' },
    from: { type: 'string', default: '0' },
    most: { type: 'string', default: '20' },
    json: { type: 'string' },
    write: { type: 'string' },
    golden: { type: 'string' },
    card: { type: 'string', default: '' },
    part: { type: 'string' },
  },
});

/** Random kernels that a GPU has run. */
const measured = 1000;
const processes = 2;
/** How many are one program: Clang takes its time to start, and has a limit. */
const largestBatch = 80;

interface Outcome {
  name: string;
  entries: number;
  tuples: number;
  approximations: number;
  /** Largest distance of approximations, in ulp, unless the absolute distance is bounded. */
  largest: { name: string; distance: number };
  wrong: string[];
  kernels: number;
  wrongKernels: string[];
}
const none = (name = ''): Outcome => ({
  name,
  ...{ entries: 0, tuples: 0, approximations: 0, largest: { name: '', distance: 0 }, wrong: [] },
  ...{ kernels: 0, wrongKernels: [] },
});

const programs = (): Program[] =>
  programsOf(({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)));
const numbers = (): number[] => Array.from({ length: Number(values.generated) }, (_, i) => Number(values.from) + i);

/** The tuple that is constant in a program: another one in the next. */
const constantOf = (program: number): number => (37 * program + Number(values.from)) % 128;

const asked = (): Form[] =>
  values.form.map((name) => {
    const form = forms.find((known) => known.name === name);
    if (form === undefined)
      throw new Error(`There is no form "${name}": there are ${forms.map(({ name }) => name).join(', ')}.`);
    return form;
  });

async function checkProgram(list: Program[], index: number, golden: Map<string, Buffer>): Promise<Outcome> {
  const program = list[index]!;
  const outcome = none(program.name);
  outcome.entries = program.kernels.reduce((sum, { entries }) => sum + entries.length, 0);
  const chosen = [constantOf(index)];
  const each = asked();
  const found = await simulate(program, each, chosen);
  each.forEach((form, k) => {
    for (const [entry, results] of found[k]!) checkEntry(outcome, entry, results, form, chosen, golden);
  });
  return outcome;
}

function checkEntry(
  outcome: Outcome,
  entry: Entry,
  found: bigint[],
  form: Form,
  constants: readonly number[],
  golden: Map<string, Buffer>,
): void {
  if (hasConstants(form) && entry.isUndefined) return;
  outcome.tuples += found.length;
  if (entry.within !== undefined && form.name === values.form[0]) outcome.approximations++;
  const data = golden.get(entry.name);
  if (data === undefined) {
    outcome.wrong.push(`${entry.name}: no GPU has measured it`);
    return;
  }
  const expected = expectedOf(entry, data);
  const { mismatches, distance } = compare(entry, found, expected, hasConstants(form) ? constants : undefined);
  if (distance > outcome.largest.distance) outcome.largest = { name: entry.name, distance };
  const how = form === lanes ? '' : `, ${form.name}`;
  if (mismatches.length > 0)
    outcome.wrong.push(`${describe(mismatches[0]!)} (${mismatches.length} of ${found.length}${how})`);
}

async function checkKernels(list: readonly number[], digests: readonly string[]): Promise<Outcome> {
  const outcome = none(`random kernels from ${list[0]} on`);
  const found = await simulateKernels(list);
  list.forEach((number, i) => {
    outcome.kernels++;
    const mine = digest(found[i]!);
    if (mine !== digest(evaluate(number))) outcome.wrongKernels.push(`random kernel ${number} is another on the host`);
    else if (number < measured && mine !== digests[number])
      outcome.wrongKernels.push(`random kernel ${number} is another on a GPU`);
  });
  return outcome;
}

type Task = { program: number } | { kernels: number[] };
function tasks(): Task[] {
  const all: Task[] = programs().map((_, program) => ({ program }));
  const wanted = numbers();
  const batch = Math.min(largestBatch, Math.ceil(wanted.length / processes));
  for (let at = 0; at < wanted.length; at += batch) all.push({ kernels: wanted.slice(at, at + batch) });
  return all;
}

/** One of the processes: does what it is sent. */
async function serve(): Promise<void> {
  const [list, golden, digests] = [programs(), readGolden(), readRandom()];
  let turn = Promise.resolve();
  process.on('message', (task: Task) => {
    turn = turn.then(async () => {
      const outcome = await ('program' in task
        ? checkProgram(list, task.program, golden)
        : checkKernels(task.kernels, digests));
      process.send!(outcome);
    });
  });
  process.on('disconnect', () => process.exit());
}

async function check(): Promise<void> {
  const start = performance.now();
  const queue = tasks().values();
  const sum = none();
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = fork(import.meta.filename, [...process.argv.slice(2), '--part', '1']);
      const next = (): void => {
        const { value, done } = queue.next();
        if (done !== true) child.send(value as Task);
        else {
          child.disconnect();
          resolve();
        }
      };
      child.on('message', (outcome: Outcome) => {
        for (const key of ['entries', 'tuples', 'approximations', 'kernels'] as const) sum[key] += outcome[key];
        sum.wrong.push(...outcome.wrong);
        sum.wrongKernels.push(...outcome.wrongKernels);
        if (outcome.largest.distance > sum.largest.distance) sum.largest = outcome.largest;
        const wrong = [...outcome.wrong, ...outcome.wrongKernels];
        const seconds = ((performance.now() - start) / 1000).toFixed(0).padStart(4);
        console.log(`${seconds} s  ${outcome.name}: ${outcome.entries + outcome.kernels}, ${wrong.length} wrong`);
        for (const line of wrong.slice(0, Number(values.most))) console.log(`  ${line}`);
        next();
      });
      child.on('exit', (code) => code !== 0 && reject(new Error(`a process of the suite ended with ${code}`)));
      next();
    });
  await Promise.all(Array.from({ length: processes }, work));
  const { wrong, wrongKernels, largest } = sum;
  console.log(
    `${sum.entries} entries over ${sum.tuples} tuples of operands, ${wrong.length} with mismatches; ${sum.entries - sum.approximations} to the bit, ${sum.approximations} within documented bounds (at most ${largest.distance} ulp from the GPU's: ${largest.name})`,
  );
  const onGpu = numbers().filter((number) => number < measured).length;
  console.log(
    `${sum.kernels} random kernels against the host, ${onGpu} of them against a GPU, ${wrongKernels.length} mismatches; ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(sum, null, 2)}\n`);
  process.exitCode = wrong.length + wrongKernels.length > 0 ? 1 : 0;
}

const batches = (): { name: string; list: number[] }[] =>
  Array.from({ length: measured / 50 }, (_, k) => ({
    name: `random${k}`,
    list: Array.from({ length: 50 }, (_, i) => 50 * k + i),
  }));

function write(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const program of programsOf())
    writeFileSync(join(folder, `${program.name}.cu`), deviceText(program) + hostText(program));
  for (const { name, list } of batches())
    writeFileSync(join(folder, `${name}.cu`), deviceTextOf(list) + hostTextOf(list));
}

function makeGolden(folder: string): void {
  const wordsOf = (name: string): Uint32Array => {
    const data = readFileSync(join(folder, `${name}.bin`));
    return new Uint32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  };
  const results: [Entry, bigint[]][] = [];
  for (const { name, kernels } of programsOf()) {
    const words = wordsOf(name);
    let at = 0;
    for (const kernel of kernels) {
      const size = 4 * tupleCount(kernel.inputs.length) * quadsOf(kernel);
      results.push(...resultsOf(kernel, words.subarray(at, at + size)));
      at += size;
    }
    if (at !== words.length) throw new Error(`${name}.bin is not of this version's ${name}.cu`);
  }
  writeGolden(values.card, results);
  const each = kernelBytes / 4;
  writeRandom(
    values.card,
    batches().flatMap(({ name, list }) => list.map((_, i) => digest(wordsOf(name).slice(i * each, (i + 1) * each)))),
  );
}

if (values.part !== undefined) await serve();
else if (values.write !== undefined) write(values.write);
else if (values.golden !== undefined) makeGolden(values.golden);
else await check();
