// A module that is written in PTX: parameters, shared memory, loops, predicates, carries, tables of jumps, functions, variables, addresses in variables.
#include "../check.h"
#include <cuda.h>

static void agree(const char *what, long long index, long long got, long long expected) { same(what, index, got, expected); }

static const char ptx[] = R"(
.version 7.0
.target sm_70
.address_size 64

.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 values);
.const .align 4 .u32 weights[4] = {1, 10, 100, 1000};
.visible .global .align 4 .f32 scale = 0f40000000;  // 2
.global .align 4 .u32 table[4] = {7, 8, 9, 10};
.visible .global .align 8 .u64 hidden[2] = {5, generic(table)+8};
.global .align 1 .b8 $text[12] = {115, 97, 121, 58, 32, 37, 100, 10, 0};

.func (.param .b32 back) twice(.param .b32 x, .param .align 8 .b8 pair[16]) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u32 %r1, [x];
  ld.param.u64 %rd1, [pair+8];
  cvt.u32.u64 %r2, %rd1;
  mad.lo.s32 %r3, %r1, 2, %r2;
  st.param.b32 [back], %r3;
  ret;
}

.visible .entry reverse(.param .u64 out, .param .u64 in, .param .u32 n)
.maxntid 256, 1, 1
{
  .shared .align 4 .b8 buffer[1024];
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [in];
  cvta.to.global.u64 %rd1, %rd1;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r8, buffer;
  setp.ge.u32 %p1, %r2, %r1;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  shl.b32 %r3, %r2, 2;
  add.s32 %r4, %r8, %r3;
  @%p1 bra $waits;
  ld.global.f32 %f1, [%rd3];
  ld.global.f32 %f2, [scale];
  mul.f32 %f3, %f1, %f2;
  st.shared.f32 [%r4], %f3;
$waits:
  bar.sync 0;
  @%p1 ret;
  sub.s32 %r5, %r1, %r2;
  add.s32 %r5, %r5, -1;
  shl.b32 %r6, %r5, 2;
  add.s32 %r7, %r8, %r6;
  ld.shared.f32 %f1, [%r7];
  ld.param.u64 %rd4, [out];
  add.s64 %rd5, %rd4, %rd2;
  st.global.f32 [%rd5], %f1;
  ret;
}

.visible .entry several(.param .u64 out, .param .align 8 .b8 numbers[24])
{
  .local .align 8 .b8 depot[16];
  .reg .pred %p<6>;
  .reg .b32 %r<24>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 32;
  add.s64 %rd3, %rd1, %rd2;
  // A sum of 64 bits in halves.
  ld.param.v2.u32 {%r2, %r3}, [numbers];
  ld.param.v2.u32 {%r4, %r5}, [numbers+8];
  add.cc.u32 %r6, %r2, %r4;
  addc.u32 %r7, %r3, %r5;
  st.global.v2.u32 [%rd3], {%r6, %r7};
  // By a table of jumps.
  mov.u32 %r8, -1;
  setp.gt.u32 %p1, %r1, 3;
  @%p1 bra $end;
places: .branchtargets $zero, $one, $other, $other;
  brx.idx %r1, places;
$zero:
  mov.u32 %r8, 100;
  bra.uni $end;
$one:
  mov.u32 %r8, 200;
  bra.uni $end;
$other:
  mov.u32 %r8, 300;
$end:
  st.global.u32 [%rd3+8], %r8;
  // A loop, with a guarded sum.
  mov.u32 %r9, 0;
  mov.u32 %r10, 0;
$again:
  and.b32 %r11, %r9, 1;
  setp.eq.s32 %p2, %r11, 1;
  setp.lt.and.u32 %p3|%p4, %r9, %r1, %p2;
  @%p3 add.s32 %r10, %r10, %r9;
  @!%p4 add.s32 %r10, %r10, 1000;
  add.s32 %r9, %r9, 1;
  setp.lt.u32 %p5, %r9, 6;
  @%p5 bra $again;
  st.global.u32 [%rd3+12], %r10;
  // A call, a constant, an address in a variable.
  {
    .param .b32 param0;
    st.param.b32 [param0+0], %r1;
    .param .align 8 .b8 param1[16];
    ld.param.u64 %rd4, [numbers+16];
    st.param.b64 [param1+0], %rd4;
    st.param.b64 [param1+8], %rd4;
    .param .b32 back0;
    call.uni (back0), twice, (param0, param1);
    ld.param.b32 %r12, [back0+0];
  }
  st.global.u32 [%rd3+16], %r12;
  and.b32 %r13, %r1, 3;
  mul.wide.u32 %rd5, %r13, 4;
  mov.u64 %rd6, weights;
  add.s64 %rd7, %rd6, %rd5;
  ld.const.u32 %r14, [%rd7];
  ld.const.u32 %r15, [weights+4];
  add.s32 %r14, %r14, %r15;
  st.global.u32 [%rd3+20], %r14;
  ld.global.u64 %rd8, [hidden+8];
  ld.u32 %r16, [%rd8];
  vote.sync.ballot.b32 %r17, %p1, 0xffffffff;
  shfl.sync.idx.b32 %r18|%p2, %r16, 0, 31, 0xffffffff;
  add.s32 %r18, %r18, %r17;
  st.global.u32 [%rd3+24], %r18;
  // Local memory, and a text that would be printed.
  mov.u64 %rd9, depot;
  cvta.local.u64 %rd10, %rd9;
  st.local.u32 [%rd9], %r1;
  ld.u32 %r19, [%rd10];
  selp.b32 %r20, %r19, 77, %p2;
  st.global.u32 [%rd3+28], %r20;
  setp.ne.s32 %p1, %r1, 99;
  @%p1 bra $done;
  mov.u64 %rd11, $text;
  cvta.global.u64 %rd12, %rd11;
  {
    .param .b64 param0;
    .param .b64 param1;
    .param .b32 back0;
    st.param.b64 [param0], %rd12;
    st.param.b64 [param1], %rd10;
    call.uni (back0), vprintf, (param0, param1);
  }
$done:
  ret;
}
)";

