/** The blocks that a device gives to graphs: H200 reference, mem_nodes, M4. */
import { describe, expect, test } from 'vitest';
import type { Executable } from '../../../engine/cuda/runtime/graph.ts';
import { GraphMemory } from '../../../engine/cuda/runtime/graph-memory.ts';

const block = 32 << 20;
const executable = (): Executable => ({}) as Executable;

function launch(memory: GraphMemory, user: Executable, stream: number, bytes: number, held: Executable[] = []): number {
  memory.grow(user, stream, memory.growth(user, stream, bytes, new Set(held)));
  return memory.bytes / block;
}

describe('memory for graphs', () => {
  test.each([
    [1, 1],
    [31, 1],
    [32, 1],
    [33, 2],
    [64, 2],
    [100, 4],
  ])('%i MB take %i blocks', (megabytes, blocks) => {
    expect(launch(new GraphMemory(), executable(), 1, megabytes << 20)).toBe(blocks);
  });

  test('an executable finds its own again, in any stream', () => {
    const memory = new GraphMemory();
    const own = executable();
    expect(launch(memory, own, 1, block)).toBe(1);
    expect(launch(memory, own, 2, block)).toBe(1);
    expect(launch(memory, own, 2, 3 * block)).toBe(3);
  });

  test('those of one stream share, those of two do not', () => {
    const memory = new GraphMemory();
    const [a, b] = [executable(), executable()];
    expect(launch(memory, a, 1, block / 2)).toBe(1);
    expect(launch(memory, b, 1, block / 2)).toBe(1);
    expect(launch(memory, a, 2, block / 2)).toBe(2);
  });

  test('what an allocation needs is nobody else’s, and stays when the rest is trimmed', () => {
    const memory = new GraphMemory();
    const [a, b] = [executable(), executable()];
    launch(memory, a, 1, block);
    expect(launch(memory, b, 1, block, [a])).toBe(2);
    memory.trim((user) => user === a);
    expect(memory.bytes).toBe(block);
    expect(memory.most).toEqual({ used: 2 * block, reserved: 2 * block });
  });
});
