/** Streams and events of the driver API, which are those of the runtime. */
import type { CudaCall, QueryFunction } from '../runtime/api.ts';
import { cudaError } from '../../model/cuda-errors.ts';
import { hostFunctionCalls } from '../runtime/graph-calls.ts';
import { memoryCalls } from '../runtime/memory.ts';
import { streamCalls } from '../runtime/streams.ts';
import { likeRuntime, queryOfRuntime } from './codes.ts';

const like = (name: string): CudaCall => likeRuntime(streamCalls[name]!);

export const driverStreamCalls: Record<string, CudaCall> = {
  cuStreamCreate: like('cudaStreamCreateWithFlags'),
  cuStreamCreateWithPriority: like('cudaStreamCreateWithPriority'),
  cuStreamDestroy_v2: like('cudaStreamDestroy'),
  cuStreamSynchronize: like('cudaStreamSynchronize'),
  cuStreamQuery: like('cudaStreamQuery'),
  cuStreamWaitEvent: like('cudaStreamWaitEvent'),
  cuEventCreate: like('cudaEventCreateWithFlags'),
  cuEventDestroy_v2: like('cudaEventDestroy'),
  cuEventRecord: like('cudaEventRecord'),
  cuEventRecordWithFlags: like('cudaEventRecordWithFlags'),
  cuEventSynchronize: like('cudaEventSynchronize'),
  cuEventQuery: like('cudaEventQuery'),
  cuEventElapsedTime_v2: like('cudaEventElapsedTime'),
  cuLaunchHostFunc: likeRuntime(hostFunctionCalls.cudaLaunchHostFunc!),
  cuStreamAddCallback: likeRuntime(hostFunctionCalls.cudaStreamAddCallback!),
  cuStreamAttachMemAsync: likeRuntime(memoryCalls.cudaStreamAttachMemAsync!),
};

export const driverStreamQueries: Record<string, QueryFunction> = {
  cuStreamGetPriority: queryOfRuntime('cudaStreamGetPriority'),
  cuStreamGetFlags: queryOfRuntime('cudaStreamGetFlags'),
  cuStreamGetId: queryOfRuntime('cudaStreamGetId'),
  cuStreamGetDevice: queryOfRuntime('cudaStreamGetDevice'),
  cuStreamGetCtx: (context, stream, target) => {
    if (context.streamOf(stream!) === null) return cudaError.InvalidResourceHandle;
    context.memory.setWord(target!, context.primaryOf(context.deviceOfStream(stream!)).handle);
    return cudaError.Success;
  },
};
