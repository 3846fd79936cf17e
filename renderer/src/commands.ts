/**
 * The one list of what can be done by key, menu and help. Menus of the desktop app name commands by the same ids; to add
 * an action, add it here.
 */
import type { Workspace } from './app/workspace.svelte.ts';
import type { ThemeChoice } from './app/preferences.svelte.ts';
import type { DrawnBy } from './timeline/surface.ts';
import type { PanelTab } from './trace/panel-tabs.ts';

export interface Command {
  id: string;
  title: string;
  group: 'File' | 'View' | 'Selection' | 'Panels' | 'Help';
  /** As {@link keyOf} names them; the first is shown in menus. */
  keys: string[];
  /** Absent: always. */
  enabled?(workspace: Workspace): boolean;
  run(workspace: Workspace): void;
}

/** A trace whose timeline is in sight. */
const hasTrace = (workspace: Workspace): boolean => workspace.trace !== null && workspace.kernel === null;
const hasTwo = (workspace: Workspace): boolean => hasTrace(workspace) && workspace.traces.length === 2;
const hasSearch = (workspace: Workspace): boolean =>
  hasTrace(workspace) && Boolean(workspace.trace?.search.result?.count);
const hasNotes = (workspace: Workspace): boolean => hasTrace(workspace) && Boolean(workspace.trace?.notes.list.length);
const hasSelection = (workspace: Workspace): boolean => hasTrace(workspace) && Boolean(workspace.trace?.selection);

function show(tab: PanelTab): (workspace: Workspace) => void {
  return (workspace) => {
    workspace.tab = tab;
    workspace.preferences.set('panelOpen', true);
  };
}

function drawBy(drawnBy: DrawnBy, words: string): Command {
  return {
    ...{ id: `view.drawn-by-${drawnBy}`, title: `Draw the timeline ${words}`, group: 'View', keys: [] },
    run: (w) => w.preferences.set('timelineDrawnBy', drawnBy),
  };
}

function useTheme(theme: ThemeChoice, words: string): Command {
  return {
    ...{ id: `view.theme-${theme}`, title: `Colours ${words}`, group: 'View', keys: [] },
    run: (w) => w.preferences.set('theme', theme),
  };
}

function fitSelection(workspace: Workspace): void {
  const trace = workspace.trace;
  if (!trace) return;
  const { measured } = trace.view;
  if (measured) trace.view.fit(measured.from, measured.to);
  else if (trace.selection) {
    const { startNs, durationNs } = trace.selection.event;
    trace.view.fit(startNs, startNs + durationNs);
  } else trace.view.fitAll();
}

function correlated(workspace: Workspace, direction: 1 | -1): void {
  const trace = workspace.trace;
  const list = trace?.selection?.details?.correlated ?? [];
  const target = direction > 0 ? list[0] : list.at(-1);
  if (trace && target) void trace.go(target, target.title);
}

