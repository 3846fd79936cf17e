/* Operations across the lanes of a warp: shuffle, match, reduce, and barriers with a sum. */

/* ---- warp operations ---- */

/* SHFL with lane operand `b` and the packed clamp/segment operand `c`, as PTX defines it. mode: 0 up, 1 down, 2 bfly, 3 idx.
 * Returns the predicate: which lanes read from within their segment. */
NOINLINE u32 shuffle(v32 *out, v32 value, v32 b, v32 c, u32 mode) {
  u32 inside = 0;
  for (u32 lane = 0; lane < 32; lane++) {
    s32 clamp = c[lane] & 31, segment = c[lane] >> 8 & 31, offset = b[lane] & 31;
    s32 most = (lane & segment) | (clamp & ~segment), least = lane & segment, from;
    u32 valid;
    if (mode == 0) valid = (from = (s32)lane - offset) >= most;
    else if (mode == 1) valid = (from = (s32)lane + offset) <= most;
    else if (mode == 2) valid = (from = (s32)lane ^ offset) <= most;
    else valid = (from = least | (offset & ~segment)) <= most;
    if (!valid) from = lane;
    ((u32 *)out)[lane] = value[from & 31];
    inside |= valid << lane;
  }
  return inside;
}

/* Value by value: which lanes have it. MATCH.ANY takes as long as there are distinct ones. */
#define MATCH_ANY(name, vector)                                                  \
  NOINLINE void name(struct Launch *L, v32 *out, vector value, u32 mask) {       \
    L->matches++;                                                                \
    for (u32 left = mask; left; L->matchedValues++) {                            \
      u32 first = __builtin_ctz(left), same = 0;                                 \
      for (u32 other = left; other; other &= other - 1)                          \
        if (value[__builtin_ctz(other)] == value[first]) same |= other & -other; \
      for (u32 lane = same; lane; lane &= lane - 1)                              \
        ((u32 *)out)[__builtin_ctz(lane)] = same;                                \
      left &= ~same;                                                             \
    }                                                                            \
  }
MATCH_ANY(match_any4, v32)

/* Distinct masks of groups of lanes that do something together. */
NOINLINE void count_masks(struct Launch *L, v32 masks, u32 mask) {
  L->maskedGroups++;
  for (u32 left = mask; left; L->masks++) {
    u32 own = masks[__builtin_ctz(left)];
    left &= ~(own | (left & -left));
  }
}

/* op: 0 add, 1 umin, 2 umax, 3 min, 4 max, 5 and, 6 or, 7 xor */
NOINLINE u32 reduce4(v32 value, u32 mask, u32 op) {
  u32 result = op == 1 || op == 5 ? ~0u : op == 3 ? 0x7fffffffu : op == 4 ? 0x80000000u : 0;
  for (u32 left = mask; left; left &= left - 1) {
    u32 x = value[__builtin_ctz(left)];
    if (op == 0) result += x;
    else if (op == 1) result = x < result ? x : result;
    else if (op == 2) result = x > result ? x : result;
    else if (op == 3) result = (s32)x < (s32)result ? x : result;
    else if (op == 4) result = (s32)x > (s32)result ? x : result;
    else if (op == 5) result &= x;
    else if (op == 6) result |= x;
    else result ^= x;
  }
  return result;
}

/* A warp's status. */
enum { RUNNABLE = 0, AT_BARRIER = 1, AT_GRID_BARRIER = 3, AT_COUNTED_BARRIER = 4 };

/* Barriers with a sum (__syncthreads_count, _and, _or). Three sums take turns: while some warps read that of one barrier,
 * others may already add to the next; the third is cleared. */
NOINLINE void barrier_add(struct Warp *warp, struct Launch *L, u32 amount) {
  u32 phase = warp->phase % 3;
  L->reduction[phase] += amount;
  L->reduction[(phase + 1) % 3] = 0;
}
NOINLINE u32 barrier_sum(struct Warp *warp, struct Launch *L) { return L->reduction[warp->phase++ % 3]; }
