// Virtual functions of objects made on the device, called with different types in one warp.
#include "../check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Circle : Shape {
  float r;
  __device__ explicit Circle(float r) : r(r) {}
  __device__ float area() const override { return 3 * r * r; }
};
struct Box : Shape {
  float w, h;
  __device__ Box(float w, float h) : w(w), h(h) {}
  __device__ float area() const override { return w * h; }
  __device__ int corners() const override { return 4; }
};
struct Square : Box {
  __device__ explicit Square(float a) : Box(a, a) {}
  __device__ int corners() const override { return 40 + Box::corners(); }
};

__global__ void make(Shape **shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = (float)i;
  shapes[i] = i % 3 == 0 ? (Shape *)new Circle(x) : i % 3 == 1 ? (Shape *)new Box(x, 2) : (Shape *)new Square(x);
}
__global__ void measure(Shape *const *shapes, float *areas, int *corners, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  areas[i] = shapes[i]->area();
  corners[i] = shapes[i]->corners();
}
__global__ void destroy(Shape **shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete shapes[i];
}

int main() {
  const int n = 200;
  Device<Shape *> shapes(n);
  Device<float> areas(n);
  Device<int> corners(n);
  make<<<2, 128>>>(shapes, n);
  measure<<<2, 128>>>(shapes, areas, corners, n);
  destroy<<<2, 128>>>(shapes, n);
  CHECK_KERNEL();
  const auto a = areas.host();
  const auto c = corners.host();
  for (int i = 0; i < n; ++i) {
    close("area", i, a[i], i % 3 == 0 ? 3.0f * i * i : i % 3 == 1 ? 2.0f * i : 1.0f * i * i, 0);
    same("corners", i, c[i], i % 3 == 0 ? 0 : i % 3 == 1 ? 4 : 44);
  }
  return finish();
}
