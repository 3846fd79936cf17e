/** A few hundred damaged and hostile files; `npm run bench:fuzz` opens ten thousand. */
import { expect, test } from 'vitest';
import { fuzz } from '../../fuzz/run.ts';

test('damaged and hostile files are opened, opened in part or refused with a clear error, and never written to', async () => {
  const reports = await fuzz({ from: 0, count: 300, seed: 'CI', processes: 1 });
  expect(reports).toHaveLength(300);
  expect(reports.filter(({ failures }) => failures.length > 0)).toEqual([]);
  // That it is not all of one kind: files were opened, and refused.
  const count = (result: string): number => reports.filter((report) => report.result === result).length;
  expect(count('opened')).toBeGreaterThan(50);
  expect(count('refused')).toBeGreaterThan(50);
});
