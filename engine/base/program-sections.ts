/** Sections of WebAssembly that linked host programs carry for us, by name. */

/** Functions of the user's files with names as in C: their number, then each name. */
export const ownFunctionsSection = 'simsight.own-functions';
