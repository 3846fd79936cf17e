/** The trace that a recording is to replace: kept under this name until the recording is finished. */
export const previousOf = (path: string): string => `${path}.previous`;
