import { describe, expect, test } from 'vitest';
import { warpStateRows } from '../../../engine/model/warp-states.ts';
import { meaningOf } from '../../../renderer/src/kernel/state-words.ts';
import type { CompareRow } from '../../../engine/model/comparison.ts';
import type { Workspace } from '../../../renderer/src/app/workspace.svelte.ts';
import { commandForKey, commands } from '../../../renderer/src/commands.ts';
import { keyLabel, keyOf } from '../../../renderer/src/keys.ts';
import { joinArguments, splitArguments } from '../../../renderer/src/record/command-line.ts';
import { axesOf } from '../../../renderer/src/record/sweep-form.ts';
import { complaintOf, emptyForm, formOf, optionsOf } from '../../../renderer/src/record/record-form.ts';
import { changeOf } from '../../../renderer/src/compare/change-words.ts';
import { baseName, isNamed, sameName } from '../../../renderer/src/trace/kernel-name.ts';
import { compareRow } from './compare-row.ts';
import { toCsv } from '../../../renderer/src/trace/csv.ts';
import { formatCell, sortRows } from '../../../renderer/src/trace/report-table.ts';

describe('command lines', () => {
  test.each([
    ['', []],
    ['  1024   --check ', ['1024', '--check']],
    ['"a b" c', ['a b', 'c']],
    ["'it''s'", ['its']],
    ['a\\ b "say \\"hi\\""', ['a b', 'say "hi"']],
    ['""', ['']],
    ['C:\\dir\\file', ['C:\\dir\\file']],
  ])('%j', (text, words) => {
    expect(splitArguments(text)).toEqual(words);
  });
  test('joining is the reverse', () => {
    const words = ['plain', 'two words', 'quo"te', "it's", 'back\\slash', ''];
    expect(splitArguments(joinArguments(words))).toEqual(words);
  });
});

describe('the record form', () => {
  const form = { ...emptyForm(), gpu: 'a100', sources: [' /a.cu ', ''], defines: '-DTILE=16 FAST', environment: 'A=1' };
  test('becomes options, blanks dropped', () => {
    expect(optionsOf(form)).toEqual({
      sources: ['/a.cu'],
      gpu: 'a100',
      includeFolders: [],
      defines: ['TILE=16', 'FAST'],
      environment: ['A=1'],
      arguments: [],
    });
  });
  test('and back', () => {
    expect(optionsOf(formOf(optionsOf(form)))).toEqual(optionsOf(form));
    const two = optionsOf({ ...form, gpuCount: 2 });
    expect(two.gpu).toBe('2xa100');
    expect(formOf(two)).toMatchObject({ gpu: 'a100', gpuCount: 2 });
  });
  test('limits of registers and shared memory: as typed, or not at all', () => {
    const typed = { ...form, maxRegisters: ' 32 ', carveout: '50 %', extraSharedBytes: '16K' };
    const limited = optionsOf(typed);
    expect(limited).toMatchObject({ maxRegisters: 32, carveout: 50, extraSharedBytes: 16_384 });
    expect(formOf(limited)).toMatchObject({ maxRegisters: '32', carveout: '50', extraSharedBytes: '16384' });
    expect(optionsOf(formOf(limited))).toEqual(limited);
    expect(complaintOf(typed)).toBeNull();
    expect(complaintOf({ ...form, carveout: '0', extraSharedBytes: '0' })).toBeNull();
    for (const [wrong, says] of [
      [{ maxRegisters: '0' }, /1 to 255/],
      [{ maxRegisters: 'many' }, /1 to 255/],
      [{ carveout: '101' }, /0 to 100/],
      [{ carveout: '1e1' }, /0 to 100/],
      [{ extraSharedBytes: '1.5' }, /bytes per block/],
      [{ extraSharedBytes: '2048M' }, /bytes per block/],
    ] as const)
      expect(complaintOf({ ...form, ...wrong })).toMatch(says);
    // In a sweep they are axes of one value, where they are not varied.
    expect(axesOf(['a100'], [{ kind: 'carveout', name: '', values: '0 100' }], limited)).toEqual([
      { kind: 'carveout', name: 'Carve-out', values: ['0', '100'] },
      { kind: 'registers', name: 'Registers', values: ['32'] },
      { kind: 'shared', name: 'Extra shared', values: ['16384'] },
      { kind: 'gpu', name: 'GPU', values: ['a100'] },
    ]);
  });
  test('says what is missing', () => {
    expect(complaintOf(emptyForm())).toMatch(/Choose a CUDA source/);
    expect(complaintOf({ ...form, environment: 'A=1 oops' })).toMatch(/“oops” is not NAME=VALUE/);
    expect(complaintOf({ ...form, defines: 'TILE=16 2D' })).toMatch(/Defines: “2D” is not NAME or NAME=VALUE/);
    expect(complaintOf(form)).toBeNull();
  });
});

