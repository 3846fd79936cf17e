/*
 * The names that functions of the driver API have in the driver, as CUDA 13's header gives them; those that go to stream 0 have others
 * where a source defines CUDA_API_PER_THREAD_DEFAULT_STREAM before it includes cuda.h.
 */
#pragma once
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined(__CUDA__)
#define __SIMSIGHT_PTDS(name) name##_ptds
#define __SIMSIGHT_PTSZ(name) name##_ptsz
#else
#define __SIMSIGHT_PTDS(name) name
#define __SIMSIGHT_PTSZ(name) name
#endif

#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuLaunchKernel __SIMSIGHT_PTSZ(cuLaunchKernel)
#define cuLaunchCooperativeKernel __SIMSIGHT_PTSZ(cuLaunchCooperativeKernel)
#define cuLaunchHostFunc __SIMSIGHT_PTSZ(cuLaunchHostFunc)
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemAllocAsync __SIMSIGHT_PTSZ(cuMemAllocAsync)
#define cuMemFreeAsync __SIMSIGHT_PTSZ(cuMemFreeAsync)
#define cuMemcpy __SIMSIGHT_PTDS(cuMemcpy)
#define cuMemcpyPeer __SIMSIGHT_PTDS(cuMemcpyPeer)
#define cuMemcpyHtoD __SIMSIGHT_PTDS(cuMemcpyHtoD_v2)
#define cuMemcpyDtoH __SIMSIGHT_PTDS(cuMemcpyDtoH_v2)
#define cuMemcpyDtoD __SIMSIGHT_PTDS(cuMemcpyDtoD_v2)
#define cuMemcpyDtoA __SIMSIGHT_PTDS(cuMemcpyDtoA_v2)
#define cuMemcpyAtoD __SIMSIGHT_PTDS(cuMemcpyAtoD_v2)
#define cuMemcpyHtoA __SIMSIGHT_PTDS(cuMemcpyHtoA_v2)
#define cuMemcpyAtoH __SIMSIGHT_PTDS(cuMemcpyAtoH_v2)
#define cuMemcpy2D __SIMSIGHT_PTDS(cuMemcpy2D_v2)
#define cuMemcpy2DUnaligned __SIMSIGHT_PTDS(cuMemcpy2DUnaligned_v2)
#define cuMemcpy3D __SIMSIGHT_PTDS(cuMemcpy3D_v2)
#define cuMemcpyAsync __SIMSIGHT_PTSZ(cuMemcpyAsync)
#define cuMemcpyPeerAsync __SIMSIGHT_PTSZ(cuMemcpyPeerAsync)
#define cuMemcpyHtoDAsync __SIMSIGHT_PTSZ(cuMemcpyHtoDAsync_v2)
#define cuMemcpyDtoHAsync __SIMSIGHT_PTSZ(cuMemcpyDtoHAsync_v2)
#define cuMemcpyDtoDAsync __SIMSIGHT_PTSZ(cuMemcpyDtoDAsync_v2)
#define cuMemcpy2DAsync __SIMSIGHT_PTSZ(cuMemcpy2DAsync_v2)
#define cuMemcpy3DAsync __SIMSIGHT_PTSZ(cuMemcpy3DAsync_v2)
#define cuMemsetD8 __SIMSIGHT_PTDS(cuMemsetD8_v2)
#define cuMemsetD16 __SIMSIGHT_PTDS(cuMemsetD16_v2)
#define cuMemsetD32 __SIMSIGHT_PTDS(cuMemsetD32_v2)
#define cuMemsetD2D8 __SIMSIGHT_PTDS(cuMemsetD2D8_v2)
#define cuMemsetD2D16 __SIMSIGHT_PTDS(cuMemsetD2D16_v2)
#define cuMemsetD2D32 __SIMSIGHT_PTDS(cuMemsetD2D32_v2)
#define cuMemsetD8Async __SIMSIGHT_PTSZ(cuMemsetD8Async)
#define cuMemsetD16Async __SIMSIGHT_PTSZ(cuMemsetD16Async)
#define cuMemsetD32Async __SIMSIGHT_PTSZ(cuMemsetD32Async)
#define cuMemsetD2D8Async __SIMSIGHT_PTSZ(cuMemsetD2D8Async)
#define cuMemsetD2D16Async __SIMSIGHT_PTSZ(cuMemsetD2D16Async)
#define cuMemsetD2D32Async __SIMSIGHT_PTSZ(cuMemsetD2D32Async)
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuStreamGetPriority __SIMSIGHT_PTSZ(cuStreamGetPriority)
#define cuStreamGetFlags __SIMSIGHT_PTSZ(cuStreamGetFlags)
#define cuStreamGetId __SIMSIGHT_PTSZ(cuStreamGetId)
#define cuStreamGetDevice __SIMSIGHT_PTSZ(cuStreamGetDevice)
#define cuStreamGetCtx __SIMSIGHT_PTSZ(cuStreamGetCtx)
#define cuStreamWaitEvent __SIMSIGHT_PTSZ(cuStreamWaitEvent)
#define cuStreamQuery __SIMSIGHT_PTSZ(cuStreamQuery)
#define cuStreamSynchronize __SIMSIGHT_PTSZ(cuStreamSynchronize)
#define cuStreamDestroy cuStreamDestroy_v2
#define cuEventRecord __SIMSIGHT_PTSZ(cuEventRecord)
#define cuEventRecordWithFlags __SIMSIGHT_PTSZ(cuEventRecordWithFlags)
#define cuEventDestroy cuEventDestroy_v2
#define cuEventElapsedTime cuEventElapsedTime_v2
