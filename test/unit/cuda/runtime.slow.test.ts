/** Host programs against the simulated CUDA runtime: each test is a small CUDA program, compiled by the real Clang. */
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SimsightError } from '../../../engine/base/errors.ts';
import { runHostProgram, type HostProgramOptions } from '../../../engine/cuda/index.ts';
import { FakeDevice, fakeRun } from './fakes.ts';
import { compileText, newFolder, write } from './program.ts';

/** Runs the body of a main function. */
async function run(text: string, more: Partial<HostProgramOptions> = {}, device?: FakeDevice) {
  const program = await compileText(text);
  const { options, system } = fakeRun(program.host, device);
  const result = await runHostProgram({ ...options, ...more });
  return { ...result, ...system.output, system };
}

const main = (body: string, before = '') => `#include <cstdio>
#include <cstdlib>
${before}
int main(int argc, char **argv) {
${body}
}
`;

describe('the program and its operating system', () => {
  test('arguments, environment, exit code, printf and iostream', async () => {
    const text = main(
      `printf("%s %s %d\\n", argv[0], argv[1], argc);
       std::cout << "home=" << (getenv("HOME") ? getenv("HOME") : "none") << " size=" << getenv("SIZE") << std::endl;
       fprintf(stderr, "%.3Lf\\n", 1.5L);
       std::vector<std::string> v(3, "x");
       return (int)v.size();`,
      '#include <iostream>\n#include <vector>\n#include <string>',
    );
    const { exitCode, stdout, stderr } = await run(text, { arguments: ['one'], environment: ['SIZE=5'] });
    expect(exitCode).toBe(3);
    expect(stdout).toBe('app one 2\nhome=none size=5\n');
    expect(stderr).toBe('1.500\n');
  });

  test('clocks show simulated time, sleep advances it, random numbers repeat', async () => {
    const text = main(
      `using clock = std::chrono::steady_clock;
       auto a = clock::now();
       usleep(2500);
       cudaDeviceSynchronize();
       auto b = clock::now();
       printf("%lld ns, %lld s\\n", (long long)std::chrono::nanoseconds(b - a).count(), (long long)time(nullptr));
       std::random_device device;
       printf("%u\\n", device());`,
      '#include <chrono>\n#include <random>\n#include <unistd.h>\n#include <time.h>',
    );
    const first = await run(text);
    // Reading the clock takes a moment, too.
    expect(first.stdout).toMatch(/^2501020 ns, 1767225600 s\n\d+\n$/);
    expect((await run(text)).stdout).toBe(first.stdout);
  });

  test('a program that polls the clock gets on', async () => {
    const text = main(
      `using clock = std::chrono::steady_clock;
       auto a = clock::now();
       long reads = 0;
       while (clock::now() - a < std::chrono::microseconds(300)) reads++;
       printf("%d\\n", reads > 1000 && reads < 100000);`,
      '#include <chrono>',
    );
    expect((await run(text)).stdout).toBe('1\n');
  });

  test('files: reading in the granted folder only', async () => {
    const folder = newFolder();
    write(folder, 'input.txt', 'alpha 12\n');
    write(folder, 'sub/deep.bin', 'abcdef');
    const outside = write(newFolder(), 'secret.txt', 'secret');
    symlinkSync(outside, join(folder, 'link.txt'));
    const text = main(
      `std::ifstream in("input.txt");
       std::string word; int number = 0;
       in >> word >> number;
       printf("%s %d\\n", word.c_str(), number);
       FILE *deep = fopen("sub/deep.bin", "rb");
       char buffer[4] = {};
       fseek(deep, -3, SEEK_END);
       long at = ftell(deep);
       fread(buffer, 1, 3, deep);
       printf("%s %ld\\n", buffer, at);
       for (const char *name : {"missing.txt", "link.txt", "../x", "/etc/passwd"})
         printf("%s %d\\n", name, fopen(name, "r") != nullptr);
       printf("write %d\\n", fopen("input.txt", "w") != nullptr);
       printf("new %d\\n", fopen("new.txt", "w") != nullptr);`,
      '#include <fstream>\n#include <string>',
    );
    const { stdout } = await run(text, { folder });
    expect(stdout).toBe('alpha 12\ndef 3\nmissing.txt 0\nlink.txt 0\n../x 0\n/etc/passwd 0\nwrite 0\nnew 0\n');
  });

  test('files: writing in the folder that was granted for it, and nowhere else', async () => {
    const folder = newFolder();
    const path = newFolder();
    symlinkSync(join(newFolder(), 'made-elsewhere.txt'), join(path, 'dangling.txt'));
    const text = main(
      `std::string d = "out";
       std::ofstream out(d + "/a.txt"); out << "one\\n"; out.close();
       out.open(d + "/a.txt", std::ios::app); out << "two\\n"; out.close();
       std::ifstream in(d + "/a.txt");
       for (std::string line; std::getline(in, line);) printf("[%s]", line.c_str());
       printf(" %d %d\\n", mkdir("out/sub", 0777), rename("out/a.txt", "out/sub/b.txt"));
       for (const char *name : {"here.txt", "out/../up.txt", "out/dangling.txt", "/tmp/simsight-evil.txt"})
         printf("%s %d\\n", name, fopen(name, "w") != nullptr);
       printf("%d %d\\n", remove("out/sub/b.txt"), rmdir("out/sub"));`,
      '#include <fstream>\n#include <string>\n#include <sys/stat.h>\n#include <unistd.h>',
    );
    const { stdout } = await run(text, { folder, writable: { path, name: 'out' } });
    expect(stdout).toBe(
      '[one][two] 0 0\nhere.txt 0\nout/../up.txt 0\nout/dangling.txt 0\n/tmp/simsight-evil.txt 0\n0 0\n',
    );
    expect(readdirSync(path)).toEqual(['dangling.txt']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('abort and traps end in one clear error', async () => {
    const program = run(main('fprintf(stderr, "bad input\\n"); abort();'));
    await expect(program).rejects.toMatchObject({
      code: 'host-program-failed',
      message: expect.stringMatching(/^app aborted.*bad input/),
    });
    const fault = run(main('volatile int *p = (int *)0xf0000000; return *p;'));
    await expect(fault).rejects.toMatchObject({ message: expect.stringMatching(/outside of its own .* in main\.$/) });
  });

  test.each([
    ['fread', 'fread(&c, 1, 1, f)'],
    ['fscanf', 'fscanf(f, "%c", &c)'],
    ['fprintf', 'fprintf(f, "%c %d", c, argc)'],
    ['fclose', 'fclose(f)'],
    ['fgetc', 'fgetc(f)'],
    ['fputc', 'fputc(c, f)'],
  ])('a null FILE* is no file for %s', async (name, call) => {
    const text = main(`FILE *f = fopen("missing", "r"); char c = 0; if (argc > 1) puts(argv[0]); ${call};`);
    await expect(run(text)).rejects.toMatchObject({
      code: 'host-program-failed',
      message: expect.stringMatching(new RegExp(`^app read or wrote a null FILE\\* .* in .*${name}, called by .*main`)),
    });
  });

  test('a program that fails by a file that it could not write is told how it can', async () => {
    const text = main('if (!fopen("result.txt", "w")) abort();');
    await expect(run(text, { folder: newFolder() })).rejects.toMatchObject({
      code: 'host-program-failed',
      remedy: expect.stringMatching(/^It wanted to write result\.txt, .* --writable\. Debug the host program/),
    });
  });

  test('an exception ends the program with its type and message', async () => {
    const text = main(
      'if (argc > 1) throw std::runtime_error("no " + std::string(argv[1])); puts("fine");',
      '#include <stdexcept>\n#include <string>',
    );
    expect((await run(text)).stdout).toBe('fine\n');
    await expect(run(text, { arguments: ['input'] })).rejects.toMatchObject({
      code: 'host-program-failed',
      message: 'app threw an exception of type std::runtime_error: no input.',
    });
  });

  test('a call that the runtime lacks is named before the program starts', async () => {
    const text = main('puts("started"); cudaNoSuchCall();', 'extern "C" int cudaNoSuchCall();');
    await expect(run(text)).rejects.toMatchObject({
      code: 'unsupported-construct',
      message: 'cudaNoSuchCall is not supported yet.',
    });
  });

  test('clusters of blocks are refused where a launch asks for them, and are none where they are of one block', async () => {
    const text = main(
      `cudaLaunchAttribute attribute = {};
       attribute.id = cudaLaunchAttributeClusterDimension;
       attribute.val.clusterDim = {1, 1, 1};
       cudaLaunchConfig_t config = {};
       config.gridDim = dim3(2), config.blockDim = dim3(32), config.attrs = &attribute, config.numAttrs = 1;
       printf("%d\\n", cudaLaunchKernelEx(&config, clustered));
       fflush(stdout);
       attribute.val.clusterDim.x = 2;
       cudaLaunchKernelEx(&config, clustered);`,
      '__global__ void clustered() {}',
    );
    await expect(run(text)).rejects.toMatchObject({
      code: 'unsupported-construct',
      message: expect.stringMatching(
        /^A kernel is launched with clusters of 2 x 1 x 1 blocks: .* are not simulated\.$/,
      ) as string,
    });
  });
});

describe('memory', () => {
  test('copies in all directions, and cudaMemcpyDefault by address', async () => {
    const { stdout, system } = await run(
      main(
        `float host[256], back[256] = {}, other[256] = {};
         for (int i = 0; i < 256; i++) host[i] = i;
         float *a, *b, *pinned;
         cudaMalloc(&a, sizeof host); cudaMalloc(&b, sizeof host); cudaMallocHost(&pinned, sizeof host);
         cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
         cudaMemcpy(b, a, sizeof host, cudaMemcpyDeviceToDevice);
         cudaMemcpyAsync(pinned, b, sizeof host, cudaMemcpyDefault, 0);
         cudaMemcpy(back, b + 1, sizeof host - 4, cudaMemcpyDeviceToHost);
         cudaMemcpy(other, pinned, sizeof host, cudaMemcpyHostToHost);
         printf("%g %g %g\\n", back[0], back[254], other[255]);
         cudaMemset(a, 0x7f, 8);
         unsigned u[3];
         cudaMemcpy(u, a, 12, cudaMemcpyDefault);
         printf("%x %x %x\\n", u[0], u[1], u[2]);
         printf("%d %d\\n", cudaFreeHost(pinned), cudaFree(a));`,
      ),
    );
    expect(stdout).toBe('1 255 255\n7f7f7f7f 7f7f7f7f 40000000\n0 0\n');
    expect(system.operations.map((o) => [o.type, o.direction, o.hostMemory, o.async])).toEqual([
      ['copy', 'host-to-device', 'pageable', false],
      ['copy', 'device-to-device', 'pageable', false],
      ['copy', 'device-to-host', 'pinned', true],
      ['copy', 'device-to-host', 'pageable', false],
      ['copy', 'host-to-host', 'pageable', false],
      ['memset', undefined, undefined, false],
      ['copy', 'device-to-host', 'pageable', false],
    ]);
  });

  test('rows with a pitch', async () => {
    const { stdout } = await run(
      main(
        `char *d; size_t pitch; char host[3][5] = {"abcd", "efgh", "ijkl"}, back[3][4] = {};
         cudaMallocPitch(&d, &pitch, 4, 3);
         cudaMemcpy2D(d, pitch, host, 5, 4, 3, cudaMemcpyHostToDevice);
         cudaMemcpy2D(back, 4, d, pitch, 4, 3, cudaMemcpyDeviceToHost);
         printf("%zu %.12s %d\\n", pitch, back[0], cudaMemcpy2D(back, 2, d, pitch, 4, 3, cudaMemcpyDeviceToHost));`,
      ),
    );
    expect(stdout).toBe('512 abcdefghijkl 12\n');
  });

  test('the errors of real CUDA', async () => {
    const { stdout } = await run(
      main(
        `int x, *d, *e;
         printf("%d\\n", cudaMalloc(&d, 1024));
         printf("%d\\n", cudaMalloc(&e, 0xf0000000u));
         printf("%d\\n", cudaMemcpy(d, &x, 2048, cudaMemcpyHostToDevice));
         printf("%d\\n", cudaMemcpy(&x, &x + 100000, 4, cudaMemcpyDeviceToHost));
         printf("%d\\n", cudaMemcpy(d, &x, 4, (cudaMemcpyKind)9));
         printf("%d\\n", cudaMemcpyAsync(d, &x, 4, cudaMemcpyHostToDevice, (cudaStream_t)77));
         printf("%d %s\\n", cudaPeekAtLastError(), cudaGetErrorName(cudaPeekAtLastError()));
         printf("%d %s\\n", cudaGetLastError(), cudaGetErrorString(cudaErrorMemoryAllocation));
         printf("%d\\n", cudaGetLastError());
         printf("%d %d %d\\n", cudaFree(d), cudaFree(d), cudaFree(nullptr));
         printf("%d %d\\n", cudaHostRegister(&x, 4, 0), cudaHostRegister(&x, 4, 0));
         printf("%d %d\\n", cudaSetDevice(0), cudaSetDevice(1));`,
      ),
    );
    expect(stdout.split('\n')).toEqual([
      '0', '2', '1', '1', '21', '400', '400 cudaErrorInvalidResourceHandle', '400 out of memory', '0',
      '0 1 0', '0 712', '0 101', '',
    ]); // prettier-ignore
  });

  test('symbols', async () => {
    const device = new FakeDevice({}, [
      { name: 'table', address: 2048, size: 16, managed: false },
      { name: 'counter', address: 4096, size: 4, managed: false },
    ]);
    const { stdout } = await run(
      main(
        `float in[4] = {1, 2, 3, 4}, out[4];
         cudaMemcpyToSymbol(table, in, sizeof in);
         cudaMemcpyFromSymbol(out, table, 8, 8);
         int *address; size_t size;
         cudaGetSymbolAddress((void **)&address, counter);
         cudaGetSymbolSize(&size, table);
         cudaMemset(address, 1, 4);
         int value;
         cudaMemcpyFromSymbol(&value, counter, 4);
         printf("%g %g %p %zu %x %d\\n", out[0], out[1], address, size, value, cudaMemcpyToSymbol(table, in, 20));`,
        '__constant__ float table[4]; __device__ int counter;\n__global__ void use(float *o) { o[0] = table[1]; counter = 1; }',
      ),
      {},
      device,
    );
    expect(stdout).toBe('3 4 0x1000 16 1010101 1\n');
  });
});

describe('streams and events', () => {
  test('elapsed time, queries, priorities', async () => {
    const { stdout, system } = await run(
      main(
        `cudaStream_t s, t; cudaEvent_t a, b, c; float ms = -1; char *d; int least, greatest, priority; unsigned flags;
         cudaMalloc(&d, 64);
         cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
         cudaDeviceGetStreamPriorityRange(&least, &greatest);
         cudaStreamCreateWithPriority(&t, cudaStreamDefault, -9);
         cudaStreamGetPriority(t, &priority);
         cudaStreamGetFlags(s, &flags);
         printf("%d %d %d %u\\n", least, greatest, priority, flags);
         cudaEventCreate(&a); cudaEventCreate(&b); cudaEventCreateWithFlags(&c, cudaEventDisableTiming);
         printf("%d %d\\n", cudaEventElapsedTime(&ms, a, b), cudaEventQuery(a));
         cudaEventRecord(a, s);
         cudaMemsetAsync(d, 0, 64, s);
         cudaEventRecord(b, s);
         printf("%d %d\\n", cudaStreamQuery(s), cudaEventElapsedTime(&ms, a, b));
         cudaStreamWaitEvent(t, b);
         cudaStreamSynchronize(s);
         printf("%d %d %d\\n", cudaEventQuery(b), cudaEventElapsedTime(&ms, a, b), cudaEventElapsedTime(&ms, a, c));
         printf("%.3f\\n", ms);
         printf("%d %d\\n", cudaStreamDestroy(s), cudaStreamDestroy(s));
         return cudaEventDestroy(a);`,
      ),
    );
    expect(stdout).toBe('0 -5 -5 1\n400 0\n600 600\n0 0 400\n0.011\n0 400\n');
    // cudaStreamGetPriority and its like are left out, as profilers do.
    expect(system.calls.map(({ name }) => name).slice(0, 4)).toEqual([
      'cudaMalloc',
      'cudaStreamCreateWithFlags',
      'cudaStreamCreateWithPriority',
      'cudaEventCreate',
    ]);
  });
});

describe('kernels', () => {
  const kernels = `
struct Part { short tag; double weight; float *data; };
__global__ void mixed(Part part, char flag, double scale, int n, float4 v) {
  part.data[threadIdx.x] = part.weight * scale + n + v.w + flag;
}
template <class T> __global__ void scale(T *data, int n) { data[n] *= 2; }
__global__ void __launch_bounds__(64) bounded(int *p) { *p = 1; }
`;

  test('parameters arrive as they were given: struct by value, pointers, doubles, vectors', async () => {
    const seen: unknown[] = [];
    const device = new FakeDevice({
      _Z5mixed4Partcdi6float4: {
        sizes: [24, 1, 8, 4, 16],
        run: (p, launch, memory) => {
          seen.push(p.getInt16(0, true), p.getFloat64(8, true), p.getInt8(24), p.getFloat64(32, true));
          seen.push(p.getInt32(40, true), p.getFloat32(60, true), launch.grid, launch.block);
          seen.push(launch.dynamicSharedBytes);
          memory.setFloat32(p.getUint32(16, true), 42, true);
        },
      },
    });
    const { stdout, system } = await run(
      main(
        `float *d, h; cudaMalloc(&d, 4);
         Part part = {7, 2.5, d};
         mixed<<<dim3(2, 3), 128, 256>>>(part, 'x', 0.125, -5, make_float4(1, 2, 3, 4));
         cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
         printf("%g %d\\n", h, cudaGetLastError());`,
        kernels,
      ),
      {},
      device,
    );
    expect(stdout).toBe('42 0\n');
    expect(seen).toEqual([7, 2.5, 120, 0.125, -5, 4, { x: 2, y: 3, z: 1 }, { x: 128, y: 1, z: 1 }, 256]);
    expect(system.operations[0]).toMatchObject({ type: 'kernel', kernel: '_Z5mixed4Partcdi6float4', stream: 0 });
  });

  test('launches that hardware refuses', async () => {
    const device = new FakeDevice({
      _Z5scaleIfEvPT_i: { sizes: [4, 4], run: () => {} },
      _Z7boundedPi: { sizes: [4], maxThreadsPerBlock: 64, run: () => {} },
    });
    const { stdout, system } = await run(
      main(
        `auto check = [] { printf("%d ", cudaGetLastError()); };
         scale<<<0, 32>>>((float *)0, 1); check();
         scale<<<1, 2048>>>((float *)0, 1); check();
         scale<<<dim3(1, 70000), 32>>>((float *)0, 1); check();
         scale<<<1, 32, 60000>>>((float *)0, 1); check();
         printf("%d ", cudaFuncSetAttribute(scale<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
         scale<<<1, 32, 60000>>>((float *)0, 1); check();
         scale<<<1, 32>>>((double *)0, 1); check();
         bounded<<<1, 128>>>(0); check();
         scale<<<1, 32, 0, (cudaStream_t)99>>>((float *)0, 1); check();
         int blocks; cudaFuncAttributes attributes;
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale<float>, 256, 0);
         cudaFuncGetAttributes(&attributes, bounded);
         int minGrid, best;
         cudaOccupancyMaxPotentialBlockSize(&minGrid, &best, scale<float>);
         printf("%d %d %d %d %d", blocks, attributes.numRegs, attributes.maxThreadsPerBlock, minGrid, best);`,
        kernels,
      ),
      {},
      device,
    );
    expect(stdout).toBe('9 9 9 1 0 0 98 701 400 8 32 64 216 1024');
    expect(system.operations).toHaveLength(1);
  });

  test('a kernel that faults is noticed when the host waits, and the context is lost until it is reset', async () => {
    const failure = Object.assign(new SimsightError('kernel-failed', 'scale read address 0'), { cudaError: 700 });
    const device = new FakeDevice({
      _Z5scaleIfEvPT_i: {
        sizes: [4, 4],
        run: () => {
          throw failure;
        },
      },
    });
    const { stdout, stderr } = await run(
      main(
        `float *d; cudaMalloc(&d, 4);
         scale<<<1, 32>>>(d, 0);
         printf("%d ", cudaGetLastError());
         printf("%d ", cudaDeviceSynchronize());
         printf("%d %d ", cudaGetLastError(), cudaGetLastError());
         printf("%d ", cudaMalloc(&d, 4));
         scale<<<1, 32>>>(d, 0);
         printf("%d ", cudaPeekAtLastError());
         printf("%d %d\\n", cudaDeviceReset(), cudaMalloc(&d, 4));`,
        kernels,
      ),
      {},
      device,
    );
    expect(stdout).toBe('0 700 700 700 700 700 0 0\n');
    expect(stderr).toBe('Simsight: scale read address 0 (cudaErrorIllegalAddress)\n');
  });
});
