/** Finds names by some of their letters. */

/**
 * How well the letters of `text` are found in `name`, in their order; null where they are not. Letters that follow each other and those
 * that begin words count more, and short names.
 */
export function matchScore(name: string, text: string): number | null {
  const [lower, wanted] = [name.toLowerCase(), text.toLowerCase().replaceAll(/\s+/g, '')];
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const found = lower.indexOf(letter, at + 1);
    if (found < 0) return null;
    if (found === at + 1) score += 3;
    if (found === 0 || /[^\p{L}\p{N}]/u.test(lower[found - 1]!)) score += 4;
    at = found;
  }
  if (lower.includes(text.toLowerCase().trim())) score += 10;
  return score - lower.length / 100;
}

/** The best first; all in their order where nothing is asked for. */
export function bestMatches<T>(entries: readonly T[], text: string, nameOf: (entry: T) => string, most: number): T[] {
  if (text.trim() === '') return entries.slice(0, most);
  return entries
    .map((entry, order) => ({ entry, order, score: matchScore(nameOf(entry), text) }))
    .filter((each): each is typeof each & { score: number } => each.score !== null)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, most)
    .map(({ entry }) => entry);
}
