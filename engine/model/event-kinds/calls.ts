/** Calls of a host program by what they do, for their colours; the first that fits counts. */
import type { EventColour, PictureColour } from './kind.ts';

interface Group {
  hue: number;
  chroma: number;
  picture: PictureColour;
}
const copyOrAllocation: PictureColour = ['memory', 'copy or allocation call'];
const groups: readonly (Group & { names: RegExp })[] = [
  {
    names: /Synchronize|Wait|Query|poll|select|sleep|_join|_lock/i,
    // Waiting is warm because that is what people look for.
    ...{ hue: 75, chroma: 0.075, picture: ['wait', 'call that waits'] },
  },
  { names: /Launch/i, hue: 255, chroma: 0.075, picture: ['launch', 'launch'] },
  { names: /Memcpy|Memset|Prefetch/i, hue: 160, chroma: 0.055, picture: copyOrAllocation },
  { names: /Malloc|Free|HostAlloc|HostRegister|MemPool/i, hue: 320, chroma: 0.055, picture: copyOrAllocation },
];
const others: Group = { hue: 255, chroma: 0.02, picture: ['call', 'other call'] };

const groupOf = (name: string): Group => groups.find(({ names }) => names.test(name)) ?? others;

export function callColour(name: string): EventColour {
  const { hue, chroma } = groupOf(name);
  return { tone: 'quiet', hue, chroma };
}
export const callPicture = (name: string): PictureColour => groupOf(name).picture;
