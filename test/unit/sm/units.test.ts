/** Units of the SM by themselves: pipes and scoreboards, schedulers, barriers of blocks, asynchronous copies, streams. */
import { expect, it } from 'vitest';
import { gpuById } from '../../../engine/gpus/index.ts';
import { AsyncCopies } from '../../../engine/sm/core/async-copies.ts';
import { BlockBarriers } from '../../../engine/sm/core/block-barriers.ts';
import { MemoryQueues } from '../../../engine/sm/core/memory-queues.ts';
import { Pipes } from '../../../engine/sm/core/pipes.ts';
import { assemble } from '../../../engine/sm/core/program.ts';
import { never, ResidentWarps } from '../../../engine/sm/core/resident-warps.ts';
import { Schedulers } from '../../../engine/sm/core/schedulers.ts';
import { Scoreboards } from '../../../engine/sm/core/scoreboards.ts';
import { stateNumbers } from '../../../engine/sm/core/state-numbers.ts';
import { Stores } from '../../../engine/sm/core/stores.ts';
import { StreamReader } from '../../../engine/sm/core/stream-reader.ts';
import { pipe, type SmOptions } from '../../../engine/sm/core/types.ts';
import { block, machineBlock, shared, stream } from './programs.ts';

/** The units of an SM with two blocks of eight warps, two of each block in a sub-partition. */
function units(...lines: string[]) {
  const options: SmOptions = {
    program: assemble([machineBlock(...lines), machineBlock('EXIT')], gpuById('h200')),
    residentBlocks: 2,
    warpsPerBlock: 8,
    l1Bytes: 1 << 17,
    memory: { l2BytesPerCycle: 64, dramBytesPerCycle: 64, l2HitShare: 0 },
    nextBlock: () => null,
  };
  const warps = new ResidentWarps(options);
  const scoreboards = new Scoreboards(options);
  const pipes = new Pipes(options, scoreboards);
  const schedulers = new Schedulers(options, warps, scoreboards, pipes);
  const barriers = new BlockBarriers(options, warps, schedulers);
  const copies = new AsyncCopies(options, warps, schedulers);
  const reader = new StreamReader(options, warps);
  const stores = new Stores(options);
  const queues = new MemoryQueues(options, { warps, stores, scoreboards, pipes, schedulers, copies, reader });
  for (const slot of [0, 1]) {
    warps.blockOf[slot] = slot;
    warps.live[slot] = 8;
    warps.starts.push(0);
  }
  for (let w = 0; w < 16; w++) {
    warps.begin(w, stream(block(0), shared(1, 4), block(1)));
    copies.begin(w);
    reader.begin(w);
    schedulers.lastAddress[w] = -never;
    reader.enterBlock(w);
  }
  return { options, warps, scoreboards, pipes, schedulers, barriers, copies, reader, queues };
}

it('a warp wakes when the register that its next instruction reads can be read', () => {
  const { warps, pipes, schedulers } = units('r = FFMA a b', 'FADD r');
  pipes.execute(0, pipe.fma, 0, 0, 10);
  warps.pc[0] = 1;
  schedulers.schedule(0, 11, 0, 10);
  expect(warps.wake[0]).toBe(14);
  expect(schedulers.next[0]).toBe(14);
  expect(schedulers.select(0, 14)).toBe(0);
});

it('what waits for its warp in the queue of the SM is there still when many others have passed it', () => {
  const { queues } = units('#0 r = LDS p', 's = LDS q');
  queues.warpMemoryFree[0] = 1000;
  queues.enqueue(0, 0, 0, 0, 0);
  queues.accept(1);
  for (let now = 20; now < 900; now += 20) {
    queues.enqueue(0, 0, 4, 1, now);
    queues.accept(now + 1);
    const passing = queues.takeShared(now + 1);
    expect([queues.queueWarp[passing], queues.queueInstruction[passing]]).toEqual([4, 1]);
  }
  expect(queues.sharedCount).toBe(1);
  const kept = queues.takeShared(1000);
  expect([queues.queueWarp[kept], queues.queueInstruction[kept]]).toEqual([0, 0]);
});

it('a busy pipe holds back whoever wants it, and no other', () => {
  const { warps, pipes, schedulers } = units('r = DADD a b', 's = FADD a');
  warps.pc[4] = 1;
  schedulers.schedule(0, 5, 0, 0);
  pipes.occupy(0, pipe.fp64, 40, 0);
  expect(schedulers.select(0, 5)).toBe(-1);
  expect(schedulers.next[0]).toBe(40);
  schedulers.schedule(4, 6, 0, 5);
  expect(schedulers.select(0, 6)).toBe(1);
});

it('the block that came first issues first, and of its warps the one that has waited longest', () => {
  const { warps, schedulers } = units('s = FADD a');
  for (const [w, last] of [
    [0, 7],
    [4, 3],
    [8, 1],
    [12, 2],
  ] as const) {
    warps.lastIssue[w] = last;
    schedulers.schedule(w, 20, 0, 10);
  }
  expect(schedulers.select(0, 20)).toBe(1);
});

it('warps that wake later than the wheel turns are looked at again', () => {
  const { schedulers } = units('s = FADD a');
  schedulers.schedule(0, 3000, 0, 0);
  let now = schedulers.next[0]!;
  for (; schedulers.select(0, now) < 0; now = schedulers.next[0]!) expect(now).toBeLessThan(3000);
  expect(now).toBe(3000);
});

it('a barrier lets the warps of its block go on when the last one that lives has come', () => {
  const { warps, barriers } = units('s = FADD a');
  warps.live[1] = 3;
  for (const w of [8, 9]) barriers.arrive(w, 100);
  expect([...warps.inBarrier.slice(8, 12)]).toEqual([1, 1, 0, 0]);
  barriers.arrive(10, 300);
  expect([...warps.inBarrier.slice(8, 12)]).toEqual([0, 0, 0, 0]);
  expect(warps.wake[8]).toBeGreaterThan(300);
  expect(warps.wake[8]).toBe(warps.wake[10]);
  expect(warps.why[9]).toBe(stateNumbers.barrier);
});

it('a warp that waits for its copies goes on when the last of the group is there', () => {
  const { warps, copies } = units('s = FADD a');
  copies.asyncQueued[0] = 2;
  copies.asyncGroup[0] = 1;
  copies.asyncWait[0] = 0;
  copies.awaitCopies(0, 50);
  expect(warps.why[0]).toBe(stateNumbers.long_scoreboard);
  copies.arriveCopy(0, 0, 900, 60);
  expect(warps.unknown[0]).toBe(1);
  copies.arriveCopy(0, 0, 700, 61);
  expect(warps.unknown[0]).toBe(0);
  expect(warps.wake[0]).toBe(900);
});

it('a warp finds the token of an access in its machine block only, and none after the last block', () => {
  const { warps, reader } = units('s = FADD a');
  expect(reader.findAccess(0, 1)).toBe(2);
  expect(reader.findAccess(0, 0)).toBe(-1);
  expect(reader.enterBlock(0)).toBe(true);
  expect(warps.pc[0]).toBe(1);
  expect(reader.findAccess(0, 1)).toBe(-1);
  expect(reader.enterBlock(0)).toBe(false);
});
