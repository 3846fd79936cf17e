/*
 * Times of a program's kernels by activity tracing, without changing it: strangers.json was made of programs run with this library in
 * CUDA_INJECTION64_PATH. At its end the program leaves in the file $KERNEL_TIMES a line for each kernel with one grid and block: mangled
 * name, grid, block, registers, shared memory, launches, their sum, the shortest and the median of the first 2,001, ns, between tabs.
 *   nvcc -std=c++17 -shared -Xcompiler -fPIC -o kernel_times.so kernel_times.cpp -I$CUDA/extras/CUPTI/include -L$CUDA/extras/CUPTI/lib64 -lcupti
 */
#include <cuda.h>
#include <cupti.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>
struct Kind { uint64_t count = 0, total = 0; int regs = 0, smem = 0; std::vector<uint32_t> some; };
static std::map<std::string, Kind> *kinds;
static std::mutex lock;
static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *most) {
  *size = 4 << 20; *buffer = (uint8_t *)aligned_alloc(64, *size); *most = 0;
}
static void CUPTIAPI take(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
  std::lock_guard<std::mutex> guard(lock);
  CUpti_Activity *one = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &one) == CUPTI_SUCCESS) {
    if (one->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto *k = (CUpti_ActivityKernel10 *)one;
    char shape[160];
    snprintf(shape, sizeof shape, "\t%d,%d,%d\t%d,%d,%d", k->gridX, k->gridY, k->gridZ, k->blockX, k->blockY, k->blockZ);
    auto &kind = (*kinds)[std::string(k->name) + shape];
    const uint64_t time = k->end - k->start;
    kind.count++; kind.total += time; kind.regs = k->registersPerThread;
    kind.smem = k->staticSharedMemory + k->dynamicSharedMemory;
    if (kind.some.size() < 2001) kind.some.push_back((uint32_t)time);
  }
  free(buffer);
}
static void done() {
  cuptiActivityFlushAll(1);
  const char *path = getenv("KERNEL_TIMES");
  FILE *file = path ? fopen(path, "w") : nullptr;
  if (!file) return;
  std::lock_guard<std::mutex> guard(lock);
  for (auto &[name, kind] : *kinds) {
    std::sort(kind.some.begin(), kind.some.end());
    fprintf(file, "%s\t%d\t%d\t%llu\t%llu\t%u\t%u\n", name.c_str(), kind.regs, kind.smem, (unsigned long long)kind.count,
            (unsigned long long)kind.total, kind.some[0], kind.some[kind.some.size() / 2]);
  }
  fclose(file);
}
extern "C" int InitializeInjection(void) {
  kinds = new std::map<std::string, Kind>;
  cuptiActivityRegisterCallbacks(give, take);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  atexit(done);
  return 1;
}