struct Numbers {
  unsigned long long a, b, c;
};

int main() {
  CHECK(cudaFree(0));
  CUmodule module;
  agree("load", 0, cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
  CUfunction function;
  CUdeviceptr in, out;
  agree("allocate", 0, cuMemAlloc(&in, 4096), CUDA_SUCCESS);
  agree("allocate", 1, cuMemAlloc(&out, 4096), CUDA_SUCCESS);
  unsigned n = 200;
  std::vector<float> values(n);
  for (unsigned i = 0; i < n; i++) values[i] = i;
  cuMemcpyHtoD(in, values.data(), 4 * n);
  agree("function", 0, cuModuleGetFunction(&function, module, "reverse"), CUDA_SUCCESS);
  void *arguments[] = {&out, &in, &n};
  agree("launch", 0, cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  agree("copy", 0, cuMemcpyDtoH(values.data(), out, 4 * n), CUDA_SUCCESS);
  for (unsigned i = 0; i < n; i++) agree("reversed", i, (long long)values[i], 2 * (n - 1 - i));

  agree("function", 1, cuModuleGetFunction(&function, module, "several"), CUDA_SUCCESS);
  Numbers numbers = {0xffffffffull, 0x500000001ull, 40};
  void *others[] = {&out, &numbers};
  agree("launch", 1, cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, others, nullptr), CUDA_SUCCESS);
  unsigned got[32][8];
  agree("copy", 1, cuMemcpyDtoH(got, out, sizeof got), CUDA_SUCCESS);
  for (int i = 0; i < 32; i++) {
    const int jumped[] = {100, 200, 300, 300}, weights[] = {1, 10, 100, 1000};
    int looped = 0;
    for (int k = 0; k < 6; k++) looped += (k < i && (k & 1) ? k : 0) + (k >= i && (k & 1) ? 0 : 1000);
    agree("sum", i, got[i][0] | (unsigned long long)got[i][1] << 32, 0x600000000ll);
    agree("jump", i, (int)got[i][2], i > 3 ? -1 : jumped[i]);
    agree("loop", i, got[i][3], looped);
    agree("call", i, got[i][4], 2 * i + 40);
    agree("weight", i, got[i][5], weights[i & 3] + 10);
    agree("vote", i, got[i][6], 0xfffffff0u + 9);
    agree("local", i, got[i][7], i);
  }
  CUdeviceptr scale;
  size_t bytes;
  agree("variable", 0, cuModuleGetGlobal(&scale, &bytes, module, "scale"), CUDA_SUCCESS);
  agree("bytes", 0, bytes, 4);
  CUmodule none;
  agree("no PTX", 0, cuModuleLoadData(&none, "nothing of the kind"), CUDA_ERROR_INVALID_IMAGE);
  return finish();
}
