/** Factors of unity and chirps that cuFFT's kernels read: pairs of real and imaginary parts. */

/** exp(i * pi * numerator / denominator) for each numerator. */
function powers(count: number, numerator: (k: number) => number, denominator: number): Float64Array {
  const table = new Float64Array(2 * count);
  for (let k = 0; k < count; ++k) {
    const angle = (Math.PI * numerator(k)) / denominator;
    table[2 * k] = Math.cos(angle);
    table[2 * k + 1] = Math.sin(angle);
  }
  return table;
}

/** exp(-2 pi i k / n). */
export const unityTable = (n: number): Float64Array => powers(n, (k) => -2 * k, n);

/** k * k modulo 2n, exactly. */
const square = (k: number, n: number): number =>
  k < 2 ** 26 ? (k * k) % (2 * n) : Number((BigInt(k) * BigInt(k)) % BigInt(2 * n));

/** exp(-i pi k^2 / n). */
export const chirpTable = (n: number): Float64Array => powers(n, (k) => -square(k, n), n);

/** The transform of the conjugate chirp on both sides of 0, in a circle of m, a power of two. */
export function chirpFilter(n: number, m: number): Float64Array {
  const chirp = powers(n, (k) => square(k, n), n);
  const filter = new Float64Array(2 * m);
  for (let k = 0; k < n; ++k) for (const at of [k, (m - k) % m]) filter.set(chirp.subarray(2 * k, 2 * k + 2), 2 * at);
  transform(filter);
  return filter;
}

/** The forward transform of a power of two, in place. */
function transform(values: Float64Array): void {
  const n = values.length / 2;
  for (let i = 1, j = 0; i < n; ++i) {
    let bit = n >> 1;
    for (; (j & bit) !== 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const [x, y] = [values[2 * i]!, values[2 * i + 1]!];
    values[2 * i] = values[2 * j]!;
    values[2 * i + 1] = values[2 * j + 1]!;
    values[2 * j] = x;
    values[2 * j + 1] = y;
  }
  const unity = unityTable(n);
  for (let half = 1; half < n; half *= 2)
    for (let start = 0; start < n; start += 2 * half)
      for (let k = 0; k < half; ++k) {
        const [a, b, w] = [2 * (start + k), 2 * (start + k + half), 2 * k * (n / (2 * half))];
        const x = values[b]! * unity[w]! - values[b + 1]! * unity[w + 1]!;
        const y = values[b]! * unity[w + 1]! + values[b + 1]! * unity[w]!;
        values[b] = values[a]! - x;
        values[b + 1] = values[a + 1]! - y;
        values[a] = values[a]! + x;
        values[a + 1] = values[a + 1]! + y;
      }
}
