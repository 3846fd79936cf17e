#include <cuda_runtime.h>

cudaError_t beginPlain() { return cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal); }
