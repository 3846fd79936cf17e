#pragma once
#include "simsight/attributes.h"
