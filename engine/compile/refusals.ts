/**
 * Features that CUDA has and Simsight does not, as far as a compiler's first error shows: what is missing, since when CUDA has it, and
 * what can be done. A program can tell where it is: `SIMSIGHT` is defined here.
 */

export interface Refusal {
  /** The end of a sentence about the error. */
  reason: string;
  remedy: string;
}

const elsewhere = 'Leave it out for Simsight with "#ifndef SIMSIGHT"';

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
    names: /^cooperative_groups\//,
    what: 'this part of cooperative groups (in CUDA since 11) is not supported yet; memcpy_async.h, reduce.h and scan.h are',
    instead: 'write it with groups and their shuffles',
  },
  {
    names: /^cuda_awbarrier/,
    what: 'this header (in CUDA since 11.0) is not supported',
    instead: 'use <cuda/barrier>, which is',
  },
  {
    names: /^cuda\/std\//,
    what: "this part of libcu++ is read from the user's own copy of CCCL, and no copy on this machine has it",
    instead: 'install a CUDA toolkit, name its folder in CUDA_HOME, or write the parts you need',
  },
  {
    names: /^cuda\//,
    what: "this part of libcu++ is read from the user's own copy of CCCL, and no copy on this machine has it; <cuda/atomic>, <cuda/barrier>, <cuda/pipeline> and <cuda/ptx> come with Simsight",
    instead: 'install a CUDA toolkit, name its folder in CUDA_HOME, or use the atomics and barriers built into CUDA',
  },
  {
    names: /^(cub|thrust|nv)\//,
    what: "Thrust, CUB and libcu++ are read from the user's own copy, and no copy on this machine has this header",
    instead:
      "install a CUDA toolkit or Debian's libthrust-dev, libcub-dev and libcu++-dev, name a toolkit's folder in CUDA_HOME, or add the folder of the headers with -I",
  },
  {
    names: /^(cutlass|cute)\//,
    what: 'CUTLASS is not part of CUDA',
    instead: 'add the folder of its sources with -I',
  },
  {
    names: /^cufft/,
    what: 'of cuFFT only cufft.h and cufftXt.h are supported',
    instead: 'use cufftPlan1d and the like',
  },
  {
    names: /^(cusparseLt|cusolverMg|cutensor|npp|nvjpeg|cudnn|nccl|nvshmem|nvgraph)\w*\.h$/i,
    what: 'this closed-source NVIDIA library is not supported; cuBLAS (cublas_v2.h), cuSPARSE (cusparse.h), cuFFT (cufft.h) and cuSOLVER (cusolverDn.h, cusolverSp.h, cusolverRf.h) are, in part',
    instead: 'simulate your own kernels without it',
  },
  {
    names: /^curand_/,
    what: 'of cuRAND curand.h, curand_kernel.h and what MTGP32 needs are supported',
    instead: 'use curand.h or curand_kernel.h',
  },
  {
    names: /^(nvPTXCompiler|nvvm)/i,
    what: 'compilation of PTX and of NVVM IR at run time is not simulated',
    instead: 'compile the source with nvrtc.h, or load PTX with cuModuleLoadData',
  },
  {
    names: /^(nvml|cupti|nvperf)/,
    what: 'libraries that inspect a real GPU are not supported',
    instead: 'look at the recording: it has the same counters',
  },
  {
    names: /^(cuda(?:GL|VDPAU|EGL|D3D\d*)|cuda_(?:gl|egl|vdpau|d3d\d*)_interop|GL\/|vulkan\/|optix)/,
    what: 'graphics interoperability is not simulated',
    instead: 'run the kernels on memory that CUDA allocates',
  },
  {
    names: /^helper_(?:cuda|functions|string|timer|math|image)\.h/,
    what: "it is part of NVIDIA's samples, not of CUDA",
    instead: 'add the folder "Common" of the samples with -I',
  },
  {
    names: /^hip\//,
    what: 'HIP is for AMD GPUs',
    instead: 'compile the CUDA version of the program',
  },
  {
    names: /^((torch|ATen|c10|pybind11)\/|Python\.h)/,
    what: 'extensions of Python and PyTorch need a Python process, which is not supported',
    instead: 'call the kernel from a main() of its own',
  },
  {
    names: /^((mpi|omp|windows|winsock2?|sched|semaphore|spawn|syslog|pwd|netdb)\.h$|(sys|netinet|arpa|X11|linux)\/)/i,
    what: 'the host program runs in WebAssembly, which lacks this part of an operating system',
    instead: 'use portable C++',
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
  'that is C++20, which nvcc accepts since CUDA 12.0 with -std=c++20; sources are compiled as C++17 unless told, as by nvcc';
const older =
  'Record it with --std c++20 (in the dialog: C++ standard), or write it in C++17: std::enable_if or static_assert for concepts, constexpr for consteval, a pointer with a length for std::span.';

/** Errors by their text; the first that fits counts. */
const errors: readonly Missing[] = [
  {
    text: /\b(this_cluster|cluster_group|__cluster_dims__|cluster_dims|map_shared_rank|__cluster\w*|cluster(Dim|Idx|Size|Rank|_\w+)\w*|cudaLaunchAttributeCluster\w*|cudaOccupancyMax\w*Cluster\w*|cudaFuncAttribute\w*Cluster\w*)\b/i,
    reason: 'clusters of blocks (in CUDA since 11.8, on GPUs of compute capability 9.0 and up) are not simulated',
    remedy: `Let blocks exchange data through global memory instead of each other's shared memory. ${elsewhere} what needs a cluster.`,
  },
  {
    text: /programmatic|cudaGridDependencySynchronize|griddepcontrol/i,
    reason:
      'programmatic dependent launches (in CUDA since 11.8) are for GPUs of compute capability 9.0 and up, and known in part',
    remedy: `${elsewhere}: without the attribute and its calls, kernels of a stream run one after the other with the same results.`,
  },
  {
    text: /CUtensorMap|cuTensorMap|cp_async_bulk_tensor/,
    reason: 'the Tensor Memory Accelerator (TMA, in CUDA since 12.0, compute capability 9.0 and up) is not simulated',
    remedy: 'Load tiles with cp.async (<cuda/pipeline>, cg::memcpy_async) or through registers.',
  },
  {
    text: /no matching function for call to 'cuda(?:Device|Thread)Synchronize'/,
    reason:
      'kernels can no longer wait for those that they launch (in CUDA until 11.8, on GPUs before compute capability 9.0)',
    remedy: 'Launch what comes after them into cudaStreamTailLaunch, or from the host.',
  },
  {
    text: /\bcudaMemcpy\w*Batch\w*|\bcudaMemPrefetchBatch\w*/,
    reason: 'batched copies (in CUDA since 12.8) are not supported yet',
    remedy: 'Call cudaMemcpyAsync for each.',
  },
  {
    text: /\bcuda(Green|ExecutionCtx|DevResource)\w*|\bcuGreenCtx\w*/,
    reason: 'green contexts (in CUDA since 12.4) are not simulated',
    remedy: `${elsewhere}.`,
  },
  {
    text: /\b__nv_fp[64]\w*|\b__nv_cvt_\w*fp[64]\w*/,
    reason: 'that is floating point of 4 or 6 bits, which is in a header of its own',
    remedy: 'Include cuda_fp4.h or cuda_fp6.h.',
  },
  {
    text: /no (?:member|template) named 'span' in namespace 'cuda::std'/,
    reason: 'cuda::std::span (in CUDA since 11.8) is not supported in C++17 yet',
    remedy: 'Pass a pointer and a length, or a cuda::std::array, which is supported.',
  },
  {
    text: /no (?:member|template|type) named '\w+' in namespace '(?:cuda(?:::(?:std|ptx|device|pipeline\w*|experimental))?|cooperative_groups\w*|nvcuda\w*|wmma)'/,
    reason: 'this part of CUDA is not supported yet',
    remedy: `Write the parts you need in the program. ${elsewhere} if that is not possible.`,
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
    text: /(?:undeclared identifier|unknown type name|no member named) '(?:cuda[A-Z]\w*|cu[A-Z]\w*|(?:cusparse|csr\w+Info_t|CUSPARSE_|cusolver|CUSOLVER_)\w*|nvrtc\w*|__cuda\w*|CU[A-Za-z]+)'/,
    reason: 'Simsight does not know this CUDA name',
    remedy: `If it is spelled as in CUDA's documentation, it is not supported yet. ${elsewhere}.`,
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
