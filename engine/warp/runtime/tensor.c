/* Matrix instructions of a warp: mma, wmma, ldmatrix.
 *
 * Registers are arrays of one v32 per 32-bit register (two for a double). Which lane holds which element is what the PTX
 * ISA says of mma.sync (figures of 9.7.14.5); wmma fragments, whose layout PTX leaves open, are put together from these.
 * With g = lane / 4, t = lane % 4 and E elements per register, register j of a 16-row tile of A holds row g + 8 (j & 1),
 * columns t E + 4 E (j >> 1) and up; of B rows t E + 4 E j and up, column g; element i of C row g + 8 (i >> 1), column
 * 2 t + (i & 1).
 *
 * Products are exact, a dot product over k is summed in double and rounded once: hardware's own order of sums is not
 * documented and differs by a few units in the last place. */

enum { F16, BF16, TF32, F64, S8, U8, S4, U4, B1, F32, S32 };
static inline u32 element_bits(u32 type) {
  switch (type) {
    case F16: case BF16: return 16;
    case S8: case U8: return 8;
    case S4: case U4: return 4;
    case B1: return 1;
    case F64: return 64;
    default: return 32;
  }
}
static inline double element_value(const u32 *registers, u32 type, u32 lane, u32 j, u32 e) {
  if (type == F64) return ((const double *)registers)[j * 32 + lane];
  u32 word = registers[j * 32 + lane];
  switch (type) {
    case F16: return float_of_16(word >> 16 * e);
    case BF16: return float_of_bits(word >> 16 * e << 16);
    case TF32: return float_of_bits(word & 0xffffe000);
    case S8: return (signed char)(word >> 8 * e);
    case U8: return (u8)(word >> 8 * e);
    case S4: return (s32)(word << (28 - 4 * e)) >> 28;
    case U4: return word >> 4 * e & 15;
    case B1: return word >> e & 1;
    case S32: return (s32)word;
    default: return float_of_bits(word);
  }
}
struct Mma { u32 m, n, k, a, b, c, d, flags; };
#define SATURATE 1
#define BIT_AND 2

/* Tile and register of a matrix: rows of A go by 16 (8 if there are no more), columns of B and C by 8. */
static u32 a_registers(const struct Mma *s) { u32 bits = element_bits(s->a); return s->m * s->k * (bits == 64 ? 32 : bits) / 32 / 32; }
static u32 b_registers(const struct Mma *s) { u32 bits = element_bits(s->b); return s->k * s->n * (bits == 64 ? 32 : bits) / 32 / 32; }

/* Place of element e of register j: rows << 16 | column. */
static u32 place_a(u32 m, u32 total, u32 per, u32 lane, u32 j, u32 e) {
  u32 g = lane >> 2, t = lane & 3, tiles = m > 16 ? m / 16 : 1, each = total / tiles, tile = j / each;
  j %= each;
  u32 row = m == 8 ? g : 16 * tile + g + 8 * (j & 1), step = m == 8 ? j : j >> 1;
  return row << 16 | (t * per + e + step * 4 * per);
}
static u32 place_b(u32 n, u32 total, u32 per, u32 lane, u32 j, u32 e) {
  u32 g = lane >> 2, t = lane & 3, tiles = n / 8, each = total / tiles, tile = j / each;
  return (t * per + e + j % each * 4 * per) << 16 | (8 * tile + g);
}
static u32 place_c(u32 m, u32 n, u32 lane, u32 i) {
  u32 g = lane >> 2, t = lane & 3, each = m == 8 ? 2 : 4, tile = i / each, columns = n / 8;
  i %= each;
  return (tile / columns * 16 + g + 8 * (i >> 1)) << 16 | (tile % columns * 8 + 2 * t + (i & 1));
}

