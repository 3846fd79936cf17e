/**
 * From CUDA sources to what can be run: the host program as 64-bit WebAssembly, and the device side of each `.cu` file as
 * LLVM IR. Real Clang does both; this folder lays out files, runs it in threads, caches and reads its messages.
 *
 *   const program = await compileProgram({ sources: ['/home/me/app.cu'], … }, { cacheFolder });
 *
 * Every single run of a tool is cached by the hash of its inputs, so a second compilation of unchanged files reads three
 * files and never loads Clang, and another GPU only costs another device pass.
 */
import { basename, resolve } from 'node:path';
import { SimsightError } from '../base/errors.ts';
import type { CacheOptions } from './cache.ts';
import { devicePass } from './device-pass.ts';
import { unitOf } from './units.ts';
import type { CompileRequest, DeviceSource } from './types.ts';

export { keep, readKept } from './cache.ts';
export { cancelled, releaseCompiler } from './clang.ts';
export { demangle, shortName } from './demangle.ts';
export { CompileError } from './diagnostics.ts';
export { compileImage, imageOfUnit, imageWarnings, makeImage, type CompiledImage } from './images.ts';
export { archiveMembers, objectBytes, objectOf, type ObjectFile } from './objects.ts';
export { dependencies, preprocessed, type DependencyOptions } from './preprocess.ts';
export { isToolkit } from './cccl.ts';
export { compileText } from './run-time.ts';
export { checkDeviceLink, checkUnit, compileObject, compileProgram, type CompileOptions } from './program.ts';
export { languageByName } from './sources.ts';
export { storedUnit } from './stored-units.ts';
export { asLinked, unitOf, type Unit } from './units.ts';
export { compileIrToWasm, type WasmModuleRequest } from './wasm-module.ts';
export { endAfter } from './thread-time.ts';
export { compileLimits, limitError, type Compiled, type LimitName } from './limits.ts';
export type * from './types.ts';

/** The device side of one source without a host program: what libraries add to a program. */
export async function compileDevice(request: CompileRequest, options: CacheOptions): Promise<DeviceSource> {
  const source = resolve(request.sources[0]!);
  const unit = unitOf(source, request);
  const { outcome, outputs, messages } = await devicePass(unit, options);
  if (outcome !== 'success') {
    throw new SimsightError('internal', `The library's source ${basename(source)} cannot be compiled: ${messages}`);
  }
  return { source, ir: new TextDecoder().decode(outputs[0]![1]) };
}
