/** Places of kernels under the roofs of their GPU. All pure. */
import type { Precision, Roofline } from './kernel-view.ts';

export type Level = Roofline['bandwidths'][number]['level'];

export interface RooflinePoint {
  level: Level;
  /** FLOP per byte moved to or from that level. */
  intensity: number;
  flopsPerSecond: number;
  /** Fraction of the roofline at this intensity, 0 to 1; null where a roof is not known. */
  share: number | null;
  /** The roofline at this intensity. */
  limit: { flopsPerSecond: number; by: Level | Precision } | null;
}

/** One for each level that the kernel moved data at; none where it did not compute in that precision. */
export function pointsOf(
  { roofs, bandwidths, work, traffic, durationNs }: Roofline,
  precision: Precision,
): RooflinePoint[] {
  const flop = work.find((each) => each.precision === precision)?.flop ?? 0;
  if (flop === 0 || !(durationNs > 0)) return [];
  const flopsPerSecond = (flop / durationNs) * 1e9;
  const roof = roofs.find((each) => each.precision === precision)?.flopsPerSecond ?? null;
  return traffic.map(({ level, bytes }) => {
    const intensity = flop / bytes;
    const bandwidth = bandwidths.find((each) => each.level === level)?.bytesPerSecond ?? null;
    const slope = bandwidth === null ? null : bandwidth * intensity;
    const limit =
      slope === null || roof === null
        ? null
        : slope < roof
          ? { flopsPerSecond: slope, by: level }
          : { flopsPerSecond: roof, by: precision };
    return { level, intensity, flopsPerSecond, limit, share: limit && flopsPerSecond / limit.flopsPerSecond };
  });
}

/** `12.3 TFLOP/s`. */
export function formatFlops(flopsPerSecond: number): string {
  const units = ['FLOP/s', 'kFLOP/s', 'MFLOP/s', 'GFLOP/s', 'TFLOP/s', 'PFLOP/s'];
  let [value, unit] = [flopsPerSecond, 0];
  for (; value >= 999.5 && unit + 1 < units.length; unit++) value /= 1000;
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)} ${units[unit]}`;
}

/** Round powers of ten around all of them. */
export function decadesAround(values: readonly number[]): [from: number, to: number] {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  if (known.length === 0) return [0, 1];
  return [Math.floor(Math.log10(Math.min(...known)) - 0.15), Math.ceil(Math.log10(Math.max(...known)) + 0.15)];
}
