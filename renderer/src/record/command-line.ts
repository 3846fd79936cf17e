/** Splits what a person types as a shell would: blanks separate, quotes join, a backslash takes the next sign as it is. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word = '';
  let inWord = false;
  let quote: '"' | "'" | null = null;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (quote) {
      if (character === quote) quote = null;
      else if (character === '\\' && quote === '"' && /["\\]/.test(text[i + 1] ?? '')) word += text[++i];
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      inWord = true;
    } else if (character === '\\' && /[\s"'\\]/.test(text[i + 1] ?? '')) {
      word += text[++i];
      inWord = true;
    } else if (/\s/.test(character)) {
      if (inWord) words.push(word);
      word = '';
      inWord = false;
    } else {
      word += character;
      inWord = true;
    }
  }
  if (inWord) words.push(word);
  return words;
}

/** The reverse: `splitArguments(joinArguments(words))` gives `words`. */
export function joinArguments(words: readonly string[]): string {
  return words
    .map((word) => (/^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, (sign) => `\\${sign}`)}"`))
    .join(' ');
}
