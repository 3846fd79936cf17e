/** What the panel below the timeline can show. */
export const panelTabs = [
  'selection',
  'range',
  'events',
  'reports',
  'sql',
  'console',
  'notes',
  'advice',
  'comparison',
] as const;
export type PanelTab = (typeof panelTabs)[number];
