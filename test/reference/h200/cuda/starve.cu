// A block that comes to SMs on which older blocks keep the schedulers busy: when its instructions get their turn.
#include "common.cuh"

__global__ void k_spin(long long cycles) { long long c0=clock64(); while(clock64()-c0<cycles){} }
// 48 readings of the clock, 4 FMAs in a chain between them.
__global__ void k_marks(unsigned*out,float a,float b){
  unsigned t[48]; float x=a;
#pragma unroll
  for(int i=0;i<48;i++){ asm volatile("mov.u32 %0, %%clock;":"=r"(t[i])::"memory");
#pragma unroll
    for(int j=0;j<4;j++) asm volatile("fma.rn.f32 %0,%0,%1,%2;":"+f"(x):"f"(a),"f"(b));
  }
  if(threadIdx.x%32==0){unsigned*o=out+(blockIdx.x*(blockDim.x/32)+threadIdx.x/32)*48;for(int i=0;i<48;i++)o[i]=t[i];if(x==1.25f)o[0]=0;}
}
__global__ void k_loads(unsigned*out,const int*p,int n){
  unsigned t0,t1; int i=threadIdx.x; asm volatile("mov.u32 %0, %%clock;":"=r"(t0)::"memory");
  for(int k=0;k<n;k++) i=__ldcg(p+i);
  asm volatile("mov.u32 %0, %%clock;":"=r"(t1)::"memory");
  if(threadIdx.x%32==0){out[2*((blockIdx.x*blockDim.x+threadIdx.x)/32)]=t1-t0;out[2*((blockIdx.x*blockDim.x+threadIdx.x)/32)+1]=i;}
}
__global__ void k_fma(float*o,int n,float a,float b){ float x=threadIdx.x,y=x+1,z=x+2,w=x+3; for(int i=0;i<n;i++){x=x*a+b;y=y*a+b;z=z*a+b;w=w*a+b;} if(x+y+z+w==1.5f)*o=x; }
int main(){
  unsigned*o;int*p;float*f;CK(cudaMalloc(&o,8<<20));CK(cudaMalloc(&p,1<<20));CK(cudaMemset(p,0,1<<20));CK(cudaMalloc(&f,64));
  cudaStream_t lo,hi;int least,most;CK(cudaDeviceGetStreamPriorityRange(&least,&most));
  CK(cudaStreamCreateWithPriority(&lo,cudaStreamNonBlocking,least));CK(cudaStreamCreateWithPriority(&hi,cudaStreamNonBlocking,most));
  CK(cudaFuncSetAttribute(k_spin,cudaFuncAttributeMaxDynamicSharedMemorySize,100*1024));
  CK(cudaFuncSetAttribute(k_fma,cudaFuncAttributeMaxDynamicSharedMemorySize,100*1024));
  std::vector<unsigned> h(1<<20);
  for(int kind:{0,1}) for(int per:{0,1,2,3,4,5,6,7}) for(int thr:{32,256}){
    std::vector<std::vector<double>> d(47); std::vector<double> all,loads;
    for(int r=0;r<6;r++){
      auto older=[&]{ if(per){ if(kind==0) k_spin<<<132*per,256,0,lo>>>((long long)400*1980); else k_fma<<<132*per,256,0,lo>>>(f,per>=4?6000:12000,0.5f,1.0f);} };
      older(); double w=now_us();while(now_us()-w<60){}
      k_marks<<<132,thr,0,hi>>>(o,0.5f,1.0f); CK(cudaDeviceSynchronize());
      int warps=132*thr/32; CK(cudaMemcpy(h.data(),o,warps*48*4,cudaMemcpyDeviceToHost));
      if(r) for(int wv=0;wv<warps;wv++){ for(int i=0;i<47;i++) d[i].push_back(h[wv*48+i+1]-h[wv*48+i]); all.push_back(h[wv*48+47]-h[wv*48]);}
      older(); w=now_us();while(now_us()-w<60){}
      k_loads<<<132,thr,0,hi>>>(o,p,32); CK(cudaDeviceSynchronize());
      CK(cudaMemcpy(h.data(),o,warps*8,cudaMemcpyDeviceToHost)); if(r) for(int wv=0;wv<warps;wv++) loads.push_back(h[2*wv]);
    }
    printf("%s older blocks/SM %d young threads %d: 48 marks p10 %.0f p50 %.0f p90 %.0f; 32 loads p10 %.0f p50 %.0f p90 %.0f; step medians:",kind?"fma":"spin",per,thr,quant(all,.1),quant(all,.5),quant(all,.9),quant(loads,.1),quant(loads,.5),quant(loads,.9));
    for(int i=0;i<47;i++) printf(" %.0f/%.0f",quant(d[i],.5),quant(d[i],.95)); printf("\n");
  }
}
