/**
 * The colour of an event, in both themes. Colours are made in OKLCH, where equal lightness looks equal, so that no
 * kernel shouts louder than another and labels are readable on all of them. The hues of events are in the files of their kinds,
 * engine/model/event-kinds/.
 */
import { drawnKinds, failedFlavour, timedOnlyFlavour } from '../../../engine/model/timeline.ts';
import { eventKinds, kindOf } from '../../../engine/model/event-kinds/index.ts';
import { warpStateLabelled } from '../../../engine/model/warp-states.ts';
import type { CompareChange } from '../../../engine/model/comparison.ts';

export type Theme = 'dark' | 'light';
/** 0xRRGGBB */
export type Colour = number;

interface Tone {
  lightness: number;
  chroma: number;
}
const kernelTone: Record<Theme, Tone> = {
  dark: { lightness: 0.7, chroma: 0.115 },
  light: { lightness: 0.76, chroma: 0.11 },
};
const copyTone: Record<Theme, Tone> = {
  dark: { lightness: 0.68, chroma: 0.12 },
  light: { lightness: 0.75, chroma: 0.125 },
};
const quietTone: Record<Theme, Tone> = {
  dark: { lightness: 0.5, chroma: 0.035 },
  light: { lightness: 0.83, chroma: 0.035 },
};

const failedTone: Record<Theme, Tone> = {
  dark: { lightness: 0.62, chroma: 0.2 },
  light: { lightness: 0.57, chroma: 0.2 },
};
/** Calls that tell of it are not what failed. */
const failedCallTone: Record<Theme, Tone> = {
  dark: { lightness: 0.53, chroma: 0.13 },
  light: { lightness: 0.72, chroma: 0.13 },
};

/** Away from the copies' green (150) and rose (5), and far enough apart to be told from each other. */
const kernelHues = [255, 300, 62, 215, 328, 92, 278, 38];
/** Each hue in two lightnesses: sixteen colours in all. */
const kernelLightness = [0, 0.08];

/** Areas of other charts: what comes from memory is blue, what goes there orange, as the arrows of Nsight Compute's memory chart. */
const areaHues = [250, 55, 150, 305];

const cache = new Map<string, Colour>();

export function eventColour(kind: number, flavour: number, label: string, theme: Theme): Colour {
  const key = `${theme}|${kind}|${flavour}|${label}`;
  let colour = cache.get(key);
  if (colour === undefined) {
    colour = computeColour(kind, flavour, label, theme);
    cache.set(key, colour);
  }
  return colour;
}

function computeColour(kind: number, flavour: number, label: string, theme: Theme): Colour {
  switch (kind) {
    case drawnKinds.warp:
    case drawnKinds.column: {
      const state = warpStateLabelled(label)?.colour;
      const { lightness } = kernelTone[theme];
      if (!state) return oklch({ lightness: lightness - 0.04, chroma: 0.11 }, areaHues[flavour % areaHues.length]!);
      return oklch({ lightness: lightness + (state.lightness ?? 0), chroma: state.chroma }, state.hue);
    }
    case drawnKinds.block:
      return oklch({ ...quietTone[theme], chroma: 0.06 }, kernelHues[stableHash(label) % kernelHues.length]!);
    case drawnKinds['not-simulated']:
      return canvasColours[theme].line;
  }
  const { colour, section } = kindOf[eventKinds[kind] ?? 'api'];
  // The colour of failures is no kernel's, and fuller than all of them.
  if (flavour === failedFlavour) return oklch((section === 'calls' ? failedCallTone : failedTone)[theme], 27);
  const { tone, hue, chroma } = colour(label, flavour);
  if (tone === 'kernel') return kernelColour(stableHash(label), theme, flavour === timedOnlyFlavour);
  const own = (tone === 'copy' ? copyTone : quietTone)[theme];
  const ofLabel = (): number => kernelHues[stableHash(label) % kernelHues.length]!;
  return oklch({ ...own, chroma: chroma ?? own.chroma }, hue === 'label' ? ofLabel() : hue);
}

/** `pale`: of launches that were timed and not executed. */
function kernelColour(hash: number, theme: Theme, pale = false): Colour {
  const { lightness, chroma } = pale ? { ...kernelTone[theme], chroma: 0.03 } : kernelTone[theme];
  const hue = kernelHues[hash % kernelHues.length]!;
  const lighter = kernelLightness[Math.floor(hash / kernelHues.length) % kernelLightness.length]!;
  return oklch({ lightness: lightness + lighter, chroma }, hue);
}

/** The colour of an event in a comparison: green took less, red took longer, blue is only there, grey did not change. */
export function changeColour(change: CompareChange, theme: Theme): Colour {
  switch (change) {
    case 'faster':
      return oklch(copyTone[theme], 150);
    case 'slower':
      return oklch(copyTone[theme], 25);
    case 'only-before':
    case 'only-after':
      return oklch(copyTone[theme], 255);
    case 'calls':
      return oklch({ ...quietTone[theme], chroma: 0.09 }, 75);
    case 'less':
    case 'more':
    case 'noise':
    case 'same':
      return oklch({ ...quietTone[theme], chroma: 0.01 }, 255);
  }
}

/** Dark or light text, whichever can be read better on `fill`. */
export function labelColour(fill: Colour): Colour {
  return contrast(fill, darkText) >= contrast(fill, lightText) ? darkText : lightText;
}
export const darkText: Colour = 0x0b0f14;
export const lightText: Colour = 0xffffff;

/** WCAG 2 contrast ratio, 1 … 21. */
export function contrast(a: Colour, b: Colour): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Colour): number {
  const channel = (shift: number): number => {
    const value = ((colour >> shift) & 255) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0);
}

/** FNV-1a: the same kernel has the same colour in every trace, theme and session. */
export function stableHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // The low bits alone decide the colour, and FNV's are weak for short names.
  hash = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Björn Ottosson's OKLab; out-of-gamut channels are clipped, which the tones above hardly need. */
export function oklch(tone: Tone, hueDegrees: number): Colour {
  const hue = (hueDegrees * Math.PI) / 180;
  const a = tone.chroma * Math.cos(hue);
  const b = tone.chroma * Math.sin(hue);
  const l = (tone.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (tone.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (tone.lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (linear: number): number => {
    const clipped = Math.min(1, Math.max(0, linear));
    const value = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
    return Math.round(value * 255);
  };
  return (
    (channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16) |
    (channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8) |
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  );
}

/** Colours of the canvas that are not events; the rest of the app has them as CSS variables in style/tokens.css. */
export const canvasColours: Record<
  Theme,
  { background: Colour; groupRow: Colour; line: Colour; accent: Colour; ghost: Colour }
> = {
  dark: { background: 0x0f1318, groupRow: 0x141a21, line: 0x232c37, accent: 0x2dd4bf, ghost: 0xdbe4ee },
  light: { background: 0xffffff, groupRow: 0xf4f6f8, line: 0xe3e8ee, accent: 0x0d8f80, ghost: 0x4a5a6c },
};

export function cssColour(colour: Colour): string {
  return `#${colour.toString(16).padStart(6, '0')}`;
}
