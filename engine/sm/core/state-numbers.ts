/** States of a warp as the SM's arrays have them: their places in {@link warpStates}. */
import { warpStates, type WarpState } from '../../model/warp-states.ts';

export const stateOf = (name: WarpState): number => warpStates.indexOf(name);

export const selected = stateOf('selected');
export const notSelected = stateOf('not_selected');
export const waiting = stateOf('wait');
export const longScoreboard = stateOf('long_scoreboard');
export const atBarrier = stateOf('barrier');
export const branchResolving = stateOf('branch_resolving');
export const noInstruction = stateOf('no_instruction');
export const membar = stateOf('membar');
export const drain = stateOf('drain');
