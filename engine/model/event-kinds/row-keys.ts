/** The keys of the timeline's rows: they name a row while the tree is built, and the row of an event afterwards. */

/** The place of a stream: streams of several processes, and of several contexts of one, have the same numbers. */
export interface StreamPlace {
  device: number;
  process: number;
  /** 0 where recordings have none. */
  context: number;
  stream: number;
}
const wordsOf = ({ device, process, context, stream }: StreamPlace): string =>
  `${device} ${process} ${context} ${stream}`;

/** The keys of rows that no kind of event has for itself; others are made of the kind's own words ({@link RowOfKind}). */
export const rowKeys = {
  /** Threads that are not known. */
  hostSync: (process: number) => `host synchronization ${process}`,
  threadSync: (globalTid: number) => `thread synchronization ${globalTid}`,
  stream: (place: StreamPlace) => `stream ${wordsOf(place)}`,
  graphNodes: (place: StreamPlace) => `graph nodes ${wordsOf(place)}`,
  streamSync: (place: StreamPlace) => `stream synchronization ${wordsOf(place)}`,
  engine: (device: number, engine: number) => `copy engine ${device} ${engine}`,
  kernels: (device: number) => `kernels ${device}`,
};

/** The stream of a key; null for keys of other rows. */
export function streamOfKey(key: string): StreamPlace | null {
  const found = /^(?:stream|stream synchronization|graph nodes) (\S+) (\d+) (\d+) (\S+)$/.exec(key);
  if (!found) return null;
  const [device, process, context, stream] = found.slice(1).map(Number) as [number, number, number, number];
  return { device, process, context, stream };
}

/** True for the key of all kernels of a device. */
export const isKernels = (key: string): boolean => key.startsWith('kernels ');
/** True for keys of rows whose events are on other rows as well. */
export const isRepeated = (key: string): boolean => isKernels(key) || key.startsWith('copy engine ');
