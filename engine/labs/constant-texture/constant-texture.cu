// Numbers that all threads read and nobody writes: coefficients that all lanes want at once, a table in which each lane looks up its own,
// and an image between whose elements is interpolated. Results have n × n elements, n a multiple of 64.
#include "../lab.h"

constexpr int width = 32, height = 8; // of a block

/** The results one after the other, blocks in the order of their numbers. */
__device__ int ownIndex() { return ((blockIdx.y * gridDim.x + blockIdx.x) * height + threadIdx.y) * width + threadIdx.x; }

// A polynomial, modulo 2 to the 32: all lanes want the same coefficient at the same time.
constexpr int coefficients = 64;
__constant__ unsigned constantCoefficients[coefficients];

__device__ unsigned polynomial(const unsigned *coefficient, int count, unsigned x) {
  unsigned sum = 0;
#pragma unroll 8
  for (int k = 0; k < count; ++k) sum = sum * x + coefficient[k];
  return sum;
}
__global__ void polynomialGlobal(const unsigned *__restrict__ coefficient, int count, unsigned *out) {
  const int i = ownIndex();
  out[i] = polynomial(coefficient, count, i);
}
__global__ void polynomialConstant(int count, unsigned *out) {
  const int i = ownIndex();
  out[i] = polynomial(constantCoefficients, count, i);
}

// A table of 256 entries: each lane wants the entries that the bytes of its own key say.
constexpr int entries = 256;
__constant__ unsigned constantTable[entries];

template <class Table> __device__ unsigned lookUp(unsigned key, Table table) {
  return (table(key & 255) ^ table(key >> 8 & 255)) + (table(key >> 16 & 255) ^ table(key >> 24));
}
__global__ void lookUpConstant(const unsigned *__restrict__ keys, unsigned *out) {
  const int i = ownIndex();
  out[i] = lookUp(keys[i], [](unsigned at) { return constantTable[at]; });
}
__global__ void lookUpGlobal(const unsigned *__restrict__ keys, const unsigned *__restrict__ table, unsigned *out) {
  const int i = ownIndex();
  out[i] = lookUp(keys[i], [=](unsigned at) { return table[at]; });
}
__global__ void lookUpTexture(const unsigned *__restrict__ keys, cudaTextureObject_t table, unsigned *out) {
  const int i = ownIndex();
  out[i] = lookUp(keys[i], [=](unsigned at) { return tex1Dfetch<unsigned>(table, at); });
}

// An image of half the side, enlarged: each result lies between four elements, and nearest to one of them. At its end the image is
// continued with its last elements.
__host__ __device__ inline float between(float from, float to, float fraction) { return from + fraction * (to - from); }

__global__ void enlargeGlobal(const float *__restrict__ image, float *out, int n) {
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y, side = n / 2;
  const float atX = 0.5f * x - 0.25f, atY = 0.5f * y - 0.25f, firstX = floorf(atX), firstY = floorf(atY);
  const int west = max(int(firstX), 0), east = min(int(firstX) + 1, side - 1);
  const float *const north = image + max(int(firstY), 0) * side, *const south = image + min(int(firstY) + 1, side - 1) * side;
  out[y * n + x] = between(between(north[west], north[east], atX - firstX), between(south[west], south[east], atX - firstX), atY - firstY);
}
__global__ void enlargeTexture(cudaTextureObject_t image, float *out, int n) {
  const int x = blockIdx.x * width + threadIdx.x, y = blockIdx.y * height + threadIdx.y;
  out[y * n + x] = tex2D<float>(image, 0.5f * x + 0.25f, 0.5f * y + 0.25f); // the middle of an element is at one half
}

/** What is read as a texture, until it is freed. */
struct Texture {
  cudaTextureObject_t object;
  Texture(const cudaResourceDesc &resource, cudaTextureFilterMode filter) {
    cudaTextureDesc reading = {};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = filter;
    CHECK(cudaCreateTextureObject(&object, &resource, &reading, nullptr));
  }
  Texture(const Texture &) = delete;
  ~Texture() { cudaDestroyTextureObject(object); }
};

