/** A picture of the real app: browser mode in a headless Chromium, once everything is drawn. */
import { chromium } from '@playwright/test';
import { chromiumArguments } from './chromium.ts';

type PageWithScene = Window & { simsightScene?: () => { loading: boolean; rects: unknown[] }[] };

export interface PictureOptions {
  /** A Chromium's path. */
  browser: string;
  url: string;
  /** Number of traces that the page will show. */
  traces: number;
  /** The PNG to write. */
  picture: string;
}

export async function writePicture(options: PictureOptions): Promise<void> {
  const browser = await chromium.launch({ executablePath: options.browser, args: chromiumArguments });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 }, colorScheme: 'dark' });
    await page.goto(options.url);
    await page.waitForFunction(
      (wanted) => {
        const traces = (window as PageWithScene).simsightScene?.() ?? [];
        return traces.length === wanted && traces.every(({ loading, rects }) => !loading && rects.length > 0);
      },
      options.traces,
      { timeout: 60_000 },
    );
    await page.screenshot({ path: options.picture });
  } finally {
    await browser.close();
  }
}
