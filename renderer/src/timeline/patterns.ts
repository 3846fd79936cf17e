/** Patterns over colours, so that warp states can be told apart without seeing colours. The shader in rect-mesh.ts draws them. */
import { drawnKinds } from '../../../engine/api/types.ts';

export const patterns = {
  none: 0,
  rising: 1,
  falling: 2,
  horizontal: 3,
  vertical: 4,
  dots: 5,
  checks: 6,
  wide: 7,
} as const;

/** Added to a pattern: neighbours are not kept apart. */
export const seamless = 64;

/** By id of the warp state; families that are often seen side by side have different ones. */
const patternOfState: readonly number[] = [
  patterns.none, // selected
  patterns.none, // not selected
  patterns.dots, // wait
  patterns.falling, // short scoreboard
  patterns.rising, // long scoreboard
  patterns.vertical, // MIO throttle
  patterns.checks, // LG throttle
  patterns.horizontal, // math pipe throttle
  patterns.wide, // barrier
  patterns.dots, // branch resolving
  patterns.none, // no instruction
  patterns.checks, // dispatch stall
  patterns.horizontal, // drain
  patterns.wide, // membar
  patterns.none, // sleeping
  patterns.checks, // IMC miss
  patterns.vertical, // TEX throttle
];

/** Of what is drawn, by the values of a window: its kind and its flavour. */
export function patternOf(kind: number, flavour: number): number {
  if (kind === drawnKinds.warp) return patternOfState[flavour] ?? patterns.none;
  if (kind === drawnKinds.column) return seamless;
  return kind === drawnKinds['not-simulated'] ? patterns.wide : patterns.none;
}