/* The elements of a matrix in rows of `columns`. In all of them lanes in fours follow each other one way, fours the other. */
static void expand_a(const struct Mma *s, const u32 *a, double *out) {
  u32 registers = a_registers(s), bits = element_bits(s->a), per = bits == 64 ? 1 : 32 / bits;
  for (u32 j = 0; j < registers; j++) {
    u32 at = place_a(s->m, registers, per, 0, j, 0);
    double *to = out + (at >> 16) * s->k + (at & 0xffff);
    for (u32 lane = 0; lane < 32; lane++)
      for (u32 e = 0; e < per; e++) to[(lane >> 2) * s->k + (lane & 3) * per + e] = element_value(a, s->a, lane, j, e);
  }
}
static void expand_b(const struct Mma *s, const u32 *b, double *out) {
  u32 registers = b_registers(s), bits = element_bits(s->b), per = bits == 64 ? 1 : 32 / bits;
  for (u32 j = 0; j < registers; j++) {
    u32 at = place_b(s->n, registers, per, 0, j, 0);
    double *to = out + (at >> 16) * s->n + (at & 0xffff);
    for (u32 lane = 0; lane < 32; lane++)
      for (u32 e = 0; e < per; e++) to[((lane & 3) * per + e) * s->n + (lane >> 2)] = element_value(b, s->b, lane, j, e);
  }
}
typedef double doubles __attribute__((vector_size(16), aligned(8)));
typedef float floats __attribute__((vector_size(16), aligned(4)));
typedef float two_floats __attribute__((vector_size(8)));
typedef u16 halves16 __attribute__((vector_size(16), aligned(4)));
typedef u16 four_halves __attribute__((vector_size(8)));

/* Eight elements of 16 bits as doubles. */
static inline void eight_doubles(halves16 x, u32 type, double *out) {
  for (u32 part = 0; part < 2; part++) {
    four_halves four = part ? __builtin_shufflevector(x, x, 4, 5, 6, 7) : __builtin_shufflevector(x, x, 0, 1, 2, 3);
    quad bits = __builtin_convertvector(four, quad);
    floats value;
    if (type == BF16) value = (floats)(bits << 16);
    else {
      /* Scaled, so that subnormal ones are exact too; infinity and NaN get their exponent. */
      quad exponent = bits & 0x7c00, special = (quad)(exponent == 0x7c00) & 0x7f800000;
      quad magnitude = (quad)((floats)((bits & 0x7fff) << 13) * 0x1p112f);
      value = (floats)(magnitude | special | (bits & 0x8000) << 16);
    }
    *(doubles *)(out + 4 * part) = __builtin_convertvector(__builtin_shufflevector(value, value, 0, 1), doubles);
    *(doubles *)(out + 4 * part + 2) = __builtin_convertvector(__builtin_shufflevector(value, value, 2, 3), doubles);
  }
}
#define LOW_OF(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_OF(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
/* Eight rows of eight elements, transposed: three times, each row is dealt out with the one that is four on. */
static inline void transpose_halves(const halves16 *in, halves16 *out) {
  halves16 a[8], b[8];
  for (u32 i = 0; i < 4; i++) a[2 * i] = LOW_OF(in[i], in[i + 4]), a[2 * i + 1] = HIGH_OF(in[i], in[i + 4]);
  for (u32 i = 0; i < 4; i++) b[2 * i] = LOW_OF(a[i], a[i + 4]), b[2 * i + 1] = HIGH_OF(a[i], a[i + 4]);
  for (u32 i = 0; i < 4; i++) out[2 * i] = LOW_OF(b[i], b[i + 4]), out[2 * i + 1] = HIGH_OF(b[i], b[i + 4]);
}
/* `expand_a` and `expand_b` for elements of 16 bits: four lanes have eight that follow each other in a row of A, in a column of B. */
static void expand_a_halves(const struct Mma *s, const u32 *a, double *out) {
  u32 registers = a_registers(s);
  for (u32 j = 0; j < registers; j++) {
    u32 at = place_a(s->m, registers, 2, 0, j, 0);
    for (u32 g = 0; g < 8; g++)
      eight_doubles(((const halves16 *)(a + 32 * j))[g], s->a, out + ((at >> 16) + g) * s->k + (at & 0xffff));
  }
}
static void expand_b_halves(const struct Mma *s, const u32 *b, double *out) {
  u32 registers = b_registers(s);
  for (u32 j = 0; j < registers; j++) {
    u32 at = place_b(s->n, registers, 2, 0, j, 0);
    halves16 rows[8];
    transpose_halves((const halves16 *)(b + 32 * j), rows);
    for (u32 i = 0; i < 8; i++) eight_doubles(rows[i], s->b, out + ((at >> 16) + i) * s->n + (at & 0xffff));
  }
}
/* d = c + sums, all of 32 bits: registers i and i + 1 have the even and the odd ones of eight columns. */
static void add_floats(const struct Mma *s, const double *sum, const u32 *c, u32 *d) {
  for (u32 i = 0; i < s->m * s->n / 32; i += 2) {
    u32 at = place_c(s->m, s->n, 0, i);
    for (u32 g = 0; g < 8; g++) {
      const doubles *from = (const doubles *)(sum + ((at >> 16) + g) * s->n + (at & 0xffff));
      for (u32 odd = 0; odd < 2; odd++) {
        floats before = *(const floats *)(c + 32 * (i + odd) + 4 * g);
        doubles low = odd ? __builtin_shufflevector(from[0], from[1], 1, 3) : __builtin_shufflevector(from[0], from[1], 0, 2);
        doubles high = odd ? __builtin_shufflevector(from[2], from[3], 1, 3) : __builtin_shufflevector(from[2], from[3], 0, 2);
        low += __builtin_convertvector(__builtin_shufflevector(before, before, 0, 1), doubles);
        high += __builtin_convertvector(__builtin_shufflevector(before, before, 2, 3), doubles);
        two_floats l = __builtin_convertvector(low, two_floats), h = __builtin_convertvector(high, two_floats);
        *(floats *)(d + 32 * (i + odd) + 4 * g) = __builtin_shufflevector(l, h, 0, 1, 2, 3);
      }
    }
  }
}
/* Two rows by eight columns of a product of matrices, summed in the order of k. `isExact`: products have no more bits than a double, so that
 * it is the same whether they are rounded before they are added. */
