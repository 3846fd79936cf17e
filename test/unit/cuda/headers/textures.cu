#include <cstdio>
__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float *f, float4 *f4, uchar4 *u, int *i) {
  float x = f[0], y = f[1], z = f[2];
  f[3] = tex1D<float>(t, x) + tex1Dfetch<float>(t, 3) + tex2D<float>(t, x, y) + tex3D<float>(t, x, y, z) + tex1DLayered<float>(t, x, 2) + tex2DLayered<float>(t, x, y, 1) + tex2DLod<float>(t, x, y, 0.f) + texCubemap<float>(t, x, y, z);
  f4[1] = tex2D<float4>(t, x, y); u[0] = tex2D<uchar4>(t, x, y); i[0] = tex1Dfetch<int>(t, 4); tex2D(&f[5], t, x, y); f4[2] = tex2Dgather<float4>(t, x, y, 1); u[2] = tex1D<uchar4>(t, x); float2 g = tex3D<float2>(t, x, y, z); f[8] = g.x + g.y; f[9] = tex1D<unsigned short>(t, x);
  f[6] = surf2Dread<float>(s, 4 * threadIdx.x, 2); surf2Dread(&f4[3], s, 16 * threadIdx.x, 2, cudaBoundaryModeClamp); surf2Dwrite(x, s, 4 * threadIdx.x, 3); surf2Dwrite<uchar4>(u[1], s, 4, 3, cudaBoundaryModeZero); surf3Dwrite(f4[0], s, 16, 1, 2); surf1Dwrite(y, s, 4); i[1] = surf3Dread<int>(s, 1, 2, 3); i[2] = surf2DLayeredread<int>(s, 1, 2, 3);
}
int main() { cudaTextureObject_t t = 0; (void)t; return sizeof(__simsight_texture) == 80 ? 0 : 1; }
