/**
 * Every option that Clang and the linker are given, in one place. The recipe behind it: a `.cu` file goes through Clang
 * twice, once for the device (LLVM IR) and once for the host (an object of WebAssembly), and `wasm-ld` links the objects.
 *
 * Both sides are LP64, as nvcc has them on Linux x86-64: structs have one layout on device and host, which is hardware's. What the device
 * pass makes is executed, and machine code is selected from it (engine/isa).
 */
import { compilerPath } from '../base/compiler-paths.ts';
import type { CompileRequest, DeviceMath } from './types.ts';

const hostTriple = 'wasm64-unknown-unknown';
const deviceTriple = 'nvptx64-nvidia-cuda';

/** Path of our CUDA headers in the compiler's file system. */
export const headerFolder = '/simsight/include';
/** Path of the user's copy of CCCL there. */
export const ccclFolder = '/simsight/cccl';
export const overlayFile = '/simsight/overlay.json';
export const fatBinaryFile = '/simsight/fatbinary';

/** Headers of the C++ library, the compiler's own, and those of the C library. */
const systemIncludes = (language: 'cuda' | 'c' | 'c++'): string[] =>
  [...(language === 'c' ? [] : ['/sysroot/include/c++/v1']), '/usr/include', '/sysroot/include'].flatMap((folder) => [
    '-internal-isystem',
    folder,
  ]);

/**
 * As Clang for Linux has it: macros of the platform, and for C++ all that the C library has. The processor is not said: programs would
 * use its assembler.
 */
const linuxMacros = (language: 'cuda' | 'c' | 'c++'): string[] =>
  [
    ...['__linux__', '__linux', 'linux', '__unix__', '__unix', 'unix', '__gnu_linux__'].map((name) => `${name}=1`),
    ...(language === 'c' ? [] : ['_GNU_SOURCE=1']),
  ].map((macro) => `-D${macro}`);

/**
 * The options that the NVPTX backend would set for the optimizer, were it in the package (`NVPTXTTIImpl::getUnrollingPreferences`:
 * partial and run-time unrolling; `getInliningThresholdMultiplier`: 11), with the copies that nvcc makes: four of up to 50
 * instructions, two of up to 90 (SASS of loops by length, CUDA 13). Executed instructions depend on it.
 */
const nvptxPreferences = [
  '-unroll-runtime=true',
  '-unroll-allow-partial=true',
  '-unroll-partial-threshold=200',
  '-unroll-max-count=4',
  '-inline-threshold=2750',
].flatMap((option) => ['-mllvm', option]);
/**
 * nvcc makes straight code of loops with a constant count up to about a thousand instructions (`cuobjdump` of loops by size:
 * between 1,002 and 1,088 of LLVM's). That turns arrays of a thread into registers; where there are none, code only grows.
 */
const asFarAsNvcc = ['-mllvm', '-unroll-threshold=1024'];

/**
 * `setjmp` and `longjmp` of host programs, as WebAssembly's exceptions. The legacy encoding is what the package's backend emits by
 * default.
 */
const hostJumps = [
  '-exception-model=wasm',
  ...['-target-feature', '+exception-handling'],
  ...['-mllvm', '-wasm-enable-sjlj'],
];

/** Exceptions of host programs, the same way. */
const hostExceptions = ['-fexceptions', ...['-mllvm', '-wasm-enable-eh']];

/**
 * Programs that start threads. Without atomics Clang takes a WebAssembly program to have one thread: static variables are not
 * guarded then, and `thread_local` means nothing.
 */
const hostThreads = ['atomics', 'bulk-memory'].flatMap((feature) => ['-target-feature', `+${feature}`]);

/** Sources of both languages may have one option; that of the other one says nothing. */
function standardOf({ standard }: CompileRequest, isC: boolean): string {
  const usual = isC ? 'gnu17' : 'c++17';
  return standard !== undefined && isC === !standard.includes('++') ? standard : usual;
}