static inline void multiply_rows(const double *left, const double *right, double *out, u32 n, u32 k, u32 isExact) {
  doubles sum[2][4] = {0};
  for (u32 i = 0; i < k; i++, right += n)
    for (u32 x = 0; x < 4; x++) {
      doubles other = *(const doubles *)(right + 2 * x), first = (doubles){} + left[i], second = (doubles){} + left[k + i];
      sum[0][x] = isExact ? __builtin_wasm_relaxed_madd_f64x2(first, other, sum[0][x]) : sum[0][x] + first * other;
      sum[1][x] = isExact ? __builtin_wasm_relaxed_madd_f64x2(second, other, sum[1][x]) : sum[1][x] + second * other;
    }
  for (u32 y = 0; y < 2; y++)
    for (u32 x = 0; x < 4; x++) *(doubles *)(out + y * n + 2 * x) = sum[y][x];
}
static void multiply_exact(const double *left, const double *right, double *out, u32 n, u32 k) { multiply_rows(left, right, out, n, k, 1); }
static void multiply_rounded(const double *left, const double *right, double *out, u32 n, u32 k) { multiply_rows(left, right, out, n, k, 0); }

NOINLINE void matrix_multiply(const u32 *a, const u32 *b, const u32 *c, u32 *d, u32 shape, u32 types, u32 flags) {
  struct Mma s = {shape & 255, shape >> 8 & 255, shape >> 16, types & 15, types >> 4 & 15, types >> 8 & 15, types >> 12, flags};
  double left[32 * 256], right[256 * 32], sum[32 * 32];
  u32 isHalves = (s.a == F16 || s.a == BF16) && s.a == s.b;
  if (isHalves) {
    expand_a_halves(&s, a, left);
    expand_b_halves(&s, b, right);
  } else {
    expand_a(&s, a, left);
    expand_b(&s, b, right);
  }
  if (s.a == B1 && !(flags & BIT_AND))
    for (u32 i = 0; i < s.m; i++)
      for (u32 x = 0; x < s.n; x++) {
        double *to = sum + i * s.n + x;
        *to = 0;
        for (u32 k = 0; k < s.k; k++) *to += left[i * s.k + k] != right[k * s.n + x];
      }
  else
    for (u32 i = 0; i < s.m; i += 2)
      for (u32 x = 0; x < s.n; x += 8)
        if (s.a == F64) multiply_rounded(left + i * s.k, right + x, sum + i * s.n + x, s.n, s.k);
        else multiply_exact(left + i * s.k, right + x, sum + i * s.n + x, s.n, s.k);
  if (s.c == F32 && s.d == F32) {
    add_floats(&s, sum, c, d);
    return;
  }
  u32 elements = s.m * s.n / 32;
  for (u32 i = 0; i < elements; i++) {
    u32 at = place_c(s.m, s.n, 0, i);
    for (u32 lane = 0; lane < 32; lane++) {
      double r = sum[((at >> 16) + (lane >> 2)) * s.n + (at & 0xffff) + 2 * (lane & 3)];
      if (s.d == S32) {
        s64 total = (s64)r + (s32)c[i * 32 + lane];
        if (flags & SATURATE) total = total > 0x7fffffff ? 0x7fffffff : total < -0x80000000ll ? -0x80000000ll : total;
        d[i * 32 + lane] = (u32)total;
        continue;
      }
      double before = s.c == F16 ? half_to_float(c[i / 2 * 32 + lane] >> 16 * (i & 1))
                    : s.c == F64 ? ((const double *)c)[i * 32 + lane] : float_of_bits(c[i * 32 + lane]);
      r += before;
      if (s.d == F64) ((double *)d)[i * 32 + lane] = r;
      else if (s.d == F16) ((u16 *)d)[(i / 2 * 32 + lane) * 2 + (i & 1)] = double_to_half(r);
      else d[i * 32 + lane] = bits_of_float((float)r);
    }
  }
}

