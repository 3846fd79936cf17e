/* Textures and surfaces: sampling as the programming guide describes it ("Texture Fetching": nearest point, linear filtering with
 * weights of 8 fractional bits, address modes, normalized coordinates, integers read as normalized floats), and what it asks of L1. */

/* What a texture object points to, see engine/cuda/include/simsight/textures.h. */
struct Texture {
  u32 data, width, height, depth, pitch, slice, channels, bits, kind, mode[3], filter, read, normalized, tiled;
  float border[4];
};
enum { SIGNED_CHANNELS = 0, UNSIGNED_CHANNELS = 1, FLOAT_CHANNELS = 2 };
enum { WRAP = 0, CLAMP = 1, MIRROR = 2, BORDER = 3 };
/* How a fetch is asked for. Coordinates are floats, or integers that are not filtered; the cube's are a direction. Results are
 * floats or integers; of a gather, one component of four texels. */
enum { ONE_DIMENSION = 1, TWO_DIMENSIONS = 2, THREE_DIMENSIONS = 3, CUBE = 4, DIMENSIONS = 7, INTEGER_COORDINATES = 8, INTEGER_RESULT = 16, GATHER = 32, COMPONENT_SHIFT = 6 };

/* Arrays lie in tiles of 64 bytes by 8 rows, whose sectors are 16 bytes by two rows (Tegra X1 Technical Reference Manual, block
 * linear; the H200's counters of y_apps agree). What is stored stays in rows; caches see the tiles. */
static u32 tiled_place(const struct Texture *t, u32 x, u32 y, u32 z) {
  u32 tiles = (t->pitch + 63) / 64, rows = (t->height + 7) / 8;
  u32 inside = (x % 64) / 32 * 256 + (y % 8) / 2 * 64 + (x % 32) / 16 * 32 + y % 2 * 16 + x % 16;
  return t->data + ((z * rows + y / 8) * tiles + x / 64) * 512 + inside;
}
static inline u32 place_in_caches(const struct Texture *t, u32 x, u32 y, u32 z) {
  return t->tiled ? tiled_place(t, x, y, z) : t->data + z * t->slice + y * t->pitch + x;
}

/* The index that an address mode makes of one outside; -1 is the border. Wrap and mirror need normalized coordinates, else they
 * clamp. */
static s32 place_of(s32 i, s32 n, u32 mode, u32 normalized) {
  if ((u32)i < (u32)n) return i;
  if (mode == BORDER) return -1;
  if (normalized && mode == WRAP) {
    i %= n;
    return i < 0 ? i + n : i;
  }
  if (normalized && mode == MIRROR) {
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i < n ? i : 2 * n - 1 - i;
  }
  return i < 0 ? 0 : n - 1;
}

/* Channels of a texel that fetches yield: floats, or the bits of integers; missing ones are 0. */
static void channels_of(const struct Texture *t, s32 x, s32 y, s32 z, u32 integer, u32 *out) {
  u32 outside = (x | y | z) < 0, size = t->bits / 8;
  const u8 *at = (const u8 *)(t->data + z * t->slice + y * t->pitch + x * t->channels * size);
  for (u32 c = 0; c < 4; c++) {
    float value = 0;
    u32 bits = 0;
    if (outside) {
      value = t->border[c];
      bits = (u32)(s32)value;
    } else if (c < t->channels) {
      u32 wide = t->kind == SIGNED_CHANNELS;
      touch_memory((u32)at);
      bits = size == 4 ? *(const u32 *)(at + 4 * c) : size == 2 ? *(const u16 *)(at + 2 * c) : at[c];
      s32 number = size == 4 ? (s32)bits : size == 2 ? (s32)(short)bits : (s32)(signed char)bits;
      if (t->kind == FLOAT_CHANNELS) value = size == 4 ? float_of_bits(bits) : half_to_float(bits);
      else if (size == 4) value = float_of_bits(bits);
      else if (wide) {
        value = (float)number / (size == 1 ? 127.0f : 32767.0f);
        if (value < -1.0f) value = -1.0f;
      } else value = (float)bits / (size == 1 ? 255.0f : 65535.0f);
      if (wide) bits = number;
    }
    out[c] = integer ? bits : bits_of_float(value);
  }
}

