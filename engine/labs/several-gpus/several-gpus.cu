// A grid whose cells look at their neighbours in each step: on one GPU, on two that exchange the rows at the cut after each step while
// the host waits, and on two that compute these rows first and exchange them while the rest is computed.
//
// The variants on two GPUs need two; where there is one, the program says so and ends with 2.
#include "../lab.h"

constexpr int width = 1024, threads = 256, steps = 8;
/** Rounds of arithmetic for each cell and step. */
constexpr int rounds = 1024;

// A grid is a ring from left to right, and has a row above and one below.
__host__ __device__ inline unsigned around(const unsigned *grid, int row, int column) {
  const unsigned *own = grid + row * width;
  return own[column] + own[(column + width - 1) % width] + own[(column + 1) % width] + own[column - width] + own[column + width];
}
// The rounds stand for whatever a real program does with a cell and its neighbours.
// They are arguments of the kernel, or the compiler would make one of several.
struct Round {
  unsigned factor, summand;
};
constexpr Round each = {1664525, 1013904223};
__device__ inline void cell(const unsigned *in, unsigned *out, int row, int column, Round round) {
  unsigned x = around(in, row, column);
  for (int i = 0; i < rounds; ++i) x = x * round.factor + round.summand;
  out[row * width + column] = x;
}

// A block for each 256 cells of a row, from row `first` on.
__global__ void stepWhole(const unsigned *in, unsigned *out, int first, Round round) {
  cell(in, out, first + blockIdx.y, blockIdx.x * threads + threadIdx.x, round);
}
__global__ void stepHalf(const unsigned *in, unsigned *out, int first, Round round) {
  cell(in, out, first + blockIdx.y, blockIdx.x * threads + threadIdx.x, round);
}
__global__ void stepEdge(const unsigned *in, unsigned *out, int row, Round round) {
  cell(in, out, row, blockIdx.x * threads + threadIdx.x, round);
}

__host__ __device__ inline unsigned start(int row, int column) { return row * 31 + column; }
/** All rows of a part of the grid, which has so many rows before it, and so many in all; none above and below is 0. */
__global__ void fill(unsigned *grid, int before, int all) {
  const int row = before + blockIdx.y, column = blockIdx.x * threads + threadIdx.x;
  grid[blockIdx.y * width + column] = row >= 1 && row <= all ? start(row, column) : 0;
}

/** All rows after all steps, with what the rounds come to in one multiplication and one addition. */
std::vector<unsigned> onHost(int rows) {
  unsigned power = 1, sum = 0;
  for (int i = 0; i < rounds; ++i) power *= each.factor, sum = sum * each.factor + each.summand;
  std::vector<unsigned> grid((rows + 2) * width), after(grid.size());
  for (int row = 1; row <= rows; ++row)
    for (int column = 0; column < width; ++column) grid[row * width + column] = start(row, column);
  for (int step = 0; step < steps; ++step, grid.swap(after))
    for (int row = 1; row <= rows; ++row)
      for (int column = 0; column < width; ++column)
        after[row * width + column] = around(grid.data(), row, column) * power + sum;
  return grid;
}

/** Some rows of the grid on a GPU, with a row above and one below: as they were at first, and two to read and write by turns. */
struct Part {
  int gpu, rows;
  /** Rows of the whole grid before these. */
  int before;
  /** The row at the cut, and that in which the other GPU's is kept. */
  int edge, halo;
  unsigned *grid[3];
  cudaStream_t stream, sending;
  cudaEvent_t edgeDone, sent;
};
int from(int step) { return step == 0 ? 0 : 2 - step % 2; }
int into(int step) { return 1 + step % 2; }
size_t bytesOf(const Part &part) { return (part.rows + 2) * width * sizeof(unsigned); }

Part newPart(int gpu, int rows, int before, int edge = 0, int halo = 0) {
  Part part = {gpu, rows, before, edge, halo};
  CHECK(cudaSetDevice(gpu));
  for (auto &each : part.grid) CHECK(cudaMalloc(&each, bytesOf(part)));
  CHECK(cudaStreamCreate(&part.stream));
  CHECK(cudaStreamCreate(&part.sending));
  for (cudaEvent_t *event : {&part.edgeDone, &part.sent})
    CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  return part;
}

/** The grid as it was at first, of so many rows in all, and nothing else; loads the code of the kernels. */
void begin(const Part &part, int all) {
  CHECK(cudaSetDevice(part.gpu));
  stepWhole<<<1, threads>>>(part.grid[0], part.grid[1], 1, each);
  stepHalf<<<1, threads>>>(part.grid[0], part.grid[1], 1, each);
  stepEdge<<<1, threads>>>(part.grid[0], part.grid[1], 1, each);
  fill<<<dim3(width / threads, part.rows + 2), threads>>>(part.grid[0], part.before, all);
  for (int i = 1; i < 3; ++i) CHECK(cudaMemset(part.grid[i], 0, bytesOf(part)));
  // Or the other GPU's first row might come before.
  CHECK(cudaDeviceSynchronize());
}

