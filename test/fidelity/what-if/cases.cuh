// Single cases of a program of the H200 reference, in the sizes that were measured: its kernels, launched as it does. What they
// compute with is zero where that makes no difference, so that little else is executed.
//
//   cases [NAME…]    the cases with these names, in the order of the program; each is between two markers in the trace
#pragma once

static int argumentCount;
static char **arguments;
static unsigned caseCount = 0;

inline bool isWanted(const char *name) {
  for (int i = 1; i < argumentCount; i++)
    if (strcmp(arguments[i], name) == 0) return true;
  return argumentCount == 1;
}

/** Once to warm up, if so asked, and once to be looked at. */
template <class F> void one(const char *name, F run, bool warm = true) {
  if (!isWanted(name)) return;
  if (warm) run();
  case_marker<<<++caseCount, 1>>>();
  run();
  case_marker<<<1 << 20, 1>>>();
  CK(cudaDeviceSynchronize());
  printf("case %s\n", name);
}

template <class T> T *zeros(size_t n) {
  T *p = dmalloc<T>(n);
  CK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}

template <class... T> void release(T *...memory) { (cudaFree((void *)memory), ...); }
