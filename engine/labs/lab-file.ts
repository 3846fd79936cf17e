/**
 * The contents of a lab's `lab.json`: its program and variants, what is expected of them, and the figures that others published or that were
 * measured. A key it does not know is an error, so that nothing is misspelt into silence.
 */
import { z } from 'zod';

/** Groups in the order in which they are shown. */
export const labGroups = {
  start: 'Where to start',
  memory: 'Global memory',
  shared: 'Shared memory',
  execution: 'Warps and occupancy',
  algorithms: 'Algorithms',
  host: 'Host, copies and launches',
} as const;
export type LabGroup = keyof typeof labGroups;

const text = z.string().min(1);
const id = z.string().regex(/^[a-z0-9][a-z0-9-]*$/);
const words = z.array(z.string());
/** Numbers by variant. */
const byVariant = z.record(id, z.number().positive());

export const labFile = z.strictObject({
  title: text,
  group: z.enum(Object.keys(labGroups) as [LabGroup, ...LabGroup[]]),
  /** One or two sentences: what it shows and what to look at. */
  summary: text,
  /** The `.cu` file beside. */
  program: text,
  /** So many GPUs alike are in the machine. */
  gpus: z.number().int().min(1).max(8).default(1),
  /** Arguments behind those of the variant: as people record it, and as tests do. */
  size: words,
  small: words,
  /** From before to after: the first and the last are put beside each other. */
  variants: z
    .array(
      z.strictObject({
        id,
        title: text,
        /** Arguments of the program that choose it; its id where that is all. */
        arguments: words.optional(),
        defines: words.default([]),
        /** Rules of the adviser that have something to say of it at both sizes, and those that have not. */
        finds: words.default([]),
        clean: words.default([]),
      }),
    )
    .min(2),
  /** Expected gains, by GPU. */
  expect: z.array(
    z.strictObject({
      gpu: id,
      faster: id,
      than: id,
      /** At the size that people record: at least so many times, and where a gain must not be more than that, at most. */
      atLeast: z.number().positive(),
      atMost: z.number().positive().optional(),
    }),
  ),
  /** Times of others. Those published are compared by what one variant gains over another first, since sizes and compilers differ. */
  figures: z
    .array(
      z.strictObject({
        /** Publication of the figures, or how they were measured. */
        source: text,
        kind: z.enum(['published', 'measured']),
        gpu: id,
        size: words,
        /** `relative`: time over that of the first variant here. */
        unit: z.enum(['ms', 'relative', 'GB/s', 'TFLOP/s']),
        /** Bytes or operations of one run, for the two rates. */
        amount: z.number().positive().optional(),
        values: byVariant,
      }),
    )
    .default([]),
});
export type LabFile = z.infer<typeof labFile>;
export type LabFigures = LabFile['figures'][number];
