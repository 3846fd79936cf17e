// Loaded into a program by CUDA_INJECTION64_PATH: writes name, grid.x, block.x and duration (ns) of every kernel to $DURATIONS.
#include <cupti.h>
#include <cstdio>
#include <cstdlib>
static FILE* out;
static void CUPTIAPI give(uint8_t** buffer, size_t* size, size_t* most) {
  *size = 1 << 20;
  *buffer = (uint8_t*)aligned_alloc(64, *size);
  *most = 0;
}
static void CUPTIAPI take(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* one = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &one) == CUPTI_SUCCESS) {
    auto* k = (CUpti_ActivityKernel9*)one;
    fprintf(out, "%s %d %d %llu\n", k->name, k->gridX, k->blockX, (unsigned long long)(k->end - k->start));
  }
  free(buffer);
}
static void finish() {
  cuptiActivityFlushAll(1);
  fclose(out);
}
extern "C" int InitializeInjection() {
  out = fopen(getenv("DURATIONS"), "w");
  cuptiActivityRegisterCallbacks(give, take);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  atexit(finish);
  return 1;
}
