/*
 * Stream 0 as that of the host thread, for the calls of one source that defines CUDA_API_PER_THREAD_DEFAULT_STREAM before it
 * includes this: they become others, as with NVIDIA's headers. That is for C and C++ sources. To a .cu file the macro comes too
 * late, with nvcc as well, since cuda_runtime.h is included before its first line: --default-stream per-thread, or the macro on
 * the command line, is for all sources of a program.
 */
#pragma once
#define cudaMemcpy                          cudaMemcpy_ptds
#define cudaMemcpyToSymbol                  cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol                cudaMemcpyFromSymbol_ptds
#define cudaMemcpy2D                        cudaMemcpy2D_ptds
#define cudaMemcpyToArray                   cudaMemcpyToArray_ptds
#define cudaMemcpy2DToArray                 cudaMemcpy2DToArray_ptds
#define cudaMemcpyFromArray                 cudaMemcpyFromArray_ptds
#define cudaMemcpy2DFromArray               cudaMemcpy2DFromArray_ptds
#define cudaMemcpy3D                        cudaMemcpy3D_ptds
#define cudaMemcpy3DPeer                    cudaMemcpy3DPeer_ptds
#define cudaMemset                          cudaMemset_ptds
#define cudaMemset2D                        cudaMemset2D_ptds
#define cudaMemset3D                        cudaMemset3D_ptds
#define cudaGraphInstantiateWithParams      cudaGraphInstantiateWithParams_ptsz
#define cudaGraphUpload                     cudaGraphUpload_ptsz
#define cudaGraphLaunch                     cudaGraphLaunch_ptsz
#define cudaStreamBeginCapture              cudaStreamBeginCapture_ptsz
#define cudaStreamBeginCaptureToGraph       cudaStreamBeginCaptureToGraph_ptsz
#define cudaStreamEndCapture                cudaStreamEndCapture_ptsz
#define cudaStreamGetCaptureInfo            cudaStreamGetCaptureInfo_ptsz
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_ptsz
#define cudaStreamIsCapturing               cudaStreamIsCapturing_ptsz
#define cudaMemcpyAsync                     cudaMemcpyAsync_ptsz
#define cudaMemcpyToSymbolAsync             cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync           cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemcpy2DAsync                   cudaMemcpy2DAsync_ptsz
#define cudaMemcpyToArrayAsync              cudaMemcpyToArrayAsync_ptsz
#define cudaMemcpy2DToArrayAsync            cudaMemcpy2DToArrayAsync_ptsz
#define cudaMemcpyFromArrayAsync            cudaMemcpyFromArrayAsync_ptsz
#define cudaMemcpy2DFromArrayAsync          cudaMemcpy2DFromArrayAsync_ptsz
#define cudaMemcpy3DAsync                   cudaMemcpy3DAsync_ptsz
#define cudaMemcpy3DPeerAsync               cudaMemcpy3DPeerAsync_ptsz
#define cudaMemsetAsync                     cudaMemsetAsync_ptsz
#define cudaMemset2DAsync                   cudaMemset2DAsync_ptsz
#define cudaMemset3DAsync                   cudaMemset3DAsync_ptsz
#define cudaStreamQuery                     cudaStreamQuery_ptsz
#define cudaStreamGetDevice                 cudaStreamGetDevice_ptsz
#define cudaStreamGetFlags                  cudaStreamGetFlags_ptsz
#define cudaStreamGetId                     cudaStreamGetId_ptsz
#define cudaStreamGetPriority               cudaStreamGetPriority_ptsz
#define cudaEventRecord                     cudaEventRecord_ptsz
#define cudaEventRecordWithFlags            cudaEventRecordWithFlags_ptsz
#define cudaStreamWaitEvent                 cudaStreamWaitEvent_ptsz
#define cudaStreamAddCallback               cudaStreamAddCallback_ptsz
#define cudaStreamAttachMemAsync            cudaStreamAttachMemAsync_ptsz
#define cudaStreamSynchronize               cudaStreamSynchronize_ptsz
#define cudaGetDriverEntryPoint             cudaGetDriverEntryPoint_ptsz
#define cudaGetDriverEntryPointByVersion    cudaGetDriverEntryPointByVersion_ptsz
#define cudaLaunchKernel                    cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC                 cudaLaunchKernelExC_ptsz
#define cudaLaunchHostFunc                  cudaLaunchHostFunc_ptsz
#define cudaMemPrefetchAsync                cudaMemPrefetchAsync_ptsz
#define cudaLaunchCooperativeKernel         cudaLaunchCooperativeKernel_ptsz
#define cudaStreamCopyAttributes            cudaStreamCopyAttributes_ptsz
#define cudaStreamGetAttribute              cudaStreamGetAttribute_ptsz
#define cudaStreamSetAttribute              cudaStreamSetAttribute_ptsz
#define cudaMallocAsync                     cudaMallocAsync_ptsz
#define cudaFreeAsync                       cudaFreeAsync_ptsz
#define cudaMallocFromPoolAsync             cudaMallocFromPoolAsync_ptsz
