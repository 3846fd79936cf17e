/** Encoders of the words of a warp's stream; the format is described with `WarpStream`. */

export const access = { load: 0, store: 1, atomic: 2 } as const;
export type AccessKind = (typeof access)[keyof typeof access];

/** The two top bits of a token. */
export const token = { block: 0, global: 1, shared: 2 } as const;

/** Second word: the active lanes. */
export const blockToken = (block: number): number => block & 0xff_ffff;

/** Followed by one {@link lineWord} per line. */
export const globalToken = (kind: AccessKind, number: number, lines: number): number =>
  ((token.global << 30) | (kind << 24) | (number << 8) | lines) >>> 0;

/** `hint`: 0 unknown, 1 hits in L2, 2 misses to DRAM. */
export const lineWord = (line: number, sectors: number, hint: 0 | 1 | 2 = 0): number =>
  ((line & 0x1ff_ffff) | (sectors << 25) | (hint << 29)) >>> 0;

export const sharedToken = (kind: AccessKind, number: number, wavefronts: number): number =>
  ((token.shared << 30) | (kind << 24) | (number << 8) | wavefronts) >>> 0;
