/**
 * Features that CUDA has and Simsight does not, as far as a compiler's first error shows: what is missing, since when CUDA has it, and
 * what can be done. A program can tell where it is: `SIMSIGHT` is defined here.
 */

export interface Refusal {
  /** The end of a sentence about the error. */
  reason: string;
  remedy: string;
}

const elsewhere = 'Leave it out here with "#ifndef SIMSIGHT"';

interface MissingHeader {
  names: RegExp;
  /** The missing part, with the first version of CUDA that has it. */
  what: string;
  /** The replacement to use. */
  instead: string;
}

/** Headers of CUDA, of its libraries, and of what often lies beside them. The first that fits counts. */
const headers: readonly MissingHeader[] = [
  {
    names: /^cuda_fp8\.h/,
    what: 'numbers of 8 bits (cuda_fp8.h, in CUDA since 11.8) are not here yet',
    instead: 'use __half or __nv_bfloat16 in their place',
  },
  {
    names: /^cuda_fp[64]\.h/,
    what: 'numbers of 4 and 6 bits (cuda_fp4.h, cuda_fp6.h, in CUDA since 12.8) are not here yet',
    instead: 'use __half or __nv_bfloat16 in their place',
  },
  {
    names: /^cooperative_groups\//,
    what: 'this part of cooperative groups (in CUDA since 11) is not here yet; memcpy_async.h, reduce.h and scan.h are',
    instead: 'write it with groups and their shuffles',
  },
  { names: /^cuda_awbarrier/, what: 'it (in CUDA since 11.0) is not here', instead: 'use <cuda/barrier>, which is' },
  {
    names: /^cuda\/std\//,
    what: 'this part of libcu++ (in CUDA since 10.2, and grown since) is not here yet',
    instead: 'use the header of the C++ library, or write what you need of it',
  },
  {
    names: /^cuda\//,
    what: 'this part of libcu++ (in CUDA since 11, and grown since) is not here yet; <cuda/atomic>, <cuda/barrier>, <cuda/pipeline> and <cuda/ptx> are',
    instead: 'use atomics and barriers of CUDA itself',
  },
  {
    names: /^(cub|thrust)\//,
    what: 'Thrust and CUB (in CUDA since 4.0 and 11.0) are not here yet',
    instead: 'write the kernel, or name the folder of their sources with -I',
  },
  {
    names: /^(cutlass|cute)\//,
    what: 'CUTLASS comes apart from CUDA',
    instead: 'name the folder of its sources with -I',
  },
  {
    names: /^cublasLt|^cublasXt/,
    what: 'of cuBLAS (cublasLt.h in CUDA since 10.1) cublas_v2.h alone is here',
    instead: 'use cublasSgemm and the like',
  },
  {
    names: /^(cufft|cusparse|cusolver|cutensor|npp|nvjpeg|cudnn|nccl|nvshmem|nvgraph)\w*\.h$/i,
    what: 'this library of NVIDIA, whose code is not public, is not here; cuBLAS (cublas_v2.h) is, in part',
    instead: 'simulate your own kernels without it',
  },
  {
    names: /^curand\.h|^curand_/,
    what: 'cuRAND is here for kernels alone (curand_kernel.h)',
    instead: 'make random numbers in a kernel, or on the host',
  },
  {
    names: /^(nvrtc|nvJitLink|nvPTXCompiler|nvvm)/i,
    what: 'compiling while the program runs (nvrtc.h, in CUDA since 7.0) is not simulated',
    instead: 'put the kernel into a .cu file',
  },
  {
    names: /^(nvml|cupti|nvperf)/,
    what: 'tools that look at a real GPU are not here',
    instead: 'look at the recording: it has what they count',
  },
  {
    names: /^(cuda(?:GL|VDPAU|EGL|D3D\d*)|cuda_(?:gl|egl|vdpau|d3d\d*)_interop|GL\/|vulkan\/|optix)/,
    what: 'graphics, and sharing memory with them, are not simulated',
    instead: 'simulate the kernels with memory of CUDA itself',
  },
  {
    names: /^helper_(?:cuda|functions|string|timer|math|image)\.h/,
    what: "it is part of NVIDIA's samples and not of CUDA",
    instead: 'name the folder "Common" of the samples with -I',
  },
  {
    names: /^hip\//,
    what: 'HIP is for GPUs of AMD',
    instead: 'compile the CUDA version of the program',
  },
  {
    names: /^((torch|ATen|c10|pybind11)\/|Python\.h)/,
    what: 'extensions of Python and PyTorch run within those, which are not here',
    instead: 'call the kernel from a main() of its own',
  },
  {
    names: /^((mpi|omp|windows|winsock2?|sched|semaphore|spawn|syslog|pwd|netdb)\.h$|(sys|netinet|arpa|X11|linux)\/)/i,
    what: 'the host program runs in WebAssembly, where there is no such part of an operating system',
    instead: 'take another way there',
  },
];

interface Missing {
  text: RegExp;
  reason: string;
  remedy: string;
}

