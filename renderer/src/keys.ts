/** Names of keys: `O`, `Ctrl+Shift+O`, `?`, `Escape`. The Mac's Command counts as Ctrl. */
export function keyOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const letter = /^\p{L}$/u.test(event.key);
  const name = letter ? event.key.toUpperCase() : event.key;
  // A sign such as ? or + already tells that shift was held; for letters and named keys it makes another key.
  const shift = event.shiftKey && (letter || name.length > 1);
  return [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '', shift ? 'Shift' : '', name]
    .filter(Boolean)
    .join('+');
}

/** For people: `Ctrl+O` as ⌘O on a Mac, arrows as arrows. */
export function keyLabel(key: string, mac: boolean): string {
  const signs: Record<string, string> = {
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    Escape: 'Esc',
  };
  const parts = key === '+' ? ['+'] : key.split('+').map((part) => signs[part] ?? part);
  if (!mac) return parts.join('+');
  const symbols: Record<string, string> = { Ctrl: '⌘', Shift: '⇧', Alt: '⌥' };
  return parts.map((part) => symbols[part] ?? part).join('');
}
