/** CUDA libraries that programs call: their kernels are CUDA sources of ours, added to the programs that need them. */
import { join } from 'node:path';
import { root } from '../../base/paths.ts';

export interface LibrarySource {
  source: string;
  defines: string[];
}

const cublas = join(root, 'engine', 'cuda', 'libraries', 'cublas.cu');

const cublasFamilies: [define: string, calls: RegExp][] = [
  ['BLAS_FLOAT', /^cublas(S|Is|Gemm)(?!et)/],
  ['BLAS_DOUBLE', /^cublas(D(?!estroy)|Id|Gemm)/],
  ['BLAS_MIXED', /^cublas(H|Gemm|Sgemm(Batched|StridedBatched)?Ex)/],
  ['BLAS_LT', /^cublasLtMatmul$/],
];

/** Sources to compile for the device beside the program itself, from the calls that its host side makes. */
export async function librarySources(host: Uint8Array<ArrayBuffer>): Promise<LibrarySource[]> {
  // Most programs are done here.
  if (!Buffer.from(host.buffer, host.byteOffset, host.length).includes('cublas')) return [];
  const calls = WebAssembly.Module.imports(await WebAssembly.compile(host)).map(({ name }) => name);
  return cublasFamilies
    .filter(([, pattern]) => calls.some((name) => pattern.test(name)))
    .map(([define]) => ({ source: cublas, defines: [`${define}=1`] }));
}
