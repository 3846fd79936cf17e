/**
 * How kernels widened to whole warps become WebAssembly SIMD: the one place for Clang's and wasm-ld's arguments, shared
 * by kernels' modules and the runtime that precedes them.
 */

const features = ['+simd128', '+relaxed-simd', '+bulk-memory', '+nontrapping-fptoint', '+sign-ext', '+mutable-globals'];

/** After `clang -cc1`. */
export const wasmTarget: readonly string[] = [
  ...['-triple', 'wasm32-unknown-unknown'],
  ...features.flatMap((feature) => ['-target-feature', feature]),
];

/** After `wasmTarget`: code generation from LLVM IR; before output and input. */
export const wasmCodeGeneration: readonly string[] = ['-x', 'ir', '-O2', '-emit-obj'];
/** The same in two steps: optimized LLVM IR, and code from it without the code generator's own optimizations. */
export const wasmOptimization: readonly string[] = ['-x', 'ir', '-O2', '-emit-llvm-bc'];
export const wasmLargeCodeGeneration: readonly string[] = ['-x', 'ir', '-O0', '-emit-obj'];

/**
 * For wasm-ld, after the objects. The stack lies first, so that address 0 is never data and an overflow traps. libm comes
 * from the C library; memory and what the IR gives an import name stay imports.
 */
export const wasmLink: readonly string[] = [
  ...['--no-entry', '--import-memory', '--max-memory=4294967296', '--stack-first', '-z', 'stack-size=786432'],
  ...['--export=__stack_pointer', '-L/usr/lib/wasm32-wasip1', '-lc'],
];
