/*
 * The kernels behind cuSPARSE's calls that work on indices alone, and those that others begin with: prefix sums, orders,
 * transposed structures, levels of triangular matrices. `cusparse-indices.ts` launches them.
 */
#include "cusparse.cuh"

/* Prefix sums of counts: each block sums 1024 of them, one block the sums of the blocks, and then they are added. */
constexpr int scanThreads = 256, scanEach = 4, scanTile = scanThreads * scanEach;
__device__ inline int inclusiveInBlock(int value) {
  __shared__ int sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    const int other = laneBelow(value, by);
    if (lane >= by) value += other;
  }
  __syncthreads();
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w) value += sums[w];
  return value;
}
/* out[0] = base, out[i + 1] = base + counts[0] + … + counts[i], within a tile; and the sum of the tile. */
KERNEL cusparse_scan_tiles(int n, const int *counts, int *out, int *tileSums, int base) {
  const int start = blockIdx.x * scanTile + threadIdx.x * scanEach;
  int own[scanEach], sum = 0;
#pragma unroll
  for (int i = 0; i < scanEach; ++i) {
    own[i] = start + i < n ? counts[start + i] : 0;
    sum += own[i];
  }
  const int inclusive = inclusiveInBlock(sum);
  int running = base + inclusive - sum;
#pragma unroll
  for (int i = 0; i < scanEach; ++i) {
    running += own[i];
    if (start + i < n) out[start + i + 1] = running;
  }
  if (threadIdx.x == blockDim.x - 1) tileSums[blockIdx.x] = inclusive;
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = base;
}
KERNEL cusparse_scan_sums(int tiles, int *tileSums) {
  int before = 0;
  __shared__ int last;
  for (int start = 0; start < tiles; start += blockDim.x) {
    const int i = start + threadIdx.x, own = i < tiles ? tileSums[i] : 0;
    const int inclusive = inclusiveInBlock(own);
    if (i < tiles) tileSums[i] = before + inclusive - own;
    if (threadIdx.x == blockDim.x - 1) last = inclusive;
    __syncthreads();
    before += last;
    __syncthreads();
  }
}
KERNEL cusparse_scan_add(int n, int *out, const int *tileSums) {
  EACH(i, n) out[i + 1] += tileSums[i / scanTile];
}

/* counts[index - base] becomes the number of entries with this index; it is 0 before. */
KERNEL cusparse_count(int n, const void *indices, int wide, int base, int *counts) {
  EACH(i, n) atomicAdd(&counts[integerAt(indices, wide, i) - base], 1);
}
KERNEL cusparse_identity(int n, int *p) { EACH(i, n) p[i] = i; }
KERNEL cusparse_take(int n, const int *order, const int *from, int *to) { EACH(i, n) to[i] = from[order[i]]; }

/* Offsets of the rows of sorted row indices: an entry writes those of the rows that begin with it. */
KERNEL cusparse_coo2csr(int n, const int *rows, int m, int *offsets, int base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  const int before = i == 0 ? -1 : rows[i - 1] - base, row = i == n ? m : rows[i] - base;
  for (int r = before + 1; r <= row; ++r) offsets[r] = i + base;
}
/* A warp for each row. */
KERNEL cusparse_csr2coo(int m, const int *offsets, int *rows, int base) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= m) return;
  for (int k = offsets[row] - base + threadIdx.x % 32; k < offsets[row + 1] - base; k += 32) rows[k] = row + base;
}

/* Places entries by an index: next[] is where the next of each goes. What goes there: another index, and the entry's number. */
KERNEL cusparse_place(int n, const int *by, const int *others, int base, int *next, int *placedOthers, int *placed) {
  EACH(i, n) {
    const int at = atomicAdd(&next[by[i] - base], 1) - base;
    placedOthers[at] = others[i];
    placed[at] = i;
  }
}
/* The transposed structure: a warp for each row; entries come to lie in any order. */
KERNEL cusparse_transpose(Sparse a, int *next, int *indices, int *entries, int base) {
  const int i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (i >= walks(a)) return;
  const Walk walk = walkOf(a, i, 0);
  for (int k = walk.begin + threadIdx.x % 32; k < walk.end; k += 32) {
    const int at = atomicAdd(&next[indexAt(a, k, 0)], 1);
    indices[at] = walk.row + base;
    entries[at] = k;
  }
}

/*
 * Sorts the entries of each row by their indices, and numbers with them, which decide where indices are equal: a warp for
 * each row, by a bitonic network; what is missing to a power of two counts as larger than all.
 */
