/** Options of recordings on the command line: their flags, help, completion, and what is given. All of it comes from the table of options. */
import { defaultGpu, gpus } from '../gpus/index.ts';
import { choicesOf, parseOption, refusalOf } from '../model/option-text.ts';
import {
  flagIds,
  flagOf,
  rowOf,
  type Catalogues,
  type FlagName,
  type FlagOf,
  type FlagOption,
  type OptionId,
  type RecordOptions,
} from '../model/record-options.ts';
import { defaultHost, hostProfiles } from '../system/hosts.ts';
import { usageError, type Options } from './command.ts';

const catalogues: Catalogues = {
  gpus: { names: gpus.map(({ id }) => id), usual: defaultGpu },
  hosts: { names: hostProfiles.map(({ id }) => id), usual: defaultHost.id },
};

type Flags<Id extends FlagOption> = { [Each in Id as FlagName<Each>]: FlagOf<Each> & { short?: string } };

/** Definitions of these flags for `parseArgs`. */
export function flagsOf<Id extends FlagOption>(ids: readonly Id[]): Flags<Id> {
  const flags: Options = {};
  for (const id of ids) {
    const { kind } = rowOf(id).type;
    const { name, short } = flagOf(id);
    flags[name] = {
      type: kind === 'switch' ? 'boolean' : 'string',
      multiple: kind === 'texts' || kind === 'choices',
      ...(short === undefined ? {} : { short }),
    };
  }
  return flags as Flags<Id>;
}

/** Values that completion offers after a flag. */
export const flagChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  flagIds.flatMap((id) => {
    const choices = choicesOf(id, catalogues);
    return choices.length > 0 ? [[flagOf(id).name, choices]] : [];
  }),
);

/** Flag as people write it: `-D`, `--env`. */
export function spelled(id: FlagOption): string {
  const { name, short } = flagOf(id);
  return short === undefined ? `--${name}` : `-${short}`;
}

/** The value of a flag, or of one of several; `flag`, where it has another name. Throws `usage`, with the flag and what to write instead. */
export function flagValue(
  command: string,
  id: FlagOption,
  word: string,
  flag = spelled(id),
): string | number | boolean {
  const value = parseOption(id, word);
  if (value !== undefined) return value;
  const { refused, remedy } = refusalOf(id);
  throw usageError(`${command}: ${flag} ${word} ${refused}.`, remedy);
}

/** The options that flags give. Throws `usage`. */
export function optionsGiven(
  command: string,
  values: Readonly<Record<string, unknown>>,
): Partial<Pick<RecordOptions, FlagOption>> {
  const given: Partial<Record<OptionId, unknown>> = {};
  for (const id of flagIds) {
    const value = values[flagOf(id).name] as string | string[] | boolean | undefined;
    if (Array.isArray(value)) given[id] = value.map((word) => flagValue(command, id, word));
    else if (value !== undefined) given[id] = typeof value === 'boolean' ? value : flagValue(command, id, value);
  }
  return given as Partial<Pick<RecordOptions, FlagOption>>;
}

/** Columns at which texts of help usually begin, and at which they end. */
const textColumn = 20;
const lastColumn = 124;

/** Lines of help, one or several for each flag; `argument` in the place of their own, `from` the column of texts. */
export const helpOf = (
  ids: readonly FlagOption[],
  { argument, from = textColumn }: { argument?: string; from?: number } = {},
): string =>
  ids
    .map((id) => {
      const head = [spelled(id), argument ?? flagOf(id).argument].filter(Boolean).join(' ');
      return helpLines(head, textsOf(id), from);
    })
    .join('\n');

/** Help text of a flag, with a line for each of its choices. */
function textsOf(id: FlagOption): string[] {
  const { type } = rowOf(id);
  const names = choicesOf(id, catalogues).join(', ');
  const usual = type.kind === 'name' ? catalogues[type.of].usual : type.kind === 'choice' ? (type.usual ?? '') : '';
  const words = type.kind === 'choice' || type.kind === 'choices' ? Object.entries(type.choices) : [];
  return [
    flagOf(id).help.replace('{names}', names).replace('{usual}', usual),
    ...words.flatMap(([name, meaning]) => (meaning === '' ? [] : [`${name}: ${meaning}`])),
  ];
}

/** Texts beside flags, or below where there is no room. */
export function helpLines(flags: string, texts: readonly string[], from = textColumn): string {
  const heads = wrapped(flags, lastColumn - 2).map((line) => `  ${line}`);
  const lines = texts.flatMap((text) => wrapped(text, lastColumn - from)).map((line) => ' '.repeat(from) + line);
  const last = heads.at(-1)!;
  if (last.length < from) {
    heads.pop();
    lines[0] = last.padEnd(from) + lines[0]!.trimStart();
  }
  return [...heads, ...lines].join('\n');
}

/** Lines of at most so many characters. */
function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
