// Files beside the source: one is read with the working folder as base, another is written, read back and removed.
#include "../../check.h"
#include <fstream>
#include <string>
__global__ void add(float *a, int n) { const int i = threadIdx.x; if (i < n) a[i] += 0.5f; }
int main() {
  std::ifstream in("numbers.txt");
  if (!in) FAIL("numbers.txt cannot be opened");
  std::vector<float> v;
  for (float x; in >> x;) v.push_back(x);
  same("count", 0, (int)v.size(), 6);
  v.resize(6);
  Device<float> d(v);
  add<<<1, 32>>>(d, 6);
  CHECK_KERNEL();
  const auto got = d.host();
  FILE *out = fopen("result.tmp", "wb");
  EXPECT(out != nullptr);
  if (out) {
    EXPECT(fwrite(got.data(), 4, 6, out) == 6);
    fclose(out);
    std::vector<float> back(6);
    FILE *again = fopen("result.tmp", "rb");
    EXPECT(again && fseek(again, 8, SEEK_SET) == 0 && fread(back.data(), 4, 4, again) == 4);
    if (again) fclose(again);
    const float e[4] = {3.5f, -3.5f, 100.5f, 0.75f};
    for (int i = 0; i < 4; ++i) close("back", i, back[i], e[i], 0);
    EXPECT(remove("result.tmp") == 0);
  }
  EXPECT(fopen("missing.txt", "r") == nullptr);
  return finish();
}
