/* Host threads are coroutines: none is interrupted in the middle of these. */
#define a_cas a_cas
static inline int a_cas(volatile int *p, int t, int s) {
  int old = *p;
  if (old == t) *p = s;
  return old;
}
#define a_cas_p a_cas_p
static inline void *a_cas_p(volatile void *p, void *t, void *s) {
  void *old = *(void *volatile *)p;
  if (old == t) *(void *volatile *)p = s;
  return old;
}
#define a_crash a_crash
static inline void a_crash(void) { __builtin_trap(); }
#define a_ctz_64 a_ctz_64
static inline int a_ctz_64(uint64_t x) { return __builtin_ctzll(x); }
#define a_clz_64 a_clz_64
static inline int a_clz_64(uint64_t x) { return __builtin_clzll(x); }
