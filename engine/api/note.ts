/** Schema and limits of a note, in calls and in files. */
import { z } from 'zod';

export const mostNotes = 1000;

export const noteSchema = z.strictObject({
  timeNs: z
    .number()
    .nonnegative()
    .max(2 ** 52),
  durationNs: z
    .number()
    .nonnegative()
    .max(2 ** 52),
  text: z.string().max(2000),
});
