/**
 * The data model of programs. They are ILP32 today (`long`, `size_t` and pointers have 32 bits) and become LP64, as on 64-bit Linux:
 * `SIMSIGHT_LP64=1` takes the new way while it is being built. Everything that depends on the model reads it here.
 */
export const lp64 = process.env['SIMSIGHT_LP64'] === '1';

/** Bytes of a pointer, a `size_t` and a `long`. */
export const wordBytes = lp64 ? 8 : 4;

/** What processes of ours have to be told of it, for their environment. */
export const lp64Environment: Readonly<Record<string, string>> = lp64 ? { SIMSIGHT_LP64: '1' } : {};
