// Generators in kernels beside cuRAND's host API, whose numbers are known.
#include <cstdio>
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>
#include <vector>

const int streams = 4096, blocks = 3, rounds = 5;

__device__ void nextStream(curandStateXORWOW_t *state) { skipahead_sequence(1, state); }
__device__ void nextStream(curandStateMRG32k3a_t *state) { skipahead_subsequence(1, state); }
// Number k of stream t is number k * streams + t of the legacy order. The second ones are made again from the stream before.
template <class State> __global__ void ofStreams(unsigned *out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(1234, t, 0, &state);
  out[t] = curand(&state);
  if (t > 0) {
    curand_init(1234, t - 1, 0, &state);
    nextStream(&state);
    skipahead(1ull, &state);
  }
  out[streams + t] = curand(&state);
}
__global__ void ofBlocks(curandStateMtgp32 *states, unsigned *out) {
  for (int k = 0; k < rounds; ++k) out[(k * blocks + blockIdx.x) * 256 + threadIdx.x] = curand(&states[blockIdx.x]);
}
__global__ void ofSobol(unsigned *out) {
  curandDirectionVectors32_t vectors;
  for (int k = 0; k < 32; ++k) vectors[k] = 1u << (31 - k);
  curandStateSobol32_t state;
  curand_init(vectors, 4 * threadIdx.x, &state);
  for (int k = 0; k < 4; ++k) out[4 * threadIdx.x + k] = curand(&state);
}

static std::vector<unsigned> ofHost(curandRngType_t type, size_t n) {
  curandGenerator_t g;
  std::vector<unsigned> out(n);
  curandCreateGeneratorHost(&g, type);
  if (type < 200) {
    curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY);
    curandSetPseudoRandomGeneratorSeed(g, 1234);
  }
  curandGenerate(g, out.data(), n);
  curandDestroyGenerator(g);
  return out;
}
static unsigned *device;
static void compare(const char *what, const std::vector<unsigned> &right) {
  std::vector<unsigned> out(right.size());
  const cudaError_t error = cudaMemcpy(out.data(), device, out.size() * 4, cudaMemcpyDeviceToHost);
  printf("%s: %s\n", what, error == cudaSuccess && out == right ? "right" : "wrong");
}

int main() {
  cudaMalloc(&device, 1 << 20);
  ofStreams<curandStateXORWOW_t><<<streams / 256, 256>>>(device);
  compare("XORWOW", ofHost(CURAND_RNG_PSEUDO_XORWOW, 2 * streams));
  ofStreams<curandStateMRG32k3a_t><<<streams / 256, 256>>>(device);
  compare("MRG32k3a", ofHost(CURAND_RNG_PSEUDO_MRG32K3A, 2 * streams));

  mtgp32_kernel_params_t *parameters;
  curandStateMtgp32 *states;
  cudaMalloc(&parameters, sizeof *parameters);
  cudaMalloc(&states, blocks * sizeof *states);
  curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters);
  curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, blocks, 1234);
  ofBlocks<<<blocks, 256>>>(states, device);
  // Of the legacy order's 64 blocks the first ones.
  const std::vector<unsigned> all = ofHost(CURAND_RNG_PSEUDO_MTGP32, 64 * 256 * rounds);
  std::vector<unsigned> first;
  for (int k = 0; k < rounds; ++k)
    first.insert(first.end(), all.begin() + k * 64 * 256, all.begin() + k * 64 * 256 + blocks * 256);
  compare("MTGP32", first);

  ofSobol<<<1, 64>>>(device);
  compare("Sobol", ofHost(CURAND_RNG_QUASI_SOBOL32, 256));
  return 0;
}
