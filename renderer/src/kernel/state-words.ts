/** Meaning of warp states, for people who do not know Nsight Compute's names by heart: "Warps mostly wait …". */
import { warpStateLabelled } from '../../../engine/model/warp-states.ts';

/** Meaning of the state with this label, without a subject; empty for a state that is not known. */
export const meaningOf = (state: string): string => warpStateLabelled(state)?.meaning ?? '';
