/** The lanes that SHFL reads from. */

/** Source lane of SHFL, as in warp-operations.c. `mode`: 0 up, 1 down, 2 bfly, 3 idx; `b` lane or distance, `c` clamp and segment mask. */
export function shuffleSource(mode: number, lane: number, b: number, c: number): { from: number; valid: boolean } {
  const clamp = c & 31;
  const segment = (c >> 8) & 31;
  const offset = b & 31;
  const most = (lane & segment) | (clamp & ~segment);
  const from =
    mode === 0
      ? lane - offset
      : mode === 1
        ? lane + offset
        : mode === 2
          ? lane ^ offset
          : (lane & segment) | (offset & ~segment);
  const valid = mode === 0 ? from >= most : from <= most;
  return { from: valid ? from & 31 : lane, valid };
}

/** Mask operand of a `shufflevector` that takes these lanes. */
export const vectorShuffle = (lanes: number[]): string =>
  `<32 x i32> <${lanes.map((lane) => `i32 ${lane}`).join(', ')}>`;
