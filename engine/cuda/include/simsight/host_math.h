/* Functions of CUDA's math_functions.h that the C library lacks, for host code. Those of float are rounded from double. */
#pragma once
#define __SIMSIGHT_HOST __host__ static inline

__SIMSIGHT_HOST double rsqrt(double x) { return 1 / sqrt(x); }
__SIMSIGHT_HOST double rcbrt(double x) { return 1 / cbrt(x); }

/* The rest of x after multiples of a half is exact. */
__SIMSIGHT_HOST void sincospi(double x, double *sine, double *cosine) {
  int quarter;
  const double angle = remquo(x, 0.5, &quarter) * 3.14159265358979323846;
  const double s = sin(angle), c = cos(angle);
  const bool odd = quarter & 1;
  /* Zeros: of the sine they have the sign of x, of the cosine they are positive. */
  *sine = x == trunc(x) && !isinf(x) ? copysign(0.0, x) : (quarter & 2 ? -1 : 1) * (odd ? c : s);
  *cosine = (odd && angle == 0) ? 0.0 : ((quarter + 1) & 2 ? -1 : 1) * (odd ? s : c);
}
__SIMSIGHT_HOST double sinpi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return sine;
}
__SIMSIGHT_HOST double cospi(double x) {
  double sine, cosine;
  sincospi(x, &sine, &cosine);
  return cosine;
}

/* Newton's iterations: on erfc(x) where it is about 1, on its logarithm, which is nearly a parabola, in the tail. */
__SIMSIGHT_HOST double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0) return INFINITY;
  if (y > 1) return -erfcinv(2 - y);
  const double slope = 1.1283791670955126; /* 2 / sqrt(pi) */
  double x = 0;
  if (y > 0.5) {
    for (int i = 0; i < 6; i++) x += (erf(x) - (1 - y)) / (-slope * exp(-x * x));
    return x;
  }
  const double logarithm = log(y);
  x = sqrt(-logarithm - 0.5 * log(1 - logarithm));
  for (int i = 0; i < 7; i++) {
    const double value = erfc(x);
    if (value == 0) break;
    x += (log(value) - logarithm) * value / (slope * exp(-x * x));
  }
  return x;
}
__SIMSIGHT_HOST double erfinv(double y) {
  if (!(y >= -1 && y <= 1)) return NAN;
  if (fabs(y) > 0.5) return copysign(erfcinv(1 - fabs(y)), y);
  double x = y * 0.88622692545275801; /* sqrt(pi) / 2 */
  for (int i = 0; i < 6; i++) x += (y - erf(x)) / (1.1283791670955126 * exp(-x * x));
  return y == 0 ? y : x;
}
/* What is left of x / sqrt(2) when it is rounded counts in the tail, where erfc is steep. */
__SIMSIGHT_HOST double normcdf(double x) {
  const double root = 0.70710678118654757, rest = -4.8336466567264567e-17;
  const double t = -x * root;
  if (isinf(x) || isnan(x)) return 0.5 * erfc(t);
  return 0.5 * (erfc(t) - (fma(-x, root, -t) - x * rest) * 1.1283791670955126 * exp(-t * t));
}
__SIMSIGHT_HOST double normcdfinv(double y) { return -1.4142135623730951 * erfcinv(2 * y); }
/* exp(x * x) * erfc(x): by its asymptotic series where erfc is close to the smallest numbers. */
__SIMSIGHT_HOST double erfcx(double x) {
  if (x < 26) {
    const double square = x * x;
    return isinf(square) ? square : exp(square) * (1 + fma(x, x, -square)) * erfc(x);
  }
  const double step = 0.5 / (x * x);
  return 0.56418958354775629 / x * (1 - step * (1 - 3 * step * (1 - 5 * step * (1 - 7 * step * (1 - 9 * step * (1 - 11 * step))))));
}

#define __SIMSIGHT_HOST_FLOAT(name)                                                                                    \
  __SIMSIGHT_HOST float name##f(float x) { return (float)name((double)x); }                                            \
  __SIMSIGHT_HOST float name(float x) { return name##f(x); }
__SIMSIGHT_HOST_FLOAT(rsqrt)
__SIMSIGHT_HOST_FLOAT(rcbrt)
__SIMSIGHT_HOST_FLOAT(sinpi)
__SIMSIGHT_HOST_FLOAT(cospi)
__SIMSIGHT_HOST_FLOAT(erfcinv)
__SIMSIGHT_HOST_FLOAT(erfinv)
__SIMSIGHT_HOST_FLOAT(normcdf)
__SIMSIGHT_HOST_FLOAT(normcdfinv)
__SIMSIGHT_HOST_FLOAT(erfcx)
#undef __SIMSIGHT_HOST_FLOAT
__SIMSIGHT_HOST void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
__SIMSIGHT_HOST void sincospi(float x, float *sine, float *cosine) { sincospif(x, sine, cosine); }
#undef __SIMSIGHT_HOST
