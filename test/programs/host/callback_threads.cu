// Callbacks of streams start host threads and take locks, while other host threads run.
#include "../check.h"
#include <pthread.h>
#include <vector>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ended = 0;

struct Work {
  int id, value;
  int *device;
  cudaStream_t stream;
};

__global__ void add(int *x, int by) { *x += by; }

static void *afterwards(void *own) {
  Work *work = (Work *)own;
  EXPECT(work->value == 10 * work->id + 1);
  CHECK(cudaFree(work->device)), CHECK(cudaStreamDestroy(work->stream));
  pthread_mutex_lock(&lock);
  ended++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return nullptr;
}
static void CUDART_CB over(cudaStream_t, cudaError_t status, void *own) {
  EXPECT(status == cudaSuccess);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_t thread;
  pthread_create(&thread, nullptr, afterwards, own);
  pthread_detach(thread);
}
static void *launch(void *own) {
  Work *work = (Work *)own;
  work->value = 10 * work->id;
  CHECK(cudaStreamCreate(&work->stream)), CHECK(cudaMalloc(&work->device, 4));
  CHECK(cudaMemcpyAsync(work->device, &work->value, 4, cudaMemcpyHostToDevice, work->stream));
  add<<<1, 1, 0, work->stream>>>(work->device, 1);
  CHECK(cudaMemcpyAsync(&work->value, work->device, 4, cudaMemcpyDeviceToHost, work->stream));
  CHECK(cudaStreamAddCallback(work->stream, over, work, 0));
  return nullptr;
}

int main() {
  std::vector<Work> all(8);
  std::vector<pthread_t> threads(all.size());
  for (size_t i = 0; i < all.size(); i++) {
    all[i].id = (int)i;
    pthread_create(&threads[i], nullptr, launch, &all[i]);
  }
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  pthread_mutex_lock(&lock);
  while (ended < (int)all.size()) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  puts("ok");
}
