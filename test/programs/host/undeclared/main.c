/* C that declares nothing: what it calls returns int to it, and in its file nothing, or a long. */
#include <stdio.h>
int main() {
  int x = 3;
  add(&x, 4);
  long y = scaled(&x, 2);
  printf("%d %ld\n", x, y);
  return 0;
}
