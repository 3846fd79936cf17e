// Textures of 1D, 2D and 3D arrays: point and linear filtering, wrap, mirror, clamp and border, normalised coordinates.
#include "../check.h"

constexpr int w = 8, h = 6, d = 4;

__global__ void read1(cudaTextureObject_t t, const float *x, float *out) { out[threadIdx.x] = tex1D<float>(t, x[threadIdx.x]); }
__global__ void read2(cudaTextureObject_t t, const float *x, const float *y, float *out) { out[threadIdx.x] = tex2D<float>(t, x[threadIdx.x], y[threadIdx.x]); }
__global__ void read3(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *out) { out[threadIdx.x] = tex3D<float>(t, x[threadIdx.x], y[threadIdx.x], z[threadIdx.x]); }

float value(int x, int y, int z) { return (float)(x * x + y * 10 + z * 100 + x * y); }

int address(int i, int size, cudaTextureAddressMode mode) {
  if (mode == cudaAddressModeClamp) return i < 0 ? 0 : i >= size ? size - 1 : i;
  if (mode == cudaAddressModeWrap) return ((i % size) + size) % size;
  if (mode == cudaAddressModeMirror) {
    const int j = ((i % (2 * size)) + 2 * size) % (2 * size);
    return j < size ? j : 2 * size - 1 - j;
  }
  return i < 0 || i >= size ? -1 : i;
}

// As the programming guide defines it; fractions have 8 bits, so a small tolerance remains for linear filtering.
double sample(int dimensions, const int *size, const float *at, cudaTextureAddressMode mode, bool linear, bool normalised) {
  int base[3] = {0, 0, 0};
  double fraction[3] = {0, 0, 0};
  for (int k = 0; k < dimensions; ++k) {
    const double c = normalised ? (double)at[k] * size[k] : at[k];
    base[k] = (int)std::floor(linear ? c - 0.5 : c);
    if (linear) fraction[k] = c - 0.5 - base[k];
  }
  double sum = 0;
  for (int corner = 0; corner < (linear ? 1 << dimensions : 1); ++corner) {
    double weight = 1;
    int p[3] = {0, 0, 0};
    bool outside = false;
    for (int k = 0; k < dimensions; ++k) {
      const int up = corner >> k & 1;
      weight *= linear ? (up ? fraction[k] : 1 - fraction[k]) : 1;
      p[k] = address(base[k] + up, size[k], mode);
      outside |= p[k] < 0;
    }
    if (!outside) sum += weight * value(p[0], p[1], p[2]);
  }
  return sum;
}

int main() {
  const int size[3] = {w, h, d};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  Random random;
  const int n = 128;
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    const int sx = w, sy = dimensions > 1 ? h : 1, sz = dimensions > 2 ? d : 1;
    std::vector<float> data(sx * sy * sz);
    for (int z = 0; z < sz; ++z)
      for (int y = 0; y < sy; ++y)
        for (int x = 0; x < sx; ++x) data[(z * sy + y) * sx + x] = value(x, y, z);
    cudaArray_t array;
    if (dimensions < 3) {
      CHECK(cudaMallocArray(&array, &format, w, dimensions > 1 ? h : 0));
      CHECK(cudaMemcpy2DToArray(array, 0, 0, data.data(), w * 4, w * 4, sy, cudaMemcpyHostToDevice));
    } else {
      CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d)));
      cudaMemcpy3DParms copy = {};
      copy.srcPtr = make_cudaPitchedPtr(data.data(), w * 4, w, h), copy.dstArray = array, copy.extent = make_cudaExtent(w, h, d), copy.kind = cudaMemcpyHostToDevice;
      CHECK(cudaMemcpy3D(&copy));
    }
    for (int linear = 0; linear < 2; ++linear)
      for (int normalised = 0; normalised < 2; ++normalised)
        for (cudaTextureAddressMode mode : {cudaAddressModeClamp, cudaAddressModeBorder, cudaAddressModeWrap, cudaAddressModeMirror}) {
          if (!normalised && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)) continue;
          cudaResourceDesc resource = {};
          resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
          cudaTextureDesc texture = {};
          for (int k = 0; k < 3; ++k) texture.addressMode[k] = k < dimensions ? mode : cudaAddressModeClamp;
          texture.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint, texture.readMode = cudaReadModeElementType, texture.normalizedCoords = normalised;
          cudaTextureObject_t object;
          CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
          std::vector<float> c[3];
          for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k) {
              // Multiples of 1/64 of a texel, away from the edges between texels.
              const double texel = std::floor(random.between(-1.5 * size[k], 2.5 * size[k]) * 16) / 16 + 1.0 / 32;
              c[k].push_back((float)(normalised ? texel / size[k] : texel));
            }
          Device<float> x(c[0]), y(c[1]), z(c[2]), out(n);
          if (dimensions == 1) read1<<<1, n>>>(object, x, out);
          else if (dimensions == 2) read2<<<1, n>>>(object, x, y, out);
          else read3<<<1, n>>>(object, x, y, z, out);
          CHECK_KERNEL();
          const auto got = out.host();
          for (int i = 0; i < n; ++i) {
            const float at[3] = {c[0][i], c[1][i], c[2][i]};
            const double e = sample(dimensions, size, at, mode, linear, normalised);
            if (!(std::fabs(got[i] - e) <= (linear ? 2.5 : 0)))
              FAIL("%dD %s %s mode %d (%g, %g, %g): %g, expected %g", dimensions, linear ? "linear" : "point", normalised ? "normalised" : "texels", (int)mode, at[0], at[1], at[2], got[i], e);
          }
          CHECK(cudaDestroyTextureObject(object));
        }
    CHECK(cudaFreeArray(array));
  }
  return finish();
}
