/** Barriers in shared memory, bulk copies, textures, atomics and what warps do together: whole programs, beside what they print on a real H200. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../setup/command-line.ts';
import { inNewFolder } from './programs.ts';

const folder = join(import.meta.dirname, '../reference/h200');

/** Output of a command for a program of the reference on the simulated H200. */
function printedBy(command: string, program: string, ...more: string[]): { stdout: string; stderr: string } {
  const words = [command, join(folder, 'cuda', `${program}.cu`), '--gpu', 'h200', ...more];
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return { stdout, stderr };
}

/** Relative error of each line of a program; lines without a figure are left out. */
function errors(name: string): Map<string, number> {
  const measured = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Record<string, number>;
  const printed = inNewFolder((out) => {
    const { stdout, stderr } = printedBy('record', name, '-o', join(out, 't.simsight'));
    return stdout + stderr;
  });
  const found = new Map<string, number>();
  for (const [, what, figure] of printed.matchAll(/^(.*?): ([\d.]+)/gm)) {
    // Rows of one name are of other distances.
    const names = ['', ', 0.25 texels apart', ', 2 texels apart'].map((more) => what! + more);
    const row = names.find((name) => !found.has(name) && measured[name] !== undefined);
    if (row !== undefined) found.set(row, Number(figure) / measured[row]! - 1);
  }
  return found;
}

const beyond = (rows: Map<string, number>, limit: number): string[] =>
  [...rows].filter(([, error]) => Math.abs(error) > limit).map(([name]) => name);

test('barriers and bulk copies', () => {
  const rows = errors('async');
  expect(rows.size).toBeGreaterThan(80);
  expect(beyond(rows, 0.17).sort()).toEqual(
    [
      // An arrival and a test behind it take 11 cycles less than one after the other, and a block of few warps does not wake all.
      'arrive and wait, 32 lanes',
      'all threads of 1 warps',
      'all threads of 2 warps',
      'all threads of 4 warps',
      // `bar.sync` with registers: ptxas keeps them, and the loop is shorter.
      'halves of 2 warps, bar',
      'halves of 8 warps, bar',
      // Within L2, 6 to 8 microseconds: the launch is part of them.
      'stream of 16 MB, tiles of 1024 bytes, 1 at a time',
      // One or two copies of a block under way: all SMs meet in DRAM at first, and stay together here.
      'stream of 256 MB, tiles of 16384 bytes, 1 at a time',
      'stream of 256 MB, tiles of 16384 bytes, 2 at a time',
      'stream of 256 MB, tiles of 4096 bytes, 1 at a time',
      'stream of 256 MB, tiles of 4096 bytes, 2 at a time',
      'stream of 256 MB, tiles of 4096 bytes, 4 at a time',
    ].sort(),
  );
});

test('copies by cp.async, alone and ahead of tiles', () => {
  const rows = errors('copies');
  expect(rows.size).toBe(24);
  expect(beyond(rows, 0.2).sort()).toEqual(
    [
      // Four tiles under way and nothing else to do: on hardware the pipe takes copies past L1 in fewer passes.
      'tile, 4 ahead, copy of 16 bytes, one SM',
      // 20.3 and 20.6 % too slow, where every SM copies from L2 at once; the rows between them 16 %.
      'tile, 1 ahead, copy of 16 bytes, all SMs',
      'tile, 4 ahead, copy of 16 bytes, all SMs',
    ].sort(),
  );
});

test('textures', () => {
  const rows = new Map([...errors('textures'), ...errors('misses')]);
  expect(rows.size).toBeGreaterThan(45);
  // Texels of 128 bits with gaps, which do not meet in the same place; one warp whose lines all do.
  expect(beyond(rows, 0.135)).toEqual(['tex2D of float4, point, 32 warps, 2 texels apart', 'int, 64 apart, 1 warps']);
});

test('atomics on one address, by type', () => {
  const rows = errors('atomics');
  expect(rows.size).toBe(8);
  expect(beyond(rows, 0.03)).toEqual([]);
});

interface WarpWide {
  operation: string;
  distinct: number;
  masks: number;
  /** Cycles of one after the other, and with 8 warps on each sub-partition. */
  chain: number;
  rate: number;
}

test('matches, reductions, shuffles and votes, with masks of lanes’ own', () => {
  const { rows } = JSON.parse(readFileSync(join(folder, 'warpwide.json'), 'utf8')) as { rows: WarpWide[] };
  const { stdout } = printedBy('run', 'warpwide');
  const simulated = JSON.parse(`[${stdout.trim().replace(/,$/, '')}]`) as WarpWide[];
  const off = (figure: 'chain' | 'rate', limit: number): WarpWide[] =>
    rows.filter((row, i) => {
      const own = simulated[i]!;
      expect({ ...own, chain: 0, rate: 0 }).toEqual({ ...row, chain: 0, rate: 0 });
      // Clang makes one operation of the four between them.
      if (row.operation.startsWith('syncwarp')) return false;
      return Math.abs(own[figure] / row[figure] - 1) > limit;
    });
  expect(off('chain', 0.13)).toEqual([]);
  // Groups that take turns keep the schedulers busier than here, where their warps only wait.
  expect(off('rate', 0.19).every(({ masks, operation }) => masks > 1 && !operation.startsWith('shfl'))).toBe(true);
  expect(off('rate', 0.45)).toEqual([]);
});
