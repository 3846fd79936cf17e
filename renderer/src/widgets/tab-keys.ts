/** The tab that an arrow key leads to, around the ends; null for other keys. */
export function tabByKey<Id>(event: KeyboardEvent, tabs: readonly { id: Id }[], current: Id): Id | null {
  const delta = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (delta === 0) return null;
  event.preventDefault();
  const at = tabs.findIndex(({ id }) => id === current);
  return tabs[(at + delta + tabs.length) % tabs.length]!.id;
}
