#pragma once
#include "vector_functions.h"
