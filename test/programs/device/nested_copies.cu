// Copies and fills that kernels enqueue, in order with the kernels of their stream; the texts of errors.
// Compile with relocatable device code.
#include "../check.h"
#include <cstring>

__global__ void addOne(int *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}
__global__ void parent(int *to, const int *from, char *bytes, int *rows, int n, int *codes, char *text) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  codes[0] = cudaMemcpyAsync(to, from, n * sizeof(int), cudaMemcpyDeviceToDevice, stream);
  addOne<<<(n + 255) / 256, 256, 0, stream>>>(to, n);
  codes[1] = cudaMemsetAsync(bytes + 1, 0x1ab, 1001, stream);
  codes[2] = cudaMemcpyAsync(bytes + 2002, bytes, 1003, cudaMemcpyDefault, stream);
  codes[3] = cudaMemset2DAsync(rows, 64, 7, 20, 5, stream);
  codes[4] = cudaMemcpy2DAsync(rows + 256, 128, rows, 64, 24, 5, cudaMemcpyDeviceToDevice, stream);
  codes[5] = cudaMemcpyAsync(to, from, 4, cudaMemcpyHostToDevice, stream);
  codes[6] = cudaMemcpyAsync(to, from, 0, cudaMemcpyDeviceToDevice, stream);
  addOne<<<1, 2000, 0, stream>>>(to, n);
  const char *error = cudaGetErrorString(cudaGetLastError());
  for (int i = 0; i < 64 && (text[i] = error[i]); ++i) {}
  const char *name = cudaGetErrorName(cudaErrorInvalidValue);
  for (int i = 0; i < 64 && (text[64 + i] = name[i]); ++i) {}
}
int main() {
  const int n = 5003;
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = 3 * i;
  Device<int> from(numbers), to(n), codes(7), rows(std::vector<int>(512, 1));
  Device<char> bytes(std::vector<char>(4000, 1)), text(128);
  parent<<<1, 1>>>(to, from, bytes, rows, n, codes, text);
  CHECK_KERNEL();
  const auto copied = to.host(), got = codes.host(), rectangle = rows.host();
  const auto filled = bytes.host(), said = text.host();
  for (int i = 0; i < n; ++i) same("to", i, copied[i], 3 * i + 1);
  for (int i = 0; i < 1003; ++i) {
    const int want = i >= 1 && i < 1002 ? (char)0xab : 1;
    same("bytes", i, (int)filled[i], want);
    same("copied bytes", i, (int)filled[2002 + i], want);
  }
  for (int row = 0; row < 5; ++row)
    for (int i = 0; i < 16; ++i) {
      same("rows", 16 * row + i, rectangle[16 * row + i], i < 5 ? 0x07070707 : 1);
      same("copied rows", 16 * row + i, rectangle[256 + 32 * row + i], i < 5 ? 0x07070707 : 1);
    }
  for (int i = 0; i < 7; ++i) same("codes", i, got[i], i == 5 ? (int)cudaErrorInvalidMemcpyDirection : 0);
  same("text", 0, std::strcmp(said.data(), "invalid configuration argument"), 0);
  same("name", 0, std::strcmp(said.data() + 64, "cudaErrorInvalidValue"), 0);
  return finish();
}
