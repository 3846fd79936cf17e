#include <mma.h>
using namespace nvcuda;
template <int M,int N,int K,class T,class D,class S=T,class LA=wmma::row_major,class LB=wmma::col_major> __global__ void k(const S*a,const S*b,D*c){
 wmma::fragment<wmma::matrix_a,M,N,K,T,LA> fa; wmma::fragment<wmma::matrix_b,M,N,K,T,LB> fb; wmma::fragment<wmma::accumulator,M,N,K,D> fc, fd;
 wmma::fill_fragment(fc,(D)0.0f); wmma::load_matrix_sync(fa,a,K); wmma::load_matrix_sync(fb,b,K); wmma::load_matrix_sync(fd,c,N,wmma::mem_col_major);
 for(int i=0;i<fa.num_elements;i++) fa.x[i]=fa.x[i];
 wmma::mma_sync(fc,fa,fb,fd); for(int i=0;i<fc.num_elements;i++) fc.x[i]=fc.x[i]*(D)2.0f;
 wmma::store_matrix_sync(c,fc,N,wmma::mem_row_major); }
#define K(...) template __global__ void k<__VA_ARGS__>(
#define SH(M,N,KK) \
template __global__ void k<M,N,KK,half,half>(const half*,const half*,half*); \
template __global__ void k<M,N,KK,half,float>(const half*,const half*,float*); \
template __global__ void k<M,N,KK,half,float,half,wmma::col_major,wmma::row_major>(const half*,const half*,float*); \
template __global__ void k<M,N,KK,signed char,int>(const signed char*,const signed char*,int*); \
template __global__ void k<M,N,KK,unsigned char,int>(const unsigned char*,const unsigned char*,int*); \
template __global__ void k<M,N,KK,__nv_bfloat16,float>(const __nv_bfloat16*,const __nv_bfloat16*,float*);
SH(16,16,16) SH(32,8,16) SH(8,32,16)
template __global__ void k<16,16,8,wmma::precision::tf32,float,float>(const float*,const float*,float*);
template __global__ void k<8,8,4,double,double>(const double*,const double*,double*);
__global__ void t(float *f) { f[0] = wmma::__float_to_tf32(f[1]); }
int main(){}
