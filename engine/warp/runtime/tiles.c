/* Tiles of products of matrices, for kernels of libraries whose times are known (cublas-tiles.cuh): nothing of them is counted but what caches
 * and later launches know by it. */

/* ---- slices of matrices, from global to shared memory ---- */
enum { SLICE_OF_FLOATS, SLICE_OF_DOUBLES, SLICE_OF_HALVES, SLICE_OF_BFLOATS, SLICE_OF_BYTES, SLICE_OF_E4M3, SLICE_OF_E5M2, SLICE_ACROSS = 8 };
/* Told to L2, and to those who ask what a launch reads; nothing is told to L1. */
static void read_bytes(struct Launch *L, struct Site *site, u32 first, u32 bytes) {
  for (u32 i = 0; i < bytes; i = ((first + i) | 255) + 1 - first) {
    u32 granule = 256 - (first + i & 255), rest = bytes - i;
    if (!allocated(first + i, granule < rest ? granule : rest)) fault_at(L, GLOBAL_RANGE, site, first + i, 0, 4);
  }
  u32 last = first + bytes - 1;
  for (u32 line = first >> 7; line <= last >> 7; line++) {
    u32 wanted = sectors_of_span(first, last, line);
    note_read(L, line, wanted);
    l2_access(L, line, wanted, LOAD, 0);
    site->sectors += __builtin_popcount(wanted);
    site->lines++;
  }
}
static inline float float_of_bfloat(u16 bits) { return float_of_bits((u32)bits << 16); }
static inline float float_of_e5m2(u8 bits) { return float_of_16((u16)bits << 8); }
/* Elements that follow each other, to places `apart` elements from one to the next. */
#define CONVERT(NAME, TO, FROM, VALUE)                                                            \
  static inline void NAME(TO *to, const FROM *from, u32 elements, u32 apart) {                    \
    if (apart == 1)                                                                               \
      for (u32 i = 0; i < elements; i++) to[i] = VALUE(from[i]);                                  \
    else                                                                                          \
      for (u32 i = 0; i < elements; i++) to[i * apart] = VALUE(from[i]);                          \
  }
CONVERT(words_to_words, u32, u32, )
CONVERT(doubles_to_doubles, u64, u64, )
CONVERT(halves_to_floats, float, u16, float_of_16)
CONVERT(bfloats_to_floats, float, u16, float_of_bfloat)
CONVERT(bytes_to_ints, u32, signed char, (u32)(s32))
CONVERT(e4m3_to_floats, float, u8, float_of_e4m3)
CONVERT(e5m2_to_floats, float, u8, float_of_e5m2)
/*
 * `lines` of `elements` each, `pitch` bytes from one to the next, to `to`, which has `size` rows column by column: across, a line becomes a row,
 * else a column. Rows that no line has are zeros. `kind`: of elements, and SLICE_ACROSS.
 */
NOINLINE void load_slice(u32 to, u64 from, u64 pitch, u32 lines, u32 elements, u32 size, u32 kind, struct Site *site, struct Launch *L) {
  const u32 of = kind & 7, across = kind & SLICE_ACROSS, apart = across ? size : 1, moreRows = size - (across ? lines : elements);
  const u32 bytes = of == SLICE_OF_DOUBLES ? 8 : of >= SLICE_OF_BYTES ? 1 : of == SLICE_OF_FLOATS ? 4 : 2, wide = of == SLICE_OF_DOUBLES ? 8 : 4;
  if (moreRows) __builtin_memset((void *)to, 0, size * wide * (across ? elements : lines));
  L->storedCount = 0;
  L->asking = 1;
  site->lanes++;
  for (u32 line = 0; line < lines; line++, from += pitch) {
    u32 into = to + (across ? line : line * size) * wide, moved, piece;
    /* What lies in one page is one piece. */
    for (u32 at = 0; at < elements; at += piece, into += piece * apart * wide) {
      u32 there = paged(from + at * bytes, 0, &moved), inPage = (FRAME_BYTES - (there & FRAME_BYTES - 1)) / bytes;
      piece = elements - at;
      if (from >= PAGED_FROM && piece > inPage) piece = inPage;
      read_bytes(L, site, there, piece * bytes);
      if (of == SLICE_OF_FLOATS) words_to_words((u32 *)into, (const u32 *)there, piece, apart);
      else if (of == SLICE_OF_DOUBLES) doubles_to_doubles((u64 *)into, (const u64 *)there, piece, apart);
      else if (of == SLICE_OF_HALVES) halves_to_floats((float *)into, (const u16 *)there, piece, apart);
      else if (of == SLICE_OF_BFLOATS) bfloats_to_floats((float *)into, (const u16 *)there, piece, apart);
      else if (of == SLICE_OF_BYTES) bytes_to_ints((u32 *)into, (const signed char *)there, piece, apart);
      else if (of == SLICE_OF_E4M3) e4m3_to_floats((float *)into, (const u8 *)there, piece, apart);
      else e5m2_to_floats((float *)into, (const u8 *)there, piece, apart);
    }
  }
}

