// cuSOLVER for sparse matrices: systems of all types on host and device, orders, permutations, least squares, eigenvalues.
#include "cusolver_sparse.h"

template <class T> struct Calls;
#define CALLS(T, X)                                                                                                    \
  template <> struct Calls<T> {                                                                                        \
    static constexpr auto lu = cusolverSp##X##csrlsvluHost, qrHost = cusolverSp##X##csrlsvqrHost,                      \
                          choleskyHost = cusolverSp##X##csrlsvcholHost, qr = cusolverSp##X##csrlsvqr,                  \
                          cholesky = cusolverSp##X##csrlsvchol;                                                        \
    static constexpr auto least = cusolverSp##X##csrlsqvqrHost;                                                        \
    static constexpr auto eigenHost = cusolverSp##X##csreigvsiHost, eigen = cusolverSp##X##csreigvsi;                  \
    static constexpr auto zeroFree = cusolverSp##X##csrzfdHost;                                                        \
  };
CALLS(float, S)
CALLS(double, D)
CALLS(std::complex<float>, C)
CALLS(std::complex<double>, Z)

cusolverSpHandle_t handle;

template <class T, class Call> void onHost(const char *name, Call call, Matrix<T> &a, int reorder) {
  std::vector<T> b = side<T>(a.rows, 7), x(a.rows);
  int singular = 5;
  SOLVER(call(handle, a.rows, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(), cu(b),
              (typename Number<T>::Real)1e-7, reorder, cu(x), &singular));
  same(name, reorder, singular, -1);
  if (!(a.left(x, b) < tolerance<T>())) FAIL("%s: %g is left", name, a.left(x, b));
}
template <class T, class Call> void onDevice(const char *name, Call call, Matrix<T> &a, int reorder) {
  std::vector<T> b = side<T>(a.rows, 8);
  Device<T> values(a.values), right(b), x(a.rows);
  Device<int> offsets(a.offsets), indices(a.indices);
  int singular = 5;
  SOLVER(call(handle, a.rows, a.entries(), a.description, cu(values), offsets, indices, cu(right),
              (typename Number<T>::Real)1e-7, reorder, cu(x), &singular));
  same(name, reorder, singular, -1);
  const double left = a.left(x.host(), b);
  if (!(left < tolerance<T>())) FAIL("%s: %g is left", name, left);
}

// The one x of a tall matrix that is orthogonal to what is left.
template <class T> void leastSquares(int base) {
  Matrix<T> a = scattered<T>(90, 40, base, 3);
  std::vector<T> b = side<T>(a.rows, 4), x(a.columns);
  std::vector<int> order(a.columns);
  int rank = 0;
  typename Number<T>::Real norm = 0;
  SOLVER(Calls<T>::least(handle, a.rows, a.columns, a.entries(), a.description, cu(a.values), a.offsets.data(),
                         a.indices.data(), cu(b), (typename Number<T>::Real)1e-6, &rank, cu(x), order.data(), &norm));
  same("rank", 0, rank, a.columns);
  EXPECT(isOrder(order));
  std::vector<std::complex<double>> across(a.columns);
  double length = 0;
  for (int i = 0; i < a.rows; ++i) {
    std::complex<double> sum = b[i];
    for (int k = a.offsets[i] - base; k < a.offsets[i + 1] - base; ++k)
      sum -= (std::complex<double>)a.values[k] * (std::complex<double>)x[a.indices[k] - base];
    for (int k = a.offsets[i] - base; k < a.offsets[i + 1] - base; ++k)
      across[a.indices[k] - base] += std::conj((std::complex<double>)a.values[k]) * sum;
    length += std::norm(sum);
  }
  for (int j = 0; j < a.columns; ++j) close("orthogonal", j, std::abs(across[j]), 0, tolerance<T>());
  close("norm", 0, norm, sqrt(length), tolerance<T>());
}

