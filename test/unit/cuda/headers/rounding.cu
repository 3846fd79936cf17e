// Prints what the host's conversions make of every value: bits of all halves and bfloat16s as float, back, and the
// rounding of the numbers around the middle between neighbours, as a checksum that the test computes by itself.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static unsigned hash = 2166136261u;
static void add(unsigned value) { hash = (hash ^ value) * 16777619u; }
static float next(float f, int by) { return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, f) + by); }

template <class To, class From, class... Directions> void run(const char *name, To value, From bits, Directions... round) {
  hash = 2166136261u;
  int wrong = 0;
  for (unsigned i = 0; i < 65536; ++i) {
    const float f = value((unsigned short)i);
    if (f != f) continue;
    add(__builtin_bit_cast(unsigned, f));
    wrong += bits(f) != i;
    const float g = value((unsigned short)(i + 1));
    if ((i & 0x7fff) == 0x7fff || g != g || g - g != 0) continue;
    const float middle = (float)(((double)f + g) / 2);
    for (int k = -1; k <= 1; ++k) (add(round(next(middle, k))), ...);
  }
  printf("%s %d %u\n", name, wrong, hash);
}

int main() {
  run("half", [](unsigned short b) { return __half2float(__ushort_as_half(b)); },
      [](float f) { return (unsigned)__half_as_ushort(__float2half(f)); },
      [](float f) { return (unsigned)__half_as_ushort(__float2half_rn(f)); },
      [](float f) { return (unsigned)__half_as_ushort(__float2half_rz(f)); },
      [](float f) { return (unsigned)__half_as_ushort(__float2half_ru(f)); },
      [](float f) { return (unsigned)__half_as_ushort(__float2half_rd(f)); });
  run("bfloat16", [](unsigned short b) { return __bfloat162float(__ushort_as_bfloat16(b)); },
      [](float f) { return (unsigned)__bfloat16_as_ushort(__float2bfloat16(f)); },
      [](float f) { return (unsigned)__bfloat16_as_ushort(__float2bfloat16_rn(f)); },
      [](float f) { return (unsigned)__bfloat16_as_ushort(__float2bfloat16_rz(f)); },
      [](float f) { return (unsigned)__bfloat16_as_ushort(__float2bfloat16_ru(f)); },
      [](float f) { return (unsigned)__bfloat16_as_ushort(__float2bfloat16_rd(f)); });
  // Double to half rounds once: through float this would become 1.
  printf("%04x %04x\n", __half_as_ushort(__double2half(0x1.0020000000001p0)), __half_as_ushort(__ll2half_rn(-70000)));
  const __half a = 1.5f, b = __float2half(2.25f);
  const __half2 v = __half2(a, b) * __half2(b, b);
  printf("%g %g %g %d\n", (float)(a * b + a), __low2float(v), __high2float(v), (int)(a < b && __hmax(a, b) == b));
}