/**
 * CUB names its kernels by the GPUs that a program is compiled for, and leaves out its variants for others. Its loops are not the
 * user's: what becomes of their `#pragma unroll` need not be said.
 */
const ccclOptions = ({ computeCapability: { major, minor } }: CompileRequest): string[] => [
  `-D__CUDA_ARCH_LIST__=${100 * major + 10 * minor}`,
  '-Wno-pass-failed',
];

/** What Clang has as errors, and nvcc and the host compiler behind it (gcc 12) as warnings: of C++, and of C. */
const warningsOnly = {
  'c++': ['c++11-narrowing', 'register', 'reserved-user-defined-literal'],
  c: [
    ...['implicit-function-declaration', 'implicit-int', 'int-conversion', 'return-mismatch'],
    ...['incompatible-pointer-types', 'incompatible-function-pointer-types'],
  ],
};

/** Options that do not depend on the pass: language, macros, folders. */
function languageOptions({ request, includeFolders, cccl }: Translation, language: 'cuda' | 'c' | 'c++'): string[] {
  const isC = language === 'c';
  return [
    '-x',
    language,
    `-std=${standardOf(request, isC)}`,
    // Attributes that Clang ignores where they say nothing: `used` of `extern __managed__`.
    ...(language === 'cuda'
      ? ['-target-sdk-version=12.8', '-Wno-ignored-attributes', '-include', 'cuda_runtime.h']
      : []),
    ...(isC ? [] : ['-fcxx-exceptions', '-fdeprecated-macro']),
    ...warningsOnly[isC ? 'c' : 'c++'].map((name) => `-Wno-error=${name}`),
    // gcc says nothing of arrays of variable length, unless it is asked to.
    '-Wno-vla-cxx-extension',
    ...request.defines.map((define) => `-D${define}`),
    ...(request.undefines ?? []).map((name) => `-U${name}`),
    ...(request.forcedIncludes ?? []).flatMap((file) => ['-include', compilerPath(file)]),
    '-DSIMSIGHT=1',
    ...linuxMacros(language),
    ...(cccl === true ? ccclOptions(request) : []),
    ...includeFolders.flatMap((folder) => ['-I', folder]),
    ...(request.systemFolders ?? []).flatMap((folder) => ['-isystem', compilerPath(folder)]),
    ...(cccl === true ? ['-internal-isystem', ccclFolder] : []),
    '-internal-isystem',
    headerFolder,
    ...systemIncludes(language),
    '-ivfsoverlay',
    overlayFile,
    '-fgnuc-version=4.2.1',
  ];
}

export interface Translation {
  request: CompileRequest;
  /** The program may start host threads. */
  threads?: boolean;
  /** Directives of OpenMP hold, as after `nvcc -Xcompiler -fopenmp`. */
  openmp?: boolean;
  /** The source includes CCCL. */
  cccl?: boolean;
  /** Path of the source in the compiler's file system. */
  source: string;
  includeFolders: string[];
  /** Removed from the front of `__FILE__`, so that what a program prints does not depend on where it lies. */
  sourceFolder: string;
  /** Relocatable device code: what kernels that launch kernels need. It changes the names of static variables. */
  relocatable?: boolean;
  /** It becomes a module that a program loads, and whose variables it writes, static ones as well. */
  isModule?: boolean;
  /** Tells the file from the others that its device code is linked with. */
  linkedAs?: string;
  /** Loops with a constant count are unrolled as far as nvcc does. */
  unrollsFar?: boolean;
  /** Loops of host code stay as they are (see {@link hostOptimization}). */
  keepsLoops?: boolean;
  /** Standard headers that may be precompiled, of those that it includes; absent: all (shared-headers.ts). */
  headers?: readonly string[];
}

/** Paths at which {@link headerArguments} finds the includes, and {@link withPrecompiled} the header precompiled from them. */
export const precompiledFile = { source: '/simsight/headers.h', binary: '/simsight/headers.pch' };

