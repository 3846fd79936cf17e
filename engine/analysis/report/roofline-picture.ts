/** A kernel under the roofs of its GPU, log-log: one dot for each level of memory that it moved data at. */
import { decadesAround, formatFlops, pointsOf, type Level } from '../../model/roofline-points.ts';
import type { Precision, Roofline } from '../../model/kernel-view.ts';
import type { Picture } from './document.ts';
import { Drawing } from './drawing.ts';

const size = { width: 860, height: 380, left: 84, right: 160, top: 12, bottom: 42 } as const;
/** Shapes of the levels, as on the kernel's page. */
const shapes: Record<Level, string> = {
  L1: 'M0 -6L6 5L-6 5Z',
  L2: 'M-5 -5H5V5H-5Z',
  DRAM: 'M0 -6.5A6.5 6.5 0 1 0 0.01 -6.5Z',
};

/** Precision in which the kernel computed most; null where it did not compute with floating-point numbers. */
export const mainPrecision = ({ work }: Roofline): Precision | null =>
  [...work].sort((a, b) => b.flop - a.flop)[0]?.precision ?? null;

export function rooflinePicture(roofline: Roofline, precision: Precision, name: string): Picture {
  const drawing = new Drawing(size.width, size.height);
  // Files may hold any numbers.
  const roofs = roofline.roofs.filter(({ flopsPerSecond }) => isPlace(flopsPerSecond));
  const bandwidths = roofline.bandwidths.filter(({ bytesPerSecond }) => isPlace(bytesPerSecond));
  const points = pointsOf(roofline, precision).filter(
    ({ intensity, flopsPerSecond }) => isPlace(intensity) && isPlace(flopsPerSecond),
  );
  const chosen = roofs.find((each) => each.precision === precision)?.flopsPerSecond ?? null;
  const ridges = chosen === null ? [] : bandwidths.map(({ bytesPerSecond }) => chosen / bytesPerSecond);
  const xs = decadesAround([...points.map(({ intensity }) => intensity), ...ridges, 0.1, 100]);
  const ys = decadesAround([
    ...points.map(({ flopsPerSecond }) => flopsPerSecond),
    ...roofs.map(({ flopsPerSecond }) => flopsPerSecond),
  ]);
  const [plotRight, plotBottom] = [size.width - size.right, size.height - size.bottom];
  const x = (intensity: number): number =>
    size.left + ((Math.log10(intensity) - xs[0]) / (xs[1] - xs[0])) * (plotRight - size.left);
  const y = (flops: number): number =>
    plotBottom - ((Math.log10(flops) - ys[0]) / (ys[1] - ys[0])) * (plotBottom - size.top);
  drawing.rect(size.left, size.top, plotRight - size.left, plotBottom - size.top, 'panel');
  for (let exponent = xs[0]; exponent <= xs[1]; exponent++) {
    const at = x(10 ** exponent);
    drawing.line(at, size.top, at, plotBottom, 'grid');
    drawing.text(at, plotBottom + 16, powerOf(exponent), 'quiet middle');
  }
  for (let exponent = ys[0]; exponent <= ys[1]; exponent++) {
    const at = y(10 ** exponent);
    drawing.line(size.left, at, plotRight, at, 'grid');
    drawing.text(size.left - 8, at + 4, formatFlops(10 ** exponent), 'quiet end');
  }
  drawing.text((size.left + plotRight) / 2, size.height - 8, 'FLOP per byte', 'quiet middle');

  const top = Math.max(1, ...roofs.map(({ flopsPerSecond }) => flopsPerSecond));
  const widest = Math.max(...bandwidths.map(({ bytesPerSecond }) => bytesPerSecond));
  const slope = (-Math.atan2(y(1) - y(10), x(10) - x(1)) * 180) / Math.PI;
  for (const { level, bytesPerSecond } of bandwidths) {
    const from = Math.max(10 ** xs[0], 10 ** ys[0] / bytesPerSecond);
    const to = Math.min(10 ** xs[1], top / bytesPerSecond);
    drawing.line(x(from), y(bytesPerSecond * from), x(to), y(bytesPerSecond * to), 'roof');
    const at = from * 10 ** 0.12;
    const place = `translate(${fixed(x(at))} ${fixed(y(bytesPerSecond * at) - 5)}) rotate(${fixed(slope)})`;
    drawing.text(0, 0, `${level} ${bandwidthOf(bytesPerSecond)}`, 'quiet small', place);
  }
  let lowest = Infinity;
  for (const each of [...roofs].sort((a, b) => a.flopsPerSecond - b.flopsPerSecond)) {
    const own = each.precision === precision;
    const at = y(each.flopsPerSecond);
    const from = Math.max(10 ** xs[0], each.flopsPerSecond / widest);
    drawing.line(x(from), at, plotRight, at, own ? 'roof chosen' : 'roof');
    // Names of roofs that are close together one above the other.
    lowest = Math.min(at + 4, lowest - 12);
    const text = `${each.precision} ${formatFlops(each.flopsPerSecond)}`;
    drawing.text(plotRight + 6, lowest, text, own ? 'small bold' : 'small quiet');
  }
  for (const { level, intensity, flopsPerSecond } of points) {
    const title = `${name}, ${level}: ${formatFlops(flopsPerSecond)} at ${intensity.toFixed(2)} FLOP/byte`;
    drawing.shape(shapes[level], x(intensity), y(flopsPerSecond), 'dot f-accent', title);
    // Those of L1 and L2 are often in the same place.
    const [right, down] = level === 'L1' ? [-9, -8] : [9, 15];
    drawing.text(x(intensity) + right, y(flopsPerSecond) + down, level, level === 'L1' ? 'bold end' : 'bold');
  }
  return drawing.picture('roofline', `Roofline of ${name}, ${precision}`);
}

const isPlace = (value: number): boolean => value > 1e-12 && value < 1e24;
const fixed = (value: number): string => String(Math.round(value * 10) / 10);
const powerOf = (exponent: number): string =>
  exponent > 4 ? `1e${exponent}` : exponent >= 0 ? String(10 ** exponent) : (10 ** exponent).toFixed(-exponent);
export const bandwidthOf = (bytesPerSecond: number): string =>
  bytesPerSecond >= 1e12 ? `${(bytesPerSecond / 1e12).toFixed(2)} TB/s` : `${(bytesPerSecond / 1e9).toFixed(0)} GB/s`;
