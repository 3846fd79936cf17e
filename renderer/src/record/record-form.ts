/** Text in the record dialog's fields, and the options it means: fields, values and complaints of the table of options. All pure. */
import { parseOption, refusalOf } from '../../../engine/model/option-text.ts';
import {
  fieldIds,
  fieldOf,
  rowOf,
  type FieldOption,
  type OptionId,
  type RecordOptions,
} from '../../../engine/model/record-options.ts';
import { joinArguments, splitArguments } from './command-line.ts';

/** As typed; lists are command lines. */
export interface RecordForm extends Record<FieldOption, string> {
  sources: string[];
  gpu: string;
  /** So many of it, in one machine. */
  gpuCount: number;
}

export function emptyForm(): RecordForm {
  const fields = fieldIds.map((id) => [id, usualOf(id)] as const);
  return { ...(Object.fromEntries(fields) as Record<FieldOption, string>), sources: [''], gpu: '', gpuCount: 1 };
}

const usualOf = (id: FieldOption): string => {
  const { type } = rowOf(id);
  return type.kind === 'choice' ? (type.usual ?? '') : '';
};

/** As {@link RecordOptions} names so many alike in one machine. */
export const gpusAlike = (count: number, gpu: string): string => (gpu && count > 1 ? `${count}x${gpu}` : gpu);

const isList = (id: OptionId): boolean => rowOf(id).type.kind === 'texts';

/** The words of a field; none where it says nothing but what is usual. */
function wordsOf(form: RecordForm, id: FieldOption): string[] {
  if (isList(id)) return splitArguments(form[id]);
  const text = form[id].trim();
  return text === usualOf(id) ? [] : [text];
}

/** Without what {@link complaintOf} complains of. */
export function optionsOf(form: RecordForm): RecordOptions {
  const given: Partial<Record<FieldOption, unknown>> = {};
  for (const id of fieldIds) {
    const values = wordsOf(form, id)
      .map((word) => parseOption(id, word))
      .filter((value) => value !== undefined);
    if (isList(id)) given[id] = values;
    else if (values.length > 0) given[id] = values[0];
  }
  return {
    ...(given as Pick<RecordOptions, FieldOption>),
    sources: form.sources.map((source) => source.trim()).filter(Boolean),
    gpu: gpusAlike(form.gpuCount, form.gpu),
  };
}

/** The reverse, for trying a failed recording again. */
export function formOf(options: RecordOptions): RecordForm {
  const [, count, gpu] = /^(\d)x([^,]+)$/.exec(options.gpu) ?? [];
  const fields = fieldIds.map((id) => {
    const value = options[id];
    return [id, Array.isArray(value) ? joinArguments(value) : String(value ?? usualOf(id))] as const;
  });
  return {
    ...(Object.fromEntries(fields) as Record<FieldOption, string>),
    sources: [...options.sources],
    gpu: gpu ?? options.gpu,
    gpuCount: Number(count ?? 1),
  };
}

/** Complaint about the form, one sentence or two, or null. The engine checks the rest. */
export function complaintOf(form: RecordForm): string | null {
  if (optionsOf(form).sources.length === 0) return 'Choose a CUDA source file first.';
  for (const id of fieldIds) {
    const bad = wordsOf(form, id).find((word) => parseOption(id, word) === undefined);
    if (bad === undefined) continue;
    const { refused, remedy } = refusalOf(id);
    return `${fieldOf(id).label}: “${bad}” ${refused}. ${remedy}`.trim();
  }
  return null;
}