/** Passes that take precompiled headers: the two over a `.cu` file, and that over a C++ file. */
export type PrecompiledPass = 'device' | 'host' | 'c++';

/** The arguments that compile a list of standard headers for a pass, whose arguments are given, to standard output. */
export function headerArguments(pass: Translation, kind: PrecompiledPass): string[] {
  const { linkedAs, ...others } = pass;
  const alone = {
    ...others,
    request: { ...pass.request, systemFolders: [] },
    unrollsFar: false,
    keepsLoops: false,
    relocatable: pass.relocatable === true || linkedAs !== undefined,
    source: precompiledFile.source,
    includeFolders: [],
    sourceFolder: '/simsight',
  };
  const words = kind === 'device' ? deviceArguments(alone) : hostArguments(alone, kind === 'host' ? 'cuda' : kind);
  // The optimizer's options stay: macros such as __OPTIMIZE__ depend on them.
  const kept = words.map((word) => (word === '-emit-llvm' || word === '-emit-obj' ? '-emit-pch' : word));
  return [...kept, '-fno-pch-timestamp', '-fpch-instantiate-templates'];
}

/** A pass whose standard headers, and what it includes before its source, are there already. */
export function withPrecompiled(words: string[]): string[] {
  const header = words.indexOf('cuda_runtime.h');
  const others = header < 0 ? words : words.toSpliced(header - 1, 2);
  return others.toSpliced(-1, 0, '-include-pch', precompiledFile.binary);
}

/**
 * The GPU's own target, also for compute capability 2.0, which nvcc gave up after CUDA 8: Clang's front end and optimizer
 * know every target from sm_20 on, and nothing here goes further than LLVM IR. So `__CUDA_ARCH__` says what the GPU is,
 * programs choose the code that they have for it, and what it cannot do (shuffles before 3.0, atomicAdd of doubles before
 * 6.0) is an error of the compiler. Our headers leave out what the target lacks, or say that they need a newer one.
 */
const target = ({ major, minor }: CompileRequest['computeCapability']): string => `sm_${major}${minor}`;

const relocatableOptions = ({ relocatable, linkedAs }: Translation): string[] =>
  linkedAs === undefined ? (relocatable ? ['-fgpu-rdc'] : []) : ['-fgpu-rdc', `-cuid=${linkedAs}`];

/** Macros that nvcc defines as well; what else the options mean, IR says (device-math.ts). */
const mathOptions = (math: DeviceMath = {}): string[] => {
  const { ftz, precDiv, precSqrt } = mathOf(math);
  return [
    ...(math.fastMath === true ? ['-D__USE_FAST_MATH__=1'] : []),
    ...(ftz ? ['-D__CUDA_FTZ=1', '-fdenormal-fp-math-f32=preserve-sign'] : []),
    ...(precDiv ? [] : ['-D__CUDA_PREC_DIV=0']),
    ...(precSqrt ? [] : ['-D__CUDA_PREC_SQRT=0']),
  ];
};

/** What holds where fast math stands for the others (nvcc's documentation, `--use_fast_math`). */
export const mathOf = ({
  fastMath = false,
  ftz = fastMath,
  precDiv = !fastMath,
  precSqrt = !fastMath,
}: DeviceMath) => ({
  ...{ fastMath, ftz, precDiv, precSqrt },
});

const pathOptions = (t: Translation) => [`-fmacro-prefix-map=${t.sourceFolder}/=`];