/* ---- fragments from and to memory: register (or element) j of a fragment for every lane ----
 * what: 0 A, 1 B, 2 C and D. One register is one request, as on hardware; elements of it lie apart in the unfavourable layout. */
static u32 fragment_place(u32 what, u32 m, u32 n, u32 k, u32 type, u32 lane, u32 j, u32 e) {
  u32 bits = element_bits(type), per = bits >= 32 ? 1 : 32 / bits;
  if (what == 2) return place_c(m, n, lane, type == F16 ? j * 2 + e : j);
  u32 total = (what ? k * n : m * k) * (bits == 64 ? 32 : bits) / 32 / 32;
  return what ? place_b(n, total, per, lane, j, e) : place_a(m, total, per, lane, j, e);
}
static void fragment_access(u32 *registers, v32 base, const u64 *bases, v32 stride, u32 shape, u32 what, u32 type, u32 column_major, u32 j, u32 is_store,
                              u32 mask, u32 space, struct Site *site, struct Launch *L) {
  u32 m = shape & 255, n = shape >> 8 & 255, k = shape >> 16, bits = element_bits(type), size = bits >= 8 ? bits / 8 : 1;
  u32 per = bits >= 32 ? 1 : 32 / bits, words = type == F64 ? 2 : 1;
  const v32 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  u32 at = fragment_place(what, m, n, k, type, 0, j, 0);
  /* Elements of a register follow each other along a row of A and C, down a column of B; so do lanes in fours. */
  v32 inner = (lane & 3) * (what == 2 ? 2 : per), outer = lane >> 2, row = (at >> 16) + (what == 1 ? inner : outer);
  v32 column = (at & 0xffff) + (what == 1 ? outer : inner), index = column_major ? column * stride + row : row * stride + column;
  v32 step = (what == 1) == column_major ? (v32){} + size : stride * size, address[32];
  for (u32 e = 0; e < per; e++) address[e] = bits >= 8 ? base + index * size + e * step : base + index * bits / 8;
  if (bases) {
    v32 offsets[32];
    u32 moved;
    for (u32 e = 0; e < per; e++) offsets[e] = address[e];
    do {
      moved = 0;
      for (u32 e = 0; e < per; e++)
        for (u32 i = 0; i < 32; i++) address[e][i] = paged(bases[i] + offsets[e][i], i, &moved);
    } while (moved);
  }
  u32 together = all_same(step, size), aligned = all_aligned(address[0], 4);
  u32 kind = is_store ? STORE : LOAD, where;
  if (L->trace) {
    if (words == 2 || bits < 8 || (together && aligned)) NOTE((const u32 *)&address[0], mask, words * 4);
    else
      for (u32 e = 0; e < per; e++) NOTE((const u32 *)&address[e], mask, size);
  }
  if (words == 2) where = account(L, site, (u32 *)&address[0], mask, 8, space, kind);
  else if (bits < 8 || (together && aligned)) where = account(L, site, (u32 *)&address[0], mask, 4, space, kind);
  else
    for (u32 e = 0; e < per; e++) where = account(L, site, (u32 *)&address[e], mask, size, space, kind);
  if (where == SHARED && space == SHARED) site->wavefronts += shared_shape(address[0], mask, 4, 0) >> 8;
  if (!is_store && (size == 4 || (size == 2 && together && aligned)) && words == 1) {
    *(v32 *)registers = gathered(address[0]);
    return;
  }
  for (u32 lane = 0; lane < 32; lane++)
    if (words == 2) {
      double *at = (double *)((u32 *)&address[0])[lane];
      if (is_store) *at = ((double *)registers)[lane];
      else ((double *)registers)[lane] = *at;
    } else if (bits < 8) {
      u32 *at = (u32 *)((u32 *)&address[0])[lane];
      registers[lane] = *at;
    } else
      for (u32 e = 0; e < per; e++) {
        u8 *at = (u8 *)((u32 *)&address[e])[lane], *mine = (u8 *)&registers[lane] + e * size;
        for (u32 b = 0; b < size; b++)
          if (is_store) at[b] = mine[b];
          else mine[b] = at[b];
      }
}

