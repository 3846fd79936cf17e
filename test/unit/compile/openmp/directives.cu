// What it prints is what gcc -fopenmp makes of it (as C++), with 1, 4 and 7 threads.
#include <cstdio>
#include <cstdint>
#include <omp.h>
#include <vector>
#include <string>
#include <complex>
static int tp = 5;
#pragma omp threadprivate(tp)
struct Sum { double a = 0; long n = 0; Sum &operator+=(const Sum &o) { a += o.a; n += o.n; return *this; } };
#pragma omp declare reduction(+ : Sum : omp_out += omp_in) initializer(omp_priv = Sum())
int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
template <class T, class S> static long up(T from, T to, S step) {
  long s = 0;
  int last = -1;
#pragma omp parallel for schedule(runtime) reduction(+ : s) lastprivate(last)
  for (T i = from; i < to; i += step) { s += (long)i; last = (int)i; }
  return s * 10 + last;
}
template <class T, class S> static long down(T from, T to, S step) {
  long s = 0;
  int last = -1;
#pragma omp parallel for schedule(runtime) reduction(+ : s) lastprivate(last)
  for (T i = from; i > to; i -= step) { s += (long)i; last = (int)i; }
  return s * 10 + last;
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  omp_set_num_threads(n);
  printf("%d\n", _OPENMP >= 201511 && omp_get_max_threads() == n && omp_get_num_procs() > 0);
  std::vector<int> ids(n), counts(n);
#pragma omp parallel
  { ids[omp_get_thread_num()] = omp_get_num_threads(); tp = omp_get_thread_num(); }
  for (int i : ids) printf("%d ", i);
  puts("");
  int sumtp = 0;
#pragma omp parallel reduction(+ : sumtp)
  sumtp += tp;
  printf("tp %d\n", sumtp);
  tp = 9;
  sumtp = 0;
#pragma omp parallel copyin(tp) reduction(+ : sumtp)
  sumtp += tp;
  printf("copyin %d\n", sumtp);
  double x = 0;
#pragma omp parallel for reduction(+ : x) schedule(static)
  for (int i = 0; i < 1000; i++) x += i * 0.5;
  printf("%g\n", x);
  for (auto kind : {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto})
    for (int chunk : {0, 1, 3, 100}) {
      omp_set_schedule(kind, chunk);
      printf("%ld %ld %ld %ld %ld %ld ", up<int>(0, 1001, 1), down<int>(1000, -5, 7), up<unsigned>(3, 4000000000u, 1000003u), up<int64_t>(-(1ll << 40), 1ll << 40, 1ll << 31), up<uint64_t>(1, 100, 9), down<int64_t>(1ll << 40, 5, 1ll << 33));
    }
  puts("");
  long s = 0;
#pragma omp parallel for collapse(2) schedule(static, 3) reduction(+ : s)
  for (int i = 0; i < 17; i++)
    for (int j = 0; j < 19; j++) s += i * 100 + j;
  printf("collapse %ld\n", s);
  std::string order;
#pragma omp parallel for ordered schedule(dynamic, 2)
  for (int i = 0; i < 12; i++) {
#pragma omp ordered
    order += (char)('a' + i);
  }
  printf("%s\n", order.c_str());
  int value = 0, got = 0;
#pragma omp parallel private(value) reduction(+ : got)
  {
#pragma omp single copyprivate(value)
    value = 42;
    got += value;
#pragma omp barrier
#pragma omp critical
    counts[omp_get_thread_num()]++;
#pragma omp master
    counts[0] += 100;
  }
  printf("single %d", got);
  for (int c : counts) printf(" %d", c);
  puts("");
  Sum sum;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++) { sum.a += i; sum.n++; }
  printf("user %g %ld\n", sum.a, sum.n);
  int arr[3] = {};
#pragma omp parallel for reduction(+ : arr[:3])
  for (int i = 0; i < 99; i++) arr[i % 3] += i;
  printf("array %d %d %d\n", arr[0], arr[1], arr[2]);
  int f = 0;
#pragma omp parallel
#pragma omp single
  f = fib(15);
  printf("fib %d\n", f);
  int sec[3] = {};
#pragma omp parallel sections
  {
#pragma omp section
    sec[0] = 1;
#pragma omp section
    sec[1] = 2;
#pragma omp section
    sec[2] = 3;
  }
  printf("sections %d%d%d\n", sec[0], sec[1], sec[2]);
  long tl = 0; int lastt = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : tl) if (0)
  for (int i = 0; i < 50; i++) tl += i;
  printf("taskloop %ld\n", tl);
  int at = 0; double atd = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; i++) {
#pragma omp atomic
    at += i;
#pragma omp atomic
    atd += 0.5;
  }
  printf("atomic %d %g\n", at, atd);
  omp_lock_t lock; omp_init_lock(&lock);
  int locked = 0;
#pragma omp parallel for
  for (int i = 0; i < 100; i++) { omp_set_lock(&lock); locked++; omp_unset_lock(&lock); }
  omp_destroy_lock(&lock);
  printf("lock %d\n", locked);
  omp_set_nested(1);
  int nested = 0;
#pragma omp parallel num_threads(2) reduction(+ : nested)
#pragma omp parallel num_threads(3) reduction(+ : nested)
  nested += omp_get_level() * 10 + omp_get_team_size(1) + omp_get_ancestor_thread_num(1);
  printf("nested %d level %d\n", nested, omp_get_level());
  int serial = -1;
#pragma omp parallel if (0)
  serial = omp_get_num_threads() * 10 + omp_in_parallel() + omp_get_level();
  printf("serial %d\n", serial);
  std::complex<double> z = 0;
#pragma omp simd
  for (int i = 0; i < 10; i++) counts[0] += i;
  double t = omp_get_wtime();
  printf("%d %d\n", t >= 0, counts[0]);
}