/* The lanes' texels in caches: four lanes at a time, in the order in which the unit takes them. */
struct Footprint {
  u32 quad[64], quads, lines[256], count, cycles;
  u8 quadSectors[64], sectors[256];
};
static void touch_texel(struct Footprint *F, u32 address, u32 size) {
  u32 bits = ((1u << (size + 31) / 32) - 1) << (address >> 5 & 3), i = 0;
  while (i < F->quads && F->quad[i] != address >> 7) i++;
  if (i == F->quads) F->quad[i] = address >> 7, F->quadSectors[F->quads++] = 0;
  F->quadSectors[i] |= bits;
}
/* What a quad wants goes to L1 on its own; a trace has the lines of the whole warp, each as it was found first. */
static void end_quad(struct Launch *L, struct Site *site, struct Footprint *F, u32 store) {
  u8 found[64];
  for (u32 i = 0; i < F->quads; i++) found[i] = F->quadSectors[i];
  if (store) {
    u32 whole[64] = {};
    for (u32 i = 0; i < F->quads; i++) site->sectors += __builtin_popcount(found[i]);
    store_lines(L, F->quads, F->quad, found, whole);
  } else site->sectors += l1_read(L, site, F->quads, F->quad, found);
  site->lines += F->quads;
  for (u32 i = 0; i < F->quads; i++) {
    u32 k = 0;
    while (k < F->count && F->lines[k] != F->quad[i]) k++;
    if (k == F->count) F->lines[k] = F->quad[i], F->sectors[F->count++] = found[i];
    else F->sectors[k] |= found[i] & 15;
  }
  F->quads = 0;
}

/* A coordinate in texels; where two texels are blended, the first's index and the second's weight. */
static inline s32 down(float x) { return x >= -2147483648.0f && x < 2147483648.0f ? (s32)__builtin_floorf(x) : x > 0 ? 0x7fffffff : x < 0 ? -0x7fffffff - 1 : 0; }
static s32 split(float x, float *weight) {
  float fixed = __builtin_floorf((x - 0.5f) * 256.0f + 0.5f) * (1.0f / 256.0f), whole = __builtin_floorf(fixed);
  *weight = fixed - whole;
  return down(whole);
}

/* A direction's face of the cube, and where it meets it, 0 to 1. */
static u32 face_of(float x, float y, float z, float *s, float *t) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), major, u, v;
  u32 face;
  if (ax >= ay && ax >= az) face = x < 0, major = ax, u = x < 0 ? z : -z, v = -y;
  else if (ay >= az) face = y < 0 ? 3 : 2, major = ay, u = x, v = y < 0 ? -z : z;
  else face = z < 0 ? 5 : 4, major = az, u = z < 0 ? -x : x, v = -y;
  *s = (u / major + 1.0f) * 0.5f;
  *t = (v / major + 1.0f) * 0.5f;
  return face;
}

/* Cycles of the texture unit for four lanes, or eight in linear memory: one, twice as many for texels of 128 bits, in three
 * dimensions, and for filtering wide texels. Of the lines that they want, those whose sectors lie in the same place are read one
 * after the other (test/reference/h200/textures.json; Y6, Y7). */
#define QUAD_CYCLES 1
static u32 cycles_of_quad(const struct Footprint *F, u32 own) {
  u32 most = 0;
  for (u32 s = 0; s < 4; s++) {
    u32 lines = 0;
    for (u32 i = 0; i < F->quads; i++) lines += F->quadSectors[i] >> s & 1;
    if (lines > most) most = lines;
  }
  return most > own ? most : own;
}

static const struct Texture *texture_of(struct Launch *L, struct Site *site, u32 object, u32 lane) {
  if (object & 15 || !allocated(object, sizeof(struct Texture))) fault_at(L, GLOBAL_RANGE, site, object, lane, sizeof(struct Texture));
  const struct Texture *t = (const struct Texture *)object;
  touch_memory(object);
  if (!allocated(t->data, 1)) fault_at(L, GLOBAL_RANGE, site, t->data, lane, 1);
  return t;
}
static void end_footprint(struct Launch *L, struct Site *site, struct Footprint *F) {
  site->wavefronts += F->cycles;
  if (L->trace)
    for (u32 i = 0; i < F->count; i += 60) trace_lines(L, site, F->count - i < 60 ? F->count - i : 60, F->lines + i, F->sectors + i, ONE_PASS);
}

