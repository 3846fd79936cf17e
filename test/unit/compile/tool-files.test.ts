import { describe, expect, test } from 'vitest';
import { ToolFile, ToolFolder } from '../../../engine/compile/tool-files.ts';
import { ToolExit, ToolSystem } from '../../../engine/compile/tool-system.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

describe('files', () => {
  const root = new ToolFolder(true);
  root.add('/a/b/c.h', encoder.encode('c'));
  root.add('a/d.h', encoder.encode('d'));

  test('are found by paths with dots and double slashes', () => {
    const text = (path: string): string => decoder.decode((root.find(path) as ToolFile).bytes);
    for (const path of ['/a/b/c.h', 'a//b/c.h', './a/./b/../b/c.h', '/../a/b/c.h']) expect(text(path)).toBe('c');
    expect(text('a/b/../d.h')).toBe('d');
    expect(root.find('')).toBe(root);
    expect(root.find('/a/..')).toBe(root);
  });
  test('are absent below files, and where no folder is', () => {
    for (const path of ['/a/d.h/x', '/a/d.h/..', '/x', '/x/../a/d.h']) expect(root.find(path)).toBeUndefined();
  });
  test('grow by what is written, with zeros between', () => {
    const file = new ToolFile(encoder.encode('ab'));
    file.write(encoder.encode('z'), 4);
    expect([...file.bytes]).toEqual([97, 98, 0, 0, 122]);
    file.resize(1);
    expect([...file.bytes]).toEqual([97]);
    file.resize(3);
    expect([...file.bytes]).toEqual([97, 0, 0]);
  });
});

/** A tool's side of the calls: memory with a place for strings and results. */
function newTool(root: ToolFolder) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const output: string[] = [];
  let written = 0;
  const { imports } = new ToolSystem(
    ['clang', '-v'],
    root,
    {
      output: (bytes) => void output.push(decoder.decode(bytes)),
      messages: (bytes) => void output.push(`! ${decoder.decode(bytes)}`),
      written: (count) => void (written += count),
    },
    () => memory,
  );
  const calls = imports as Record<string, (...values: unknown[]) => number>;
  const [text, vector, result] = [1024, 512, 256];
  const put = (value: string): [number, number] => {
    const bytes = encoder.encode(value);
    new Uint8Array(memory.buffer).set(bytes, text);
    return [text, bytes.length];
  };
  const view = new DataView(memory.buffer);
  const setVector = (at: number, length: number): void => {
    view.setUint32(vector, at, true);
    view.setUint32(vector + 4, length, true);
  };
  return {
    calls,
    output,
    view,
    put,
    result,
    written: () => written,
    open(path: string, flags = 0): number {
      const error = calls['path_open']!(3, 0, ...put(path), flags, 0n, 0n, 0, result);
      return error === 0 ? view.getUint32(result, true) : -error;
    },
    write(descriptor: number, value: string): number {
      setVector(...put(value));
      return calls['fd_write']!(descriptor, vector, 1, result);
    },
    read(descriptor: number, length: number): string {
      setVector(text, length);
      expect(calls['fd_read']!(descriptor, vector, 1, result)).toBe(0);
      return decoder.decode(new Uint8Array(memory.buffer, text, view.getUint32(result, true)));
    },
  };
}

describe('the system of a tool', () => {
  const shared = new ToolFolder(false);
  shared.add('lib/x.a', encoder.encode('archive'));
  const newRoot = (): ToolFolder => {
    const root = new ToolFolder(true);
    root.entries.set('usr', shared);
    root.add('/in.c', encoder.encode('int x;'));
    return root;
  };

  test('hands out files, and keeps what is written to new ones', () => {
    const root = newRoot();
    const tool = newTool(root);
    const source = tool.open('in.c');
    expect(tool.read(source, 4) + tool.read(source, 10) + tool.read(source, 10)).toBe('int x;');
    const made = tool.open('out.o.tmp', 1 | 4);
    expect([tool.write(made, 'one '), tool.write(made, 'two')]).toEqual([0, 0]);
    // Exclusive: it is there.
    expect(tool.open('out.o.tmp', 1 | 4)).toBe(-20);
    const old = tool.put('out.o.tmp');
    new Uint8Array(tool.view.buffer).set(encoder.encode('out.o'), 2048);
    expect(tool.calls['path_rename']!(3, ...old, 3, 2048, 5)).toBe(0);
    expect(decoder.decode((root.find('/out.o') as ToolFile).bytes)).toBe('one two');
    expect(root.find('/out.o.tmp')).toBeUndefined();
    expect(tool.written()).toBe(7);
  });
  test('lets nobody change what runs share', () => {
    const tool = newTool(newRoot());
    for (const [path, flags] of [
      ['usr/new', 1],
      ['usr/lib/x.a', 8],
    ] as const)
      expect(tool.open(path, flags)).toBe(-69);
    expect(tool.calls['path_unlink_file']!(3, ...tool.put('usr/lib/x.a'))).toBe(69);
    expect(tool.read(tool.open('usr/lib/x.a'), 100)).toBe('archive');
  });
  test('tells messages from output; nothing comes in; the end is a status', () => {
    const tool = newTool(newRoot());
    expect([tool.write(1, 'code'), tool.write(2, 'error'), tool.write(9, 'x')]).toEqual([0, 0, 8]);
    expect(tool.output).toEqual(['code', '! error']);
    expect(tool.read(0, 10)).toBe('');
    expect(() => tool.calls['proc_exit']!(3)).toThrow(ToolExit);
    expect(() => tool.calls['path_symlink']!()).toThrow('path_symlink');
  });
  test('is the same each time: numbers and time', () => {
    const [one, two] = [newTool(newRoot()), newTool(newRoot())].map((tool) => {
      tool.calls['random_get']!(tool.result, 8);
      tool.calls['clock_time_get']!(0, 0n, tool.result + 8);
      return [tool.view.getBigUint64(tool.result), tool.view.getBigUint64(tool.result + 8)];
    });
    expect(one).toEqual(two);
    expect(one![0]).not.toBe(0n);
  });
});
