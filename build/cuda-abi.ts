/**
 * Where fields lie in the structs that programs hand to CUDA's calls: engine/cuda/runtime/abi.ts is written from our headers, which
 * are compiled as the host side of a program is. Run it after each change of such a struct or of the list here.
 *
 *   node build/run.mjs ./build/cuda-abi.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abiText, constantsOf, fieldPaths, offsetsOf, type AbiEntry } from '../engine/base/abi.ts';
import { releaseCompiler, runTool } from '../engine/compile/clang.ts';
import { hostArguments } from '../engine/compile/flags.ts';
import { layOut } from '../engine/compile/sources.ts';

interface Struct {
  name: string;
  fields: string;
  type: string;
}

const struct = (name: string, fields: string, type = `struct ${name}`): Struct => ({ name, fields, type });

const structs: readonly Struct[] = [
  struct(
    'cudaDeviceProp',
    `
      name uuid totalGlobalMem sharedMemPerBlock regsPerBlock warpSize memPitch maxThreadsPerBlock maxThreadsDim
      maxGridSize clockRate totalConstMem major minor textureAlignment texturePitchAlignment deviceOverlap
      multiProcessorCount canMapHostMemory maxTexture1D maxTexture1DLinear maxTexture2D maxTexture2DLinear
      maxTexture2DGather maxTexture3D maxTexture3DAlt maxTextureCubemap maxTexture1DLayered maxTexture2DLayered
      maxTextureCubemapLayered maxSurface1D maxSurface2D maxSurface3D maxSurface1DLayered maxSurface2DLayered
      maxSurfaceCubemap maxSurfaceCubemapLayered surfaceAlignment concurrentKernels ECCEnabled pciBusID
      asyncEngineCount unifiedAddressing memoryClockRate memoryBusWidth l2CacheSize maxThreadsPerMultiProcessor
      streamPrioritiesSupported globalL1CacheSupported localL1CacheSupported sharedMemPerMultiprocessor
      regsPerMultiprocessor managedMemory singleToDoublePrecisionPerfRatio concurrentManagedAccess
      computePreemptionSupported cooperativeLaunch sharedMemPerBlockOptin maxBlocksPerMultiProcessor
      reservedSharedMemPerBlock hostRegisterSupported memoryPoolsSupported persistingL2CacheMaxSize
      accessPolicyMaxWindowSize`,
  ),
  struct('dim3', 'x y z', 'dim3'),
  struct('cudaPos', 'x y z'),
  struct('cudaExtent', 'width height depth'),
  struct('cudaPitchedPtr', 'ptr pitch xsize ysize'),
  struct('cudaChannelFormatDesc', 'x y z w f'),
  struct(
    'cudaFuncAttributes',
    `
      sharedSizeBytes localSizeBytes maxThreadsPerBlock numRegs ptxVersion binaryVersion maxDynamicSharedSizeBytes
      preferredShmemCarveout`,
  ),
  struct('cudaPointerAttributes', 'type device devicePointer hostPointer'),
  struct('cudaMemcpy3DParms', 'srcArray srcPos srcPtr dstArray dstPos dstPtr extent kind'),
  struct('cudaMemcpy3DPeerParms', 'srcArray srcPos srcPtr srcDevice dstArray dstPos dstPtr dstDevice extent'),
  struct(
    'cudaResourceDesc',
    `
      resType array=res.array.array devPtr=res.linear.devPtr desc=res.linear.desc sizeInBytes=res.linear.sizeInBytes
      width=res.pitch2D.width height=res.pitch2D.height pitchInBytes=res.pitch2D.pitchInBytes`,
  ),
  struct('cudaTextureDesc', 'addressMode filterMode readMode sRGB borderColor normalizedCoords'),
  struct('cudaMemPoolProps', 'allocType handleTypes locationType=location.type locationId=location.id'),
  struct('cudaMemAccessDesc', 'type=location.type id=location.id flags'),
  struct('cudaMemAllocNodeParams', 'poolProps bytesize dptr'),
  struct('cudaConditionalNodeParams', 'handle type size phGraph_out'),
  struct('cudaLaunchConfig', 'gridDim blockDim dynamicSmemBytes stream attrs numAttrs', 'cudaLaunchConfig_t'),
  struct('cudaLaunchAttribute', 'id val', 'cudaLaunchAttribute'),
  struct('cudaAccessPolicyWindow', 'num_bytes hitRatio missProp'),
  struct('cudaLaunchParams', 'func gridDim blockDim args sharedMem stream'),
  struct('cudaKernelNodeParams', 'func gridDim blockDim sharedMemBytes kernelParams extra'),
  struct('cudaMemsetParams', 'dst pitch value elementSize width height'),
  struct('cudaHostNodeParams', 'fn userData'),
  struct(
    'cudaGraphInstantiateParams',
    'flags uploadStream errorNode=errNode_out result=result_out',
    'cudaGraphInstantiateParams',
  ),
  struct('cudaGraphExecUpdateResultInfo', 'result errorNode errorFromNode', 'cudaGraphExecUpdateResultInfo'),
  struct(
    'CUlaunchConfig',
    'gridDim=gridDimX blockDim=blockDimX dynamicSmemBytes=sharedMemBytes stream=hStream attrs numAttrs',
    'CUlaunchConfig',
  ),
  struct('CUDA_KERNEL_NODE_PARAMS', 'func kern ctx', 'CUDA_KERNEL_NODE_PARAMS'),
  struct('CUmemLocation', 'type id', 'CUmemLocation'),
  struct(
    'CUdevprop',
    `
      maxThreadsPerBlock maxThreadsDim maxGridSize sharedMemPerBlock totalConstantMemory SIMDWidth memPitch regsPerBlock
      clockRate textureAlign`,
    'CUdevprop',
  ),
  struct('CUctxCreateParams', 'execAffinityParams cigParams', 'CUctxCreateParams'),
  struct(
    'CUDA_MEMCPY2D',
    `
      srcXInBytes srcY srcMemoryType srcHost srcDevice srcArray srcPitch dstXInBytes dstY dstMemoryType dstHost dstDevice
      dstArray dstPitch WidthInBytes Height`,
    'CUDA_MEMCPY2D',
  ),
  struct(
    'CUDA_MEMCPY3D',
    `
      srcXInBytes srcY srcZ srcMemoryType srcHost srcDevice srcArray srcPitch srcHeight dstXInBytes dstY dstZ
      dstMemoryType dstHost dstDevice dstArray dstPitch dstHeight WidthInBytes Height Depth`,
    'CUDA_MEMCPY3D',
  ),
  struct('CUDA_ARRAY_DESCRIPTOR', 'Width Height Format NumChannels', 'CUDA_ARRAY_DESCRIPTOR'),
  struct('CUDA_ARRAY3D_DESCRIPTOR', 'Width Height Depth Format NumChannels Flags', 'CUDA_ARRAY3D_DESCRIPTOR'),
  struct(
    'CUDA_RESOURCE_DESC',
    `
      resType array=res.array.hArray devPtr=res.linear.devPtr format=res.linear.format
      numChannels=res.linear.numChannels sizeInBytes=res.linear.sizeInBytes width=res.pitch2D.width
      height=res.pitch2D.height pitchInBytes=res.pitch2D.pitchInBytes`,
    'CUDA_RESOURCE_DESC',
  ),
  struct('CUDA_TEXTURE_DESC', 'addressMode filterMode flags borderColor', 'CUDA_TEXTURE_DESC'),
  struct(
    'CUmemAllocationProp',
    `
      type requestedHandleTypes locationType=location.type locationId=location.id
      compressionType=allocFlags.compressionType`,
    'CUmemAllocationProp',
  ),
  struct('CUmemAccessDesc', 'locationType=location.type locationId=location.id flags', 'CUmemAccessDesc'),
  struct(
    'nvtxEventAttributes',
    'category colorType color payloadType payload messageType message',
    'nvtxEventAttributes_t',
  ),
  struct(
    'textureDescriptor',
    `
      data width height depth pitch slice channels bits kind addressMode filterMode readMode normalized tiled
      borderColor`,
    'struct __simsight_texture',
  ),
];

const source = '/abi.c';
const headers = ['cuda_runtime.h', 'cuda.h', 'simsight/textures.h', 'nvtx3/nvToolsExt.h'];

async function compile(declarations: string): Promise<string> {
  const text = `${headers.map((header) => `#include <${header}>\n`).join('')}${declarations}`;
  const translation = {
    request: { sources: [source], includeFolders: [], defines: [], computeCapability: { major: 9, minor: 0 } },
    ...{ source, includeFolders: [], sourceFolder: '/' },
  };
  const { messages, outputs } = await runTool({
    arguments: hostArguments(translation, 'c').map((word) => (word === '-emit-obj' ? '-emit-llvm' : word)),
    files: layOut(new Map([[source, new TextEncoder().encode(text)]])),
    outputs: ['-'],
  });
  if (outputs[0] === undefined) throw new Error(`The headers cannot be compiled: ${messages}`);
  return new TextDecoder().decode(outputs[0][1]);
}

/** Names of those fields of a struct that have 64 bits; two numbers of 32 bits are none. */
async function wordsOf({ fields, type }: Struct): Promise<string[]> {
  const paths = fieldPaths(fields);
  const isWord = await constantsOf(
    paths.map(([, path]) => `sizeof(((${type} *)0)->${path}) == 8 && __alignof__(((${type} *)0)->${path}) == 8`),
    compile,
  );
  return paths.filter((_, i) => isWord[i] === 1).map(([name]) => name);
}

/** The text of abi.ts, from the headers as they are now. */
export async function cudaAbi(): Promise<string> {
  const entries: AbiEntry[] = [];
  for (const each of structs)
    entries.push({
      name: each.name,
      says: 'Byte offsets of fields, the size, and which of them have 64 bits.',
      value: {
        ...offsetsOf(each.type, each.fields),
        bytes: `sizeof(${each.type})`,
        words: await wordsOf(each),
      },
    });
  return abiText('build/cuda-abi.ts from the headers of engine/cuda/include', entries, compile);
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', 'engine', 'cuda', 'runtime', 'abi.ts'), await cudaAbi());
  releaseCompiler();
}
