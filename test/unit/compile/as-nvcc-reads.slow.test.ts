/**
 * Texts that nvcc takes: calls of templates that are members of something not known yet, without `template`; `asm` without commas;
 * launches with spaces in their signs.
 */
import { afterAll, expect, test } from 'vitest';
import { compileProgram, CompileError, releaseCompiler } from '../../../engine/compile/index.ts';
import { asNvccReads } from '../../../engine/compile/as-nvcc-reads.ts';
import { cacheFolder, newFolder, request, write } from '../cuda/program.ts';

const program = (call: string): string => `template <typename T> struct Cast {
  template <int N> __device__ static float sum(const T *x) { float s = 0; for (int i = 0; i < N; i++) s += x[i]; return s; }
  template <int N> __device__ float twice(T x) const { return x * N; }
};
template <typename T, int N> __device__ float both(const T *x) {
  Cast<T> c;
  const Cast<T> *p = &c;
  return ${call};
}
__global__ void run(float *o, const int *x) { *o = both<int, 4>(x); }
int main() { run<<<1, 1>>>(nullptr, nullptr); }
`;

const compiled = (text: string): Promise<unknown> =>
  compileProgram(request([write(newFolder(), 'app.cu', text)]), { cacheFolder });

afterAll(releaseCompiler);

test.each([
  ['static', 'Cast<T>::sum<N>(x) + ::Cast<T>::sum<N>(x)'],
  ['of an object, with others in the same line', 'Cast<T>::sum<N>(x) + c.twice<2>(x[0]) + p->twice<2>(x[1])'],
  ['with the word', 'Cast<T>::template sum<N>(x)'],
])('%s', async (_, call) => {
  await expect(compiled(program(call))).resolves.toBeTruthy();
});

test('asm without commas between its operands', async () => {
  const text = `__global__ void run(int *o, int a, int b) {
  asm volatile("st.release.sys.global.u32 [%1], %0;" ::"r"(a + b) "l"(o) : "memory");
  int sum;
  asm("{ .reg .u32 t; add.u32 t, %1, %2; add.u32 %0, t, %3; }" : "=r"(sum) : "r"(a) "r"(b) "r"(3));
  o[1] = sum;
}
int main() { run<<<1, 1>>>(nullptr, 1, 2); }
`;
  await expect(compiled(text)).resolves.toBeTruthy();
});

test('launches with spaces in their signs, in templates, in macros and over several lines', async () => {
  const text = `#define LAUNCH(kernel, ...) kernel << <1, 32 >> > (__VA_ARGS__)
template <class T> __global__ void set(T *a, int n) { a[threadIdx.x] = n; }
template <class T> void launch(T *a) { set<T> << <1, 4 >> > (a, 7); set<< < 1, 4>> >(a, 7); }
int main() {
  const char *text = "<< < >> >";
  launch((int *)nullptr);
  set<int> << <dim3(1), dim3(4),
    0 >> >(nullptr, text[0]);
  set<int> <<<1, 1 >> >(nullptr, 1);
  LAUNCH(set<int>, nullptr, 5);
}
`;
  await expect(compiled(text)).resolves.toBeTruthy();
});

test('an error that it does not mend is that of the text as it was written', async () => {
  const error = await compiled(program('Cast<T>::sum<N>(x) + unknown')).catch((thrown: CompileError) => thrown);
  expect(error).toBeInstanceOf(CompileError);
  expect((error as CompileError).details).toContain('Cast<T>::sum<N>(x) + unknown');
  expect((error as CompileError).details).not.toContain('::template');
});

test('columns are bytes, and what is no such place stays', () => {
  const files = new Map([['/a.cu', new TextEncoder().encode('/* ä */ f(Cast<T>::sum<N>(x));\nint y = x;\n')]]);
  const said = (line: number, column: number): string =>
    `/a.cu:${line}:${column}: error: reference to overloaded function could not be resolved; did you mean to call it?\n`;
  const corrected = asNvccReads(files, [said(1, 12), said(1, 12)]);
  expect(new TextDecoder().decode(corrected!.get('/a.cu'))).toBe(
    '/* ä */ f(Cast<T>::template sum<N>(x));\nint y = x;\n',
  );
  expect(asNvccReads(files, [said(2, 9)])).toBeNull();
  expect(asNvccReads(files, ['/a.cu:1:12: error: no type named'])).toBeNull();
});
