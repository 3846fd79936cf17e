/** CUDA libraries that programs call: their kernels are CUDA sources of ours, added to the programs that need them. */
import { join } from 'node:path';
import { root } from '../../base/paths.ts';
import { functionImports } from '../../base/wasm-binary.ts';

export interface LibrarySource {
  source: string;
  defines: string[];
}

const sourceNamed = (name: string): string => join(root, 'engine', 'cuda', 'libraries', name);
const cublas = sourceNamed('cublas.cu');
const ex = sourceNamed('cublas-ex.cu');
const lu = sourceNamed('cublas-lu.cu');
const sparseProducts = sourceNamed('cusparse-products.cu');
const sparseIndices = sourceNamed('cusparse-indices.cu');
const sparseSolve = sourceNamed('cusparse-solve.cu');
const sparseConversions = sourceNamed('cusparse-conversions.cu');
const sparseGemm = sourceNamed('cusparse-gemm.cu');
const solver = sourceNamed('cusolver.cu');
const curand = sourceNamed('curand.cu');
const cufft = sourceNamed('cufft.cu');

/** Parts of the libraries' sources, each compiled where one of its calls is made. */
const families: [source: string, define: string, calls: RegExp][] = [
  [cublas, 'BLAS_FLOAT', /^cublas(S(?!et|getr|calEx)|Is|Gemm)/],
  [cublas, 'BLAS_DOUBLE', /^cublas(D(?!estroy|getr|otc?Ex)|Id|Gemm)/],
  [cublas, 'BLAS_COMPLEX', /^cublas(C(?!reate|getr)|Z(?!getr)|Gemm)/],
  [cublas, 'BLAS_MIXED', /^cublas(H|Gemm|Sgemm(Batched|StridedBatched)?Ex)/],
  [cublas, 'BLAS_LT', /^cublasLtMatmul$/],
  [ex, 'EX_DOT', /^cublasDotc?Ex$/],
  [ex, 'EX_NRM2', /^cublasNrm2Ex$/],
  [ex, 'EX_AXPY', /^cublasAxpyEx$/],
  [ex, 'EX_SCAL', /^cublasScalEx$/],
  [lu, 'LU_FLOAT', /^cublasSgetr/],
  [lu, 'LU_DOUBLE', /^cublasDgetr/],
  [lu, 'LU_COMPLEX', /^cublasCgetr/],
  [lu, 'LU_DOUBLE_COMPLEX', /^cublasZgetr/],
  [sparseProducts, 'SPARSE_MV', /^cusparseSpMV$/],
  [sparseProducts, 'SPARSE_MM', /^cusparseSpMM$/],
  [sparseProducts, 'SPARSE_SDDMM', /^cusparseSDDMM$/],
  [sparseSolve, 'SPARSE_SV', /^cusparseSpS[VM]_solve$/],
  [sparseSolve, 'SPARSE_ILU', /^cusparse[SDCZ]csrilu02$/],
  [sparseSolve, 'SPARSE_IC', /^cusparse[SDCZ]csric02$/],
  [sparseConversions, 'SPARSE_VECTORS', /^cusparse(Axpby|Gather|Scatter|SpVV)$/],
  [sparseConversions, 'SPARSE_DENSE', /^cusparse(SparseToDense|DenseToSparse_analysis|[SDCZ]nnz)$/],
  [sparseGemm, 'SPARSE_GEMM', /^cusparseSpGEMM_compute$/],
  [solver, 'SOLVER_FLOAT', /^cusolverDn[SX](?!et)/],
  [solver, 'SOLVER_DOUBLE', /^cusolverDn[DX](?!estroy)/],
  [solver, 'SOLVER_COMPLEX', /^cusolverDn[CX](?!reate)/],
  [solver, 'SOLVER_DOUBLE_COMPLEX', /^cusolverDn[ZX]/],
  [
    sparseIndices,
    'SPARSE_INDICES',
    /^cusparse(X(?!csri)|CreateIdentity|Csr2csc|SpS[VM]_analysis|SpGEMM_compute|DenseToSparse_analysis|[SDCZ]csri(lu|c)02$)/,
  ],
  [curand, 'CURAND_SEED', /^curandCreateGenerator/],
  [curand, 'CURAND_WORDS', /^curandGenerate$/],
  [curand, 'CURAND_LONGS', /^curandGenerateLongLong$/],
  [curand, 'CURAND_UNIFORM', /^curandGenerateUniform$/],
  [curand, 'CURAND_UNIFORM_DOUBLE', /^curandGenerateUniformDouble$/],
  [curand, 'CURAND_NORMAL', /^curandGenerateNormal$/],
  [curand, 'CURAND_NORMAL_DOUBLE', /^curandGenerateNormalDouble$/],
  [curand, 'CURAND_LOG_NORMAL', /^curandGenerateLogNormal$/],
  [curand, 'CURAND_LOG_NORMAL_DOUBLE', /^curandGenerateLogNormalDouble$/],
  [curand, 'CURAND_POISSON', /^curandGeneratePoisson$/],
  [cufft, 'CUFFT_SINGLE', /^cufft(Exec(C2C|R2C|C2R)|XtExec)$/],
  [cufft, 'CUFFT_DOUBLE', /^cufft(Exec(Z2Z|D2Z|Z2D)|XtExec)$/],
];

/** Sources to compile for the device beside the program itself, from the calls that its host side makes. */
export function librarySources(host: Uint8Array<ArrayBuffer>): LibrarySource[] {
  // Most programs are done here.
  const text = Buffer.from(host.buffer, host.byteOffset, host.length);
  const named = ['cublas', 'cusparse', 'cusolver', 'curandCreate', 'cufft'];
  if (!named.some((name) => text.includes(name))) return [];
  const calls = functionImports(host).map(({ name }) => name);
  return families
    .filter(([, , pattern]) => calls.some((name) => pattern.test(name)))
    .map(([source, define]) => ({ source, defines: [`${define}=1`] }));
}
