// Arithmetic with a rounding direction: __fadd_rz, __fmul_ru, __fdiv_rd, __fsqrt_rn, __fmaf_rz and the double forms.
#include "../check.h"

constexpr int operations = 28;

__global__ void kernel(const float *a, const float *b, const float *c, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = a[i], y = b[i], z = c[i], s = fabsf(x);
  double *o = out + i * operations;
#define FOUR(k, f, ...) o[k] = f##_rn(__VA_ARGS__), o[k + 1] = f##_rz(__VA_ARGS__), o[k + 2] = f##_ru(__VA_ARGS__), o[k + 3] = f##_rd(__VA_ARGS__)
  FOUR(0, __fadd, x, y);
  FOUR(4, __fsub, x, y);
  FOUR(8, __fmul, x, y);
  FOUR(12, __fdiv, x, y);
  FOUR(16, __fsqrt, s);
  FOUR(20, __fmaf, x, y, z);
  FOUR(24, __frcp, y);
}

// Doubles hold sums and products of such floats exactly; a quotient is compared with the exact one by multiplication.
float directed(int mode, double value, double error) {
  float f = (float)value;
  const bool below = (double)f < value || ((double)f == value && error > 0);
  const bool above = (double)f > value || ((double)f == value && error < 0);
  if (mode == 0 || (!below && !above)) return f;
  const bool up = mode == 2 || (mode == 1 && value < 0);
  if (up && below) f = std::nextafter(f, INFINITY);
  if (!up && above) f = std::nextafter(f, -INFINITY);
  return f;
}

__global__ void doubles(const double *a, const double *b, double *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double *o = out + i * 12;
  FOUR(0, __dadd, a[i], b[i]);
  FOUR(4, __dmul, a[i], b[i]);
  FOUR(8, __ddiv, a[i], b[i]);
}

int main() {
  Random random;
  std::vector<float> a, b, c;
  for (int i = 0; i < 400; ++i) {
    a.push_back((float)random.between(-4, 4));
    b.push_back((float)random.between(-4, 4));
    c.push_back((float)random.between(-1, 1));
  }
  a[0] = 1, b[0] = 3, c[0] = -1;
  a[1] = 0.1f, b[1] = 10, c[1] = -1;
  const int n = a.size();
  Device<float> da(a), db(b), dc(c);
  Device<double> out(n * operations);
  kernel<<<(n + 127) / 128, 128>>>(da, db, dc, out, n);
  CHECK_KERNEL();
  const auto got = out.host();
  for (int i = 0; i < n; ++i) {
    const double x = a[i], y = b[i], z = c[i], s = std::fabs(x);
    const double root = std::sqrt(s), quotient = x / y, inverse = 1 / y, product = x * y, sum = product + z;
    // What the double lost: its sign decides ties.
    const double lost = std::fabs(product) > std::fabs(z) ? z - (sum - product) : product - (sum - z);
    const double values[7] = {x + y, x - y, product, quotient, root, sum, inverse};
    const double errors[7] = {0, 0, 0, std::fma(-quotient, y, x) * y, std::fma(-root, root, s), lost,
                              std::fma(-inverse, y, 1.0) * y};
    for (int f = 0; f < 7; ++f)
      for (int mode = 0; mode < 4; ++mode) {
        // To nearest through double can round twice: half a unit and a hair is accepted there.
        const float expected = directed(mode, values[f], errors[f]);
        const double g = got[i * operations + f * 4 + mode];
        if (mode == 0 ? ulps((float)g, values[f]) > 0.5000001 : g != expected)
          FAIL("function %d mode %d (%a, %a): %a, expected %a", f, mode, x, y, g, (double)expected);
      }
  }
  // Doubles: known pairs.
  const std::vector<double> p = {1, 1, 2, -1}, q = {0x1p-60, 3, 3, -0x1p-60};
  Device<double> dp(p), dq(q), dout(48);
  doubles<<<1, 4>>>(dp, dq, dout, 4);
  CHECK_KERNEL();
  const auto d = dout.host();
  const double up = std::nextafter(1.0, 2.0), third = 1.0 / 3, twoThirds = 2.0 / 3;
  same("dadd", 0, d[0] == 1 && d[1] == 1 && d[2] == up && d[3] == 1, true);
  same("dadd", 3, d[36] == -1 && d[37] == -1 && d[38] == -1 && d[39] == -up, true);
  same("dmul", 0, d[4] == 0x1p-60 && d[16] == 3, true);
  same("ddiv", 1, d[20] == third && d[21] == third && d[22] == std::nextafter(third, 1.0) && d[23] == third, true);
  same("ddiv", 2, d[32] == twoThirds && d[33] == twoThirds && d[34] == std::nextafter(twoThirds, 1.0) && d[35] == twoThirds, true);
  return finish();
}
