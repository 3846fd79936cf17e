// Many independent products of 128 × 128 halves: the same work on the ordinary cores and on the tensor cores. The size is their number.
#include "../lab.h"
#include "products.h"

int main(int argc, char **argv) {
  Lab lab(argc, argv, 256);
  const std::vector<half> hostA = halves(lab.size, 7, 5), hostB = halves(lab.size, 3, 7);
  Device<half> a(hostA), b(hostB);
  Device<float> c(hostA.size());
  const auto wrong = [&](const std::vector<float> &result) { return wrongProducts(hostA, hostB, result.data()); };

  const unsigned products = lab.size;
  const dim3 results(side / tile, side / tile, products), warps(side / tile / 4, side / tile, products), parts(side / part, side / part, products);
  lab.variant("cores", c, [&] { productOnCores<<<results, dim3(tile, tile)>>>(a, b, c); }, wrong);
  lab.variant("wmma", c, [&] { productOnTensorCores<<<warps, 128>>>(a, b, c); }, wrong);
  lab.variant("staged", c, [&] { productStaged<<<parts, 128>>>(a, b, c); }, wrong);
  lab.variant("ahead", c, [&] { productAhead<<<parts, 128>>>(a, b, c); }, wrong);
  return lab.end();
}