/* Fragments in shared memory whose registers are 32 bits in a row, for all lanes: registers lie as far apart in all lanes, so all have the
 * wavefronts of the first. Returns how many registers are done: none, where it is not so. */
static u32 shared_registers(u32 *registers, v32 base, v32 stride, u32 shape, u32 what, u32 type, u32 column_major, u32 count, u32 is_store, struct Site *sites, struct Launch *L) {
  u32 m = shape & 255, n = shape >> 8 & 255, k = shape >> 16, bits = element_bits(type), size = bits / 8, per = 32 / bits;
  if (bits < 8 || bits > 32 || !all_same(stride, stride[0]) || (what == 1) != column_major && per > 1) return 0;
  const v32 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  u32 apart[2] = {column_major ? size : stride[0] * size, column_major ? stride[0] * size : size};
  v32 inner = (lane & 3) * (what == 2 ? 2 : per), outer = lane >> 2;
  v32 from = base + (what == 1 ? inner : outer) * apart[0] + (what == 1 ? outer : inner) * apart[1];
  u32 wavefronts = 0;
  for (u32 j = 0; j < count; j++) {
    u32 at = fragment_place(what, m, n, k, type, 0, j, 0);
    v32 address = from + (at >> 16) * apart[0] + (at & 0xffff) * apart[1];
    if (!all_aligned(address, 4) || L->sharedBytes < 4 || !all_within(address, L->shared, L->sharedBytes - 4)) return j;
    if (j == 0) wavefronts = shared_shape(address, ~0u, 4, 0) >> 8;
    sites[j].wavefronts += wavefronts;
    quad *own = (quad *)(registers + 32 * j);
    /* Four lanes have 16 bytes in a row where they are not two elements apart. */
    if (what != 2 && size * per == 4 && (what == 1) == column_major)
      for (u32 g = 0; g < 8; g++) {
        quad *there = (quad *)((const u32 *)&address)[4 * g];
        if (is_store) *there = own[g];
        else own[g] = *there;
      }
    else if (is_store)
      for (u32 i = 0; i < 32; i++) *(u32 *)((const u32 *)&address)[i] = ((const u32 *)own)[i];
    else *(v32 *)own = gathered(address);
  }
  return count;
}
/* All registers of a fragment, each with a site of its own. `bases`: in place of `base`, where memory is paged; null otherwise. */
NOINLINE void fragment_accesses(u32 *registers, v32 base, const u64 *bases, v32 stride, u32 shape, u32 what, u32 type, u32 column_major, u32 count, u32 is_store,
                                u32 mask, u32 space, struct Site *sites, struct Launch *L) {
  u32 done = 0;
  if (space == SHARED && mask == ~0u && !bases && !L->trace && !L->checks)
    done = shared_registers(registers, base, stride, shape, what, type, column_major, count, is_store, sites, L);
  for (u32 j = done; j < count; j++)
    fragment_access(registers + j * (type == F64 ? 64 : 32), base, bases, stride, shape, what, type, column_major, j, is_store, mask, space, sites + j, L);
}

