/* cuda::std is the standard library, whose constexpr functions run on the device as well. */
#pragma once
#include "cuda_runtime.h"
#include <type_traits>
#include <utility>
namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