/* One lane's fetch. */
static void sample(const struct Texture *t, float x, float y, float z, s32 layer, u32 form, struct Launch *L, struct Footprint *F, u32 *out) {
  u32 dimensions = form & DIMENSIONS, integer = form & INTEGER_RESULT, texel = t->channels * t->bits / 8;
  s32 w = t->width, h = t->height, d = t->depth;
  if (dimensions == CUBE) {
    float s, v;
    layer = (layer < 0 ? 0 : layer * 6) + face_of(x, y, z, &s, &v);
    x = s, y = v, dimensions = TWO_DIMENSIONS;
  }
  if (t->normalized) {
    x *= (float)w;
    if (dimensions > 1) y *= (float)h;
    if (dimensions > 2) z *= (float)d;
  }
  s32 fixed = layer >= d ? d - 1 : layer < 0 ? 0 : layer;
  u32 gather = form & GATHER, linear = gather || (!integer && t->filter == 1);
  float wx = 0, wy = 0, wz = 0;
  s32 i = linear ? split(x, &wx) : down(x), j = dimensions < 2 ? 0 : linear ? split(y, &wy) : down(y), k = dimensions < 3 ? 0 : linear ? split(z, &wz) : down(z);
  for (u32 c = 0; c < 4; c++) out[c] = 0;
  for (u32 corner = 0; corner < (linear ? 1u << dimensions : 1); corner++) {
    u32 a = corner & 1, b = corner >> 1 & 1, e = corner >> 2, values[4];
    /* The texels of a gather go counter-clockwise from the lower left. */
    if (gather) a = corner == 1 || corner == 2, b = corner < 2;
    s32 px = place_of(i + a, w, t->mode[0], t->normalized), py = dimensions > 1 ? place_of(j + b, h, t->mode[1], t->normalized) : 0;
    s32 pz = dimensions > 2 ? place_of(k + e, d, t->mode[2], t->normalized) : fixed;
    float weight = a ? wx : 1.0f - wx;
    if (dimensions > 1) weight *= b ? wy : 1.0f - wy;
    if (dimensions > 2) weight *= e ? wz : 1.0f - wz;
    channels_of(t, px, py, pz, integer, values);
    /* What counts for nothing is not fetched. */
    if ((px | py | pz) >= 0 && (!linear || gather || weight != 0)) touch_texel(F, place_in_caches(t, px * texel, py, pz), texel);
    if (L->reads && (px | py | pz) >= 0) {
      u32 at = t->data + pz * t->slice + py * t->pitch + px * texel;
      ((u8 *)L->reads)[at >> 8] |= 1u << (at >> 5 & 3) << 4 * (at >> 7 & 1);
    }
    if (gather) out[corner] = values[form >> COMPONENT_SHIFT & 3];
    else if (!linear)
      for (u32 c = 0; c < 4; c++) out[c] = values[c];
    else
      for (u32 c = 0; c < 4; c++) out[c] = bits_of_float(fma1(weight, float_of_bits(values[c]), float_of_bits(out[c])));
  }
}