/* ---- ldmatrix, stmatrix, movmatrix: 8 x 8 matrices of 16 bits; row r of matrix i is at the address of lane 8 i + r ---- */
NOINLINE void matrix_rows(u32 *registers, v32 address, u32 count, u32 transposed, u32 is_store, u32 mask, u32 space, struct Site *site, struct Launch *L) {
  u32 rows = count == 4 ? ~0u : (1u << 8 * count) - 1;
  const u32 *a = (const u32 *)&address;
  NOTE(a, mask & rows, 16);
  account(L, site, a, mask & rows, 16, space, is_store ? STORE : LOAD);
  if (space == SHARED) {
    site->wide += count - 1;
    for (u32 i = 0; i < count; i++) {
      /* One wavefront per matrix when its rows lie in different banks. */
      u32 words[32];
      for (u32 w = 0; w < 32; w++) words[w] = (a[8 * i + w / 4] >> 2) + w % 4;
      site->wavefronts += passes(words, ~0u, 0);
    }
  }
  for (u32 i = 0; i < count; i++)
    for (u32 lane = 0; lane < 32; lane++)
      for (u32 e = 0; e < 2; e++) {
        u32 row = transposed ? 2 * (lane & 3) + e : lane >> 2, column = transposed ? lane >> 2 : 2 * (lane & 3) + e;
        u16 *at = (u16 *)a[8 * i + row] + column, *mine = (u16 *)&registers[i * 32 + lane] + e;
        if (is_store) *at = *mine;
        else *mine = *at;
      }
}
NOINLINE void matrix_transpose(u32 *out, const u32 *in) {
  for (u32 lane = 0; lane < 32; lane++)
    for (u32 e = 0; e < 2; e++)
      ((u16 *)&out[lane])[e] = ((const u16 *)&in[(2 * (lane & 3) + e) * 4 + (lane >> 3)])[lane >> 2 & 1];
}

/* ---- atomics on narrow floats and pairs ---- */
static inline u16 half_sum(u16 a, u16 b) { return double_to_half((double)half_to_float(a) + half_to_float(b)); }
static inline u16 bfloat_sum(u16 a, u16 b) { return double_to_bfloat((double)float_of_bits(a << 16) + float_of_bits(b << 16)); }
ATOMIC_LOOP(fadd_half, u16, h32, half_sum(old, value))
ATOMIC_LOOP(fadd_bfloat, u16, h32, bfloat_sum(old, value))
ATOMIC_LOOP(fadd_half2, u32, v32, (u32)half_sum(old, value) | (u32)half_sum(old >> 16, value >> 16) << 16)
ATOMIC_LOOP(fadd_bfloat2, u32, v32, (u32)bfloat_sum(old, value) | (u32)bfloat_sum(old >> 16, value >> 16) << 16)
static void do_atomic(u32 op, u32 address, const void *value) {
  switch (op) {
#define DO(NAME) case OP_##NAME: do_##NAME(address, value); break;
    ATOMIC_OPERATIONS(DO)
  }
}

