/**
 * The user's preferences between sessions. Losing them must never break anything. The engine keeps them; the
 * browser's storage has a copy where it can, so that a page has its colours before the engine has answered.
 */
import type { DrawnBy } from '../timeline/surface.ts';

export type ThemeChoice = 'system' | 'dark' | 'light';

interface Stored {
  theme: ThemeChoice;
  gpu: string | null;
  headerWidth: number;
  panelHeight: number;
  panelOpen: boolean;
  linked: boolean;
  timelineDrawnBy: DrawnBy;
  /** The last ones, newest last. */
  sqlHistory: string[];
}

const key = 'simsight.preferences';
const defaults: Stored = {
  theme: 'system',
  gpu: null,
  headerWidth: 280,
  panelHeight: 250,
  panelOpen: true,
  linked: true,
  timelineDrawnBy: 'automatic',
  sqlHistory: [],
};

/** With defaults in the place of what is missing or of another kind. */
function fittingOf(stored: Partial<Record<string, unknown>>): Stored {
  const fitting = Object.entries(defaults).map(([name, value]) => {
    const found = stored[name];
    if (name === 'gpu') return [name, found ?? null];
    return [name, typeof found === typeof value && Array.isArray(found) === Array.isArray(value) ? found : value];
  });
  return Object.fromEntries(fitting) as unknown as Stored;
}

function copyInBrowser(): Stored {
  try {
    return fittingOf(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Record<string, unknown>>);
  } catch {
    return defaults;
  }
}

export class Preferences {
  #stored = $state<Stored>(copyInBrowser());
  #systemIsLight = $state(false);
  readonly #keep: (name: string, value: unknown) => void;

  constructor(keep: (name: string, value: unknown) => void) {
    this.#keep = keep;
    const light = window.matchMedia('(prefers-color-scheme: light)');
    this.#systemIsLight = light.matches;
    light.addEventListener('change', () => (this.#systemIsLight = light.matches));
  }

  get<K extends keyof Stored>(name: K): Stored[K] {
    return this.#stored[name];
  }
  set<K extends keyof Stored>(name: K, value: Stored[K]): void {
    this.#stored[name] = value;
    this.#keep(name, $state.snapshot(value));
    this.#copyToBrowser();
  }
  /** Takes the preferences that the engine has kept. */
  take(kept: Record<string, unknown>): void {
    this.#stored = fittingOf(kept);
    this.#copyToBrowser();
  }
  #copyToBrowser(): void {
    try {
      localStorage.setItem(key, JSON.stringify(this.#stored));
    } catch {
      // Storage full or forbidden: then a page begins with the system's colours.
    }
  }

  get theme(): 'dark' | 'light' {
    if (this.#stored.theme !== 'system') return this.#stored.theme;
    return this.#systemIsLight ? 'light' : 'dark';
  }
  /** A choice that equals the system's follows the system again: toggling twice chooses nothing. */
  toggleTheme(): void {
    const theme = this.theme === 'dark' ? 'light' : 'dark';
    this.set('theme', (theme === 'light') === this.#systemIsLight ? 'system' : theme);
  }
}
