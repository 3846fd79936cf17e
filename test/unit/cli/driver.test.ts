/** Command lines of compilers as makefiles write them, objects, and archives. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { archiveOf } from '../../../engine/cli/driver/archive.ts';
import { linkInputs } from '../../../engine/cli/driver/inputs.ts';
import { isProgramFile } from '../../../engine/base/program-file.ts';
import { parseProgram } from '../../../engine/cli/program.ts';
import { readWords } from '../../../engine/cli/driver/options.ts';
import { identityOf, toolkitVariable, wordsOfToolkit } from '../../../engine/cli/driver/toolkit-words.ts';
import { withMath } from '../../../engine/compile/device-math.ts';
import { archiveMembers, objectBytes, objectOf } from '../../../engine/compile/objects.ts';
import type { StoredUnit } from '../../../engine/compile/stored-units.ts';

const folder = mkdtempSync(join(tmpdir(), 'simsight-'));
const include = join(folder, 'include');
mkdirSync(include);

test('options have nvcc’s spellings', () => {
  const words = [
    ...['-dc', '--std=c++20', '-arch', 'sm_86', '-gencode', 'arch=compute_90,code=sm_90', '-O3', '-lineinfo'],
    ...[`-I${include}`, '-I', include, `--include-path=${include}`, '-isystem', include, '-DA,B=2', '-D', 'C', '-UA'],
    ...['-Xcompiler', '-Wall,-fopenmp', '-maxrregcount=64', '--use_fast_math', '-fmad=false', '-odir', 'out'],
    ...['--output-file=x.o', '-lm', '-Llib', 'a.cu', '-x', 'cu', 'b.cpp'],
  ];
  const { inputs, source, ...options } = readWords('nvcc', words);
  expect(options).toMatchObject({
    ...{ phase: 'compile', relocatable: true, output: 'x.o', outputFolder: 'out', openmp: true },
    ...{ computeCapability: { major: 8, minor: 6 }, libraries: ['m'], libraryFolders: ['lib'] },
  });
  expect(inputs).toEqual([{ path: 'a.cu' }, { path: 'b.cpp', language: 'cuda' }]);
  expect(source).toEqual({
    includeFolders: [include, include, include],
    systemFolders: [include],
    defines: ['B=2', 'C'],
    undefines: ['A'],
    standard: 'c++20',
    maxRegisters: 64,
    math: { fastMath: true, fmad: false },
  });
});

test('what is not modelled is said once, and what is not known is refused', () => {
  expect([...readWords('nvcc', ['-G', '-G', '-dlto', 'a.cu']).notes]).toHaveLength(2);
  expect(() => readWords('nvcc', ['-frobnicate', 'a.cu'])).toThrow('unknown option -frobnicate');
  expect(() => readWords('nvcc', ['-c'])).toThrow('no input files');
  expect(readWords('c++', ['-shared', 'a.cpp'])).toMatchObject({ shared: true, phase: 'link' });
  expect(readWords('c++', ['-fPIC', '-march=native', '-Wl,-rpath,x', '-ggdb', 'a.cpp']).inputs).toHaveLength(1);
});

test('words come from files of options, as a shell has them', () => {
  const file = join(folder, 'options.rsp');
  const inner = join(folder, 'inner.rsp');
  writeFileSync(inner, '-DQUOTED=\\"a\\" "-DTWO WORDS"\n');
  writeFileSync(file, `-isystem '${include}' --options-file ${inner}\n  a.cu`);
  const read = readWords('nvcc', ['-c', '--options-file', file, '-lm']);
  expect(read).toMatchObject({ inputs: [{ path: 'a.cu' }], libraries: ['m'] });
  expect(read.source).toMatchObject({ systemFolders: [include], defines: ['QUOTED="a"', 'TWO WORDS'] });
  expect(readWords('c++', [`@${inner}`, 'a.cpp']).source.defines).toEqual(['QUOTED="a"', 'TWO WORDS']);
  expect(() => readWords('nvcc', ['-optf', join(folder, 'none'), 'a.cu'])).toThrow('none');
});

test('nvcc says where its toolkit is, and programs what compiled them, in the words that CMake looks for', () => {
  vi.stubEnv(toolkitVariable, '/toolkit');
  const said = wordsOfToolkit(readWords('nvcc', ['-v', '-arch=sm_86', 'a.cu', '-o', 'a']));
  expect(said).toMatch(/^#\$ TOP=\/toolkit$/m);
  expect(said).toMatch(/^#\$ LIBRARIES= +("-L[^"]*" )*"-L\/toolkit\/lib64"$/m);
  expect(said).toMatch(/^#\$ "\/toolkit\/bin\/simsight-c\+\+" -o "a" .*-lcudart_static/m);
  expect(said).toContain('-arch compute_86');
  vi.unstubAllEnvs();
  expect(wordsOfToolkit(readWords('nvcc', ['-v', 'a.cu']))).toBe('');
  const strings = identityOf(new TextEncoder().encode('\0INFO:compiler[NVIDIA]\0 INFO: x\0INFO:abi[ELF]'));
  expect(strings.toString()).toBe('\0\nINFO:compiler[NVIDIA]\nINFO:abi[ELF]\n');
  const program = objectBytes({ units: [unit] }, 'program');
  expect(objectOf(Buffer.concat([program, strings]))).toEqual({ units: [unit] });
});

const unit: StoredUnit = {
  ...{ source: '/home/me/a.cu', language: 'cuda', includeFolders: [], defines: ['X=1'], relocatable: true },
  files: [['/home/me/a.cu', 'int x; // \u00e9\0']],
};

test('objects and programs are read as they are written, and nothing else is', () => {
  const object = { units: [unit], optional: [{ ...unit, relocatable: true as const }] };
  const isFile = (content: Uint8Array): boolean => {
    writeFileSync(join(folder, 'is-a-program'), content);
    return isProgramFile(join(folder, 'is-a-program'));
  };
  const bytes = objectBytes(object, 'object');
  expect(objectOf(bytes)).toEqual(object);
  expect(isFile(bytes)).toBe(false);
  const program = objectBytes(object, 'program');
  expect(objectOf(program)).toEqual(object);
  expect(isFile(program)).toBe(true);
  expect(program.toString('latin1', 0, 2)).toBe('#!');
  for (const other of [program.subarray(0, -9), Buffer.from('\u007fELF'), Buffer.alloc(0)])
    expect(objectOf(other)).toBeNull();
  for (const wrong of [{ source: 1 }, { files: [] }, { defines: 'X' }, { standard: '-o' }, { language: 'ada' }])
    expect(objectOf(objectBytes({ units: [{ ...unit, ...wrong } as StoredUnit] }, 'object'))).toBeNull();
});

test('a library of the project’s own is linked, whatever it is called; one of the toolkit or the system is there', () => {
  const options = readWords('nvcc', ['a.o']);
  const archive = join(folder, 'libutil.a');
  writeFileSync(archive, archiveOf([['a.o', objectBytes({ units: [unit] }, 'object')]]));
  const shared = join(folder, 'libm.so');
  const other: StoredUnit = { ...unit, source: '/home/me/b.cu', files: [['/home/me/b.cu', 'int y;']] };
  writeFileSync(shared, objectBytes({ units: [other] }, 'object'));
  const { object, missing } = linkInputs([archive, archive, shared], options);
  expect(object.optional).toEqual([unit]);
  expect(object.units).toEqual([other]);
  expect(missing).toEqual([]);
  const absent = ['/usr/lib/libm.so.6', '/toolkit/lib64/libcudart.so', '/toolkit/lib64/libcudart_static.a'];
  expect(linkInputs(absent, options)).toEqual({ object: { units: [], optional: [] }, missing: [] });
});

test('archives are those of ar', () => {
  const members: [string, Uint8Array][] = [
    ['a.o', Buffer.from('one')],
    ['a_name_that_is_too_long.o', Buffer.from('four')],
  ];
  const archive = archiveOf(members);
  expect(archiveMembers(archive)!.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
    ['a.o', 'one'],
    ['a_name_that_is_too_long.o', 'four'],
  ]);
  expect(archiveMembers(Buffer.from('no archive'))).toBeNull();
});

test('fast math has the functions that nvcc takes', () => {
  const ir = `  %1 = fdiv contract float %x, %y, !dbg !3
  %2 = fdiv float 1.000000e+00, %y
  %3 = fdiv double %a, %b
  %4 = tail call contract noundef float @__nv_sinf(float noundef %x) #2
  %5 = tail call float @__nv_fast_sinf(float %x)
  %6 = call float @llvm.sqrt.f32(float %x)
declare float @__nv_sinf(float noundef) #1
declare float @__nv_fast_sinf(float noundef) #1
declare float @llvm.sqrt.f32(float)
`;
  expect(withMath(ir, {})).toBe(ir);
  expect(withMath(ir, { precDiv: false })).toContain(
    '%1 = call float @llvm.nvvm.div.full.f(float %x, float %y), !dbg !3',
  );
  const fast = withMath(ir, { fastMath: true });
  expect(fast).toContain('%1 = call float @llvm.nvvm.div.approx.ftz.f(float %x, float %y), !dbg !3');
  expect(fast).toContain('%2 = call float @llvm.nvvm.rcp.approx.ftz.f(float %y)\n');
  expect(fast).toContain('%3 = fdiv double %a, %b\n');
  expect(fast).toContain('%4 = tail call contract noundef float @__nv_fast_sinf(float noundef %x) #2\n');
  expect(fast).toContain('%6 = call float @llvm.nvvm.sqrt.approx.ftz.f(float %x)\n');
  expect(fast.match(/^declare .*@__nv_fast_sinf\(/gm)).toHaveLength(1);
  // What is said beside fast math holds.
  expect(withMath(ir, { fastMath: true, precDiv: true })).toContain('%1 = fdiv contract float %x, %y');
});

test('after the name of a linked program come its arguments, with dashes or without', () => {
  const app = join(folder, 'app');
  writeFileSync(app, objectBytes({ units: [] }, 'program'));
  const read = (...words: string[]) => {
    const { sources, arguments: given, gpu } = parseProgram('record', words).options;
    return { sources, given, gpu };
  };
  const same = { sources: [app], given: ['-n', '8', '--fast'], gpu: 'a100' };
  expect(read('--gpu', 'a100', app, '-n', '8', '--fast')).toEqual(same);
  expect(read('--gpu', 'a100', app, '--', '-n', '8', '--fast')).toEqual(same);
  expect(read(app, '--gpu', 'a100', '--', '-n', '8', '--fast')).toEqual(same);
  expect(read('--gpu', 'a100', '--', app, '-n', '8', '--fast')).toEqual(same);
  // Sources have theirs behind dashes.
  expect(() => read('--gpu', 'a100', 'app.cu', '-n', '8')).toThrow("Unknown option '-n'");
});
