#include "shared.h"
#include <string>
int fromCpp(const char *text) { return (int)std::string(text).size(); }
