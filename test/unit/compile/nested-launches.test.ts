import { describe, expect, test } from 'vitest';
import { launchedByDevice, seemToLaunchEachOther } from '../../../engine/compile/nested-launches.ts';

const files = (...texts: string[]) => new Map(texts.map((text, i) => [`/p/${i}`, new TextEncoder().encode(text)]));
const launched = (text: string): string[] => [...launchedByDevice(files(text))];
const child = '__global__ void child(int *x) { *x = 1; }\n';

describe('launches within code for the device', () => {
  test('are told from those of host code', () => {
    expect(launched(`${child}int main() { child<<<1, 1>>>(nullptr); }\n`)).toEqual([]);
    expect(launched(`${child}__global__ void parent(int *x) { if (x) { child<<<1, 1>>>(x); } }\n`)).toEqual(['child']);
    expect(launched('static __device__ void go(int *x) { work<int, box<4>> <<<1, 1>>>(x); }\n')).toEqual(['work']);
  });
  test('are none in comments, strings and declarations', () => {
    const parent = '__global__ void parent() { /* a<<<1, 1>>>(); */ print("b<<<1, 1>>>()"); } // c<<<1, 1>>>();\n';
    expect(
      launched(`__global__ void child(int *);\n__device__ int n;\n${parent}int f() { child<<<1, 1>>>(0); }`),
    ).toEqual([]);
    expect(launched('__global__ void open() { if (1) { int never; } d<<<1, 1>>>();')).toEqual(['d']);
  });
  test('take time that grows with the text', () => {
    launched('__global__ void f() { '.repeat(50_000) + '<<<');
    launched(`__global__ void f() { ${'a<b<c '.repeat(50_000)}`);
  });
});

describe('sources whose kernels launch each other', () => {
  const source = (name: string, text: string) => ({ source: name, userFiles: files(text) });
  const parent = '__global__ void child(int *x);\n__global__ void parent(int *x) { child<<<1, 1>>>(x); }\n';

  test('are those of which one defines what another launches and lacks', () => {
    expect(seemToLaunchEachOther([source('a.cu', parent), source('b.cu', child)])).toBe(true);
    expect(seemToLaunchEachOther([source('a.cu', child + parent), source('b.cu', child)])).toBe(false);
    expect(seemToLaunchEachOther([source('a.cu', parent), source('b.cu', 'int child;')])).toBe(false);
  });
});
