/** What the app remembers of a person's taste between sessions. Losing it must never break anything. */
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

function load(): Stored {
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Record<keyof Stored, unknown>>;
    const fitting = Object.entries(defaults).map(([name, value]) => {
      const found = stored[name as keyof Stored];
      if (name === 'gpu') return [name, found ?? null];
      return [name, typeof found === typeof value && Array.isArray(found) === Array.isArray(value) ? found : value];
    });
    return Object.fromEntries(fitting) as unknown as Stored;
  } catch {
    return defaults;
  }
}

export class Preferences {
  #stored = $state<Stored>(load());
  #systemIsLight = $state(false);

  constructor() {
    const light = window.matchMedia('(prefers-color-scheme: light)');
    this.#systemIsLight = light.matches;
    light.addEventListener('change', () => (this.#systemIsLight = light.matches));
  }

  get<K extends keyof Stored>(name: K): Stored[K] {
    return this.#stored[name];
  }
  set<K extends keyof Stored>(name: K, value: Stored[K]): void {
    this.#stored[name] = value;
    try {
      localStorage.setItem(key, JSON.stringify(this.#stored));
    } catch {
      // Storage full or forbidden: then the choice lasts for this session.
    }
  }

  get theme(): 'dark' | 'light' {
    if (this.#stored.theme !== 'system') return this.#stored.theme;
    return this.#systemIsLight ? 'light' : 'dark';
  }
  /** What becomes the system's own follows the system again: who toggles twice has chosen nothing. */
  toggleTheme(): void {
    const theme = this.theme === 'dark' ? 'light' : 'dark';
    this.set('theme', (theme === 'light') === this.#systemIsLight ? 'system' : theme);
  }
}
