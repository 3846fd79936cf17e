/** Numbers of a warp's states as the SM's arrays have them: their places in {@link warpStates}. Hot loops take theirs into constants. */
import { warpStates, type WarpState } from '../../model/warp-states.ts';

export const stateNumbers = Object.fromEntries(warpStates.map((state, number) => [state, number])) as Readonly<
  Record<WarpState, number>
>;