/* ---- products of tiles in shared memory: c += a b in the order of k. Rows of a and c lie side by side, as do columns of b. Rows are multiples of
 * two vectors, columns of four; `pitch` elements from column to column. ---- */
typedef float row4 __attribute__((vector_size(16), aligned(16)));
typedef double row2 __attribute__((vector_size(16), aligned(16)));
typedef u32 words4 __attribute__((vector_size(16), aligned(16)));
static inline row4 fused4(row4 a, row4 b, row4 c) { return __builtin_wasm_relaxed_madd_f32x4(a, b, c); }
static inline row2 fused2(row2 a, row2 b, row2 c) { return __builtin_wasm_relaxed_madd_f64x2(a, b, c); }
static inline row4 exact4(row4 a, row4 b, row4 c) {
  return (row4){fma1(a[0], b[0], c[0]), fma1(a[1], b[1], c[1]), fma1(a[2], b[2], c[2]), fma1(a[3], b[3], c[3])};
}
static inline row2 exact2(row2 a, row2 b, row2 c) { return (row2){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])}; }
static inline words4 whole4(words4 a, words4 b, words4 c) { return a * b + c; }
#define MULTIPLY_TILES(NAME, T, V, ADD)                                                                           \
  static inline void NAME(T *c, const T *a, const T *b, u32 rows, u32 columns, u32 depth, u32 pitch) {                   \
    const u32 lanes = sizeof(V) / sizeof(T);                                                                      \
    for (u32 y = 0; y < columns; y += 4)                                                                          \
      for (u32 x = 0; x < rows; x += 2 * lanes) {                                                                 \
        V sum[4][2];                                                                                              \
        _Pragma("clang loop unroll(full)") for (u32 i = 0; i < 8; i++)                                            \
          sum[i / 2][i % 2] = *(V *)(c + (y + i / 2) * pitch + x + i % 2 * lanes);                                \
        const T *left = a + x, *right = b + y;                                                                    \
        for (u32 l = 0; l < depth; l++, left += pitch, right += pitch) {                                          \
          const V first = *(const V *)left, second = *(const V *)(left + lanes);                                  \
          _Pragma("clang loop unroll(full)") for (u32 i = 0; i < 4; i++) {                                        \
            const V other = (V){} + right[i];                                                                     \
            sum[i][0] = ADD(first, other, sum[i][0]);                                                             \
            sum[i][1] = ADD(second, other, sum[i][1]);                                                            \
          }                                                                                                       \
        }                                                                                                         \
        _Pragma("clang loop unroll(full)") for (u32 i = 0; i < 8; i++)                                            \
          *(V *)(c + (y + i / 2) * pitch + x + i % 2 * lanes) = sum[i / 2][i % 2];                                \
      }                                                                                                           \
  }
MULTIPLY_TILES(multiply_fused_floats, float, row4, fused4)
MULTIPLY_TILES(multiply_fused_doubles, double, row2, fused2)
MULTIPLY_TILES(multiply_exact_floats, float, row4, exact4)
MULTIPLY_TILES(multiply_exact_doubles, double, row2, exact2)
MULTIPLY_TILES(multiply_ints, u32, words4, whole4)
NOINLINE void multiply_tiles(u32 c, u32 a, u32 b, u32 rows, u32 columns, u32 depth, u32 pitch, u32 type, u32 isFused) {
  if (type == F64) (isFused ? multiply_fused_doubles : multiply_exact_doubles)((double *)c, (double *)a, (double *)b, rows, columns, depth, pitch);
  else if (type == S32) multiply_ints((u32 *)c, (u32 *)a, (u32 *)b, rows, columns, depth, pitch);
  else (isFused ? multiply_fused_floats : multiply_exact_floats)((float *)c, (float *)a, (float *)b, rows, columns, depth, pitch);
}