export const commands: readonly Command[] = [
  { id: 'trace.open', title: 'Open trace…', group: 'File', keys: ['O', 'Ctrl+O'], run: (w) => w.chooseTrace() },
  {
    id: 'record.open',
    title: 'Record CUDA program…',
    group: 'File',
    keys: ['R'],
    run: (w) => w.recording.prepare(),
  },
  {
    id: 'compare.open',
    title: 'Compare with…',
    group: 'File',
    keys: ['C', 'Ctrl+Shift+O'],
    enabled: hasTrace,
    run: (w) => w.chooseComparison(),
  },
  {
    id: 'view.savePng',
    title: 'Save the view as PNG',
    group: 'File',
    keys: ['Ctrl+S'],
    enabled: hasTrace,
    run: (w) => void w.saving.picture('png'),
  },
  {
    id: 'view.saveSvg',
    title: 'Save the view as SVG',
    group: 'File',
    keys: ['Ctrl+Shift+S'],
    enabled: hasTrace,
    run: (w) => void w.saving.picture('svg'),
  },
  {
    id: 'report.saveHtml',
    title: 'Save report…',
    group: 'File',
    keys: ['Shift+R'],
    enabled: hasTrace,
    run: (w) => void w.saving.report('html'),
  },
  {
    id: 'report.saveMarkdown',
    title: 'Save report as Markdown…',
    group: 'File',
    keys: [],
    enabled: hasTrace,
    run: (w) => void w.saving.report('markdown'),
  },
  {
    id: 'trace.close',
    title: 'Close and go to start',
    group: 'File',
    keys: ['Q'],
    enabled: hasTrace,
    run: (w) => w.closeTraces(),
  },
  {
    id: 'trace.reopen',
    title: 'Reopen the last closed or replaced trace',
    group: 'File',
    keys: ['Shift+Q', 'Ctrl+Shift+T'],
    enabled: (w) => w.closed.next !== null && w.kernel === null,
    run: (w) => void w.reopen(),
  },

  {
    id: 'view.zoomIn',
    title: 'Zoom in',
    group: 'View',
    keys: ['W', '+', '='],
    enabled: hasTrace,
    run: (w) => w.trace?.view.zoom(1 / 1.5),
  },
  {
    id: 'view.zoomOut',
    title: 'Zoom out',
    group: 'View',
    keys: ['S', '-'],
    enabled: hasTrace,
    run: (w) => w.trace?.view.zoom(1.5),
  },
  {
    id: 'view.left',
    title: 'Move left',
    group: 'View',
    keys: ['A', 'ArrowLeft'],
    enabled: hasTrace,
    run: (w) => w.trace?.view.panShare(-0.15),
  },
  {
    id: 'view.right',
    title: 'Move right',
    group: 'View',
    keys: ['D', 'ArrowRight'],
    enabled: hasTrace,
    run: (w) => w.trace?.view.panShare(0.15),
  },
  {
    id: 'view.up',
    title: 'Scroll rows up',
    group: 'View',
    keys: ['ArrowUp'],
    enabled: hasTrace,
    run: (w) => w.trace?.rows.main.scrollBy(-60),
  },
  {
    id: 'view.down',
    title: 'Scroll rows down',
    group: 'View',
    keys: ['ArrowDown'],
    enabled: hasTrace,
    run: (w) => w.trace?.rows.main.scrollBy(60),
  },
  {
    id: 'view.fit',
    title: 'Whole trace',
    group: 'View',
    keys: ['0', 'Home'],
    enabled: hasTrace,
    run: (w) => w.trace?.view.fitAll(),
  },
  {
    id: 'view.fitSelection',
    title: 'Fit selection (or all)',
    group: 'View',
    keys: ['F'],
    enabled: hasTrace,
    run: fitSelection,
  },
  {
    id: 'view.goToTime',
    title: 'Go to a time…',
    group: 'View',
    keys: ['G', 'Ctrl+G'],
    enabled: hasTrace,
    run: (w) => (w.dialog = 'time'),
  },
  {
    id: 'view.back',
    title: 'Undo: back to the previous view and rows',
    group: 'View',
    keys: ['Alt+ArrowLeft', 'Ctrl+Z'],
    enabled: hasTrace,
    run: (w) => w.trace?.view.back(),
  },
  {
    id: 'view.forward',
    title: 'Redo: forward again',
    group: 'View',
    keys: ['Alt+ArrowRight', 'Ctrl+Shift+Z'],
    enabled: hasTrace,
    run: (w) => w.trace?.view.forward(),
  },
  {
    id: 'view.openRows',
    title: 'Open all rows',
    group: 'View',
    keys: ['Shift+E'],
    enabled: hasTrace,
    run: (w) => w.trace?.rows.setAllCollapsed(false),
  },
  {
    id: 'view.closeRows',
    title: 'Close all rows',
    group: 'View',
    keys: ['E'],
    enabled: hasTrace,
    run: (w) => w.trace?.rows.setAllCollapsed(true),
  },
  {
    id: 'rows.filter',
    title: 'Filter rows by name',
    group: 'View',
    keys: ['Shift+F'],
    enabled: hasTrace,
    run: () => document.querySelector<HTMLInputElement>('[data-filter="rows"]')?.focus(),
  },
  {
    id: 'rows.reset',
    title: 'Reset rows: none pinned, hidden or moved',
    group: 'View',
    keys: [],
    enabled: (w) => Boolean(w.trace?.rows.isArranged),
    run: (w) => w.trace?.rows.reset(),
  },
  {
    id: 'compare.link',
    title: 'Link the views of both traces',
    group: 'View',
    keys: ['L'],
    enabled: hasTwo,
    run: (w) => w.setLinked(!w.linked),
  },
  {
    id: 'compare.swap',
    title: 'Swap before and after',
    group: 'View',
    keys: ['X'],
    enabled: hasTwo,
    run: (w) => w.swap(),
  },
  {
    id: 'compare.colours',
    title: 'Colour events by their change',
    group: 'View',
    keys: ['Shift+C'],
    enabled: hasTwo,
    run: (w) => {
      if (w.comparing) w.comparing.colours = !w.comparing.colours;
    },
  },
  {
    id: 'compare.ghost',
    title: 'Show before as a ghost behind after',
    group: 'View',
    keys: ['Shift+G'],
    enabled: (w) => hasTwo(w) && w.linked,
    run: (w) => {
      if (w.comparing) w.comparing.showsGhost = !w.comparing.showsGhost;
    },
  },
  {
    id: 'view.theme',
    title: 'Switch between dark and light',
    group: 'View',
    keys: ['T'],
    run: (w) => w.preferences.toggleTheme(),
  },
  useTheme('system', 'as the system'),
  useTheme('dark', 'dark'),
  useTheme('light', 'light'),
  drawBy('automatic', 'on the GPU if there is one'),
  drawBy('gpu', 'on the GPU'),
  drawBy('cpu', 'without the GPU'),

  {
    id: 'select.next',
    title: 'Next event on the row',
    group: 'Selection',
    keys: ['.'],
    enabled: hasTrace,
    run: (w) => void w.trace?.step(1, 'row'),
  },
  {
    id: 'select.previous',
    title: 'Previous event on the row',
    group: 'Selection',
    keys: [','],
    enabled: hasTrace,
    run: (w) => void w.trace?.step(-1, 'row'),
  },
  {
    id: 'select.nextOfName',
    title: 'Next event with the same name',
    group: 'Selection',
    keys: ['N'],
    enabled: hasTrace,
    run: (w) => void w.trace?.step(1, 'name'),
  },
  {
    id: 'select.previousOfName',
    title: 'Previous event with the same name',
    group: 'Selection',
    keys: ['Shift+N'],
    enabled: hasTrace,
    run: (w) => void w.trace?.step(-1, 'name'),
  },
  {
    id: 'select.effect',
    title: 'Go to the correlated event',
    group: 'Selection',
    keys: [']'],
    enabled: hasSelection,
    run: (w) => correlated(w, 1),
  },
  {
    id: 'select.cause',
    title: 'Go to the last correlated event',
    group: 'Selection',
    keys: ['['],
    enabled: hasSelection,
    run: (w) => correlated(w, -1),
  },
  {
    id: 'notes.add',
    title: 'Add a note (at the range, the selected event or the pointer)',
    group: 'Selection',
    keys: ['B'],
    enabled: hasTrace,
    run: (w) => {
      show('notes')(w);
      void w.trace?.notes.add();
    },
  },
  {
    id: 'notes.next',
    title: 'Next note',
    group: 'Selection',
    keys: ['PageDown'],
    enabled: hasNotes,
    run: (w) => w.trace?.notes.step(1),
  },
  {
    id: 'notes.previous',
    title: 'Previous note',
    group: 'Selection',
    keys: ['PageUp'],
    enabled: hasNotes,
    run: (w) => w.trace?.notes.step(-1),
  },
  {
    id: 'search.open',
    title: 'Search names (in / / a regular expression)',
    group: 'Selection',
    keys: ['Ctrl+F', '/'],
    enabled: hasTrace,
    run: (w) => w.trace?.search.open(),
  },
  {
    id: 'search.next',
    title: 'Next match',
    group: 'Selection',
    keys: ['F3'],
    enabled: hasSearch,
    run: (w) => void w.trace?.search.go('next'),
  },
  {
    id: 'search.previous',
    title: 'Previous match',
    group: 'Selection',
    keys: ['Shift+F3'],
    enabled: hasSearch,
    run: (w) => void w.trace?.search.go('previous'),
  },
  {
    id: 'kernel.open',
    title: 'Open the selected kernel: why is it slow?',
    group: 'Selection',
    keys: ['K'],
    enabled: (w) => hasTrace(w) && w.trace?.selection?.event.ref.kind === 'kernel',
    run: (w) => w.openKernel(),
  },
  {
    id: 'select.clear',
    title: 'Clear selection, range and highlight',
    group: 'Selection',
    keys: ['Escape'],
    enabled: hasTrace,
    run: (w) => {
      for (const trace of w.traces) {
        // The search is given up last: going on to the next hit begins with letting go of this one.
        const nothing = !trace.selection && !trace.emphasis && !trace.view.measured;
        if (nothing && trace.search.isOpen) trace.search.close();
        trace.clearSelection();
        trace.emphasise(null);
        trace.view.measured = null;
      }
    },
  },

  {
    id: 'panel.selection',
    title: 'Selection',
    group: 'Panels',
    keys: ['1'],
    enabled: hasTrace,
    run: show('selection'),
  },
  { id: 'panel.range', title: 'Range', group: 'Panels', keys: ['2'], enabled: hasTrace, run: show('range') },
  { id: 'panel.events', title: 'Events', group: 'Panels', keys: ['3'], enabled: hasTrace, run: show('events') },
  {
    id: 'panel.reports',
    title: 'Summary reports',
    group: 'Panels',
    keys: ['4'],
    enabled: hasTrace,
    run: show('reports'),
  },
  { id: 'panel.sql', title: 'SQL', group: 'Panels', keys: ['5'], enabled: hasTrace, run: show('sql') },
  { id: 'panel.console', title: 'Console', group: 'Panels', keys: ['6'], enabled: hasTrace, run: show('console') },
  { id: 'panel.notes', title: 'Notes', group: 'Panels', keys: ['7'], enabled: hasTrace, run: show('notes') },
  {
    id: 'panel.comparison',
    title: 'Comparison',
    group: 'Panels',
    keys: ['8'],
    enabled: hasTwo,
    run: show('comparison'),
  },
  { id: 'panel.advice', title: 'Advice', group: 'Panels', keys: ['9'], enabled: hasTrace, run: show('advice') },
  {
    id: 'panel.toggle',
    title: 'Show or hide the panel',
    group: 'Panels',
    keys: ['J'],
    enabled: hasTrace,
    run: (w) => w.preferences.set('panelOpen', !w.preferences.get('panelOpen')),
  },

  {
    id: 'help.palette',
    title: 'Command palette',
    group: 'Help',
    keys: ['Ctrl+K', 'Ctrl+Shift+P'],
    run: (w) => (w.dialog = 'palette'),
  },
  {
    id: 'help.shortcuts',
    title: 'Keyboard shortcuts',
    group: 'Help',
    keys: ['?', 'F1'],
    run: (w) => (w.dialog = 'help'),
  },
  {
    id: 'engine.reconnect',
    title: 'Reconnect to the engine',
    group: 'Help',
    keys: [],
    run: (w) => void w.reconnect(),
  },
];

export function commandById(id: string): Command | undefined {
  return commands.find((command) => command.id === id);
}

/** The command for a key, if it may be used now. */
export function commandForKey(key: string, workspace: Workspace): Command | undefined {
  return commands.find((command) => command.keys.includes(key) && (command.enabled?.(workspace) ?? true));
}
