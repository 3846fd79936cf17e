/** Violations that axe finds on a page, or in the parts of it that `within` selects, once nothing is loading, fading or sliding any more. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules on colours. All others judge the document, which is the same in dark and in light. */
const colourRules = ['color-contrast', 'link-in-text-block'];

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
  const axe = new AxeBuilder({ page }).include(within);
  const { violations } = await (rules === 'all' ? axe.withTags(tags) : axe.withRules(colourRules)).analyze();
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`));
}
