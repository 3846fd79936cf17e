/** The parameters and results of `engine/compile`. */

export interface CompileRequest {
  /** Absolute paths: `.cu`, and C or C++ files beside them. */
  sources: string[];
  includeFolders: string[];
  /** `NAME` or `NAME=VALUE`, as after `-D`. */
  defines: string[];
  /** `c++17` unless told. */
  standard?: string;
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
}

export interface CompiledProgram {
  /** Linked program: CUDA calls are imports `env.*`, system calls `linux.*`. */
  host: Uint8Array<ArrayBuffer>;
  /** Index = the number that a file's fat binary carries in its first four bytes. */
  device: DeviceSource[];
  diagnostics: Diagnostic[];
  /** Diagnostics as Clang prints them, with the source line and caret. */
  diagnosticText: string;
  /** True when it came from the cache. */
  cached: boolean;
}
