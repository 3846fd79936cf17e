/*
 * Cooperative groups: thread_block, grid_group, tiles, coalesced groups. Collective operations are Clang's warp
 * intrinsics; the barrier over the whole grid is a word that blocks add to and then read until it has turned.
 */
#pragma once
#include "cuda_runtime.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
#error "Cooperative groups need compute capability 3.0 or higher."
#elif defined(__CUDA__)
#include <type_traits>
#define _COOPERATIVE_GROUPS_H_
#define __CG_D __device__ __forceinline__

namespace cooperative_groups {

enum class thread_scope { system, device, block };
namespace details {
typedef unsigned int u32;

__CG_D u32 rank_in_block() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__CG_D u32 threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
/* Blocks that have come to the barrier of the grid: all of them together add 2^31. */
static __device__ u32 grid_arrivals;
__CG_D u32 lane() { return __nvvm_read_ptx_sreg_laneid(); }
__CG_D u32 lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }

/* Exchanges of a word, as functions of it. */
#define __CG_EXCHANGE(name, shuffle)                                                                                   \
  struct name {                                                                                                        \
    unsigned int mask;                                                                                                 \
    int by, width;                                                                                                     \
    template <class T> __CG_D T operator()(T word) const { return shuffle(mask, word, by, width); }                    \
  };
__CG_EXCHANGE(from_lane, __shfl_sync)
__CG_EXCHANGE(from_above, __shfl_down_sync)
__CG_EXCHANGE(from_below, __shfl_up_sync)
__CG_EXCHANGE(from_partner, __shfl_xor_sync)
#undef __CG_EXCHANGE

/* Values of any size travel as words of 32 bits. */
template <class T, class Exchange> __CG_D T by_words(const T &value, Exchange exchange) {
  if constexpr (std::is_same<T, float>::value || (std::is_integral<T>::value && sizeof(T) == 4)) return exchange(value);
  constexpr int words = (sizeof(T) + 3) / 4;
  u32 from[words] = {}, to[words];
  __builtin_memcpy(from, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) to[i] = exchange(from[i]);
  T result;
  __builtin_memcpy(&result, to, sizeof(T));
  return result;
}
} // namespace details

struct grid_group;
class thread_block;
template <unsigned int Size, class Parent = void> class thread_block_tile;
class coalesced_group;

/* Any group, with what all of them can do. */
class thread_group {
public:
  enum kind_t { of_block, of_warp };

protected:
  kind_t kind;
  unsigned int mask;
  __CG_D thread_group(kind_t k, unsigned int m) : kind(k), mask(m) {}
  friend __CG_D thread_group tiled_partition(const thread_group &parent, unsigned int size);

public:
  __CG_D unsigned long long size() const { return num_threads(); }
  __CG_D unsigned long long num_threads() const {
    return kind == of_block ? details::threads_of_block() : __popc(mask);
  }
  __CG_D unsigned long long thread_rank() const {
    return kind == of_block ? details::rank_in_block() : __popc(mask & details::lanes_below());
  }
  __CG_D void sync() const {
    if (kind == of_block) __syncthreads();
    else __syncwarp(mask);
  }
  __CG_D bool is_valid() const { return true; }
  __CG_D unsigned int get_type() const { return kind; }
};

class thread_block : public thread_group {
  __CG_D thread_block() : thread_group(of_block, ~0u) {}
  friend __CG_D thread_block this_thread_block();

public:
  typedef unsigned int arrival_token;
  __CG_D static void sync() { __syncthreads(); }
  __CG_D arrival_token barrier_arrive() const { return 0; }
  __CG_D void barrier_wait(arrival_token &&) const { __syncthreads(); }
  __CG_D static unsigned int thread_rank() { return details::rank_in_block(); }
  __CG_D static unsigned int size() { return details::threads_of_block(); }
  __CG_D static unsigned int num_threads() { return details::threads_of_block(); }
  __CG_D static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __CG_D static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __CG_D static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __CG_D static dim3 dim_threads() { return group_dim(); }
};
__CG_D thread_block this_thread_block() { return thread_block(); }

struct grid_group {
  __CG_D bool is_valid() const { return true; }
  __CG_D void sync() const { barrier_wait(barrier_arrive()); }
  typedef unsigned int arrival_token;
  __CG_D arrival_token barrier_arrive() const {
    arrival_token before = 0;
    __syncthreads();
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0) {
      const bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
      __threadfence();
      before = atomicAdd(&details::grid_arrivals, first ? 0x80000001u - (unsigned int)num_blocks() : 1u);
    }
    return before;
  }
  /* The top bit turns when the last block has come. */
  __CG_D void barrier_wait(arrival_token &&before) const {
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
      while ((int)(before ^ __atomic_load_n(&details::grid_arrivals, __ATOMIC_ACQUIRE)) >= 0) {}
    __syncthreads();
  }
  __CG_D static unsigned long long thread_rank() {
    return block_rank() * details::threads_of_block() + details::rank_in_block();
  }
  __CG_D static unsigned long long block_rank() {
    return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
  }
  __CG_D static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  __CG_D static unsigned long long num_threads() { return num_blocks() * details::threads_of_block(); }
  __CG_D static unsigned long long size() { return num_threads(); }
  __CG_D static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __CG_D static dim3 dim_blocks() { return group_dim(); }
  __CG_D static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __CG_D static unsigned long long cluster_rank() { return block_rank(); }
};
__CG_D grid_group this_grid() { return grid_group(); }