/** The result goes to standard output. */
export function deviceArguments(t: Translation): string[] {
  return [
    'clang',
    '-cc1',
    ...['-triple', deviceTriple, '-aux-triple', hostTriple],
    '-target-cpu',
    target(t.request.computeCapability),
    '-target-feature',
    '+ptx87',
    '-fcuda-is-device',
    ...relocatableOptions(t),
    '-fforce-enable-int128',
    // A heap with a limit: allocations are not optimized away.
    ...['malloc', 'free', 'realloc', 'calloc'].map((name) => `-fno-builtin-${name}`),
    '-fno-assume-sane-operator-new',
    // Kernels have no directives; the host's code is read as well, which may ask for the version.
    ...(t.openmp ? ['-D_OPENMP=202011'] : []),
    ...languageOptions(t, 'cuda'),
    ...pathOptions(t),
    '-O3',
    `-ffp-contract=${t.request.math?.fmad === false ? 'off' : 'fast'}`,
    ...mathOptions(t.request.math),
    // (int)3e10f is what the GPU's conversion makes of it: to LLVM it would be poison, which folds to anything.
    '-fno-strict-float-cast-overflow',
    // A value that only lane 0 has set may be passed on by all: to nvcc's front end it is no promise that it is set.
    '-no-enable-noundef-analysis',
    '-debug-info-kind=line-tables-only',
    ...nvptxPreferences,
    ...(t.unrollsFar ? asFarAsNvcc : []),
    '-emit-llvm',
    '-o',
    '-',
    t.source,
  ];
}

/** The device pass up to the optimizer: bitcode, with all that the optimizer's results depend on. It goes to standard output. */
export function deviceFrontArguments(t: Translation): string[] {
  const words = deviceArguments(t);
  const front = ['-disable-llvm-passes', '-emit-llvm-uselists', '-emit-llvm-bc'];
  return words.toSpliced(words.indexOf('-emit-llvm'), 1, ...front);
}

/** The rest of the device pass, from bitcode or text; the result is the same but for names of values. */
export const deviceOptimizerArguments = (
  { request: { computeCapability, math }, unrollsFar }: Pick<Translation, 'request' | 'unrollsFar'>,
  source: string,
): string[] => [
  ...['clang', '-cc1', '-triple', deviceTriple, '-target-cpu', target(computeCapability), '-target-feature', '+ptx87'],
  ...['-x', 'ir', '-O3', `-ffp-contract=${math?.fmad === false ? 'off' : 'fast'}`],
  ...nvptxPreferences,
  ...(unrollsFar ? asFarAsNvcc : []),
  ...['-emit-llvm', '-o', '-', source],
];

/** Bitcode as text, to standard output. */
export const deviceTextArguments = (source: string): string[] => [...deviceIr, '-emit-llvm', '-o', '-', source];

const deviceIr = ['clang', '-cc1', '-triple', deviceTriple, '-x', 'ir', '-disable-llvm-passes'];

/** Bitcode of a device pass, for {@link deviceLinkArguments}; it goes to standard output. */
export const deviceBitcodeArguments = (source: string): string[] => [...deviceIr, '-emit-llvm-bc', '-o', '-', source];

/** One module of several, as text; nothing is optimized across files, as nvcc does not without `-dlto`. */
export const deviceLinkArguments = ([first, ...others]: readonly string[]): string[] => [
  ...deviceIr,
  '-emit-llvm',
  ...others.flatMap((path) => ['-mlink-bitcode-file', path]),
  ...['-o', '-', first!],
];

/**
 * As compilers of hosts do; none of these changes a result. On some loops Clang's vectorizer asserts (`m = fmax(m, fabs(a[i] - b[i]))` of doubles: its
 * two models of cost disagree on what looks for NaNs): their files keep their loops.
 */
const hostOptimization = ({ keepsLoops = false }: Pick<Translation, 'keepsLoops'>): string[] => [
  ...['-O2', ...(keepsLoops ? [] : ['-vectorize-loops']), '-vectorize-slp'],
  ...['-target-feature', '+simd128'],
];

/** The result goes to standard output. */
export function hostArguments(t: Translation, language: 'cuda' | 'c' | 'c++'): string[] {
  return [
    'clang',
    '-cc1',
    '-triple',
    hostTriple,
    ...(language === 'cuda' ? ['-aux-triple', deviceTriple, '-fcuda-include-gpubinary', fatBinaryFile] : []),
    ...relocatableOptions(t),
    ...languageOptions(t, language),
    ...pathOptions(t),
    // Programs count on what gcc does: 65536 * 65536 is 0, and the loop goes on.
    '-fwrapv',
    ...hostJumps,
    ...(language === 'c' ? [] : hostExceptions),
    ...(t.threads ? hostThreads : []),
    ...(t.openmp ? ['-fopenmp', '-fopenmp-version=51'] : []),
    ...hostOptimization(t),
    t.openmp ? '-emit-llvm' : '-emit-obj',
    '-o',
    '-',
    t.source,
  ];
}