size_t differences(const Part &part, const std::vector<unsigned> &expected) {
  std::vector<unsigned> grid(part.rows * width);
  CHECK(cudaMemcpy(grid.data(), part.grid[into(steps - 1)] + width, grid.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  size_t count = 0;
  for (size_t i = 0; i < grid.size(); ++i) count += grid[i] != expected[(part.before + 1) * width + i];
  return count;
}

/** The row at the cut, after a step, to where the other GPU needs it in the next. */
void sendEdge(const Part &part, const Part &other, int step, cudaStream_t stream) {
  const unsigned *edge = part.grid[into(step)] + part.edge * width;
  unsigned *halo = other.grid[into(step)] + other.halo * width;
  CHECK(cudaMemcpyPeerAsync(halo, other.gpu, edge, part.gpu, width * sizeof(unsigned), stream));
}

// Each step on both, a wait, the exchange, a wait.
void inTurn(Part *parts) {
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 2; ++i) {
      CHECK(cudaSetDevice(parts[i].gpu));
      const unsigned *in = parts[i].grid[from(step)];
      stepHalf<<<dim3(width / threads, parts[i].rows), threads, 0, parts[i].stream>>>(in, parts[i].grid[into(step)], 1, each);
    }
    for (int i = 0; i < 2; ++i) CHECK(cudaStreamSynchronize(parts[i].stream));
    for (int i = 0; i < 2; ++i) sendEdge(parts[i], parts[1 - i], step, parts[i].stream);
    for (int i = 0; i < 2; ++i) CHECK(cudaStreamSynchronize(parts[i].stream));
  }
}

// The row at the cut goes first, and in a stream of its own to the other GPU, while the rest is computed. Events tell the streams of each
// other; the host waits for nothing. Who has the other's row of the step before also knows that the other has done with the halo
// into which it will send.
void overlapped(Part *parts) {
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 2; ++i)
      if (step > 0) CHECK(cudaStreamWaitEvent(parts[i].stream, parts[1 - i].sent, 0));
    for (int i = 0; i < 2; ++i) {
      const Part &part = parts[i];
      CHECK(cudaSetDevice(part.gpu));
      const unsigned *in = part.grid[from(step)];
      unsigned *out = part.grid[into(step)];
      stepEdge<<<width / threads, threads, 0, part.stream>>>(in, out, part.edge, each);
      CHECK(cudaEventRecord(part.edgeDone, part.stream));
      // All rows but that at the cut, which is the first or the last.
      stepHalf<<<dim3(width / threads, part.rows - 1), threads, 0, part.stream>>>(in, out, part.edge == 1 ? 2 : 1, each);
      CHECK(cudaStreamWaitEvent(part.sending, part.edgeDone, 0));
      sendEdge(part, parts[1 - i], step, part.sending);
      CHECK(cudaEventRecord(part.sent, part.sending));
    }
  }
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamSynchronize(parts[i].stream));
    CHECK(cudaStreamSynchronize(parts[i].sending));
  }
}

int main(int argc, char **argv) {
  Lab lab(argc, argv, 1024);
  const int rows = lab.size, half = rows / 2;
  if (rows % 2 != 0 || rows < 4) return fprintf(stderr, "The size, in rows, has to be even, and 4 at least.\n"), 2;
  int gpus;
  CHECK(cudaGetDeviceCount(&gpus));
  const std::vector<unsigned> expected = onHost(rows);

  if (lab.wants("one")) {
    Part whole = newPart(0, rows, 0);
    const auto work = [&] {
      for (int step = 0; step < steps; ++step) {
        const unsigned *in = whole.grid[from(step)];
        stepWhole<<<dim3(width / threads, rows), threads, 0, whole.stream>>>(in, whole.grid[into(step)], 1, each);
      }
      CHECK(cudaStreamSynchronize(whole.stream));
    };
    lab.variantElsewhere("one", [&] { begin(whole, rows); }, work, [&] { return differences(whole, expected); });
  }
  if (!lab.wants("peer-copies") && !lab.wants("overlapped")) return lab.end();
  if (gpus < 2) {
    fprintf(stderr, "This machine has one GPU; the variants peer-copies and overlapped need two (record with --gpus 2xh200, say).\n");
    return 2;
  }

  // Without peer access copies go through the host, and still come right.
  for (int gpu = 0; gpu < 2; ++gpu) {
    int reaches;
    CHECK(cudaDeviceCanAccessPeer(&reaches, gpu, 1 - gpu));
    CHECK(cudaSetDevice(gpu));
    if (reaches) CHECK(cudaDeviceEnablePeerAccess(1 - gpu, 0));
  }
  // The upper half ends at the cut, the lower one begins there.
  Part parts[] = {newPart(0, half, 0, half, half + 1), newPart(1, half, half, 1, 0)};
  const auto beginBoth = [&] {
    begin(parts[1], rows);
    begin(parts[0], rows);
  };
  const auto wrong = [&] { return differences(parts[0], expected) + differences(parts[1], expected); };
  const auto variant = [&](const char *name, void (*work)(Part *)) {
    const auto onFirst = [&] {
      work(parts);
      CHECK(cudaSetDevice(0));
    };
    lab.variantElsewhere(name, beginBoth, onFirst, wrong);
  };
  variant("peer-copies", inTurn);
  variant("overlapped", overlapped);
  return lab.end();
}
