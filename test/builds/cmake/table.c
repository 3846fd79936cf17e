#include <field.h>
int start(int i) { return 3 * i + STEP; }
