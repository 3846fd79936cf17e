/**
 * A sweep as jobs that need nothing of each other, for machines that share a file system: a folder that holds the program,
 * the manifest, a line of JSON for each job, and what the scheduler is given. Each job is `simsight sweep --run-job N FOLDER` and
 * writes its result into the same folder; `simsight sweep --collect FOLDER` then has the whole.
 *
 * The program lies in the folder as files, for Kubernetes as well: a ConfigMap would hold a megabyte, and traces have to go to
 * a volume in any case.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import { replaceFile } from '../base/replace-file.ts';
import { ownTarget } from '../base/targets.ts';
import { labelOf } from './axes.ts';
import {
  checkSweepIn,
  makeManifest,
  manifestName,
  pathIn,
  writeManifest,
  type SweepManifest,
  type SweepRequest,
} from './manifest.ts';
import { commonFolder } from './sources.ts';

export const targets = ['slurm', 'kubernetes'] as const;
export type Target = (typeof targets)[number];

export interface EmitOptions {
  target: Target;
  /** Jobs at a time. */
  parallel: number;
  /** How a job calls Simsight; for Slurm words of a shell. */
  command: string;
  /** Kubernetes: the container's image, and the claim of the volume that the folder lies on. */
  image: string;
  volumeClaim: string;
  /** Path on the volume. */
  volumePath: string;
}

/** Slurm's own `MaxArraySize` is 1001 unless the site has another: with more jobs, a task does several. */
export const mostTasks = 1000;

const mountPath = '/sweep';
/** Resources requested per job: host and GPU memory hold at most 4 GB each, of which most programs touch little. */
const cores = 2;
const memoryGb = 6;

/** Returns the files that were written for the scheduler. */
export function emitSweep(folder: string, request: SweepRequest, options: EmitOptions): string[] {
  const full = resolve(folder);
  const odd = /[^\w./:=@%+, -]/.exec(options.command);
  if (odd) throw new SimsightError('usage', `The command "${options.command}" contains a ${odd[0]}.`, 'Name a script.');
  if (existsSync(full) && readdirSync(full).length > 0 && !existsSync(join(full, manifestName))) {
    throw new SimsightError(
      'file-not-allowed',
      `${folder} is not empty, and does not contain a sweep.`,
      'Choose another folder.',
      {
        file: full,
      },
    );
  }
  checkSweepIn(full, makeManifest(full, request), 'Choose another folder with --emit-to.');
  mkdirSync(full, { recursive: true });
  const manifest = makeManifest(full, copyProgram(full, request));
  writeManifest(full, manifest);
  const jobs = manifest.jobs.map(({ id, point }, index) => ({
    index,
    id,
    parameters: Object.fromEntries(manifest.axes.map(({ name }, i) => [name, point[i]!])),
    label: labelOf(manifest.axes, point),
    arguments: ['sweep', '--run-job', String(index), '.'],
  }));
  const write = (name: string, text: string): string => {
    replaceFile(join(full, name), text);
    return join(full, name);
  };
  const list = write('jobs.jsonl', jobs.map((job) => `${JSON.stringify(job)}\n`).join(''));
  if (options.target === 'slurm') {
    mkdirSync(join(full, 'logs'), { recursive: true });
    const script = write('sweep.sbatch', slurmScript(manifest, options));
    chmodSync(script, 0o755);
    return [script, list];
  }
  return [write('job.yaml', kubernetesJob(manifest, options)), list];
}

/** The same files, as they lie to each other, below `program/`; the request with where they are now. */
function copyProgram(folder: string, request: SweepRequest): SweepRequest {
  const { files } = makeManifest(folder, request);
  const paths = files.map(({ path }) => resolve(pathIn(folder, path)));
  const includeFolders = request.includeFolders.map((path) => resolve(path));
  const common = commonFolder([...paths.map(dirname), ...includeFolders]);
  const moved = (path: string): string => join(folder, 'program', relative(common, resolve(path)));
  for (const path of paths) {
    mkdirSync(dirname(moved(path)), { recursive: true });
    copyFileSync(path, ownTarget(moved(path)));
  }
  for (const path of includeFolders) mkdirSync(moved(path), { recursive: true });
  return {
    ...request,
    sources: request.sources.map(moved),
    includeFolders: includeFolders.map(moved),
    data: files.flatMap(({ role }, i) => (role === 'data' ? [moved(paths[i]!)] : [])),
  };
}