/** Names of the C++ library that are new in C++20, as Clang misses them. */
const library20 =
  'integral|floating_point|same_as|convertible_to|derived_from|invocable|regular|bit_cast|popcount|countl_zero|countr_zero|bit_width|has_single_bit|bit_ceil|bit_floor|rotl|rotr|span|ranges|views|source_location|strong_ordering|weak_ordering|partial_ordering|remove_cvref_t|type_identity|jthread|latch|stop_token|format|midpoint|lerp|erase_if|ssize|to_array|numbers|endian';

const isNewer =
  'that is C++20, which nvcc takes since CUDA 12.0 with -std=c++20, and sources are compiled as C++17 here, as nvcc does where nobody asks for another';
const older =
  'Write it in C++17: std::enable_if or static_assert for concepts, constexpr for consteval, a pointer with a length for std::span, or "#ifndef SIMSIGHT" around it.';

/** Errors by their text; the first that fits counts. */
const errors: readonly Missing[] = [
  {
    text: /\b(this_cluster|cluster_group|__cluster_dims__|cluster_dims|map_shared_rank|__cluster\w*|cluster(Dim|Idx|Size|Rank|_\w+)\w*|cudaLaunchAttributeCluster\w*|cudaOccupancyMax\w*Cluster\w*|cudaFuncAttribute\w*Cluster\w*)\b/i,
    reason: 'clusters of blocks (in CUDA since 11.8, on GPUs of compute capability 9.0 and up) are not simulated',
    remedy: `Let blocks exchange through global memory in place of each other's shared memory. ${elsewhere} what needs a cluster.`,
  },
  {
    text: /programmatic|cudaGridDependencySynchronize|griddepcontrol/i,
    reason:
      'programmatic dependent launches (in CUDA since 11.8, on GPUs of compute capability 9.0 and up) are not simulated',
    remedy: `${elsewhere}: without the attribute and its calls, kernels of a stream run one after the other with the same results.`,
  },
  {
    text: /CUtensorMap|cuTensorMap|cp_async_bulk_tensor/,
    reason: 'copies of tensors by hardware (TMA, in CUDA since 12.0, compute capability 9.0 and up) are not simulated',
    remedy: 'Load tiles with cp.async (<cuda/pipeline>, cg::memcpy_async) or through registers.',
  },
  {
    text: /\bcudaMemcpy\w*Batch\w*|\bcudaMemPrefetchBatch\w*/,
    reason: 'copies in batches (in CUDA since 12.8) are not here yet',
    remedy: 'Call cudaMemcpyAsync for each.',
  },
  {
    text: /\bcuda(Green|ExecutionCtx|DevResource)\w*|\bcuGreenCtx\w*/,
    reason: 'green contexts (in CUDA since 12.4) are not simulated',
    remedy: `${elsewhere}.`,
  },
  {
    text: /\b__nv_fp(8|6|4)\w*|\b__nv_cvt_\w*fp[864]\w*/,
    reason: 'numbers of 4, 6 and 8 bits (in CUDA since 11.8 and 12.8) are not here yet',
    remedy: 'Use __half or __nv_bfloat16 in their place.',
  },
  {
    text: /no (?:member|template) named 'span' in namespace 'cuda::std'/,
    reason: 'cuda::std::span (in CUDA since 11.8) is not here for C++17 yet',
    remedy: 'Pass a pointer and a length, or a cuda::std::array, which is here.',
  },
  {
    text: /no (?:member|template|type) named '\w+' in namespace '(?:cuda(?:::(?:std|ptx|device|pipeline\w*|experimental))?|cooperative_groups\w*|nvcuda\w*|wmma)'/,
    reason: 'this part of CUDA is not here yet',
    remedy: `Write what you need of it in the program. ${elsewhere} where that is not possible.`,
  },
  {
    text: /unknown type name '(?:concept|consteval|constinit|char8_t|requires|co_\w+)'|'(?:concept|requires|co_await|co_yield|consteval)'|C\+\+2[0-9ab]/,
    reason: isNewer,
    remedy: older,
  },
  {
    text: new RegExp(`no (?:member|template|type) named '(?:${library20})' in namespace 'std'`),
    reason: isNewer,
    remedy: older,
  },
  {
    text: /(?:undeclared identifier|unknown type name|no member named) '(?:cuda[A-Z]\w*|cu[A-Z]\w*|nvrtc\w*|__cuda\w*|CU[A-Za-z]+)'/,
    reason: 'Simsight has no such name of CUDA',
    remedy: `If it is spelled as in CUDA's documentation, it is not here yet. ${elsewhere}.`,
  },
];

/** The refusal for a header that was not found; null where nothing is known of it. */
export function missingHeader(name: string): Refusal | null {
  const found = headers.find(({ names }) => names.test(name));
  return found ? { reason: found.what, remedy: `${capital(found.instead)}. ${elsewhere}.` } : null;
}

/** The refusal for the text of an error; null where it says nothing of something that is missing here. */
export function missingFeature(text: string): Refusal | null {
  return errors.find((each) => each.text.test(text)) ?? null;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
