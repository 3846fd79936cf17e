/** Which headers are CCCL's, where a copy is looked for, and what of it is read. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  folderWithCccl,
  isInCcclOnly,
  isOfCccl,
  isToolkit,
  readCccl,
  usualFolders,
} from '../../../engine/compile/cccl.ts';
import { ccclFolder } from '../../../engine/compile/flags.ts';
import { imageOfUnit } from '../../../engine/compile/images.ts';
import { gatherFiles } from '../../../engine/compile/sources.ts';
import { checkedUnit, storedUnit, unitOfStored } from '../../../engine/compile/stored-units.ts';
import { unitOf } from '../../../engine/compile/units.ts';
import { temporaryFolder } from '../trace/example-recording.ts';

const home = temporaryFolder();
const toolkit = join(home, 'cuda-12.4', 'include');
const source = join(home, 'app', 'a.cu');
const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

beforeAll(() => {
  for (const name of [
    'thrust/version.h',
    'cub/version.cuh',
    'cuda/std/type_traits',
    'nv/target',
    'thrust/detail/x.inl',
  ])
    write(join(toolkit, name), `// ${name}\n`);
  for (const name of ['cuda_runtime_api.h', 'crt/host_config.h', 'own.h']) write(join(toolkit, name), '');
  mkdirSync(join(home, 'cuda-12.10'));
  write(source, '#include <thrust/version.h>\n#include <cuda_runtime_api.h>\n#include "cuda/mine.h"\n');
  write(join(home, 'app', 'cuda', 'mine.h'), '');
});

test('toolkits that the environment names come first, then the newest', () => {
  const include = (...names: string[]): string[] =>
    names.flatMap((name) => [join(name, 'include', 'cccl'), join(name, 'include')]);
  expect(usualFolders({ CUDA_PATH: '/opt/cuda', CUDA_HOME: '' }, home)).toEqual([
    ...include('/opt/cuda', join(home, 'cuda'), join(home, 'cuda-12.10'), join(home, 'cuda-12.4')),
    '/usr/include',
  ]);
  expect(folderWithCccl(usualFolders({}, home).slice(0, -1))).toBe(toolkit);
  expect(folderWithCccl([home])).toBe(null);
});

test('of a folder with a copy the parts of CCCL are read, whole, and nothing else', () => {
  const { files, digest } = readCccl([], [toolkit])!;
  expect(files.map(([path]) => path)).toEqual(
    ['thrust/detail/x.inl', 'thrust/version.h', 'cub/version.cuh', 'cuda/std/type_traits', 'nv/target'].map(
      (name) => `${ccclFolder}/${name}`,
    ),
  );
  expect(readCccl([toolkit], [])!.digest).toBe(digest);
  expect(readCccl([], [])).toBe(null);
});

test('a part changes what is read, and the digest', () => {
  const other = join(home, 'thrust-of-my-own');
  write(join(other, 'thrust', 'version.h'), '// newer\n');
  const { files, digest } = readCccl([other], [toolkit])!;
  expect(files).toHaveLength(4);
  expect(digest).not.toBe(readCccl([], [toolkit])!.digest);
});

test('a copy that is too old is refused with its version', () => {
  const other = join(home, 'old-thrust');
  write(join(other, 'thrust', 'version.h'), '#define THRUST_VERSION 101702\n');
  expect(() => readCccl([other], [toolkit])).toThrow('version 1.17: Simsight compiles them from version 2.0 on');
});

test('names and folders', () => {
  expect([isOfCccl('cub/version.cuh', toolkit), isOfCccl('cub/cub.cuh', toolkit), isOfCccl('own.h', toolkit)]).toEqual([
    true,
    false,
    false,
  ]);
  // Simsight has an atomic of its own.
  expect(['thrust/sort.h', 'cuda/atomic', 'cuda/std/mdspan', 'cudafe.h'].map(isInCcclOnly)).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([isToolkit(toolkit), isToolkit(home)]).toEqual([true, false]);
});

test('CCCL and the headers of a toolkit are none of the user’s files; a folder called cuda may be', () => {
  let asked = 0;
  const files = gatherFiles(source, { includeFolders: [toolkit] }, { onCccl: () => void asked++ });
  expect([...files.keys()]).toEqual([source, join(home, 'app', 'cuda', 'mine.h')]);
  expect(asked).toBe(1);
});

test('objects name the copy that they were compiled with, and are compiled with no other', () => {
  const computeCapability = { major: 9, minor: 0 };
  const request = { sources: [source], includeFolders: [], defines: [], computeCapability };
  const unit = unitOf(source, request, { ccclIn: () => readCccl([toolkit], []) });
  const stored = checkedUnit(JSON.parse(JSON.stringify(storedUnit(unit))))!;
  expect(JSON.stringify(stored)).not.toContain('x.inl');
  const again = (copy: ReturnType<typeof readCccl>) => unitOfStored(stored, computeCapability, () => copy);
  expect(again(readCccl([], [toolkit]))).toEqual(unit);
  expect(() => again(null)).toThrow(
    'a.cu was compiled with a copy of Thrust, CUB or libcu++ that is not on this machine',
  );
  expect(() => again({ ...readCccl([], [toolkit])!, digest: 'another' })).toThrow('that is no longer what it was');
  // What a program loads reads no files.
  expect(() => imageOfUnit(unit)).toThrow('which module images cannot hold');
});
