/**
 * Branded numbers: mixing a time with a size is a compile error. All simulated times are whole nanoseconds since the
 * start of the recording; a double holds 104 days of them exactly.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = number & { readonly [brand]: Name };

export type Nanoseconds = Branded<'Nanoseconds'>;
export type Bytes = Branded<'Bytes'>;

export const ns = (value: number): Nanoseconds => value as Nanoseconds;
/** Data sheets speak of seconds. */
export const nanosecondsPerSecond = 1e9;

export const bytes = (value: number): Bytes => value as Bytes;
