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
const levels = sourceNamed('cublas-levels.cu');
const lu = sourceNamed('cublas-lu.cu');
const sparseProducts = sourceNamed('cusparse-products.cu');
const sparseIndices = sourceNamed('cusparse-indices.cu');
const sparseSolve = sourceNamed('cusparse-solve.cu');
const sparseConversions = sourceNamed('cusparse-conversions.cu');
const sparseGemm = sourceNamed('cusparse-gemm.cu');
const solver = sourceNamed('cusolver.cu');
const solverVectors = sourceNamed('cusolver-vectors.cu');
const solverEigen = sourceNamed('cusolver-eigen.cu');
const solverSingular = sourceNamed('cusolver-singular.cu');
const solverGeneral = sourceNamed('cusolver-general.cu');
const sparseSolver = sourceNamed('cusolver-sp.cu');
const sparseSolverQr = sourceNamed('cusolver-sp-qr.cu');
const sparseSolverVectors = sourceNamed('cusolver-sp-vectors.cu');
const curand = sourceNamed('curand.cu');
const cufft = sourceNamed('cufft.cu');
const cufftParts = sourceNamed('cufft-parts.cu');

type Family = [source: string, defines: string, calls: RegExp];

const realVectors = '(axpy|scal|copy|swap|dot|asum|nrm2|gemv|ger|trsm|syrk)_v2|geam|gemm';
const byMatrix = '(gbmv|sy(mv|r2?)|[sh](bmv|pmv|pr2?)|t[rbp][ms]v|he(mv|r2?)|ger[uc])_v2|gemv(Strided)?Batched';
const byMatrices = '(symm|syr2k|trmm|hemm|her2?k)_v2|(sy|he)rkx|trsmBatched|dgmm|tpttr|trttp';
/** What real types have from others. */
const alsoComplex = ['|gemv_v2', '|(syrk|trsm)_v2|geam'] as const;

/** Kernels of a type for each of the three levels, which few programs need all of. */
const levelsOf = (X: string, type: string, vectors: RegExp): Family[] => {
  const [two, three] = 'CZ'.includes(X) ? alsoComplex : ['', ''];
  return [
    [levels, `LEVEL_1 ${type}`, vectors],
    [levels, `LEVEL_2 ${type}`, new RegExp(`^cublas${X}(${byMatrix}${two})$`)],
    [levels, `LEVEL_3 ${type}`, new RegExp(`^cublas${X}(${byMatrices}${three})$`)],
  ];
};

/** Factorizations, eigenvalues and singular values of a type; calls with types as arguments need all of them. */
const solverOf = (X: string, type: string): Family[] => {
  const needed = (source: string, calls: string): Family => [
    ...([source, `SOLVER_${type}`, new RegExp(`^cusolverDn[${X}X](${calls})`)] as const),
  ];
  return [
    needed(solver, 'potr|getr|laswp|geqrf|or[gm]qr|un[gm]qr|(sy|he)gv|trtri'),
    needed(solverVectors, '(sy|he)(evd|evj(Batched)?(_|$)|evBatched|gv)|gesvd(?!j(Set|Get))|geev|trtri'),
    needed(solverEigen, '(sy|he)(evd|evj(Batched)?(_|$)|evBatched|gv)'),
    needed(solverSingular, 'gesvd(?!j(Set|Get))'),
    needed(solverGeneral, 'geev|trtri'),
  ];
};

/** Sparse factorizations of a type by kernels. */
const sparseSolverOf = (X: string, type: string): Family[] => {
  const refactor = X === 'D' ? '|^cusolverRf' : '';
  const needed = (source: string, calls: string): Family => [source, `SOLVER_${type}`, new RegExp(calls)];
  const qr = `^cusolverSp${X}csr(lsvqr|eigvsi|qrFactor|qrsvBatched)$`;
  const cholesky = `^cusolverSp${X}csr(lsvchol|cholFactor)$`;
  return [
    needed(sparseSolver, `${cholesky}${refactor}`),
    needed(sparseSolverQr, qr),
    needed(sparseSolverVectors, `${cholesky}|${qr}${refactor}`),
  ];
};

