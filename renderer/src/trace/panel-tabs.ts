/** The tabs of the panel below the timeline. */
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
