/** The schemas of options: of the API's calls and of `sweep.json`. They take what {@link parseOption} gives, and nothing else. */
import { z } from 'zod';
import { choicesOf, isWithin, mostCharacters, refusalOf } from './option-text.ts';
import { requiredIds, rowOf, type OptionId, type OptionValue, type RequiredOption } from './record-options.ts';

/** No name of a file has a NUL in it, nor has an argument of a program. */
export const text = z
  .string()
  .max(mostCharacters)
  .refine((value) => !value.includes('\0'), 'a NUL is in it');
export const path = text.min(1);
export const texts = z.array(text).max(1000);

function schemaOf(id: OptionId): z.ZodType {
  const { type } = rowOf(id);
  switch (type.kind) {
    case 'text':
      return text;
    case 'path':
      return path;
    case 'paths':
      return z.array(path).min(1).max(1000);
    case 'name':
      return z.string().max(64);
    case 'texts':
      return type.pattern === undefined
        ? texts
        : z.array(text.regex(type.pattern, `it ${refusalOf(id).refused}`)).max(1000);
    case 'switch':
      return z.boolean();
    case 'choice':
      return z.enum(choicesOf(id) as [string, ...string[]]);
    case 'choices':
      return z.array(z.enum(choicesOf(id) as [string, ...string[]]));
    default:
      return z.number().refine((value) => isWithin(type, value), `it ${refusalOf(id).refused}`);
  }
}

type Shape<Id extends OptionId, Required extends OptionId> = {
  [Each in Id]: Each extends Required ? z.ZodType<OptionValue<Each>> : z.ZodOptional<z.ZodType<OptionValue<Each>>>;
};

/** The members of an object with these options; `required`: those that it needs beside the ones that every recording needs. */
export function optionsShape<Id extends OptionId, Required extends OptionId = never>(
  ids: readonly Id[],
  required: readonly Required[] = [],
): Shape<Id, Required | RequiredOption> {
  const needed = new Set<OptionId>([...requiredIds, ...required]);
  return Object.fromEntries(
    ids.map((id) => {
      const schema = schemaOf(id);
      return [id, needed.has(id) ? schema : schema.optional()];
    }),
  ) as Shape<Id, Required | RequiredOption>;
}
