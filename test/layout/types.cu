/*
 * Sizes, alignments and offsets of types and structs, on the host and in a kernel: one line for each, "host|device NAME WHAT".
 * `npm run layout` runs it and compares with test/reference/layout/nvcc.txt, which `--reference` makes with nvcc: the host's lines are what the
 * program prints, those of kernels are the numbers that nvcc puts into the PTX of layoutOnDevice.
 * Types of the C++ library whose layout differs between libstdc++ and libc++ (std::string, std::function, …) are not in it.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cuComplex.h>
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cwchar>
#include <memory>
#include <utility>
#include <vector>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

typedef long long ll;
typedef unsigned char uc;
typedef unsigned short us;
typedef unsigned int ui;
typedef unsigned long ul;
typedef unsigned long long ull;
typedef signed char sc;
typedef void *pointer;
typedef const char *text;
typedef void (*function)(int);
typedef long three_longs[3];
typedef char five_chars[5];

// What programs declare themselves.
struct Empty {};
struct CharLong { char c; long l; };
struct CharLongChar { char c; long l; char d; };
struct IntPointer { int i; void *p; };
struct ShortLongLong { short s; ll l; };
struct CharDouble { char c; double d; };
struct FloatPointerFloat { float f; float *p; float g; };
struct Node { int key; Node *left, *right; };
struct Matrix { size_t rows, columns; float *data; };
struct Matrix32 { int rows, columns; float *data; bool owns; };
struct Edge { unsigned long from, to; float weight; };
struct Particle { float3 position, velocity; float mass; int cell; };
struct Aligned16 { float x, y, z; } __attribute__((aligned(16)));
struct alignas(32) Aligned32 { double x[3]; };
struct WithFloat4 { char c; float4 v; };
struct WithDouble2 { int i; double2 v; char c; };
struct WithLong2 { char c; long2 v; };
struct WithDim3 { dim3 grid, block; size_t shared; };
struct Bits { unsigned a : 3, b : 29; };
struct LongBits { unsigned long a : 40, b : 24; };
struct MixedBits { char c : 4; int i : 20; long l : 34; };
struct BoolBits { bool a : 1, b : 1; int n; };
struct Nested { char c; CharLong inner; short s; };
struct Arrays { char name[13]; long counts[2]; short s; };
#pragma pack(push, 1)
struct Packed { char c; long l; short s; void *p; };
#pragma pack(pop)
#pragma pack(push, 4)
struct Packed4 { char c; double d; long l; };
#pragma pack(pop)
union Words { unsigned long word; unsigned char bytes[8]; };
union LongDouble { long l; double d; char c[12]; };
struct Tagged { int tag; union { long l; double d; void *p; } value; };
struct Base { long id; char kind; };
struct Derived : Base { char more; int count; };
struct EmptyBase : Empty { int i; };
struct TwoBases : CharLong, IntPointer { short s; };
struct Virtual { virtual ~Virtual() {} int i; };
struct VirtualDerived : Virtual { long l; };
struct VirtualBase : virtual Base { int i; };
enum Small { small_one };
enum Large : unsigned long { large_one };
enum Wide { wide_one = 0x100000000 };
enum class Byte : unsigned char { one };
typedef long Base::*member;
typedef void (Virtual::*method)();
typedef std::pair<int, long> int_long;
typedef std::pair<char, void *> char_pointer;
typedef std::array<long, 3> array_of_longs;
typedef std::array<char, 5> array_of_chars;
typedef std::complex<float> complex_float;
typedef std::complex<double> complex_double;
typedef std::atomic<long> atomic_long_;
typedef std::atomic<int> atomic_int_;
typedef std::unique_ptr<int> unique;
typedef std::shared_ptr<int> shared;
typedef std::vector<long> vector_of_longs;
typedef std::chrono::nanoseconds nanoseconds;
typedef std::chrono::steady_clock::time_point time_point;

#define FUNDAMENTAL(X) \
  X(bool) X(char) X(sc) X(uc) X(short) X(us) X(int) X(ui) X(long) X(ul) X(ll) X(ull) X(float) X(double) X(wchar_t) X(char16_t) \
  X(char32_t) X(size_t) X(ptrdiff_t) X(intptr_t) X(uintptr_t) X(intmax_t) X(uintmax_t) X(int8_t) X(int16_t) X(int32_t) X(int64_t) \
  X(uint8_t) X(uint16_t) X(uint32_t) X(uint64_t) X(int_least8_t) X(int_least16_t) X(int_least32_t) X(int_least64_t) X(int_fast8_t) \
  X(int_fast16_t) X(int_fast32_t) X(int_fast64_t) X(uint_fast8_t) X(uint_fast16_t) X(uint_fast32_t) X(uint_fast64_t) X(pointer) \
  X(text) X(function) X(three_longs) X(five_chars) X(std::nullptr_t) X(std::max_align_t) X(time_t) X(clock_t) X(off_t) X(ssize_t) \
  X(pid_t) X(uid_t) X(gid_t) X(mode_t) X(dev_t) X(ino_t) X(nlink_t) X(blksize_t) X(blkcnt_t) X(suseconds_t) X(useconds_t) X(wint_t)
#define VECTORS_OF(X, T) X(T##1) X(T##2) X(T##3) X(T##4)
#define VECTORS(X) \
  VECTORS_OF(X, char) VECTORS_OF(X, uchar) VECTORS_OF(X, short) VECTORS_OF(X, ushort) VECTORS_OF(X, int) VECTORS_OF(X, uint) \
  X(long1) X(long2) X(long3) X(ulong1) X(ulong2) X(ulong3) X(longlong1) X(longlong2) X(longlong3) X(ulonglong1) X(ulonglong2) \
  X(ulonglong3) VECTORS_OF(X, float) X(double1) X(double2) X(double3) X(dim3) X(__half) X(__half2) X(__nv_bfloat16) \
  X(__nv_bfloat162) X(__half_raw) X(__half2_raw) X(cuComplex) X(cuDoubleComplex)
#define LIBRARY(X) \
  X(div_t) X(ldiv_t) X(lldiv_t) X(struct tm) X(struct timespec) X(struct timeval) X(struct stat) X(int_long) X(char_pointer) \
  X(array_of_longs) X(array_of_chars) X(complex_float) X(complex_double) X(atomic_long_) X(atomic_int_) X(unique) X(shared) \
  X(vector_of_longs) X(nanoseconds) X(time_point)
#define CUDA(X) \
  X(cudaDeviceProp) X(cudaPointerAttributes) X(cudaFuncAttributes) X(cudaExtent) X(cudaPos) X(cudaPitchedPtr) X(cudaMemcpy3DParms) \
  X(cudaMemcpy3DPeerParms) X(cudaChannelFormatDesc) X(cudaResourceDesc) X(cudaTextureDesc) X(cudaResourceViewDesc) \
  X(cudaLaunchConfig_t) X(cudaLaunchAttribute) X(cudaLaunchAttributeValue) X(cudaKernelNodeParams) X(cudaMemsetParams) \
  X(cudaHostNodeParams) X(cudaMemAllocNodeParams) X(cudaMemPoolProps) X(cudaMemLocation) X(cudaMemAccessDesc) \
  X(cudaAccessPolicyWindow) X(cudaIpcMemHandle_t) X(cudaIpcEventHandle_t) X(cudaUUID_t) X(cudaStream_t) X(cudaEvent_t) \
  X(cudaGraph_t) X(cudaGraphExec_t) X(cudaGraphNode_t) X(cudaArray_t) X(cudaMemPool_t) X(cudaTextureObject_t) \
  X(cudaSurfaceObject_t) X(cudaError_t)
#define OWN(X) \
  X(Empty) X(CharLong) X(CharLongChar) X(IntPointer) X(ShortLongLong) X(CharDouble) X(FloatPointerFloat) X(Node) X(Matrix) \
  X(Matrix32) X(Edge) X(Particle) X(Aligned16) X(Aligned32) X(WithFloat4) X(WithDouble2) X(WithLong2) X(WithDim3) X(Bits) \
  X(LongBits) X(MixedBits) X(BoolBits) X(Nested) X(Arrays) X(Packed) X(Packed4) X(Words) X(LongDouble) X(Tagged) X(Base) \
  X(Derived) X(EmptyBase) X(TwoBases) X(Virtual) X(VirtualDerived) X(VirtualBase) X(Small) X(Large) X(Wide) X(Byte) X(member) \
  X(method)
#define OFFSETS(X) \
  X(CharLong, l) X(CharLongChar, d) X(IntPointer, p) X(ShortLongLong, l) X(CharDouble, d) X(FloatPointerFloat, p) \
  X(FloatPointerFloat, g) X(Node, left) X(Node, right) X(Matrix, columns) X(Matrix, data) X(Matrix32, data) X(Matrix32, owns) \
  X(Edge, to) X(Edge, weight) X(Particle, velocity) X(Particle, mass) X(Particle, cell) X(Aligned16, z) X(WithFloat4, v) \
  X(WithDouble2, v) X(WithDouble2, c) X(WithLong2, v) X(WithDim3, block) X(WithDim3, shared) X(BoolBits, n) X(Nested, inner) \
  X(Nested, s) X(Arrays, counts) X(Arrays, s) X(Packed, l) X(Packed, s) X(Packed, p) X(Packed4, d) X(Packed4, l) X(Tagged, value) \
  X(struct tm, tm_year) X(struct timespec, tv_nsec) X(struct timeval, tv_usec) X(struct stat, st_mode) X(struct stat, st_size) \
  X(struct stat, st_mtime) X(ldiv_t, rem) X(lldiv_t, rem) X(int_long, second) X(char_pointer, second) X(cudaDeviceProp, name) \
  X(cudaDeviceProp, totalGlobalMem) X(cudaDeviceProp, sharedMemPerBlock) X(cudaDeviceProp, regsPerBlock) \
  X(cudaDeviceProp, warpSize) X(cudaDeviceProp, maxThreadsPerBlock) X(cudaDeviceProp, maxThreadsDim) \
  X(cudaDeviceProp, maxGridSize) X(cudaDeviceProp, major) X(cudaDeviceProp, multiProcessorCount) X(cudaDeviceProp, concurrentKernels) \
  X(cudaDeviceProp, l2CacheSize) X(cudaDeviceProp, sharedMemPerMultiprocessor) X(cudaDeviceProp, managedMemory) \
  X(cudaDeviceProp, cooperativeLaunch) X(cudaDeviceProp, sharedMemPerBlockOptin) X(cudaPointerAttributes, device) \
  X(cudaPointerAttributes, devicePointer) X(cudaPointerAttributes, hostPointer) X(cudaFuncAttributes, constSizeBytes) \
  X(cudaFuncAttributes, localSizeBytes) X(cudaFuncAttributes, maxThreadsPerBlock) X(cudaFuncAttributes, numRegs) \
  X(cudaFuncAttributes, maxDynamicSharedSizeBytes) X(cudaExtent, height) X(cudaPos, z) X(cudaPitchedPtr, pitch) \
  X(cudaPitchedPtr, ysize) X(cudaMemcpy3DParms, srcPos) X(cudaMemcpy3DParms, srcPtr) X(cudaMemcpy3DParms, dstArray) \
  X(cudaMemcpy3DParms, dstPtr) X(cudaMemcpy3DParms, extent) X(cudaMemcpy3DParms, kind) X(cudaChannelFormatDesc, f) \
  X(cudaResourceDesc, res) X(cudaTextureDesc, filterMode) X(cudaTextureDesc, normalizedCoords) X(cudaTextureDesc, borderColor) \
  X(cudaLaunchConfig_t, dynamicSmemBytes) X(cudaLaunchConfig_t, stream) X(cudaLaunchConfig_t, attrs) X(cudaLaunchConfig_t, numAttrs) \
  X(cudaLaunchAttribute, val) X(cudaKernelNodeParams, gridDim) X(cudaKernelNodeParams, sharedMemBytes) \
  X(cudaKernelNodeParams, kernelParams) X(cudaKernelNodeParams, extra) X(cudaMemsetParams, pitch) X(cudaMemsetParams, value) \
  X(cudaMemsetParams, height) X(cudaHostNodeParams, userData) X(cudaMemAllocNodeParams, bytesize) X(cudaMemAllocNodeParams, dptr) \
  X(cudaMemPoolProps, location) X(cudaAccessPolicyWindow, hitRatio)

#ifndef SIMSIGHT
#define SIZE_NUMBERS(T) (int)sizeof(T), (int)alignof(T),
#define OFFSET_NUMBER(T, M) (int)offsetof(T, M),
__device__ int layoutOnDevice[] = {
    FUNDAMENTAL(SIZE_NUMBERS) VECTORS(SIZE_NUMBERS) LIBRARY(SIZE_NUMBERS) CUDA(SIZE_NUMBERS) OWN(SIZE_NUMBERS) OFFSETS(OFFSET_NUMBER)};
#endif

#define SIZE(T) printf("%s %s size %d align %d\n", where, #T, (int)sizeof(T), (int)alignof(T));
#define OFFSET(T, M) printf("%s %s.%s at %d\n", where, #T, #M, (int)offsetof(T, M));

__host__ __device__ void show(const char *where) {
  FUNDAMENTAL(SIZE) VECTORS(SIZE) LIBRARY(SIZE) CUDA(SIZE) OWN(SIZE) OFFSETS(OFFSET)
}
__global__ void onDevice() { show("device"); }

int main() {
  show("host");
  fflush(stdout);
  onDevice<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
