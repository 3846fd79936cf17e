/** Sectors of a line, by the mask of those that are meant. */
export const sectorCount = Uint8Array.from(
  { length: 16 },
  (_, mask) => (mask & 1) + ((mask >> 1) & 1) + ((mask >> 2) & 1) + (mask >> 3),
);
/** Number of sectors of a mask when sectors come in pairs. */
export const pairedCount = Uint8Array.from({ length: 16 }, (_, mask) => (mask & 3 ? 2 : 0) + (mask & 12 ? 2 : 0));
