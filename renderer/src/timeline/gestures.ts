/**
 * The meaning of the pointer on the timeline, as a state machine: pointer events in, actions out. It knows pixels only.
 *
 *   idle ──down──► pressed ──moved far enough──► panning | measuring | zooming ──up──► idle
 *                     └──up──► idle (a click)
 */
export type GestureState =
  | { name: 'idle' }
  | { name: 'pressed'; x: number; y: number; draws: 'range' | 'box' | null }
  | { name: 'panning'; x: number; y: number }
  | { name: 'measuring'; from: number }
  | { name: 'zooming'; from: number };

export type PointerInput =
  | { type: 'down'; x: number; y: number; shift: boolean; alt?: boolean; area: 'plot' | 'ruler' }
  | { type: 'move'; x: number; y: number }
  | { type: 'up'; x: number; y: number }
  | { type: 'cancel' };

export type GestureAction =
  | { type: 'pan'; dx: number; dy: number }
  /** A time range between two x; `done` when the button was let go. */
  | { type: 'measure'; from: number; to: number; done: boolean }
  /** A box that is drawn in order to zoom to it; `done` when the button was let go. */
  | { type: 'box'; from: number; to: number; done: boolean }
  | { type: 'click'; x: number; y: number };

/** Hands shake: less movement than this is a click. */
const dragDistance = 4;

export const idle: GestureState = { name: 'idle' };

const drawnBy = ({
  alt,
  shift,
  area,
}: {
  alt?: boolean;
  shift: boolean;
  area: 'plot' | 'ruler';
}): 'range' | 'box' | null => (alt ? 'box' : shift || area === 'ruler' ? 'range' : null);

export function step(state: GestureState, input: PointerInput): { state: GestureState; action: GestureAction | null } {
  switch (input.type) {
    case 'down':
      return {
        state: { name: 'pressed', x: input.x, y: input.y, draws: drawnBy(input) },
        action: null,
      };
    case 'move':
      return moved(state, input.x, input.y);
    case 'up':
      if (state.name === 'pressed') return { state: idle, action: { type: 'click', x: input.x, y: input.y } };
      if (state.name === 'measuring')
        return { state: idle, action: { type: 'measure', from: state.from, to: input.x, done: true } };
      if (state.name === 'zooming')
        return { state: idle, action: { type: 'box', from: state.from, to: input.x, done: true } };
      return { state: idle, action: null };
    case 'cancel':
      return { state: idle, action: null };
  }
}

function moved(state: GestureState, x: number, y: number): { state: GestureState; action: GestureAction | null } {
  switch (state.name) {
    case 'pressed': {
      if (Math.hypot(x - state.x, y - state.y) < dragDistance) return { state, action: null };
      if (state.draws === 'box')
        return {
          state: { name: 'zooming', from: state.x },
          action: { type: 'box', from: state.x, to: x, done: false },
        };
      if (state.draws === 'range')
        return {
          state: { name: 'measuring', from: state.x },
          action: { type: 'measure', from: state.x, to: x, done: false },
        };
      return { state: { name: 'panning', x, y }, action: { type: 'pan', dx: x - state.x, dy: y - state.y } };
    }
    case 'panning':
      return { state: { name: 'panning', x, y }, action: { type: 'pan', dx: x - state.x, dy: y - state.y } };
    case 'measuring':
      return { state, action: { type: 'measure', from: state.from, to: x, done: false } };
    case 'zooming':
      return { state, action: { type: 'box', from: state.from, to: x, done: false } };
    case 'idle':
      return { state, action: null };
  }
}

interface Point {
  x: number;
  y: number;
}
/** Two fingers that move: what was between them stays there. `factor` and `x` are those of a zoom, after moving by `dx` and `dy`. */
export function pinch(
  [a, b]: readonly [Point, Point],
  [c, d]: readonly [Point, Point],
): { factor: number; x: number; dx: number; dy: number } {
  const apart = (one: Point, other: Point): number => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y));
  const x = (c.x + d.x) / 2;
  return { factor: apart(a, b) / apart(c, d), x, dx: x - (a.x + b.x) / 2, dy: (c.y + d.y - a.y - b.y) / 2 };
}

export interface WheelInput {
  deltaX: number;
  deltaY: number;
  /** 0 pixels, 1 lines, 2 pages. */
  deltaMode: number;
  /** Also set by browsers for a trackpad's pinch. */
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}
export type WheelAction =
  { type: 'zoom'; factor: number } | { type: 'pan'; dx: number } | { type: 'scroll'; dy: number };

/** Plain wheel zooms, shift pans, alt scrolls the rows; sideways swipes pan. */
export function wheelAction(input: WheelInput): WheelAction {
  const unit = input.deltaMode === 1 ? 16 : input.deltaMode === 2 ? 400 : 1;
  const dx = input.deltaX * unit;
  const dy = input.deltaY * unit;
  if (input.shiftKey) return { type: 'pan', dx: Math.abs(dx) > Math.abs(dy) ? dx : dy };
  if (input.altKey) return { type: 'scroll', dy };
  if (!input.ctrlKey && Math.abs(dx) > Math.abs(dy)) return { type: 'pan', dx };
  // A pinch sends small deltas at a high rate, a wheel notch about 100 at once.
  const strength = input.ctrlKey && Math.abs(dy) < 50 ? 0.01 : 0.002;
  return { type: 'zoom', factor: Math.exp(Math.max(-1, Math.min(1, dy * strength))) };
}
