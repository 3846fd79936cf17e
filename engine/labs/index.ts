/**
 * The labs that ship with the app: small CUDA programs with a "before" and one or more "after" variants, a folder each. All folders
 * with a `lab.json` are there: README.md says how to add one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab } from '../model/labs.ts';
import { SimsightError } from '../base/errors.ts';
import { labsFolder } from '../base/paths.ts';
import { labFile, labGroups, type LabFile, type LabGroup } from './lab-file.ts';

/** The lab that `npm start` records on a fresh machine. */
const firstLab = 'overlap';

function read(id: string): LabFile {
  const path = join(labsFolder, id, 'lab.json');
  try {
    return labFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new SimsightError('lab-damaged', `${path} is no description of a lab: ${(error as Error).message}`);
  }
}

const files: ReadonlyMap<string, LabFile> = new Map(
  readdirSync(labsFolder)
    .filter((id) => existsSync(join(labsFolder, id, 'lab.json')))
    .map((id) => [id, read(id)]),
);

/** Labs in the order of their groups, and of their titles within them. */
export const labs: readonly Lab[] = [...files]
  .map(([id, file]): Lab => ({
    id,
    title: file.title,
    group: labGroups[file.group],
    summary: file.summary,
    gpus: file.gpus,
    variants: file.variants.map(({ id: variant, title, arguments: words = [variant], defines }) => ({
      ...{ id: variant, title, defines },
      source: join(labsFolder, id, file.program),
      arguments: [...words, ...file.size],
    })),
  }))
  .sort((a, b) => placeOf(a.id) - placeOf(b.id) || a.title.localeCompare(b.title, 'en'));

function placeOf(id: string): number {
  return (Object.keys(labGroups) as LabGroup[]).indexOf(files.get(id)!.group);
}

export function labById(id: string): Lab {
  const lab = labs.find((each) => each.id === id);
  if (lab) return lab;
  throw new SimsightError(
    'unknown-lab',
    `There is no lab "${id}".`,
    `There are ${labs.map((each) => each.id).join(', ')}.`,
  );
}
export const defaultLab: Lab = labById(firstLab);

/** All that its `lab.json` says. */
export const labFileOf = ({ id }: Pick<Lab, 'id'>): LabFile => files.get(id)!;

/** Its page of explanation, Markdown. */
export const labPage = ({ id }: Pick<Lab, 'id'>): string => readFileSync(join(labsFolder, id, 'README.md'), 'utf8');