int main(int argc, char **argv) {
  Lab lab(argc, argv, 2048);
  const int n = lab.size, side = n / 2;
  if (n % 64 != 0) return fprintf(stderr, "The size has to be a multiple of 64.\n"), 2;
  const size_t count = size_t(n) * n;
  const dim3 block(width, height), grid(n / width, n / height);
  const auto numbers = [](size_t count) {
    std::vector<unsigned> all(count);
    for (size_t i = 0; i < count; ++i) all[i] = unsigned(i) * 2654435761u, all[i] ^= all[i] >> 15;
    return all;
  };

  if (lab.wants("broadcast-global") || lab.wants("broadcast-constant")) {
    const std::vector<unsigned> host = numbers(coefficients);
    Device<unsigned> coefficient(host), out(count);
    CHECK(cudaMemcpyToSymbol(constantCoefficients, host.data(), coefficient.bytes()));
    // By powers of x, from the last coefficient on.
    const auto wrong = [&](const std::vector<unsigned> &result) {
      size_t errors = 0;
      for (size_t i = 0; i < count; ++i) {
        unsigned sum = 0, power = 1;
        for (int k = coefficients - 1; k >= 0; --k) sum += host[k] * power, power *= unsigned(i);
        errors += result[i] != sum;
      }
      return errors;
    };
    lab.variant("broadcast-global", out, [&] { polynomialGlobal<<<grid, block>>>(coefficient, coefficients, out); }, wrong);
    lab.variant("broadcast-constant", out, [&] { polynomialConstant<<<grid, block>>>(coefficients, out); }, wrong);
  }

  if (lab.wants("scattered-constant") || lab.wants("scattered-global") || lab.wants("scattered-texture")) {
    const std::vector<unsigned> host = numbers(entries), hostKeys = numbers(count);
    Device<unsigned> table(host), keys(hostKeys), out(count);
    CHECK(cudaMemcpyToSymbol(constantTable, host.data(), table.bytes()));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = table;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = table.bytes();
    const Texture texture(resource, cudaFilterModePoint);
    const auto wrong = [&](const std::vector<unsigned> &result) {
      size_t errors = 0;
      const unsigned char *const bytes = reinterpret_cast<const unsigned char *>(hostKeys.data());
      for (size_t i = 0; i < count; ++i)
        errors += result[i] != (host[bytes[4 * i]] ^ host[bytes[4 * i + 1]]) + (host[bytes[4 * i + 2]] ^ host[bytes[4 * i + 3]]);
      return errors;
    };
    lab.variant("scattered-constant", out, [&] { lookUpConstant<<<grid, block>>>(keys, out); }, wrong);
    lab.variant("scattered-global", out, [&] { lookUpGlobal<<<grid, block>>>(keys, table, out); }, wrong);
    lab.variant("scattered-texture", out, [&] { lookUpTexture<<<grid, block>>>(keys, texture.object, out); }, wrong);
  }

  if (lab.wants("image-global") || lab.wants("image-texture")) {
    // Whole numbers: sixteenths of them are exact.
    std::vector<float> host(size_t(side) * side);
    for (size_t i = 0; i < host.size(); ++i) host[i] = float(i * 7 % 1021);
    Device<float> image(host), out(count);
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, side, side));
    const size_t row = side * sizeof(float);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host.data(), row, row, side, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    {
      const Texture texture(resource, cudaFilterModeLinear);
      const auto wrong = [&](const std::vector<float> &result) {
        size_t errors = 0;
        // Three fourths of the nearest element and one of its neighbour, in both directions.
        const auto inside = [&](int at) { return std::min(std::max(at, 0), side - 1); };
        for (int y = 0; y < n; ++y)
          for (int x = 0; x < n; ++x) {
            const float *const near = &host[size_t(y / 2) * side], *const far = &host[size_t(inside(y / 2 + (y % 2 == 0 ? -1 : 1))) * side];
            const int next = inside(x / 2 + (x % 2 == 0 ? -1 : 1));
            errors += result[size_t(y) * n + x] * 16.0f != 9.0f * near[x / 2] + 3.0f * near[next] + 3.0f * far[x / 2] + far[next];
          }
        return errors;
      };
      lab.variant("image-global", out, [&] { enlargeGlobal<<<grid, block>>>(image, out, n); }, wrong);
      lab.variant("image-texture", out, [&] { enlargeTexture<<<grid, block>>>(texture.object, out, n); }, wrong);
    }
    CHECK(cudaFreeArray(array));
  }
  return lab.end();
}
