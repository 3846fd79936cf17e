/** Refusals of unsupported features: they name what is missing, the CUDA version that introduced it, and a remedy. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileProgram } from '../../../engine/compile/index.ts';
import { compileError, parseMessages } from '../../../engine/compile/diagnostics.ts';
import { SimsightError } from '../../../engine/base/errors.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const folder = temporaryFolder();
const cases = new URL('../../cases/', import.meta.url).pathname;
const refused = async (name: string): Promise<SimsightError> => {
  const request = {
    ...{ sources: [join(cases, name)], includeFolders: [], defines: [] },
    computeCapability: { major: 9, minor: 0 },
  };
  const error = await compileProgram(request, { cacheFolder: folder }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SimsightError)) throw new Error(`${name} was not refused`);
  return error;
};

test.each([
  [
    'cpp20.cu',
    /unknown type name 'concept': that is C\+\+20, which nvcc accepts since CUDA 12\.0 .* as C\+\+17/,
    /^Record it with --std c\+\+20 /,
  ],
  ['cuda_std_span.cu', /cuda::std::span \(in CUDA since 11\.8\) is not supported/, /a pointer and a length/],
  ['cluster_dims.cu', /clusters of blocks \(in CUDA since 11\.8, .* 9\.0 and up\) are not simulated/, /global memory/],
])('%s', async (name, message, remedy) => {
  const error = await refused(name);
  expect(error.code).toBe('compile-failed');
  expect(error.message).toMatch(message);
  expect(error.remedy).toMatch(remedy);
  expect(error.place).toMatchObject({ file: join(cases, name) });
});

const first = (text: string): { message: string; remedy: string } => {
  const { message, remedy } = compileError(
    parseMessages([`a.cu:3:4: error: ${text}\n`], (path) => path),
    (file) => file,
  );
  return { message, remedy };
};

test.each([
  [
    "'thrust/device_vector.h' file not found",
    /Thrust, CUB and libcu\+\+ are read from the user's own copy/,
    /CUDA_HOME, or add .* with -I/,
  ],
  ["'cub/cub.cuh' file not found", /no copy on this machine has this header/, /libcub-dev/],
  ["use of undeclared identifier 'cusparseScsrsv2_solve'", /does not know this CUDA name/, /spelled/],
  ["'cusolverMg.h' file not found", /cusolverDn\.h, cusolverSp\.h/, /your own kernels/],
  ["use of undeclared identifier 'cusolverDnDsytrf'", /does not know this CUDA name/, /spelled/],
  ["'cufftw.h' file not found", /only cufft\.h and cufftXt\.h/, /cufftPlan1d/],
  ["'nvPTXCompiler.h' file not found", /at run time is not simulated/, /nvrtc\.h/],
  ["'curand_discrete2.h' file not found", /curand_kernel\.h/, /curand\.h/],
  ["'cuda/std/mdspan' file not found", /libcu\+\+/, /write the parts you need/],
  ["'helper_cuda.h' file not found", /part of NVIDIA's samples/, /"Common" of the samples with -I/],
  ["'torch/extension.h' file not found", /Python and PyTorch/, /main\(\)/],
  ["'sys/mman.h' file not found", /WebAssembly/, /portable C\+\+/],
  ["no member named 'this_cluster' in namespace 'cooperative_groups'", /clusters .* since 11\.8/, /global memory/],
  ["unknown type name 'CUtensorMap'", /TMA, in CUDA since 12\.0/, /cp\.async/],
  ["use of undeclared identifier 'cudaMemcpyBatchAsync'", /since 12\.8/, /cudaMemcpyAsync for each/],
  ["use of undeclared identifier 'cudaSomethingNew'", /does not know this CUDA name/, /spelled/],
  ["no template named 'span' in namespace 'std'", /C\+\+20/, /pointer with a length/],
  ["unknown type name 'consteval'", /C\+\+20/, /constexpr/],
  ["unknown type name '__nv_fp4_e2m1'", /a header of its own/, /cuda_fp4\.h/],
])('%s', (text, message, remedy) => {
  const said = first(text);
  expect(said.message).toMatch(message);
  expect(said.message).toMatch(/^a\.cu:3:4: error: /);
  expect(said.remedy).toMatch(remedy);
});

test.each([
  ["'my/cluster_sort.h' file not found", 'Add the folder of the header with -I.'],
  ["'mpi_queue.h' file not found", 'Add the folder of the header with -I.'],
  ["use of undeclared identifier 'count'", 'Correct the source and compile again.'],
  ["no member named 'size' in 'Buffer'", 'Correct the source and compile again.'],
  ["expected ';' after expression", 'Correct the source and compile again.'],
])('what is the program’s own is no refusal: %s', (text, remedy) => {
  expect(first(text)).toEqual({ message: `a.cu:3:4: error: ${text}`, remedy });
});
