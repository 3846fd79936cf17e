#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cstdio>
#define USE(H, H2) \
__global__ void k(H *p, H2 *q, int *i, float *f, unsigned short *u) { \
 H a = p[0], b = p[1], c = p[2]; H2 A = q[0], B = q[1], C = q[2]; \
 p[3] = a + b * c - a / b; a += b; a -= c; a *= b; a /= c; ++a; b--; p[4] = -a; \
 q[3] = A + B * C - A / B; A += B; q[4] = -A; \
 p[5] = __hfma(a,b,c); q[5] = __hfma2(A,B,C); p[6] = __hadd_sat(a,b); q[6] = __hmul2_sat(A,B); q[7]=__hfma2_relu(A,B,C); q[8]=__hcmadd(A,B,C);\
 i[0] = (a<b)+(a<=b)+(a==b)+(a!=b)+(a>b)+(a>=b)+__hequ(a,b)+__hneu(a,b)+__hltu(a,b)+__hisnan(a)+__hisinf(b)+(A==B)+__hbgt2(A,B)+__heq2_mask(A,B); q[9]=__hgt2(A,B); q[10]=__hisnan2(A);\
 p[7]=__hmax(a,b); p[8]=__hmin_nan(a,b); q[11]=__hmax2(A,B); p[9]=__habs(a); q[12]=__habs2(A);\
 p[10]=hexp(a)+hexp2(a)+hexp10(a)+hlog(a)+hlog2(a)+hlog10(a)+hsin(a)+hcos(a)+htanh(a)+hsqrt(a)+hrsqrt(a)+hrcp(a)+hfloor(a)+hceil(a)+htrunc(a)+hrint(a);\
 q[13]=h2exp(A)+h2sqrt(A)+h2rcp(A)+h2rsqrt(A)+h2floor(A)+h2log(A);\
 p[11]=__shfl_sync(~0u,a,3)+__shfl_down_sync(~0u,a,3u)+__shfl_up_sync(~0u,a,1)+__shfl_xor_sync(~0u,a,1,16); q[14]=__shfl_xor_sync(~0u,A,3);\
 p[12]=__ldg(p+20); q[15]=__ldg(q+20); __stcg(p+21,a); __stcs(q+22,A); p[13]=__ldcg(p+3);\
 atomicAdd(p+1,b); atomicAdd(q+3,B); \
 f[1]=a; f[2]=(float)b; i[3]=(int)a; i[4]=b; p[14]=3; p[15]=2.5f; p[16]=1.0; p[17]=(H)7u; p[18]=(long long)i[5]; if (a) i[6]=1; double d=a; f[3]=d; q[16].x=a; q[17]=H2(a,b); \
}
USE(__half, __half2)
USE(__nv_bfloat16, __nv_bfloat162)
__global__ void conv(float *f, __half *p, __half2 *q, int *i, __nv_bfloat16 *b, __nv_bfloat162*c) {
 p[0]=__float2half(f[0]); p[1]=__float2half_rz(f[1]); p[2]=__float2half_ru(f[2]); q[0]=__float22half2_rn(make_float2(f[1],f[2])); q[1]=__floats2half2_rn(1,f[3]); q[2]=__float2half2_rn(f[1]); float2 t=__half22float2(q[3]); f[5]=t.x+t.y+__low2float(q[1])+__high2float(q[2]);
 i[0]=__half2int_rn(p[4])+__half2int_rz(p[5])+__half2uint_rd(p[6])+__half2short_ru(p[4])+__half2ll_rn(p[7]); p[8]=__int2half_rn(i[4]); p[9]=__ull2half_rd(i[5]); p[10]=__ushort2half_rn(3);
 q[7]=__halves2half2(p[1],p[2]); q[8]=__lows2half2(q[1],q[2]); q[9]=__lowhigh2highlow(q[3]); q[10]=__half2half2(p[3]); q[11]=make_half2(p[1],p[2]);
 b[0]=__float2bfloat16(f[0]); b[1]=__float2bfloat16_rd(f[1]); c[0]=__floats2bfloat162_rn(f[1],f[2]); float2 s=__bfloat1622float2(c[1]); f[7]=s.x+s.y; c[2]=__bfloat162bfloat162(b[3]); c[3]=__halves2bfloat162(b[1],b[2]); b[4]=__low2bfloat16(c[4]); b[5]=__int2bfloat16_rn(3); b[6]=__double2bfloat16(f[9]);i[9]=__bfloat162int_rz(b[4]);
 __shared__ __half tile[16][16]; __shared__ half2 t2[4]; tile[threadIdx.x][threadIdx.y]=p[0]; t2[0]=q[0]; __syncthreads(); p[30]=tile[threadIdx.y][threadIdx.x]; q[30]=t2[1]; float4 v=((float4*)p)[9]; half2 *h=(half2*)&v; q[31]=h[0]*h[1]+h[2];
}
union U { __half h[4]; unsigned long long x; };
int main() { __half a = 1.5f, b = __float2half(2.25f); __half c = a * b + a; __half2 v(a, b); v = v * v; U u; u.h[0] = a;
 float f = c; int i = c; double d = (double)(float)c; printf("%f %d %f %f %f\n", f, i, d, __high2float(v), (float)hsqrt(a)); printf("%d\n", (a < b) && !(a == b) && __hmax(a,b) == b);
 __nv_bfloat16 x = __float2bfloat16(3.14159f), y = 2; printf("%f %f\n", __bfloat162float(x), (float)(x * y + __nv_bfloat16(1)));
 static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4 && sizeof(__half)==2); static_assert(std::is_trivially_copyable<__half>::value && std::is_trivially_default_constructible<__half2>::value); return u.h[0] == a ? 0 : 1; }
