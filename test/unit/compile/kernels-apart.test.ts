/** Kernels of one source taken apart, before they are optimized. */
import { describe, expect, test } from 'vitest';
import { kernelsApart } from '../../../engine/compile/kernels-apart.ts';

const kernel = (name: string, body = '  ret void'): string =>
  `define ptx_kernel void @${name}(ptr noundef %out) #0 !dbg !${name.length + 10} {\nentry:\n${body}\n}\n`;
const metadata = `!llvm.dbg.cu = !{!0}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1)
!1 = !DIFile(filename: "a.cu", directory: "/")
!11 = distinct !DISubprogram(name: "a", unit: !0)
!12 = distinct !DISubprogram(name: "ab", unit: !0)
!13 = distinct !DISubprogram(name: "abc", unit: !0)
!14 = distinct !DISubprogram(name: "abcd", unit: !0)
`;
const variables = `@scale = addrspace(1) externally_initialized global float 2.000000e+00, align 4
@_ZL7counter = internal addrspace(1) global i32 0, align 4
@_ZL5place = internal addrspace(1) global ptr @_ZL7counter, align 8
@_ZL5table = internal addrspace(4) constant [2 x i32] [i32 1, i32 2], align 4
@.str = private unnamed_addr constant [4 x i8] c"%d\\0A\\00", align 1
@threadIdx = extern_weak addrspace(1) global %struct.index, align 1
@_ZZ1avE4tile = internal addrspace(3) global [32 x float] undef, align 4
@llvm.compiler.used = appending global [1 x ptr] [ptr @scale], section "llvm.metadata"
`;
const source = (...kernels: string[]): string =>
  `target triple = "nvptx64-nvidia-cuda"

%struct.index = type { i8 }

$_Z4leafv = comdat any

${variables}
${kernels.join('\n')}
define linkonce_odr i32 @_Z4leafv() #1 comdat {
  %1 = load i32, ptr addrspacecast (ptr addrspace(1) @_ZL7counter to ptr), align 4
  ret i32 %1
}

declare float @__nv_sinf(float) #2

attributes #0 = { convergent }
attributes #1 = { noinline }

${metadata}`;
const four = [
  kernel('a', '  %1 = call i32 @_Z4leafv()\n  store i32 %1, ptr %out, align 4\n  ret void'),
  kernel(
    'ab',
    '  store float 0.000000e+00, ptr addrspacecast (ptr addrspace(3) @_ZZ1avE4tile to ptr), align 4\n  ret void',
  ),
  kernel('abc', '  %1 = load i32, ptr addrspacecast (ptr addrspace(4) @_ZL5table to ptr), align 4\n  ret void'),
  kernel('abcd', '  %1 = load ptr, ptr addrspacecast (ptr addrspace(1) @_ZL5place to ptr), align 8\n  ret void'),
];

describe('a kernel apart', () => {
  const apart = kernelsApart(source(...four))!;

  test('has what it reaches and nothing else', () => {
    expect(apart.names).toEqual(['a', 'ab', 'abc', 'abcd']);
    const a = apart.kernel('a');
    for (const text of ['@a(', '@_Z4leafv()', '$_Z4leafv = comdat any', '@_ZL7counter =', '!11 =', '!1 =', '#1 ='])
      expect(a).toContain(text);
    for (const text of ['@ab(', '@__nv_sinf', '@scale', '@_ZL5table', '!12 =']) expect(a).not.toContain(text);
    expect(apart.kernel('abcd')).not.toContain('_Z4leafv');
  });

  test('may not count on being the only one that writes a variable', () => {
    expect(apart.kernel('a')).toMatch(/^@_ZL7counter = addrspace\(1\) global i32 0/m);
    expect(apart.kernel('ab')).toMatch(/^@_ZZ1avE4tile = internal addrspace\(3\) global/m);
    expect(apart.kernel('abc')).toMatch(/^@_ZL5table = internal addrspace\(4\) constant/m);
    // Nothing writes it, and its own address is nowhere.
    expect(apart.kernel('abcd')).toMatch(/^@_ZL5place = internal addrspace\(1\) global ptr/m);
  });

  test('shares variables and strings, but no constants that it alone knows of', () => {
    const shared = [...apart.variables.matchAll(/^@(\S+) =/gm)].map(([, name]) => name);
    expect(shared).toEqual(['scale', '_ZL7counter', '.str']);
    expect(apart.variables).not.toContain('define ');
  });
});

describe('kernels stay together', () => {
  test('where there are few', () => expect(kernelsApart(source(...four.slice(1)))).toBeNull());

  test('where the address of a function is data', () => {
    const taken = kernel('abcde', '  store ptr @_Z4leafv, ptr %out, align 8\n  ret void').replace('!15', '!14');
    expect(kernelsApart(source(...four, taken))).toBeNull();
    expect(kernelsApart(`${source(...four)}@calls = addrspace(1) global [1 x ptr] [ptr @_Z4leafv]\n`)).toBeNull();
  });

  test('where something runs before them', () => {
    const constructors = '@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] zeroinitializer\n';
    expect(kernelsApart(`${source(...four)}${constructors}`)).toBeNull();
  });
});
