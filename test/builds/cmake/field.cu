#include <field.h>
__device__ int advanced(int value, int step) { return value + step; }