/** The same from LLVM IR, which is what the pass before has made of directives of OpenMP. */
export const hostObjectArguments = (source: string, of: Pick<Translation, 'keepsLoops'>): string[] => [
  ...['clang', '-cc1', '-triple', hostTriple, '-x', 'ir'],
  ...[...hostJumps, ...hostExceptions, ...hostThreads],
  ...[...hostOptimization(of), '-emit-obj', '-o', '-', source],
];

const wrapped = [
  // Calls that the C library without threads refuses or ends the program for.
  ...['create', 'join', 'detach', 'self', 'cond_wait', 'cond_timedwait'].map((name) => `pthread_${name}`),
];

/** Besides, in programs that start threads. */
const wrappedInThreads = [
  ...['init', 'destroy', 'lock', 'trylock', 'timedlock', 'unlock'].map((name) => `pthread_mutex_${name}`),
  ...['lock', 'trylock', 'unlock'].map((name) => `pthread_spin_${name}`),
  ...['signal', 'broadcast'].map((name) => `pthread_cond_${name}`),
  ...['rdlock', 'wrlock', 'tryrdlock', 'trywrlock', 'unlock'].map((name) => `pthread_rwlock_${name}`),
  ...['init', 'destroy', 'wait'].map((name) => `pthread_barrier_${name}`),
  ...['key_create', 'key_delete', 'getspecific', 'setspecific'].map((name) => `pthread_${name}`),
  ...['init', 'destroy', 'getvalue', 'wait', 'trywait', 'timedwait', 'post'].map((name) => `sem_${name}`),
];

const libraries = '/sysroot/lib';

/** Section that marks a variable as `__managed__` in the device side of a program (see simsight/attributes.h). */
export const managedSection = 'section ".simsight.managed"';

/**
 * Where the data of a program with managed variables begin: addresses that device memory has as well (it begins at
 * 256 MiB; the rest is left to other variables), so that both sides can have the variables at one place.
 */
const sharedDataStart = 512 << 20;

export function hostLinkArguments(
  objects: string[],
  output: string,
  { managed, threads, optional, kept }: { managed: boolean; threads: boolean; optional: string[]; kept: string[] },
): string[] {
  return [
    'wasm-ld',
    ...['-m', 'wasm64', `-L${libraries}`, `${libraries}/crt1.o`],
    ...objects,
    ...(optional.length > 0 ? ['--start-lib', ...optional, '--end-lib'] : []),
    // CUDA calls stay imports; other unresolved symbols are reported from the linked module's import list.
    '--allow-undefined',
    '--export-table',
    // The runtime allocates host memory (pinned buffers, returned strings) with the program's own allocator.
    '--export=malloc',
    '--export=free',
    // As a Linux process has; wasm-ld's own default is 64 KiB.
    '-z',
    `stack-size=${8 << 20}`,
    ...(managed ? [`--global-base=${sharedDataStart}`] : []),
    // Calls of threads, which are made outside of the program.
    ...[...wrapped, ...(threads ? wrappedInThreads : [])].map((name) => `--wrap=${name}`),
    ...(threads ? ['__stack_pointer', '__tls_base'].map((name) => `--export=${name}`) : []),
    ...['__cxa_atexit', '__cpp_exception', '__simsight_exception'].map((name) => `--export-if-defined=${name}`),
    ...kept.map((name) => `--export-if-defined=${name}`),
    '-lc++',
    '-lc++abi',
    '-lc',
    '-lbuiltins',
    '-o',
    output,
  ];
}
