/** `simsight sweep`: its help. All else is loaded when it is asked for. */
import { choicesOf } from '../model/option-text.ts';
import { unset } from '../sweep/axes.ts';
import { metrics, sweepFormats, usualOptions } from '../sweep/choices.ts';
import { defaultGpu } from '../labs/index.ts';
import type { Command } from './command.ts';
import { flagChoices, helpLines, helpOf, spelled } from './option-flags.ts';
import { axisFlags, jobFlags, sweepOptions } from './sweep-options.ts';

const help = `usage: simsight sweep SOURCE.cu [SOURCE…] [axes] [options] [-- ARGUMENTS]
       simsight sweep --resume FOLDER | --show FOLDER
       simsight sweep SOURCE.cu … --emit slurm|kubernetes [--emit-to FOLDER]
       simsight sweep --run-job N FOLDER
       simsight sweep --collect FOLDER [FOLDER…] [-o FOLDER]

Records a program with every combination of the values given, and compares the times: a table, the best first, and a heat
map of two axes. A combination that cannot be compiled or launched is a row that says why.

  simsight sweep app.cu --gpu a100,h200 -D TILE=8,16,32
  simsight sweep app.cu --set BLOCK=64,128,256 --max-registers ${unset},32,64 -- {BLOCK} 1024

Axes: values between commas (\\, is a comma within one); "${unset}" leaves an option out
  --gpu LIST           GPUs (default ${defaultGpu}); 2xh200 is a machine with two
  -D NAME=LIST         a macro: block sizes, tile sizes; can be repeated
  --set NAME=LIST      values that {NAME} stands for, in arguments, in -D NAME=… and in --env; can be repeated
${helpOf(axisFlags, { argument: 'LIST', from: 23 })}

Options
  -m, --metric M       what is compared: ${Object.keys(metrics).join(', ')}, or the name of a kernel (default kernels: the time of
                       all of them; "kernel:duration" is a kernel of that name)
  -f, --format F       ${sweepFormats.join(', ')}; html is one file for a browser
  -o, --output FOLDER  where traces and results go (default: in the sweeps folder). The same command goes on with what is there
  -j, --jobs N         jobs at a time (default: as many as there are cores)
  --detail NAME        what traces keep: ${choicesOf('detail').join(', ')} (default ${usualOptions.detail})
${helpLines(jobFlags.map(spelled).join(', '), ['as for "record", for all jobs'], 23)}

A sweep that was interrupted
  --resume FOLDER      do the jobs that are not done, and those that were half done
  --retry-failed       with it: those that failed as well
  --show FOLDER        only print what there is

Beyond one machine
  --emit TARGET        write the jobs for Slurm (sweep.sbatch) or Kubernetes (job.yaml), with the program, into a folder for a
                       file system that all nodes see; --jobs is how many run at a time (default 50)
  --emit-to FOLDER     that folder (default: ./NAME-ID)
  --data PATH          a file or folder that the program reads, to be copied as well; can be repeated
  --command WORDS      how nodes call Simsight (default simsight)
  --image, --volume-claim, --volume-path
                       Kubernetes: the container's image, the claim of the volume, where on it the folder lies
  --run-job N FOLDER   do job N, from 0; with -o FOLDER elsewhere. --threads N: for blocks of a large grid
  --collect FOLDER…    put the results of these folders into one (-o, default the first), and print them

Exit code: 0 when any job has a time, 1 when none has or some could not be done, 2 for a wrong command line, 130 when
interrupted: the sweep can be resumed. --run-job: 0 when there is a result, though the job failed.
`;

export const sweep: Command = {
  name: 'sweep',
  options: sweepOptions,
  values: { ...flagChoices, format: sweepFormats, metric: Object.keys(metrics), emit: ['slurm', 'kubernetes'] },
  summary: 'record a program with many parameters, find the best; on one machine, Slurm or Kubernetes',
  help,
  run: async (words) => (await import('./sweep-runs.ts')).runSweepCommand(words),
};
