/** The parameters and results of `engine/compile`. */

/** What a file is written in, to the compiler. */
export type SourceLanguage = 'cuda' | 'c' | 'c++';

/** How a file is to be compiled, as the options of nvcc say. */
export interface SourceOptions {
  includeFolders: string[];
  /** `NAME` or `NAME=VALUE`, as after `-D`. */
  defines: string[];
  /** Names, as after `-U`. */
  undefines?: string[];
  /** Searched after the others, as after `-isystem`. */
  systemFolders?: string[];
  /** Files read before the source, as after `-include`. */
  forcedIncludes?: string[];
  /** `c++17` unless told; of a file in C: `gnu17`. */
  standard?: string;
  /** Floating point of device code; absent: as nvcc without such options. */
  math?: DeviceMath;
  /** Registers per thread of kernels without launch bounds: `-maxrregcount`. */
  maxRegisters?: number;
}

/** Each as nvcc's option of that name. */
export interface DeviceMath {
  /** Approximate division, square roots and functions of the math library, and {@link ftz}. */
  fastMath?: boolean;
  /** Subnormal floats are zero. */
  ftz?: boolean;
  precDiv?: boolean;
  precSqrt?: boolean;
  /** Sums of products become one instruction. */
  fmad?: boolean;
}

export interface CompileRequest extends SourceOptions {
  /** Absolute paths: `.cu`, and C or C++ files beside them. */
  sources: string[];
  /** The compute capability of the GPU that the program is compiled for: `__CUDA_ARCH__` is 100 × major + 10 × minor. */
  computeCapability: { major: number; minor: number };
}

export interface Diagnostic {
  severity: 'error' | 'warning' | 'note' | 'remark';
  /** File as the user wrote or included it; empty where the diagnostic has no place. */
  file: string;
  /** From 1; 0 where unknown. */
  line: number;
  column: number;
  text: string;
}

/** The device side of one `.cu` file, or of several that are linked. */
export interface DeviceSource {
  /** The `.cu` file, or the first. */
  source: string;
  /** LLVM IR text at -O3 with line tables. */
  ir: string;
  /** Limit for kernels without launch bounds that the file was compiled with. */
  maxRegisters?: number;
  /** Kernels that `ir` lacks: each is optimized when it is first needed. */
  later?: LaterKernels;
}

/** Kernels of a large source, each of which is compiled on its own (kernels-apart.ts). */
export interface LaterKernels {
  /** Mangled, in the order of the source. */
  names: readonly string[];
  /** LLVM IR text of one of them as {@link DeviceSource.ir}, with the variables that it names. Errors: `budget-exceeded`, `cancelled`. */
  irOf: (name: string) => Promise<string>;
}

export interface CompiledProgram {
  /** Linked program: CUDA calls are imports `env.*`, system calls `linux.*`. */
  host: Uint8Array<ArrayBuffer>;
  /** Index = the number that a file's fat binary carries in its first four bytes. */
  device: DeviceSource[];
  /** All sources, C and C++ included. */
  sources: { path: string; text: string }[];
  diagnostics: Diagnostic[];
  /** Diagnostics as Clang prints them, with the source line and caret. */
  diagnosticText: string;
  /** True when it came from the cache. */
  cached: boolean;
}
