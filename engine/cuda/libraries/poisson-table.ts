/** Poisson's distribution as a table. */

/** Standard deviations on either side of the mean beyond which no 32-bit word leads. */
const deviations = 8;

/**
 * Sums of the probabilities of all numbers up to each, from `first` on; the last one is 1. The terms are made from the mean
 * outwards, as multiples of its own, and divided by their sum: what lies beyond is less than their rounding.
 */
export function poissonTable(lambda: number): { first: number; sums: Float64Array } {
  const middle = Math.floor(lambda);
  const width = Math.ceil(deviations * Math.sqrt(lambda)) + 40;
  const first = Math.max(0, middle - width);
  const terms = new Float64Array(middle + width - first + 1);
  terms[middle - first] = 1;
  for (let k = middle; k > first; --k) terms[k - 1 - first] = (terms[k - first]! * k) / lambda;
  for (let k = middle + 1; k - first < terms.length; ++k) terms[k - first] = (terms[k - 1 - first]! * lambda) / k;
  let sum = 0;
  const sums = terms.map((term) => (sum += term));
  return { first, sums: sums.map((each) => each / sum) };
}