/** A name that schedulers take: of a label of DNS (RFC 1123), at most 63 letters. */
export function nameOf({ title, fingerprint }: SweepManifest): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return `simsight-${words || 'sweep'}-${fingerprint.slice(0, 8)}`;
}

/** sbatch reads its options from the comments at the top, as they are: it expands no variables in them. */
function slurmScript(manifest: SweepManifest, { parallel, command }: EmitOptions): string {
  const jobs = manifest.jobs.length;
  const tasks = Math.min(jobs, mostTasks);
  return `#!/bin/bash
#SBATCH --job-name=${nameOf(manifest)}
#SBATCH --array=0-${tasks - 1}%${Math.min(parallel, tasks)}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=${cores}
#SBATCH --mem=${memoryGb}G
#SBATCH --output=logs/%A_%a.log

# A sweep of ${jobs} jobs. Submit it from the folder that it lies in, on a file system that all nodes see:
#
#   cd FOLDER && sbatch sweep.sbatch
#   simsight sweep --collect FOLDER
#
# Submitted again, it does what is missing. SIMSIGHT is the command that runs Simsight, SIMSIGHT_HOME where it keeps compiled
# programs.

set -u
folder="\${SLURM_SUBMIT_DIR:-$PWD}"
status=0
# ${jobs} jobs on ${tasks} tasks.
for ((job = SLURM_ARRAY_TASK_ID; job < ${jobs}; job += ${tasks})); do
  \${SIMSIGHT:-${command}} sweep --run-job "$job" --threads ${cores} "$folder" || status=$?
done
exit "$status"
`;
}

/** JSON's strings and lists are YAML's. */
function kubernetesJob(manifest: SweepManifest, options: EmitOptions): string {
  const { image, volumeClaim, volumePath, parallel, command } = options;
  const jobs = manifest.jobs.length;
  const text = (value: string): string => JSON.stringify(value);
  const name = nameOf(manifest);
  return `# A sweep of ${jobs} jobs. The folder that this file lies in has to be on the volume of the claim
# ${volumeClaim}, which pods can write to at once (ReadWriteMany), at ${volumePath === '' ? 'its top' : volumePath}:
#
#   kubectl cp FOLDER POD-WITH-THE-VOLUME:/PATH
#   kubectl apply -f job.yaml
#   kubectl cp POD-WITH-THE-VOLUME:/PATH FOLDER && simsight sweep --collect FOLDER
#
# Applied again after "kubectl delete job ${name}", it does what is missing.
apiVersion: batch/v1
kind: Job
metadata:
  name: ${text(name)}
  labels:
    app.kubernetes.io/name: simsight
    app.kubernetes.io/component: sweep
spec:
  completionMode: Indexed
  completions: ${jobs}
  parallelism: ${Math.min(parallel, jobs)}
  # A pod that is evicted is tried again; a configuration that fails is a result, and its pod succeeds.
  backoffLimitPerIndex: 2
  template:
    metadata:
      labels:
        app.kubernetes.io/name: simsight
        app.kubernetes.io/component: sweep
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      containers:
        - name: simsight
          image: ${text(image)}
          # Kubernetes sets JOB_COMPLETION_INDEX.
          command: ["/bin/sh", "-c"]
          args: [${text(`exec ${command} sweep --run-job "$JOB_COMPLETION_INDEX" --threads ${cores} "$SWEEP_FOLDER"`)}]
          env:
            - name: SWEEP_FOLDER
              value: ${text(mountPath)}
            - name: SIMSIGHT_HOME
              value: /tmp/simsight
          resources:
            requests: { cpu: "${cores}", memory: ${memoryGb}Gi }
            limits: { memory: ${memoryGb}Gi }
          securityContext:
            allowPrivilegeEscalation: false
          volumeMounts:
            - name: sweep
              mountPath: ${text(mountPath)}
${volumePath === '' ? '' : `              subPath: ${text(volumePath)}\n`}      volumes:
        - name: sweep
          persistentVolumeClaim:
            claimName: ${text(volumeClaim)}
`;
}
