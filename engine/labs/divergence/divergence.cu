// Elements of two kinds that need different work: mixed within warps, sorted by kind, or with the decision made per warp.
#include "../lab.h"

constexpr int threads = 256, steps = 192;

// Integers: exact, whatever the compiler does.
__host__ __device__ inline unsigned workA(unsigned x) {
  for (int i = 0; i < steps; ++i) x = (x ^ x >> 15) * 2654435761u;
  return x;
}
__host__ __device__ inline unsigned workB(unsigned x) {
  for (int i = 0; i < steps; ++i) x = (x ^ x >> 7) * 2246822519u;
  return x;
}

// Neighbouring lanes take turns: each warp goes both ways, with half of its lanes.
__global__ void byLane(const unsigned *in, unsigned *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = i % 2 == 0 ? workA(in[i]) : workB(in[i]);
}

// The kind of each element is data, and elements come as they are.
__global__ void byKind(const unsigned *in, const unsigned char *kind, unsigned *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (kind[i] == 0)
    out[i] = workA(in[i]);
  else
    out[i] = workB(in[i]);
}

// As many of each kind, but all lanes of a warp go the same way.
__global__ void byWarp(const unsigned *in, unsigned *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  out[i] = i / 32 % 2 == 0 ? workA(in[i]) : workB(in[i]);
}

// Elements sorted by kind beforehand: few warps have both.
__global__ void sorted(const unsigned *in, const int *order, const unsigned char *kind, unsigned *out) {
  const int i = order[blockIdx.x * threads + threadIdx.x];
  if (kind[i] == 0)
    out[i] = workA(in[i]);
  else
    out[i] = workB(in[i]);
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1 << 19);
  const int n = lab.size, blocks = n / threads;
  if (n % threads != 0) return fprintf(stderr, "The size has to be a multiple of %d.\n", threads), 2;
  std::vector<unsigned> numbers(n);
  std::vector<unsigned char> kinds(n);
  std::vector<int> byKinds;
  for (int i = 0; i < n; ++i) numbers[i] = i * 7, kinds[i] = unsigned(i) * 2654435761u >> 31;
  for (int kind = 0; kind < 2; ++kind)
    for (int i = 0; i < n; ++i)
      if (kinds[i] == kind) byKinds.push_back(i);
  Device<unsigned> in(numbers), out(n);
  Device<unsigned char> kind(kinds);
  Device<int> order(byKinds);

  // All elements of some blocks: the host takes its time.
  const auto wrongUnless = [&](auto isA) {
    return [&, isA](const std::vector<unsigned> &result) {
      size_t count = 0;
      for (int i = 0; i < n; i += i % threads == threads - 1 ? 1 + threads * (blocks / 16) : 1)
        count += result[i] != (isA(i) ? workA(numbers[i]) : workB(numbers[i]));
      return count;
    };
  };
  const auto ofKind = wrongUnless([&](int i) { return kinds[i] == 0; });
  lab.variant("lane", out, [&] { byLane<<<blocks, threads>>>(in, out); }, wrongUnless([](int i) { return i % 2 == 0; }));
  lab.variant("warp", out, [&] { byWarp<<<blocks, threads>>>(in, out); }, wrongUnless([](int i) { return i / 32 % 2 == 0; }));
  lab.variant("unsorted", out, [&] { byKind<<<blocks, threads>>>(in, kind, out); }, ofKind);
  lab.variant("sorted", out, [&] { sorted<<<blocks, threads>>>(in, order, kind, out); }, ofKind);
  return lab.end();
}
