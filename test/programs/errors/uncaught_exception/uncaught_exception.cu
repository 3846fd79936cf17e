#include <cstdio>
#include <stdexcept>
int main() {
  printf("before\n");
  fflush(stdout);
  throw std::runtime_error("no luck");
}
