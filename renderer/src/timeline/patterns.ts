/**
 * Patterns over colours, so that warp states can be told apart without seeing colours. Drawn four times, alike: by the shader in
 * rect-mesh.ts, by paint.ts, in saved pictures (view-picture.ts), and beside names by {@link swatch}.
 */
import { drawnKinds } from '../../../engine/model/timeline.ts';
import { warpStateLabelled } from '../../../engine/model/warp-states.ts';
import { cssColour, eventColour, type Colour, type Theme } from './colours.ts';

export const patterns = {
  none: 0,
  rising: 1,
  falling: 2,
  horizontal: 3,
  vertical: 4,
  dots: 5,
  checks: 6,
  wide: 7,
} as const;

/** Added to a pattern: neighbours are not kept apart, and the pattern goes on from one to the next. */
export const seamless = 64;
/** After so many CSS pixels each pattern begins anew. */
export const patternPeriod = 60;

/**
 * Where seamless patterns begin, in device pixels at or before the left of the window (which is `scrolled` device pixels after time
 * 0): with the window they move, so that they stand still on what they are drawn.
 */
export const patternAnchor = (scrolled: number, pixelRatio: number): number =>
  -((Math.round(scrolled) % (patternPeriod * pixelRatio)) + patternPeriod * pixelRatio);

/** Pattern of the warp state with this label. */
const patternOfState = (label: string): number => patterns[warpStateLabelled(label)?.pattern ?? 'none'];

/** The pattern of what is drawn: by its kind as in a window, and its label. */
export function patternOf(kind: number, label: string): number {
  if (kind === drawnKinds.warp) return patternOfState(label);
  if (kind === drawnKinds.column) return seamless + patternOfState(label);
  return kind === drawnKinds['not-simulated'] ? patterns.wide : patterns.none;
}

/** The effect of a pattern's marks on a colour: darker, or on a dark one lighter. Channels are 0 … 1. */
export const marking = { darker: 0.62, lighter: 0.22, darkBelow: 0.3, weights: [0.299, 0.587, 0.114] } as const;

export const isDark = (fill: Colour): boolean =>
  marking.weights.reduce((sum, weight, i) => sum + (weight * ((fill >> (16 - 8 * i)) & 255)) / 255, 0) <
  marking.darkBelow;

/** The colour of a pattern's marks on a fill. */
export function markColour(fill: Colour): Colour {
  const dark = isDark(fill);
  return [16, 8, 0].reduce((colour, shift) => {
    const channel = (fill >> shift) & 255;
    const marked = dark ? channel + (255 - channel) * marking.lighter : channel * marking.darker;
    return colour | (Math.round(marked) << shift);
  }, 0);
}

/** The CSS background of a small box that shows what something looks like on the timeline. */
export function swatch(kind: number, flavour: number, label: string, theme: Theme): string {
  const fill = eventColour(kind, flavour, label, theme);
  const mark = cssColour(markColour(fill));
  const stripes = (angle: number, width: number, period: number): string =>
    `repeating-linear-gradient(${angle}deg, ${mark} 0 ${width}px, transparent ${width}px ${period}px), `;
  const images: Readonly<Record<number, string>> = {
    [patterns.rising]: stripes(135, 1.2, 3.5),
    [patterns.falling]: stripes(45, 1.2, 3.5),
    [patterns.horizontal]: stripes(180, 1, 3),
    [patterns.vertical]: stripes(90, 1, 4),
    [patterns.dots]: `radial-gradient(${mark} 0 0.8px, transparent 0.9px) 0 0 / 4px 3px, `,
    [patterns.checks]: `repeating-conic-gradient(${mark} 0 25%, transparent 0 50%) 0 0 / 4px 4px, `,
    [patterns.wide]: stripes(135, 2, 7),
  };
  return `${images[patternOf(kind, label) % seamless] ?? ''}${cssColour(fill)}`;
}
