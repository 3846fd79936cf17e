#include "shared.h"
int fromC(int x) { return x * x; }
