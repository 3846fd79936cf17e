#include <cstdio>

void report(const char *what, double value) { std::printf("%s %g\n", what, value); }
