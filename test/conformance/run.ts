/**
 * Runs the conformance programs and prints a table.
 *
 *   node build/run.mjs ./test/conformance/run.ts [WORD…] [--gpu ID]… [--workers N] [--home DIR] [--json FILE]
 *
 * Exit code 1 when one fails.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { folderWithCccl, usualFolders } from '../../engine/compile/cccl.ts';
import { defaultGpus, findPrograms, fits, runProgram, type Outcome } from './programs.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gpu: { type: 'string', multiple: true },
    workers: { type: 'string', default: '1' },
    home: { type: 'string' },
    json: { type: 'string' },
  },
});
const gpus = values.gpu ?? defaultGpus;
const programs = findPrograms(positionals);
const hasCccl = folderWithCccl(usualFolders()) !== null;
const skipped = hasCccl ? [] : programs.filter((program) => program.needsCccl);
const tasks = programs
  .filter((program) => !skipped.includes(program))
  .flatMap((program) => gpus.filter((gpu) => fits(program, gpu)).map((gpu) => ({ program, gpu })));
const sayWhatIsSkipped = (): void => {
  if (skipped.length > 0)
    console.log(
      `SKIPPED: ${skipped.length} programs, as this machine has no copy of CCCL (CUDA toolkit, or CUDA_HOME).`,
    );
};
sayWhatIsSkipped();
if (tasks.length === 0 && skipped.length === 0) {
  console.error(`No program's name contains ${positionals.join(' or ')}.`);
  process.exit(2);
}

const results: (Outcome & { program: string; gpu: string })[] = [];
const start = performance.now();
const queue = tasks.values();
async function work(): Promise<void> {
  for (const { program, gpu } of queue) {
    const outcome = await runProgram(program, gpu, {
      ...(values.home === undefined ? {} : { home: values.home }),
      // Thrust and CUB take a while to compile the first time.
      ...(program.needsCccl ? { timeoutMs: 600_000 } : {}),
    });
    results.push({ program: program.name, gpu, ...outcome });
    const seconds = (outcome.milliseconds / 1000).toFixed(1).padStart(5);
    console.log(
      `${outcome.passed ? 'pass' : 'FAIL'} ${gpu.padEnd(6)} ${seconds} s  ${program.name.padEnd(32)} ${outcome.failure}`,
    );
  }
}
await Promise.all(Array.from({ length: Math.min(Number(values.workers), 2) }, work));

const failed = results.filter(({ passed }) => !passed).length;
console.log(
  `${results.length - failed} of ${results.length} passed in ${((performance.now() - start) / 1000).toFixed(0)} s`,
);
sayWhatIsSkipped();
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
process.exitCode = failed > 0 ? 1 : 0;
