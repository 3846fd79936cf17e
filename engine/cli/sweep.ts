/** `simsight sweep`: its help. All else is loaded when it is asked for. */
import { choicesOf } from '../model/option-text.ts';
import { unset } from '../sweep/axes.ts';
import { metrics, sweepFormats, usualOptions } from '../sweep/choices.ts';
import { defaultGpu } from '../gpus/index.ts';
import type { Command } from './command.ts';
import { flagChoices, helpLines, helpOf, spelled } from './option-flags.ts';
import { axisFlags, jobFlags, sweepOptions } from './sweep-options.ts';

const help = `usage: simsight sweep SOURCE.cu [SOURCE…] [axes] [options] [-- ARGUMENTS]
       simsight sweep --resume FOLDER | --show FOLDER
       simsight sweep SOURCE.cu … --emit slurm|kubernetes [--emit-to FOLDER]
       simsight sweep --run-job N FOLDER
       simsight sweep --collect FOLDER [FOLDER…] [-o FOLDER]

Records a program with every combination of the given values and compares the times: a table, best first, and a heat map
of two axes. A combination that cannot be compiled or launched is a row with the reason.

  simsight sweep app.cu --gpu a100,h200 -D TILE=8,16,32
  simsight sweep app.cu --set BLOCK=64,128,256 --max-registers ${unset},32,64 -- {BLOCK} 1024

Axes: values separated by commas (\\, is a literal comma); "${unset}" leaves an option out
  --gpu LIST           GPUs (default ${defaultGpu}); 2xh200 is a machine with two
  -D NAME=LIST         a macro: block sizes, tile sizes; can be repeated
  --set NAME=LIST      values of {NAME} in arguments, in -D NAME=… and in --env; can be repeated
${helpOf(axisFlags, { argument: 'LIST', from: 23 })}

Options
  -m, --metric M       metric to compare: ${Object.keys(metrics).join(', ')}, or a kernel name (default kernels: the time of
                       all kernels; "kernel:duration" is a kernel of that name)
  -f, --format F       ${sweepFormats.join(', ')}; html is one self-contained file
  -o, --output FOLDER  folder for traces and results (default: in the sweeps folder). Repeating the command resumes the sweep
  -j, --jobs N         jobs to run at a time (default: number of cores)
  --detail NAME        detail of traces: ${choicesOf('detail').join(', ')} (default ${usualOptions.detail})
${helpLines(jobFlags.map(spelled).join(', '), ['as for "record", for all jobs'], 23)}

Interrupted sweeps
  --resume FOLDER      run the jobs that have not finished
  --retry-failed       with --resume: rerun failed jobs as well
  --show FOLDER        print the results so far

Beyond one machine
  --emit TARGET        write the jobs for Slurm (sweep.sbatch) or Kubernetes (job.yaml), with the program, to a folder for a
                       file system that all nodes share; --jobs limits jobs at a time (default 50)
  --emit-to FOLDER     that folder (default: ./NAME-ID)
  --data PATH          file or folder that the program reads, to copy as well; can be repeated
  --command WORDS      command that starts Simsight on nodes (default simsight)
  --image, --volume-claim, --volume-path
                       Kubernetes: container image, volume claim, path of the folder on the volume
  --run-job N FOLDER   run job N, from 0; -o FOLDER stores its result elsewhere. --threads N: threads for large grids
  --collect FOLDER…    merge the results of these folders into one (-o, default the first), and print them

Exit code: 0 if any job has a time, 1 if none has or some could not run, 2 for a wrong command line, 130 if interrupted
(the sweep can be resumed). --run-job: 0 if there is a result, even of a failed job.
`;

export const sweep: Command = {
  name: 'sweep',
  options: sweepOptions,
  values: { ...flagChoices, format: sweepFormats, metric: Object.keys(metrics), emit: ['slurm', 'kubernetes'] },
  help,
  run: async (words) => (await import('./sweep-runs.ts')).runSweepCommand(words),
};
