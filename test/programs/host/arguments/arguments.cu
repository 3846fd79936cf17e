// Arguments, environment variables, standard error and the exit code.
#include "../../check.h"
int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) printf("[%s]", argv[i]);
  printf(" %s\n", getenv("MODE") ? getenv("MODE") : "none");
  fprintf(stderr, "to stderr\n");
  atexit([] { printf("at exit\n"); });
  exit(argc + 38);
}
