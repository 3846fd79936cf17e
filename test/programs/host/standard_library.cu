// The C++ library on the host: iostream, string streams, maps, algorithms, smart pointers, random numbers, functional.
#include "../check.h"
#include <algorithm>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
__global__ void square(int *x, int n) { const int i = threadIdx.x; if (i < n) x[i] *= x[i]; }
int main() {
  std::vector<int> v(20);
  std::iota(v.begin(), v.end(), -5);
  std::unique_ptr<int, std::function<void(int *)>> d([&] { int *p; CHECK(cudaMalloc(&p, 80)); return p; }(), [](int *p) { cudaFree(p); });
  CHECK(cudaMemcpy(d.get(), v.data(), 80, cudaMemcpyHostToDevice));
  square<<<1, 32>>>(d.get(), 20);
  CHECK(cudaMemcpy(v.data(), d.get(), 80, cudaMemcpyDeviceToHost));
  std::map<int, int> times;
  for (int x : v) times[x]++;
  std::ostringstream text;
  for (const auto &[x, n] : times) text << x << ":" << n << " ";
  text << std::fixed << std::setprecision(2) << 3.14159 << std::setw(5) << 7;
  EXPECT(text.str() == "0:1 1:2 4:2 9:2 16:2 25:2 36:1 49:1 64:1 81:1 100:1 121:1 144:1 169:1 196:1 3.14    7");
  std::mt19937 engine(5489);
  engine.discard(9999);
  same("mt19937", 0, (unsigned)engine(), 4123659995u);
  std::istringstream in("12 abc 4.5");
  int i; std::string s; double f;
  in >> i >> s >> f;
  EXPECT(i == 12 && s == "abc" && f == 4.5);
  std::unordered_map<std::string, int> m{{"a", 1}, {"b", 2}};
  EXPECT(m["b"] + m["a"] + (int)m.count("c") == 3);
  std::cout << std::flush;
  return finish();
}