// A column that is twice another: the rank is one less.
void dependentColumns() {
  std::map<std::pair<int, int>, double> entries;
  for (int i = 0; i < 8; ++i) {
    entries[{i, i % 4}] = 1 + i;
    if (i % 4 == 1) entries[{i, 4}] = 2 * entries[{i, 1}];
  }
  Matrix<double> a(8, 5, 0, entries);
  std::vector<double> b(8, 1), x(5);
  std::vector<int> order(5);
  int rank = 0;
  double norm;
  SOLVER(cusolverSpDcsrlsqvqrHost(handle, 8, 5, a.entries(), a.description, a.values.data(), a.offsets.data(),
                                  a.indices.data(), b.data(), 1e-10, &rank, x.data(), order.data(), &norm));
  same("rank", 1, rank, 4);
  EXPECT(isOrder(order));
  close("x1 + 2 x4", 0, x[1] + 2 * x[4], (2. + 6.) / (4. + 36.), 1e-12);
}

// The eigenvalue nearest to a guess, of a diagonal that is turned by little.
template <class T> void eigenvalue(int base) {
  std::map<std::pair<int, int>, T> entries;
  const int n = 12;
  for (int i = 0; i < n; ++i) {
    entries[{i, i}] = Number<T>::of(2 * i, 0);
    if (i + 1 < n) entries[{i, i + 1}] = Number<T>::of(0.25, 0.1), entries[{i + 1, i}] = Number<T>::of(0.25, -0.1);
  }
  Matrix<T> a(n, n, base, entries);
  std::vector<T> x0 = side<T>(n, 9), x(n);
  T mu{};
  const auto guess = Number<T>::cuda(Number<T>::of(7.8, 0));
  const auto limit = (typename Number<T>::Real)1e-6;
  const auto check = [&](const char *name) {
    std::vector<T> scaled(n);
    for (int i = 0; i < n; ++i) scaled[i] = mu * x[i];
    close(name, 0, std::abs((std::complex<double>)mu - 8.0), 0, 0.2);
    close(name, 1, a.left(x, scaled), 0, sizeof(typename Number<T>::Real) == 4 ? 2e-3 : 1e-4);
  };
  SOLVER(Calls<T>::eigenHost(handle, n, a.entries(), a.description, cu(a.values), a.offsets.data(), a.indices.data(),
                             guess, cu(x0), 60, limit, (typename Number<T>::Cuda *)&mu, cu(x)));
  check("eigenvalue on the host");
  Device<T> values(a.values), first(x0), vector(n), value(1);
  Device<int> offsets(a.offsets), indices(a.indices);
  SOLVER(Calls<T>::eigen(handle, n, a.entries(), a.description, cu(values), offsets, indices, guess, cu(first), 60,
                         limit, cu(value), cu(vector)));
  CHECK(cudaDeviceSynchronize());
  x = vector.host();
  mu = value.host()[0];
  check("eigenvalue on the device");
}

template <class T> void systems() {
  for (int base = 0; base < 2; ++base) {
    Matrix<T> symmetric = grid<T>(11, base), general = scattered<T>(70, 70, base, 5);
    for (int reorder = 0; reorder < 4; ++reorder) {
      onHost("csrlsvcholHost", Calls<T>::choleskyHost, symmetric, reorder);
      onHost("csrlsvluHost", Calls<T>::lu, general, reorder);
      onHost("csrlsvqrHost", Calls<T>::qrHost, general, reorder);
      onDevice("csrlsvchol", Calls<T>::cholesky, symmetric, reorder);
      onDevice("csrlsvqr", Calls<T>::qr, general, reorder);
    }
    leastSquares<T>(base);
    eigenvalue<T>(base);
  }
}