describe('names', () => {
  test.each([
    ['saxpy', 'saxpy'],
    ['void saxpy<float>(int, float *)', 'saxpy'],
    ['void ns::inner::saxpy<Tile<16, 16>>(const float *)', 'saxpy'],
    ['(anonymous namespace)::blur(unsigned char *)', 'blur'],
    ['cudaMemcpyAsync', 'cudaMemcpyAsync'],
  ])('%s is %s', (full, name) => {
    expect(baseName(full)).toBe(name);
  });
  test('labels match reports', () => {
    expect(sameName('saxpy', 'void saxpy<float>(int)')).toBe(true);
    expect(sameName('saxpy2', 'void saxpy<float>(int)')).toBe(false);
    expect(sameName('[CUDA memcpy Host-to-Device]', '[CUDA memcpy Device-to-Host]')).toBe(false);
    expect(sameName('Memcpy HtoD (Pinned)', '[CUDA memcpy Host-to-Device]')).toBe(true);
    expect(sameName('Memcpy DtoH (Pageable)', '[CUDA memcpy Host-to-Device]')).toBe(false);
    expect(sameName('Memset', '[CUDA memset]')).toBe(true);
    expect(sameName('cudaMemcpyAsync', '[CUDA memcpy Host-to-Device]')).toBe(false);
  });
  test('one instance of a template is meant by its own name, all of them by the short one', () => {
    const four = { label: 'vec', fullName: 'void vec<4, Add>(float*)' };
    const two = { label: 'vec', fullName: 'void vec<2, Mul>(float*)' };
    const meant = (name: string): boolean[] => [four, two].map((each) => isNamed(each, name));
    expect(meant('void vec<4, Add>(float*)')).toEqual([true, false]);
    expect(meant('vec')).toEqual([true, true]);
    // Where a trace does not say which instance an event is, it may be any.
    expect(isNamed({ label: 'vec', fullName: 'vec' }, 'void vec<4, Add>(float*)')).toBe(true);
    expect(isNamed({ label: 'blur', fullName: '(anonymous namespace)::blur' }, 'blur')).toBe(true);
    const copy = { label: 'Memcpy HtoD (Pinned)', fullName: '[CUDA memcpy Host-to-Device]' };
    expect(isNamed(copy, '[CUDA memcpy Host-to-Device]')).toBe(true);
  });
});

describe('report tables', () => {
  test('cells by type', () => {
    expect(formatCell(12.345, 'percent')).toBe('12.3 %');
    expect(formatCell(1_500_000, 'nanoseconds')).toBe('1.5 ms');
    expect(formatCell(null, 'bytes')).toBe('');
    expect(formatCell('x', 'integer')).toBe('x');
  });
  test('sorting puts empty cells last in both directions', () => {
    const rows = [[2], [null], [10], [1]];
    expect(sortRows(rows, 0, false)).toEqual([[1], [2], [10], [null]]);
    expect(sortRows(rows, 0, true)).toEqual([[10], [2], [1], [null]]);
  });
  test('CSV quotes what needs it', () => {
    const rows = [
      ['f<int, "x">', 3],
      [null, 4],
    ];
    expect(toCsv(['Name', 'Total'], rows)).toBe('Name,Total\r\n"f<int, ""x"">",3\r\n,4');
  });
});

test('every state of a warp is said in words, and labels that other tools give are left as they are', () => {
  for (const { label, meaning } of Object.values(warpStateRows)) expect(meaningOf(label), label).toBe(meaning);
  expect(meaningOf('No State of Ours')).toBe('');
});

describe('commands', () => {
  const key = (name: string, modifiers: Partial<KeyboardEvent> = {}) =>
    keyOf({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...modifiers });
  test('keys have one name each', () => {
    expect(key('o')).toBe('O');
    expect(key('O', { ctrlKey: true, shiftKey: true })).toBe('Ctrl+Shift+O');
    expect(key('o', { metaKey: true })).toBe('Ctrl+O');
    expect(key('?', { shiftKey: true })).toBe('?');
    expect(key('ArrowLeft')).toBe('ArrowLeft');
  });
  test('are shown as the platform writes them', () => {
    expect(keyLabel('Ctrl+Shift+O', true)).toBe('⌘⇧O');
    expect(keyLabel('Ctrl+Shift+O', false)).toBe('Ctrl+Shift+O');
    expect(keyLabel('+', false)).toBe('+');
  });
  test('no key and no id means two things', () => {
    const keys = commands.flatMap((command) => command.keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
  });
  test('the desktop menu finds its commands', () => {
    const ids = commands.map(({ id }) => id);
    const menu = [
      'trace.open',
      'record.open',
      'trace.close',
      'compare.open',
      'view.zoomIn',
      'view.zoomOut',
      'view.fit',
      'help.shortcuts',
    ];
    expect(menu.filter((id) => !ids.includes(id))).toEqual([]);
  });
  test('those that need a trace are off without one', () => {
    const nothingOpen = { trace: null, traces: [] } as unknown as Workspace;
    expect(commandForKey('W', nothingOpen)).toBeUndefined();
    expect(commandForKey('O', nothingOpen)?.id).toBe('trace.open');
  });
});

describe('the comparison’s verdict', () => {
  const row = (beforeNs: number, afterNs: number, more: Partial<CompareRow> = {}): CompareRow => ({
    ...compareRow('kernel', 'saxpy', [1, beforeNs], [1, afterNs]),
    ratio: beforeNs > 0 && afterNs > 0 ? afterNs / beforeNs : null,
    ...more,
  });
  test('less time is better', () => {
    expect(changeOf(row(200, 100))).toEqual({ text: '2.00× faster', sign: '▼', verdict: 'better' });
    expect(changeOf(row(100, 200))).toEqual({ text: '2.00× slower', sign: '▲', verdict: 'worse' });
    expect(changeOf(row(100, 100))).toMatchObject({ sign: '=', verdict: 'same' });
    expect(changeOf(row(0, 100))).toMatchObject({ text: 'only after', verdict: 'worse' });
    expect(changeOf(row(100, 0))).toMatchObject({ text: 'only before', verdict: 'better' });
  });
  test('but more copies hidden under kernels are', () => {
    const overlap = { kind: 'total', name: 'Copies under kernels' } as const;
    expect(changeOf(row(100, 200, overlap))).toEqual({ text: '2.00× more', sign: '▲', verdict: 'better' });
    expect(changeOf(row(0, 200, overlap))).toMatchObject({ verdict: 'better' });
    expect(changeOf(row(200, 100, overlap))).toEqual({ text: '2.00× less', sign: '▼', verdict: 'worse' });
  });
});
