/** Barriers of the grid: a whole program, beside what it prints on a real H200. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../setup/command-line.ts';
import { inNewFolder } from './programs.ts';

const folder = join(import.meta.dirname, '../reference/h200');

test('barriers of the grid, alone and with steps between', () => {
  const measured = JSON.parse(readFileSync(join(folder, 'grid_sync.json'), 'utf8')) as Record<string, number>;
  const printed = inNewFolder((out) => {
    const words = ['record', join(folder, 'cuda/grid_sync.cu'), '--gpu', 'h200', '-o', join(out, 't.simsight')];
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], { encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout + stderr;
  });
  const rows = [...printed.matchAll(/^(.*): ([\d.]+)/gm)].map(([, name, figure]) => ({
    name: name!,
    us: Number(figure),
  }));
  expect(rows).toHaveLength(8);
  expect(rows.filter(({ name, us }) => Math.abs(us / measured[name]! - 1) > 0.15)).toEqual([]);
});
