#include "table.h"

int scaled(int class) { return SCALE * class; }
