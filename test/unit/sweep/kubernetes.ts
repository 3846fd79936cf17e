/**
 * A manifest as the API server would take it: the schema of batch/v1 Job from Kubernetes' OpenAPI, with unknown fields refused as
 * `kubectl` does with strict validation. That schema lets them pass, so the fields of each object are those of its declaration.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Job } from 'kubernetes-models/batch/v1';
import { parse } from 'yaml';

const models = dirname(createRequire(import.meta.url).resolve('kubernetes-models/package.json'));
const meta = dirname(createRequire(join(models, 'x.js')).resolve('@kubernetes-models/apimachinery/package.json'));

/** Where objects lie that our manifests have, and which file declares their fields. */
const declarations: [path: RegExp, file: string][] = [
  [/^$/, join(models, 'batch/v1/Job.d.ts')],
  [/^\.metadata$|\.template\.metadata$/, join(meta, 'apis/meta/v1/ObjectMeta.d.ts')],
  [/^\.spec$/, join(models, 'batch/v1/JobSpec.d.ts')],
  [/^\.spec\.template$/, join(models, 'v1/PodTemplateSpec.d.ts')],
  [/^\.spec\.template\.spec$/, join(models, 'v1/PodSpec.d.ts')],
  [/\.containers\.\d+$/, join(models, 'v1/Container.d.ts')],
  [/\.env\.\d+$/, join(models, 'v1/EnvVar.d.ts')],
  [/\.resources$/, join(models, 'v1/ResourceRequirements.d.ts')],
  [/\.securityContext$/, join(models, 'v1/SecurityContext.d.ts')],
  [/\.volumeMounts\.\d+$/, join(models, 'v1/VolumeMount.d.ts')],
  [/\.volumes\.\d+$/, join(models, 'v1/Volume.d.ts')],
  [/\.persistentVolumeClaim$/, join(models, 'v1/PersistentVolumeClaimVolumeSource.d.ts')],
];
/** Any names are allowed in these. */
const maps = /\.labels$|\.annotations$|\.resources\.(requests|limits)$/;

export interface IndexedJob {
  metadata: { name: string };
  spec: {
    completionMode: string;
    completions: number;
    parallelism: number;
    template: {
      spec: { containers: { command: string[]; args: string[]; env: { name: string; value: string }[] }[] };
    };
  };
}

/** Throws at what Kubernetes would refuse. */
export function readJob(text: string): IndexedJob {
  const job = parse(text) as IndexedJob;
  new Job(job as never).validate();
  checkFields(job, '');
  // Checks of the server beside the schema: names are DNS labels, pods of an indexed job have a known number.
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(job.metadata.name)) throw new Error(`No name: ${job.metadata.name}`);
  return job;
}

function checkFields(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null || maps.test(path)) return;
  if (Array.isArray(value)) return value.forEach((each, i) => checkFields(each, `${path}.${i}`));
  const file = declarations.find(([pattern]) => pattern.test(path))?.[1];
  if (file === undefined) throw new Error(`Nobody says which fields ${path} has.`);
  const known = new Set([...readFileSync(file, 'utf8').matchAll(/^\s+"?(\w+)"?\??:/gm)].map(([, name]) => name));
  for (const [name, inner] of Object.entries(value)) {
    if (!known.has(name)) throw new Error(`unknown field "${`${path}.${name}`.slice(1)}"`);
    checkFields(inner, `${path}.${name}`);
  }
}
