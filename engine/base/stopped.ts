/**
 * The reason of an abort signal where nobody cancelled the work: its window or the whole program is being closed. What a
 * recording has until then is kept.
 */
export const stopped = 'stopped';
