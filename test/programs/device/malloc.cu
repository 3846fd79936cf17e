// malloc and free, new and delete on the device: per thread, handed to a later kernel, exhausted heap gives a null pointer.
#include "../check.h"
struct Node { int value; Node *next; };
__global__ void build(Node **lists, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Node *head = nullptr;
  for (int k = 0; k < i % 7; ++k) head = new Node{i * 10 + k, head};
  lists[i] = head;
  int *scratch = (int *)malloc((i % 5 + 1) * sizeof(int));
  for (int k = 0; k <= i % 5; ++k) scratch[k] = k;
  free(scratch);
  free(nullptr);
}
__global__ void sum(Node **lists, int *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = 0;
  for (Node *p = lists[i]; p;) {
    s += p->value;
    Node *const next = p->next;
    delete p;
    p = next;
  }
  out[i] = s;
}
__global__ void tooMuch(int *out) {
  void *p = malloc((size_t)1 << 30);
  *out = p == nullptr;
}
int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
  const int n = 300;
  Device<Node *> lists(n);
  Device<int> out(n);
  build<<<3, 128>>>(lists, n);
  sum<<<3, 128>>>(lists, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    int s = 0;
    for (int k = 0; k < i % 7; ++k) s += i * 10 + k;
    same("sum", i, got[i], s);
  }
  tooMuch<<<1, 1>>>(out);
  CHECK_KERNEL();
  same("exhausted", 0, out.host()[0], 1);
  return finish();
}
