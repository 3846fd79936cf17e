/** Which grids several threads execute, by what earlier ones took. */
import { expect, test } from 'vitest';
import { CrewSharing } from '../../../engine/warp/device/crew-sharing.ts';
import type { ModuleKernel } from '../../../engine/warp/module.ts';

/** A machine whose time passes only by blocks, each of so many milliseconds. */
function machine(cost: { alone: number; crew: number; conflicts?: boolean }) {
  let time = 0;
  const blocks = { alone: 0, crew: 0 };
  const spend = (how: 'alone' | 'crew', count: number): void => {
    time += count * cost[how];
    blocks[how] += count;
  };
  const crew = {
    parts: 2,
    run(_: unknown, first: number, end: number) {
      const done = cost.conflicts === true ? first : end;
      spend('crew', end - first);
      return done;
    },
  };
  const sharing = new CrewSharing(crew, 4, () => time);
  const kernel = { byBlocks: true } as ModuleKernel;
  const launch = (count: number, pieces = 1): { alone: number; crew: number; time: number } => {
    const before = { ...blocks, time };
    const shared = {
      ...{ kernel, grid: null!, measured: sharing.begin(kernel), tell: () => undefined },
      alone: (first: number, end: number) => spend('alone', end - first),
    };
    for (let piece = 0; piece < pieces; piece++)
      sharing.run(shared, (piece * count) / pieces, ((piece + 1) * count) / pieces);
    return { alone: blocks.alone - before.alone, crew: blocks.crew - before.crew, time: time - before.time };
  };
  return { cost, launch };
}

test('several threads that were slower at first are tried again', () => {
  // Code is still being compiled, or somebody else has the cores.
  const { cost, launch } = machine({ alone: 0.01, crew: 0.02 });
  for (let i = 0; i < 4; i++) launch(10_000);
  expect(launch(10_000).crew).toBe(0);
  Object.assign(cost, { alone: 0.01, crew: 0.006 });
  for (let i = 0; i < 60; i++) launch(10_000);
  const later = launch(10_000);
  expect(later.crew).toBeGreaterThan(9000);
});

test('several threads that stay slower cost little', () => {
  const { launch } = machine({ alone: 0.01, crew: 0.02 });
  let time = 0;
  for (let i = 0; i < 400; i++) time += launch(10_000).time;
  expect(time).toBeLessThan(1.1 * 400 * 100);
});

test('blocks that get in each other\u2019s way cost little, and are tried again', () => {
  const { cost, launch } = machine({ alone: 0.01, crew: 0.006, conflicts: true });
  let time = 0;
  for (let i = 0; i < 400; i++) time += launch(10_000).time;
  expect(time).toBeLessThan(1.1 * 400 * 100);
  cost.conflicts = false;
  for (let i = 0; i < 60; i++) launch(10_000);
  expect(launch(10_000).crew).toBeGreaterThan(9000);
});

test('pieces between blocks that are looked at say nothing of whole grids', () => {
  const { cost, launch } = machine({ alone: 0.05, crew: 0.06 });
  // 200 pieces of 5 ms, as of a grid that is traced.
  launch(20_000, 200);
  cost.crew = 0.03;
  expect(launch(20_000).crew).toBeGreaterThan(19_000);
});
