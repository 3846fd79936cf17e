/** Texture fetches and surface accesses. */
import type { Family } from './called.ts';

/** Bit of the form of a fetch (runtime/textures.c). */
export const integerCoordinates = 8;

const fetch: Family<{ form: number }> = {
  pattern: /^simsight\.texture\.(\d+)$/,
  parts: ([, form]) => ({ form: Number(form) }),
  describe: ({ form }) => ({
    uniformity: 'divergent',
    memory: {
      kind: 'load',
      pointer: 0,
      times: 1,
      unit: 'texture',
      ...((form & integerCoordinates) === 0
        ? ({ opcode: 'TEX.LL', level: 'MOV' } as const)
        : ({ opcode: 'TLD.LZ' } as const)),
    },
  }),
};

interface SurfaceAccess {
  kind: 'load' | 'store';
  bytes: string;
  /** Handling of coordinates outside of the surface. */
  outside: 'trap' | 'clamp' | 'zero';
}
const surface: Family<SurfaceAccess> = {
  pattern: /^simsight\.surface\.(load|store)\.(\d+)\.(trap|clamp|zero)$/,
  parts: ([, kind, bytes, outside]) => ({ kind, bytes, outside }) as SurfaceAccess,
  describe: ({ kind }) => ({
    uniformity: 'divergent',
    memory: {
      kind,
      pointer: 0,
      times: 1,
      unit: 'texture',
      opcode: kind === 'store' ? 'SUST.D.BA' : 'SULD.D.BA',
    },
  }),
};

export const textureFamilies = { texture: fetch, surface };