__device__ inline void exchange(int *keys, int *numbers, int i, int j) {
  const int a = keys[i], b = keys[j];
  if (numbers == nullptr) {
    if (a > b) keys[i] = b, keys[j] = a;
    return;
  }
  const int p = numbers[i], q = numbers[j];
  if (a > b || (a == b && p > q)) keys[i] = b, keys[j] = a, numbers[i] = q, numbers[j] = p;
}
__device__ inline void sortByLanes(int *keys, int *numbers, int n) {
  const int lane = threadIdx.x % 32;
  if (n <= 32) {
    const int key = lane < n ? keys[lane] : 0x7fffffff, number = numbers && lane < n ? numbers[lane] : lane;
    int rank = 0;
    for (int i = 0; i < n; ++i) {
      const int other = fromLane(key, i), otherNumber = fromLane(number, i);
      rank += other < key || (other == key && otherNumber < number);
    }
    if (lane < n) keys[rank] = key;
    if (lane < n && numbers) numbers[rank] = number;
    return;
  }
  for (int size = 2; size < 2 * n; size *= 2) {
    for (int i = lane; i < n; i += 32) {
      const int j = i ^ (size - 1);
      if (j > i && j < n) exchange(keys, numbers, i, j);
    }
    __syncwarp();
    for (int step = size / 4; step > 0; step /= 2) {
      for (int i = lane; i < n; i += 32) {
        const int j = i ^ step;
        if (j > i && j < n) exchange(keys, numbers, i, j);
      }
      __syncwarp();
    }
  }
}
KERNEL cusparse_sort_rows(int m, const int *offsets, int base, int *indices, int *numbers) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= m) return;
  const int begin = offsets[row] - base, end = offsets[row + 1] - base;
  if (end - begin > 1) sortByLanes(indices + begin, numbers ? numbers + begin : nullptr, end - begin);
}

/*
 * Levels of a triangular matrix: a row is one above the highest of the rows that it needs, and 1 without any. One block
 * goes through the rows from the side where nothing is needed, 1024 at a time, which wait for each other.
 */
KERNEL cusparse_levels(Sparse a, int lower, int *levels) {
  __shared__ int known[1024];
  const int n = a.rows;
  for (int start = 0; start < n; start += blockDim.x) {
    const int i = start + threadIdx.x, row = lower ? i : n - 1 - i;
    const bool isRow = i < n;
    int level = 1, k = 0, end = 0;
    if (isRow) k = offsetAt(a, row, 0), end = offsetAt(a, row + 1, 0);
    known[threadIdx.x] = 0;
    bool done = !isRow;
    do {
      __syncthreads();
      while (k < end) {
        const int index = indexAt(a, k, 0), needed = lower ? index : n - 1 - index;
        if (needed < i) {
          const int below = needed < start ? levels[index] : known[needed - start];
          if (below == 0) break;
          if (below >= level) level = below + 1;
        }
        ++k;
      }
      const bool isNew = !done && k >= end;
      /* Nobody reads what is written in the same turn. */
      __syncthreads();
      if (isNew) {
        done = true;
        known[threadIdx.x] = level;
        levels[row] = level;
      }
    } while (__syncthreads_or(!done));
  }
}
/* The highest level. */
KERNEL cusparse_highest(int n, const int *levels, int *highest) {
  int most = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) most = max(most, levels[i]);
  for (int mask = 16; mask > 0; mask /= 2) most = max(most, otherLane(most, mask));
  if (threadIdx.x % 32 == 0) atomicMax(highest, most);
}
KERNEL cusparse_order(int n, const int *levels, int *next, int *order) {
  EACH(i, n) order[atomicAdd(&next[levels[i] - 1], 1)] = i;
}
/* Where the diagonal of each row is, in rows that are sorted or not; `missing`: the first row that has none. */
KERNEL cusparse_diagonal(Sparse a, int *places, int *missing) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= a.rows) return;
  int place = -1;
  for (int k = offsetAt(a, row, 0) + threadIdx.x % 32; k < offsetAt(a, row + 1, 0); k += 32)
    if (indexAt(a, k, 0) == row) place = k;
  for (int mask = 16; mask > 0; mask /= 2) place = max(place, otherLane(place, mask));
  if (threadIdx.x % 32 != 0) return;
  places[row] = place;
  if (place < 0) atomicMin(missing, row);
}
/* Numbers of so many bytes by their places. */
#define TAKE(BYTES, T)                                                                                                 \
  KERNEL cusparse_take_##BYTES(int n, const int *order, const T *from, T *to) { EACH(i, n) to[i] = from[order[i]]; }
TAKE(1, unsigned char)
TAKE(2, unsigned short)
TAKE(4, unsigned)
TAKE(8, uint2)
TAKE(16, uint4)
