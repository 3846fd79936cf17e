/** Poisson's distribution as a table. */

/** Standard deviations on either side of the mean beyond which no 32-bit word leads. */
const deviations = 8;

/**
 * Sums of the probabilities of all numbers up to each, from `first` on; the last one is 1 or nearly so. The terms are made
 * from the mean outwards, whose own is exp(m log(lambda) - lambda - log(m!)).
 */
export function poissonTable(lambda: number): { first: number; sums: Float64Array } {
  const middle = Math.floor(lambda);
  const width = Math.ceil(deviations * Math.sqrt(lambda)) + 40;
  const first = Math.max(0, middle - width);
  const terms = new Float64Array(middle + width - first + 1);
  terms[middle - first] = Math.exp(middle * Math.log(lambda) - lambda - logFactorial(middle));
  for (let k = middle; k > first; --k) terms[k - 1 - first] = (terms[k - first]! * k) / lambda;
  for (let k = middle + 1; k - first < terms.length; ++k) terms[k - first] = (terms[k - 1 - first]! * lambda) / k;
  let sum = 0;
  return { first, sums: terms.map((term) => (sum += term)) };
}

/** log(n!): a sum for small n, else Stirling's series, whose next term is below 1e-16 there. */
function logFactorial(n: number): number {
  if (n < 256) {
    let sum = 0;
    for (let k = 2; k <= n; ++k) sum += Math.log(k);
    return sum;
  }
  const x = n + 1;
  const series = 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5);
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}
