/** The areas of a chart, if there are several: on screen and in saved pictures. */
import { drawnKinds, type Chart } from '../../../engine/model/timeline.ts';
import { eventColour, type Colour, type Theme } from './colours.ts';
import { patternOf, seamless, swatch } from './patterns.ts';

export interface LegendEntry {
  label: string;
  colour: Colour;
  pattern: number;
  /** The background of a box in the page that looks like the area. */
  background: string;
}

export function legendOf(chart: Chart | undefined, theme: Theme): LegendEntry[] {
  if (!chart || chart.series.length < 2) return [];
  return chart.series.map((label, flavour) => ({
    label,
    colour: eventColour(drawnKinds.column, flavour, label, theme),
    pattern: patternOf(drawnKinds.column, label) % seamless,
    background: swatch(drawnKinds.column, flavour, label, theme),
  }));
}
