/* Atomics, lanes in order. */

#define ATOMIC_LOOP(NAME, T, V, NEW)                                                                                \
  static inline void do_##NAME(u32 address, const T *in) {                                                          \
    T *at = (T *)address, old = *at, value = *in;                                                                   \
    *at = NEW;                                                                                                      \
  }                                                                                                                 \
  NOINLINE void atomic_##NAME(V *out, v32 address, V *in, u32 mask, u32 space, struct Site *site, struct Launch *L) { \
    const u32 *a = (const u32 *)&address;                                                                           \
    NOTE(a, mask, sizeof(T));                                                                                       \
    if (account(L, site, a, mask, sizeof(T), space, ATOMIC) == SHARED && space == SHARED)                           \
      count_atomic_passes(site, address, mask, sizeof(T), 1);                                                       \
    if (L->log && space != SHARED) mask = postpone(L, OP_##NAME, a, in, sizeof(T), mask);                           \
    for (u32 left = mask; left; left &= left - 1) {                                                                 \
      u32 lane = __builtin_ctz(left);                                                                               \
      ((T *)out)[lane] = *(T *)a[lane];                                                                             \
      do_##NAME(a[lane], (T *)in + lane);                                                                           \
    }                                                                                                               \
  }
typedef int s32;
typedef long long s64;
#define INTEGER_ATOMICS(U, S, V)                                                                                    \
  ATOMIC_LOOP(add_##U, U, V, old + value)                                                                           \
  ATOMIC_LOOP(sub_##U, U, V, old - value)                                                                           \
  ATOMIC_LOOP(and_##U, U, V, old & value)                                                                           \
  ATOMIC_LOOP(or_##U, U, V, old | value)                                                                            \
  ATOMIC_LOOP(xor_##U, U, V, old ^ value)                                                                           \
  ATOMIC_LOOP(nand_##U, U, V, ~(old & value))                                                                       \
  ATOMIC_LOOP(xchg_##U, U, V, value)                                                                                \
  ATOMIC_LOOP(umax_##U, U, V, old > value ? old : value)                                                            \
  ATOMIC_LOOP(umin_##U, U, V, old < value ? old : value)                                                            \
  ATOMIC_LOOP(max_##U, S, V, old > value ? old : value)                                                             \
  ATOMIC_LOOP(min_##U, S, V, old < value ? old : value)                                                             \
  ATOMIC_LOOP(uinc_wrap_##U, U, V, old >= value ? 0 : old + 1)                                                      \
  ATOMIC_LOOP(udec_wrap_##U, U, V, old == 0 || old > value ? value : old - 1)
INTEGER_ATOMICS(u32, s32, v32)
INTEGER_ATOMICS(u64, s64, d32)
#define FLOAT_ATOMICS(T, V)                                                                                         \
  ATOMIC_LOOP(fadd_##T, T, V, old + value)                                                                          \
  ATOMIC_LOOP(fsub_##T, T, V, old - value)                                                                          \
  ATOMIC_LOOP(fmax_##T, T, V, old > value ? old : value)                                                            \
  ATOMIC_LOOP(fmin_##T, T, V, old < value ? old : value)
FLOAT_ATOMICS(float, v32)
FLOAT_ATOMICS(double, d32)

#define CAS_LOOP(T, V)                                                                                              \
  NOINLINE void atomic_cas_##T(V *out, v32 address, V *expected, V *in, u32 mask, u32 space, struct Site *site, struct Launch *L) { \
    const u32 *a = (const u32 *)&address;                                                                           \
    NOTE(a, mask, sizeof(T)); \
    if (account(L, site, a, mask, sizeof(T), space, ATOMIC) == SHARED && space == SHARED)                           \
      count_atomic_passes(site, address, mask, sizeof(T), 1);                                                          \
    if (L->log && space != SHARED) give_up(L);                                                                      \
    for (u32 left = mask; left; left &= left - 1) {                                                                 \
      u32 lane = __builtin_ctz(left);                                                                               \
      T *at = (T *)a[lane], old = *at;                                                                              \
      if (old == ((T *)expected)[lane]) *at = ((T *)in)[lane];                                                      \
      ((T *)out)[lane] = old;                                                                                       \
    }                                                                                                               \
  }
CAS_LOOP(u16, h32)
CAS_LOOP(u32, v32)
CAS_LOOP(u64, d32)