MATCH_ANY(match_any8, d32)

static void touch_byte(struct Launch *L, struct Site *site, u32 address, u32 lane, u32 kind) {
  u32 a[32] __attribute__((aligned(16)));
  a[lane] = address;
  account(L, site, a, 1u << lane, 1, GENERIC, kind);
}

/* REDUX in groups of lanes that have masks of their own. */
NOINLINE void reduce_groups(v32 *out, v32 value, v32 members, u32 mask, u32 op) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    ((u32 *)out)[lane] = reduce4(value, members[lane] & mask, op);
  }
}

/* memcpy, memmove and memset whose size is not known before: each lane its own, by bytes. */
NOINLINE void copy_lanes(v32 to, v32 from, v32 size, u32 mask, struct Site *loads, struct Site *stores, struct Launch *L) {
  const u32 *t = (const u32 *)&to, *f = (const u32 *)&from, *s = (const u32 *)&size;
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), count = s[lane];
    for (u32 i = 0; i < count; i += 32) {
      u32 last = count - i < 32 ? count - 1 : i + 31;
      touch_byte(L, loads, f[lane] + i, lane, LOAD);
      touch_byte(L, loads, f[lane] + last, lane, LOAD);
      touch_byte(L, stores, t[lane] + i, lane, STORE);
      touch_byte(L, stores, t[lane] + last, lane, STORE);
    }
    __builtin_memmove((void *)t[lane], (void *)f[lane], count);
  }
}
NOINLINE void set_lanes(v32 to, v32 value, v32 size, u32 mask, struct Site *stores, struct Launch *L) {
  const u32 *t = (const u32 *)&to, *v = (const u32 *)&value, *s = (const u32 *)&size;
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), count = s[lane];
    for (u32 i = 0; i < count; i += 32) {
      touch_byte(L, stores, t[lane] + i, lane, STORE);
      touch_byte(L, stores, t[lane] + (count - i < 32 ? count - 1 : i + 31), lane, STORE);
    }
    __builtin_memset((void *)t[lane], (int)v[lane], count);
  }
}
/* The same where memory is paged: what lies in one page on both sides at a time, from the end where it is copied to its own inside. */
NOINLINE void copy_lanes_paged(const u64 *to, const u64 *from, v32 size, u32 mask, struct Site *loads, struct Site *stores, struct Launch *L) {
  const u32 *s = (const u32 *)&size;
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), backwards = to[lane] - from[lane] < s[lane];
    for (u32 rest = s[lane], at = backwards ? rest : 0; rest;) {
      u64 t = to[lane] + at - backwards, f = from[lane] + at - backwards;
      u32 there = t & FRAME_BYTES - 1, here = f & FRAME_BYTES - 1, most = there > here ? there : here, least = there > here ? here : there;
      u32 count = backwards ? least + 1 : FRAME_BYTES - most, moved;
      if (count > rest) count = rest;
      if (backwards) at -= count;
      v32 target = {}, source = {}, bytes = {};
      do {
        moved = 0;
        target[lane] = paged(to[lane] + at, lane, &moved);
        source[lane] = paged(from[lane] + at, lane, &moved);
      } while (moved);
      bytes[lane] = count;
      copy_lanes(target, source, bytes, 1u << lane, loads, stores, L);
      rest -= count;
      if (!backwards) at += count;
    }
  }
}
NOINLINE void set_lanes_paged(const u64 *to, v32 value, v32 size, u32 mask, struct Site *stores, struct Launch *L) {
  const u32 *s = (const u32 *)&size;
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left), moved;
    for (u32 at = 0; at < s[lane];) {
      u32 count = FRAME_BYTES - (to[lane] + at & FRAME_BYTES - 1);
      if (count > s[lane] - at) count = s[lane] - at;
      v32 target = {}, bytes = {};
      target[lane] = paged(to[lane] + at, lane, &moved);
      bytes[lane] = count;
      set_lanes(target, value, bytes, 1u << lane, stores, L);
      at += count;
    }
  }
}