/** Parts of the libraries' sources, each compiled where one of its calls is made. */
const families: Family[] = [
  [cublas, 'BLAS_FLOAT', new RegExp(`^cublas(S(${realVectors})|Is|Gemm)`)],
  [cublas, 'BLAS_DOUBLE', new RegExp(`^cublas(D(${realVectors})|Id|Gemm)`)],
  [cublas, 'BLAS_COMPLEX', /^cublas([CZ]gemm(?!v)|Gemm)/],
  [cublas, 'BLAS_MIXED', /^cublas(H|Gemm|Sgemm(Batched|StridedBatched)?Ex)/],
  ...levelsOf('S', 'LEVELS_FLOAT', /^cublas(Srotm?_v2|RotEx)$/),
  ...levelsOf('D', 'LEVELS_DOUBLE', /^cublas(Drotm?_v2|RotEx)$/),
  ...levelsOf(
    'C',
    'LEVELS_COMPLEX',
    /^cublas((C(axpy|s?scal|copy|swap|dot[uc]|s?rot)|Sc(asum|nrm2)|Icam(ax|in))_v2|RotEx)$/,
  ),
  ...levelsOf(
    'Z',
    'LEVELS_DOUBLE_COMPLEX',
    /^cublas((Z(axpy|d?scal|copy|swap|dot[uc]|d?rot)|Dz(asum|nrm2)|Izam(ax|in))_v2|RotEx)$/,
  ),
  [levels, 'LEVEL_3 LEVELS_COMPLEX', /^cublasC(sy|he)rk(3m)?Ex$/],
  [cublas, 'BLAS_LT', /^cublasLtMatmul$/],
  [cublas, 'BLAS_LT8', /^cublasLtMatmul$/],
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
  ...solverOf('S', 'FLOAT'),
  ...solverOf('D', 'DOUBLE'),
  ...solverOf('C', 'COMPLEX'),
  ...solverOf('Z', 'DOUBLE_COMPLEX'),
  ...sparseSolverOf('S', 'FLOAT'),
  ...sparseSolverOf('D', 'DOUBLE'),
  ...sparseSolverOf('C', 'COMPLEX'),
  ...sparseSolverOf('Z', 'DOUBLE_COMPLEX'),
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
  [cufft, 'CUFFT_SINGLE', /^cufft(Exec(C2C|R2C|C2R)|XtExec(Descriptor(C2C|R2C|C2R)?)?)$/],
  [cufft, 'CUFFT_DOUBLE', /^cufft(Exec(Z2Z|D2Z|Z2D)|XtExec(Descriptor(Z2Z|D2Z|Z2D)?)?)$/],
  [cufftParts, 'CUFFT_PARTS', /^cufftXtExecDescriptor(C2C|Z2Z)?$/],
];

/** Sources to compile for the device beside the program itself, from the calls that its host side makes. */
export function librarySources(host: Uint8Array<ArrayBuffer>): LibrarySource[] {
  // Most programs are done here.
  const text = Buffer.from(host.buffer, host.byteOffset, host.length);
  const named = ['cublas', 'cusparse', 'cusolver', 'curandCreate', 'cufft'];
  if (!named.some((name) => text.includes(name))) return [];
  const calls = functionImports(host).map(({ name }) => name);
  return sourcesOf(calls);
}

/** What cuBLASXt calls for its tiles. */
function ofTiles(name: string): string[] {
  const [, X, routine] = /^cublasXt([SDCZ])(gemm|[st][pyr][ms]m|hemm|(?:sy|he)r(?:kx?|2k))$/.exec(name) ?? [];
  if (X === undefined) return [];
  const own = `cublas${X}${routine === 'spmm' ? 'symm' : routine}`;
  return [`cublas${X}gemm_v2`, own, `${own}_v2`];
}

/** The sources for calls of these names. */
export function sourcesOf(names: readonly string[]): LibrarySource[] {
  // Calls with 64-bit sizes have the kernels of the others.
  const calls = names.flatMap((name) => [name.replace(/^(cublas\w+)_64$/, '$1'), ...ofTiles(name)]);
  const needed = families.filter(([, , pattern]) => calls.some((name) => pattern.test(name)));
  // Two patterns may mean the same part.
  const distinct = new Map(needed.map(([source, defines]) => [`${source} ${defines}`, { source, defines }]));
  return [...distinct.values()].map(({ source, defines }) => ({
    ...{ source, defines: defines.split(' ').map((define) => `${define}=1`) },
  }));
}