/* Of every lane four words, those of channel c from 32 c on. Integer coordinates fetch from linear memory, and outside nothing. */
NOINLINE void texture_lanes(u32 *out, v32 object, v32 x, v32 y, v32 z, v32 layer, u32 form, u32 mask, struct Site *site, struct Launch *L) {
  struct Footprint F;
  F.count = F.quads = F.cycles = 0;
  u32 reads = L->reads;
  for (u32 lane = 0; lane < 32; lane++) {
    u32 values[4] = {};
    if (mask >> lane & 1) {
      const struct Texture *t = texture_of(L, site, object[lane], lane);
      if (form & INTEGER_COORDINATES) {
        if ((u32)x[lane] < t->width) {
          u32 texel = t->channels * t->bits / 8, at = t->data + x[lane] * texel;
          channels_of(t, x[lane], 0, 0, form & INTEGER_RESULT, values);
          touch_texel(&F, at, texel);
          if (reads) ((u8 *)reads)[at >> 8] |= 1u << (at >> 5 & 3) << 4 * (at >> 7 & 1);
        }
      } else sample(t, float_of_bits(x[lane]), float_of_bits(y[lane]), float_of_bits(z[lane]), layer[lane], form, L, &F, values);
    }
    for (u32 c = 0; c < 4; c++) out[32 * c + lane] = values[c];
    /* Where nothing is filtered, eight lanes go together. */
    u32 together = form & INTEGER_COORDINATES ? 8 : 4;
    if (lane % together < together - 1) continue;
    u32 first = lane + 1 - together, some = mask >> first & ((1u << together) - 1);
    if (!some) continue;
    const struct Texture *t = (const struct Texture *)object[first + __builtin_ctz(some)];
    u32 wide = t->channels * t->bits == 128, plain = form & INTEGER_COORDINATES;
    u32 own = plain ? QUAD_CYCLES << wide : QUAD_CYCLES << wide << ((form & DIMENSIONS) == THREE_DIMENSIONS) << (wide && t->filter == 1);
    F.cycles += cycles_of_quad(&F, own);
    /* What is read was noted where it lies; in caches it lies elsewhere. */
    L->reads = 0;
    end_quad(L, site, &F, 0);
    L->reads = reads;
  }
  end_footprint(L, site, &F);
}

/* Surfaces: x in bytes, no filtering, no conversion; `size` bytes in four words. Outside: 0 trap, 1 clamp, 2 nothing. */
NOINLINE void surface_lanes(u32 *words, v32 object, v32 x, v32 y, v32 z, u32 size, u32 outside, u32 store, u32 mask, struct Site *site, struct Launch *L) {
  struct Footprint F;
  F.count = F.quads = F.cycles = 0;
  u32 reads = L->reads;
  for (u32 lane = 0; lane < 32; lane++) {
    u32 value[4] = {};
    if (mask >> lane & 1) {
      const struct Texture *t = texture_of(L, site, object[lane], lane);
      s32 w = t->width * (t->channels * t->bits / 8), h = t->height, d = t->depth, px = x[lane], py = y[lane], pz = z[lane];
      u32 inside = (u32)px < (u32)w && (u32)py < (u32)h && (u32)pz < (u32)d;
      if (!inside && outside == 0) fault_at(L, TRAP, site, 0, lane, size);
      if (inside || outside == 1) {
        px = px < 0 ? 0 : px >= w ? w - (s32)size : px;
        py = py < 0 ? 0 : py >= h ? h - 1 : py;
        pz = pz < 0 ? 0 : pz >= d ? d - 1 : pz;
        u32 at = t->data + pz * t->slice + py * t->pitch + px;
        if (at & (size - 1)) fault_at(L, MISALIGNED, site, at, lane, size);
        if (!allocated(at, size)) fault_at(L, GLOBAL_RANGE, site, at, lane, size);
        touch_texel(&F, place_in_caches(t, px, py, pz), size);
        touch_memory(at);
        if (store) {
          if (L->undo) writes(L, at, size);
          for (u32 c = 0; c < 4; c++) value[c] = words[32 * c + lane];
          __builtin_memcpy((void *)at, value, size);
        } else {
          if (reads) ((u8 *)reads)[at >> 8] |= 1u << (at >> 5 & 3) << 4 * (at >> 7 & 1);
          __builtin_memcpy(value, (const void *)at, size);
        }
      }
    }
    if (!store)
      for (u32 c = 0; c < 4; c++) words[32 * c + lane] = value[c];
    if (lane % 4 < 3 || !(mask >> (lane - 3) & 15)) continue;
    F.cycles += cycles_of_quad(&F, QUAD_CYCLES << (size == 16));
    L->reads = 0;
    end_quad(L, site, &F, store);
    L->reads = reads;
  }
  end_footprint(L, site, &F);
}