void orders() {
  Matrix<double> a = grid<double>(15, 1);
  const int n = a.rows;
  std::vector<int> order(n);
  const auto check = [&](const char *name) {
    if (!isOrder(order)) FAIL("%s is no order", name);
    std::fill(order.begin(), order.end(), -1);
  };
  SOLVER(cusolverSpXcsrsymrcmHost(handle, n, a.entries(), a.description, a.offsets.data(), a.indices.data(), order.data()));
  check("symrcm");
  SOLVER(cusolverSpXcsrsymmdqHost(handle, n, a.entries(), a.description, a.offsets.data(), a.indices.data(), order.data()));
  check("symmdq");
  SOLVER(cusolverSpXcsrsymamdHost(handle, n, a.entries(), a.description, a.offsets.data(), a.indices.data(), order.data()));
  check("symamd");
  SOLVER(cusolverSpXcsrmetisndHost(handle, n, a.entries(), a.description, a.offsets.data(), a.indices.data(), nullptr, order.data()));
  check("metisnd");
  int symmetric = -1;
  SOLVER(cusolverSpXcsrissymHost(handle, n, a.entries(), a.description, a.offsets.data(), a.offsets.data() + 1, a.indices.data(), &symmetric));
  same("issym", 0, symmetric, 1);
  Matrix<double> general = scattered<double>(30, 30, 1, 5);
  SOLVER(cusolverSpXcsrissymHost(handle, 30, general.entries(), general.description, general.offsets.data(), general.offsets.data() + 1, general.indices.data(), &symmetric));
  same("issym", 1, symmetric, 0);

  // B(i, j) = A(p(i), q(j))
  const int m = 30;
  std::vector<int> p(m), q(m), map(general.entries());
  for (int i = 0; i < m; ++i) p[i] = i * 7 % m, q[i] = (i * 11 + 3) % m;
  for (size_t k = 0; k < map.size(); ++k) map[k] = (int)k;
  std::vector<int> offsets = general.offsets, indices = general.indices;
  size_t bytes = 0;
  SOLVER(cusolverSpXcsrperm_bufferSizeHost(handle, m, m, general.entries(), general.description, offsets.data(), indices.data(), p.data(), q.data(), &bytes));
  std::vector<char> buffer(bytes + 1);
  SOLVER(cusolverSpXcsrpermHost(handle, m, m, general.entries(), general.description, offsets.data(), indices.data(), p.data(), q.data(), map.data(), buffer.data()));
  std::vector<double> dense(m * m), permuted(m * m);
  for (int i = 0; i < m; ++i) {
    for (int k = general.offsets[i] - 1; k < general.offsets[i + 1] - 1; ++k) dense[i * m + general.indices[k] - 1] = general.values[k];
    for (int k = offsets[i] - 1; k < offsets[i + 1] - 1; ++k) permuted[i * m + indices[k] - 1] = general.values[map[k]];
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) close("permuted", i * m + j, permuted[i * m + j], dense[p[i] * m + q[j]], 0);

  std::vector<int> rows(m);
  int count = 0;
  SOLVER(cusolverSpDcsrzfdHost(handle, m, general.entries(), general.description, general.values.data(), general.offsets.data(), general.indices.data(), rows.data(), &count));
  same("zero-free", 0, count, m);
  EXPECT(isOrder(rows));
  for (int i = 0; i < m; ++i)
    if (dense[rows[i] * m + i] == 0) FAIL("row %d has no entry in column %d", rows[i], i);
}

// A matrix is singular where its diagonal is 0.
void singular() {
  Matrix<double> a(4, 4, 0, {{{0, 0}, 2.}, {{1, 1}, 3.}, {{2, 2}, 0.}, {{3, 3}, 5.}});
  std::vector<double> b(4, 1), x(4);
  int row = -1;
  SOLVER(cusolverSpDcsrlsvqrHost(handle, 4, 4, a.description, a.values.data(), a.offsets.data(), a.indices.data(), b.data(), 1e-12, 0, x.data(), &row));
  same("qr", 0, row, 2);
  SOLVER(cusolverSpDcsrlsvcholHost(handle, 4, 4, a.description, a.values.data(), a.offsets.data(), a.indices.data(), b.data(), 1e-12, 0, x.data(), &row));
  same("cholesky", 0, row, 2);
  SOLVER(cusolverSpDcsrlsvluHost(handle, 4, 4, a.description, a.values.data(), a.offsets.data(), a.indices.data(), b.data(), 1e-12, 0, x.data(), &row));
  same("lu", 0, row, 2);
}

int main() {
  SOLVER(cusolverSpCreate(&handle));
  cudaStream_t stream, got;
  CHECK(cudaStreamCreate(&stream));
  SOLVER(cusolverSpSetStream(handle, stream));
  SOLVER(cusolverSpGetStream(handle, &got));
  EXPECT(got == stream);
  systems<float>();
  systems<double>();
  systems<std::complex<float>>();
  systems<std::complex<double>>();
  dependentColumns();
  orders();
  singular();
  SOLVER(cusolverSpDestroy(handle));
  CHECK(cudaStreamDestroy(stream));
  return finish();
}
