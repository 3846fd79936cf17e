/** Structs that programs hand to CUDA's calls, as abi.ts describes them. */

/** Byte offsets of fields by name, the size, and the names of those that have 64 bits; others have 32. */
export interface Struct {
  readonly bytes: number;
  readonly words: readonly string[];
}

export type Field<Of extends Struct> = Exclude<keyof Of & string, 'bytes' | 'words'>;
