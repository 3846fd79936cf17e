/** A picture of the real app: browser mode in a headless Chromium, once everything is drawn. */
import { chromium } from '@playwright/test';
import { chromiumArguments } from './chromium.ts';

interface Scene {
  rects: unknown[];
}
type PageWithScene = Window & { simsightScene?: () => Scene };

export async function writePicture(options: { browser: string; url: string; picture: string }): Promise<void> {
  const browser = await chromium.launch({ executablePath: options.browser, args: chromiumArguments });
  try {
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 }, colorScheme: 'dark' });
    await page.goto(options.url);
    await page.waitForFunction(() => ((window as PageWithScene).simsightScene?.().rects.length ?? 0) > 0, undefined, {
      timeout: 60_000,
    });
    await page.screenshot({ path: options.picture });
  } finally {
    await browser.close();
  }
}
