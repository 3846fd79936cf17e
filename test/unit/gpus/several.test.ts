/** Several GPUs in one machine: how they are named and what joins them. */
import { describe, expect, it } from 'vitest';
import { gpuById, gpus, gpusById } from '../../../engine/gpus/index.ts';
import { nvLinkBetween, nvLinkOf } from '../../../engine/gpus/nvlink.ts';

const ids = (list: string): string[] => gpusById(list).map(({ id }) => id);

describe('lists of GPUs', () => {
  it.each([
    ['h200', ['h200']],
    ['2xh200', ['h200', 'h200']],
    ['h200,a100', ['h200', 'a100-80gb']],
    ['1xT4, 2Xv100', ['t4', 'v100', 'v100']],
  ])('%s', (list, expected) => expect(ids(list)).toEqual(expected));

  it.each(['', '9xh200', '0xh200', 'h200,', '4xh200,5xa100', '2xh20'])('not %s', (list) => {
    expect(() => gpusById(list)).toThrow(expect.objectContaining({ code: 'unknown-gpu' }));
  });
});

describe('NVLink', () => {
  const between = (list: string, first = 0, second = 1) => nvLinkBetween(gpusById(list), first, second);

  it('joins GPUs of one chip', () => {
    expect(between('2xh200')).toMatchObject({ generation: 4, links: 18, bandwidth: 450e9 });
    expect(between('h100,h200')).not.toBeNull();
    expect(between('a100-40gb,a100-80gb')).toMatchObject({ bandwidth: 300e9 });
    expect(between('h200,a100')).toBeNull();
    expect(between('2xt4')).toBeNull();
    expect(between('2xh200', 1, 1)).toBeNull();
  });

  it('joins two boards by a bridge', () => {
    expect(between('4xa6000', 0, 1)).not.toBeNull();
    expect(between('4xa6000', 1, 2)).toBeNull();
    expect(between('4xa6000', 2, 3)).not.toBeNull();
  });

  it('has 25 GB/s per link and direction, but for bridges', () => {
    const links = gpus.flatMap((gpu) => nvLinkOf(gpuById(gpu.id)) ?? []);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) if (link.joins > 2) expect(link.bandwidth / link.links).toBe(25e9);
  });
});
