/**
 * The reason of an abort signal where nobody cancelled the work: its window or the whole program is being closed. What a
 * recording has until then is kept.
 */
export const stopped = 'stopped';

/** The reason where somebody asked for the end of the work: what there is until then is the result. */
export const stopAndKeep = 'stop-and-keep';