/* A part of a warp: which lanes, and the position among them. Lanes are named by their rank in the group. */
class coalesced_group : public thread_group {
  unsigned int meta_rank, meta_size;

  /* The lane that has this rank: the rank-th set bit. */
  __CG_D unsigned int lane_of(unsigned int rank) const {
    return mask == ~0u ? rank : __fns(mask, 0, (int)rank + 1);
  }
  __CG_D unsigned int packed(unsigned int lanes) const {
    unsigned int result = 0, rest = mask;
    for (unsigned int rank = 0; rest; ++rank, rest &= rest - 1)
      result |= (lanes >> (__ffs((int)rest) - 1) & 1) << rank;
    return result;
  }

public:
  __CG_D explicit coalesced_group(unsigned int lanes, unsigned int rank = 0, unsigned int count = 1)
      : thread_group(of_warp, lanes), meta_rank(rank), meta_size(count) {}
  __CG_D unsigned int thread_rank() const { return __popc(mask & details::lanes_below()); }
  __CG_D unsigned int size() const { return __popc(mask); }
  __CG_D unsigned int num_threads() const { return __popc(mask); }
  __CG_D unsigned int meta_group_size() const { return meta_size; }
  __CG_D unsigned int meta_group_rank() const { return meta_rank; }
  __CG_D void sync() const { __syncwarp(mask); }
  __CG_D unsigned int _lanes() const { return mask; }

  template <class T> __CG_D T shfl(T value, unsigned int rank) const {
    const unsigned int lane = lane_of(rank % size());
    return details::by_words(value, details::from_lane{mask, (int)lane, 32});
  }
  template <class T> __CG_D T shfl_up(T value, int delta) const {
    const int rank = (int)thread_rank() - delta;
    const unsigned int lane = rank < 0 ? details::lane() : lane_of(rank);
    return details::by_words(value, details::from_lane{mask, (int)lane, 32});
  }
  template <class T> __CG_D T shfl_down(T value, int delta) const {
    const unsigned int rank = thread_rank() + delta;
    const unsigned int lane = rank >= size() ? details::lane() : lane_of(rank);
    return details::by_words(value, details::from_lane{mask, (int)lane, 32});
  }
  __CG_D int any(int predicate) const { return (__ballot_sync(mask, predicate) & mask) != 0; }
  __CG_D int all(int predicate) const { return (__ballot_sync(mask, predicate) & mask) == mask; }
  __CG_D unsigned int ballot(int predicate) const { return packed(__ballot_sync(mask, predicate)); }
  template <class T> __CG_D unsigned int match_any(T value) const { return packed(__match_any_sync(mask, value)); }
  template <class T> __CG_D unsigned int match_all(T value, int &predicate) const {
    return packed(__match_all_sync(mask, value, &predicate));
  }
};
__CG_D coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* Size consecutive threads of a block, a power of two. Up to 32 they lie in one warp. */
namespace details {
template <unsigned int Size> class warp_tile {
public:
  __CG_D static unsigned int mask() { return Size == 32 ? ~0u : ((1u << (Size & 31)) - 1) << (lane() & ~(Size - 1) & 31); }
  __CG_D static unsigned int thread_rank() { return rank_in_block() & (Size - 1); }
  __CG_D static constexpr unsigned int size() { return Size; }
  __CG_D static constexpr unsigned int num_threads() { return Size; }
  __CG_D static unsigned int meta_group_rank() { return rank_in_block() / Size; }
  __CG_D static unsigned int meta_group_size() { return (threads_of_block() + Size - 1) / Size; }
  __CG_D static void sync() { __syncwarp(mask()); }
  __CG_D static constexpr bool is_valid() { return true; }
  __CG_D unsigned int _lanes() const { return mask(); }

  template <class T> __CG_D T shfl(T value, int rank) const {
    return by_words(value, from_lane{mask(), rank, Size});
  }
  template <class T> __CG_D T shfl_down(T value, unsigned int delta) const {
    return by_words(value, from_above{mask(), (int)delta, Size});
  }
  template <class T> __CG_D T shfl_up(T value, unsigned int delta) const {
    return by_words(value, from_below{mask(), (int)delta, Size});
  }
  template <class T> __CG_D T shfl_xor(T value, unsigned int lanes) const {
    return by_words(value, from_partner{mask(), (int)lanes, Size});
  }
  __CG_D int any(int predicate) const { return __any_sync(mask(), predicate); }
  __CG_D int all(int predicate) const { return __all_sync(mask(), predicate); }
  __CG_D unsigned int ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> (lane() & ~(Size - 1) & 31) & (Size == 32 ? ~0u : (1u << (Size & 31)) - 1);
  }
  template <class T> __CG_D unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> (lane() & ~(Size - 1) & 31);
  }
  template <class T> __CG_D unsigned int match_all(T value, int &predicate) const {
    return __match_all_sync(mask(), value, &predicate) >> (lane() & ~(Size - 1) & 31);
  }
};
} // namespace details

