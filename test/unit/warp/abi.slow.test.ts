/** What TypeScript knows of the runtime's structs and constants is what the C files say. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lineHint, numberedAccess, syncAction, phasesWritten } from '../../../engine/model/warp-stream.ts';
import { launchField, statistics } from '../../../engine/warp/layout.ts';
import { barrierAction, phaseOver, siteOfBarrier, whereFound } from '../../../engine/warp/runtime/abi.ts';
import { runtimeAbi } from '../../../engine/warp/runtime/generate-abi.ts';

it('abi.ts is what generate-abi.ts makes of the C files', async () => {
  const committed = new URL('../../../engine/warp/runtime/abi.ts', import.meta.url);
  expect(await runtimeAbi()).toBe(readFileSync(committed, 'utf8'));
});

it('traces have the numbers of the streams that are made of them', () => {
  expect(syncAction).toMatchObject(barrierAction);
  expect(lineHint).toMatchObject(whereFound);
  expect(numberedAccess).toBe(siteOfBarrier);
  expect(phasesWritten(phaseOver)).toBe(1);
});

it('statistics lie one behind the other', () => {
  const first = launchField[statistics[0]];
  expect(statistics.map((name) => launchField[name] - first)).toEqual(statistics.map((_, i) => 8 * i));
});
