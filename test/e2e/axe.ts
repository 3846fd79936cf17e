/** Violations that axe finds on a page, or in the parts of it that `within` selects, once nothing is loading, fading or sliding any more. */
import { expect, type Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';

type PageWithAxe = Window & { axe?: typeof axe };

const allRules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};
/** Rules on colours. All others judge the document, which is the same in dark and in light. */
const colourRules: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

export async function violations(page: Page, within = 'html', rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished),
    ),
  );
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: RunOptions = { ...(rules === 'all' ? allRules : colourRules), resultTypes: ['violations'] };
  const { violations } = await page.evaluate(([within, options]) => (window as PageWithAxe).axe!.run(within, options), [
    within,
    options,
  ] as const);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`));
}
