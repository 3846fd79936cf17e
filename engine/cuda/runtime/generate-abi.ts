/**
 * Where fields lie in the structs that programs hand to CUDA's calls: abi.ts is written from the headers, as the host side of a program is
 * compiled: `node build/run.mjs ./engine/cuda/runtime/generate-abi.ts`, after each change of such a struct or of this list.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { abiText, offsetsOf, type AbiEntry } from '../../base/abi.ts';
import { releaseCompiler, runTool } from '../../compile/clang.ts';
import { hostArguments } from '../../compile/flags.ts';
import { layOut } from '../../compile/sources.ts';

/** Offsets of a struct's fields and, as `bytes`, its size. */
const struct = (name: string, fields: string, type = `struct ${name}`): AbiEntry => ({
  name,
  says: `Byte offsets of fields, and the size.`,
  value: { ...offsetsOf(type, fields), bytes: `sizeof(${type})` },
});

const entries: readonly AbiEntry[] = [
  struct('dim3', 'x y z', 'dim3'),
  struct('cudaPos', 'x y z'),
  struct('cudaExtent', 'width height depth'),
  struct('cudaPitchedPtr', 'ptr pitch xsize ysize'),
  struct('cudaChannelFormatDesc', 'x y z w f'),
  struct(
    'cudaFuncAttributes',
    'sharedSizeBytes localSizeBytes maxThreadsPerBlock numRegs ptxVersion binaryVersion maxDynamicSharedSizeBytes preferredShmemCarveout',
  ),
  struct('cudaPointerAttributes', 'type device devicePointer hostPointer'),
  struct('cudaMemcpy3DParms', 'srcArray srcPos srcPtr dstArray dstPos dstPtr extent kind'),
  struct('cudaMemcpy3DPeerParms', 'srcArray srcPos srcPtr srcDevice dstArray dstPos dstPtr dstDevice extent'),
  struct(
    'cudaResourceDesc',
    'resType array=res.array.array devPtr=res.linear.devPtr desc=res.linear.desc sizeInBytes=res.linear.sizeInBytes width=res.pitch2D.width height=res.pitch2D.height pitchInBytes=res.pitch2D.pitchInBytes',
  ),
  struct('cudaTextureDesc', 'addressMode filterMode readMode sRGB borderColor normalizedCoords'),
  struct('cudaMemPoolProps', 'allocType handleTypes locationType=location.type locationId=location.id'),
  struct('cudaMemAllocNodeParams', 'poolProps bytesize dptr'),
  struct('cudaLaunchConfig', 'gridDim blockDim dynamicSmemBytes stream attrs numAttrs', 'cudaLaunchConfig_t'),
  struct('cudaLaunchAttribute', 'id val', 'cudaLaunchAttribute'),
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
    'nvtxEventAttributes',
    'category colorType color payloadType payload messageType message',
    'nvtxEventAttributes_t',
  ),
  struct(
    'textureDescriptor',
    'data width height depth pitch slice channels bits kind addressMode filterMode readMode normalized tiled borderColor',
    'struct __simsight_texture',
  ),
];

const source = '/abi.c';
const headers = ['cuda_runtime.h', 'simsight/textures.h', 'nvtx3/nvToolsExt.h'];

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

/** The text of abi.ts, from the headers as they are now. */
export const cudaAbi = (): Promise<string> =>
  abiText('generate-abi.ts from the headers of ../include', entries, compile);

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, 'abi.ts'), await cudaAbi());
  releaseCompiler();
}
