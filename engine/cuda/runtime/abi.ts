/** Where fields lie in the structs that programs hand to CUDA's calls, in the data model that programs have. */
import { lp64 } from '../../base/lp64.ts';
import * as ilp32Abi from './abi-ilp32.ts';
import * as lp64Abi from './abi-lp64.ts';

/** Byte offsets of fields by name, the size, and the names of those that are pointers or `size_t`; others have 32 bits. */
export interface Struct {
  readonly bytes: number;
  readonly words: readonly string[];
}

export type Field<Of extends Struct> = Exclude<keyof Of & string, 'bytes' | 'words'>;

type Offsets<Of> = { readonly [Name in keyof Of]: Name extends 'words' ? readonly string[] : number };

export const {
  cudaChannelFormatDesc,
  cudaDeviceProp,
  cudaExtent,
  cudaFuncAttributes,
  cudaGraphExecUpdateResultInfo,
  cudaGraphInstantiateParams,
  cudaHostNodeParams,
  cudaKernelNodeParams,
  cudaLaunchAttribute,
  cudaLaunchConfig,
  cudaLaunchParams,
  cudaMemAllocNodeParams,
  cudaMemcpy3DParms,
  cudaMemcpy3DPeerParms,
  cudaMemPoolProps,
  cudaMemsetParams,
  cudaPitchedPtr,
  cudaPointerAttributes,
  cudaPos,
  cudaResourceDesc,
  cudaTextureDesc,
  dim3,
  nvtxEventAttributes,
  textureDescriptor,
}: { readonly [Name in keyof typeof ilp32Abi]: Offsets<(typeof ilp32Abi)[Name]> } = lp64 ? lp64Abi : ilp32Abi;
