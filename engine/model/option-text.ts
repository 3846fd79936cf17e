/** Text forms of option values, read and refused alike on the command line, in the dialog and in sweeps. */
import { rowOf, type Catalogues, type OptionId, type OptionType } from './record-options.ts';

/** The choices of an option in the order of the table, or the names of its catalogue. */
export function choicesOf(id: OptionId, catalogues?: Catalogues): readonly string[] {
  const { type } = rowOf(id);
  if (type.kind === 'name') return catalogues?.[type.of].names ?? [];
  return type.kind === 'choice' || type.kind === 'choices' ? Object.keys(type.choices) : [];
}

/** No name of a file has a NUL in it, nor has an argument of a program. */
export const isText = (text: string): boolean => text.length <= mostCharacters && !text.includes('\0');
export const mostCharacters = 4096;

const decimal = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const units = ['', 'K', 'M', 'G'];

/** `48K`, with powers of 1024; parts of a byte are left out where there is a unit. NaN where it is no number of bytes. */
function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^(.*?)([KMG]?)$/i.exec(text) ?? [];
  if (!decimal.test(number)) return NaN;
  const bytes = Number(number) * 1024 ** units.indexOf(unit.toUpperCase());
  return unit === '' ? bytes : Math.floor(bytes);
}

/** The number that a text is, NaN where it is none. */
function numberOf(type: OptionType, text: string): number {
  if (type.kind === 'bytes') return bytesOf(text);
  if (type.kind === 'number') return decimal.test(text) ? Number(text) : NaN;
  const digits = type.kind === 'percent' ? text.replace(/\s*%$/, '') : text;
  return /^\d+$/.test(digits) ? Number(digits) : NaN;
}

/** True if the option accepts the number: bounds of schema and parser. */
export function isWithin(type: OptionType, value: number): boolean {
  switch (type.kind) {
    case 'integer':
      return Number.isInteger(value) && value >= type.least && value <= type.most;
    case 'percent':
      return Number.isInteger(value) && value >= 0 && value <= 100;
    case 'bytes':
      return Number.isInteger(value) && value >= type.least && value <= (type.most ?? Number.MAX_SAFE_INTEGER);
    case 'number':
      return value > 0 && value <= (type.most ?? Number.MAX_VALUE);
    default:
      return false;
  }
}

/**
 * The value that a person wrote, of one word; of options that are lists, one of their values. Undefined where the option cannot have
 * it: {@link refusalOf} says why.
 */
export function parseOption(id: OptionId, word: string): string | number | boolean | undefined {
  const { type, flag } = rowOf(id);
  const text = word.trim();
  switch (type.kind) {
    case 'switch':
      return true;
    case 'text':
    case 'path':
    case 'name':
    case 'paths':
      return isText(word) ? word : undefined;
    case 'texts': {
      // People paste from command lines: -DNAME=1 means NAME=1.
      const own = flag?.short !== undefined && word.startsWith(`-${flag.short}`) ? word.slice(2) : word;
      return isText(own) && (type.pattern?.test(own) ?? true) ? own : undefined;
    }
    case 'choice':
    case 'choices':
      return Object.hasOwn(type.choices, text) ? text : undefined;
    default: {
      const value = numberOf(type, text);
      return isWithin(type, value) ? value : undefined;
    }
  }
}

/** The message's end after a refused value, and the remedy. */
export function refusalOf(id: OptionId): { refused: string; remedy: string } {
  const { type, refused, remedy } = rowOf(id);
  const usual = usualRefusal(type, choicesOf(id).join(', '));
  // The refusal lists the choices already.
  if (refused === undefined && type.kind.startsWith('choice')) return { ...usual, remedy: '' };
  return { refused: refused ?? usual.refused, remedy: remedy ?? usual.remedy };
}

function usualRefusal(type: OptionType, choices: string): { refused: string; remedy: string } {
  switch (type.kind) {
    case 'choice':
    case 'choices':
      return { refused: `is not one of ${choices}`, remedy: `Use one of ${choices}.` };
    case 'integer':
      return { refused: `is not a whole number from ${type.least} to ${type.most}`, remedy: '' };
    case 'percent':
      return { refused: 'is not a percentage', remedy: 'Use 0 to 100.' };
    case 'bytes':
      return { refused: 'is not a number of bytes', remedy: 'Write 8192, or 8K.' };
    case 'number':
      return {
        refused: 'is not a positive number',
        remedy: type.most === undefined ? '' : `The maximum is ${type.most}.`,
      };
    default:
      return { refused: 'is too long or contains a NUL', remedy: '' };
  }
}