template <unsigned int Size, class Parent> class thread_block_tile : public details::warp_tile<Size> {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "A tile has a power of two of threads, at most 32.");

public:
  __CG_D thread_block_tile() {}
  template <class Other> __CG_D thread_block_tile(const thread_block_tile<Size, Other> &) {}
  __CG_D operator thread_group() const { return coalesced_group(details::warp_tile<Size>::mask()); }
  /* The tile's position among the tiles of its parent. */
  __CG_D static unsigned int meta_group_rank() {
    if constexpr (std::is_void<Parent>::value || std::is_same<Parent, thread_block>::value)
      return details::warp_tile<Size>::meta_group_rank();
    else return Parent::thread_rank() / Size;
  }
  __CG_D static unsigned int meta_group_size() {
    if constexpr (std::is_void<Parent>::value || std::is_same<Parent, thread_block>::value)
      return details::warp_tile<Size>::meta_group_size();
    else return Parent::size() / Size;
  }
};

template <unsigned int Size, class Parent>
__CG_D thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<Size, Parent>();
}
template <unsigned int Size> __CG_D coalesced_group tiled_partition(const coalesced_group &parent) {
  const unsigned int rank = parent.thread_rank(), tile = rank / Size;
  unsigned int lanes = 0, rest = parent._lanes();
  for (unsigned int i = 0; rest; ++i, rest &= rest - 1)
    if (i / Size == tile) lanes |= rest & -rest;
  return coalesced_group(lanes, tile, (parent.size() + Size - 1) / Size);
}
__CG_D coalesced_group tiled_partition(const thread_block &, unsigned int size) {
  const unsigned int first = details::lane() & ~(size - 1);
  return coalesced_group(size >= 32 ? ~0u : ((1u << size) - 1) << first, details::rank_in_block() / size,
                         (details::threads_of_block() + size - 1) / size);
}
__CG_D thread_group tiled_partition(const thread_group &parent, unsigned int size) {
  const unsigned int tile = (unsigned int)parent.thread_rank() / size;
  unsigned int lanes = 0, rest = parent.mask;
  if (parent.kind == thread_group::of_block) return tiled_partition(this_thread_block(), size);
  for (unsigned int i = 0; rest; ++i, rest &= rest - 1)
    if (i / size == tile) lanes |= rest & -rest;
  return coalesced_group(lanes);
}

/* The threads of the group with the same value, or the same truth. */
template <class Group> __CG_D coalesced_group binary_partition(const Group &group, bool predicate) {
  const unsigned int mask = group._lanes(), yes = __ballot_sync(mask, predicate) & mask;
  return coalesced_group(predicate ? yes : mask & ~yes, predicate ? 1 : 0, 2);
}
template <class T, class Group> __CG_D coalesced_group labeled_partition(const Group &group, T label) {
  const unsigned int mask = group._lanes(), same = __match_any_sync(mask, label);
  /* Groups are numbered by their first lanes. */
  const unsigned int firsts = __ballot_sync(mask, __ffs((int)same) - 1 == (int)details::lane());
  return coalesced_group(same, __popc(firsts & ((same & -same) - 1)), __popc(firsts));
}

template <class Group> __CG_D void sync(const Group &group) { group.sync(); }
template <class Group> __CG_D auto thread_rank(const Group &group) -> decltype(group.thread_rank()) { return group.thread_rank(); }
template <class Group> __CG_D auto group_size(const Group &group) -> decltype(group.size()) { return group.size(); }

/* One thread of the group runs the function; its result is given to all. */
template <class Group, class F> __CG_D void invoke_one(const Group &group, F &&f) {
  if (group.thread_rank() == 0) f();
}
template <class Group, class F> __CG_D auto invoke_one_broadcast(const Group &group, F &&f) -> decltype(f()) {
  decltype(f()) result{};
  if (group.thread_rank() == 0) result = f();
  return group.shfl(result, 0);
}

/* ---- operations of reduce and scan ---- */
template <class T> struct plus {
  __CG_D T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
  __CG_D T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
  __CG_D T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
  __CG_D T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
  __CG_D T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
  __CG_D T operator()(T a, T b) const { return a ^ b; }
};

} // namespace cooperative_groups
#undef __CG_D
#endif
