import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { compileProgram, releaseCompiler } from '../../../engine/compile/index.ts';
import { newFolder, request, write } from '../cuda/program.ts';

afterAll(releaseCompiler);

test('sources with much the same headers precompile them once, and are the same whatever was compiled before', async () => {
  const folder = newFolder();
  const part = write(folder, 'part.cpp', '#include <map>\n#include <vector>\nint part() { return 1; }\n');
  const main = write(folder, 'main.cpp', '#include <vector>\nint part();\nint main() { return part() - 1; }\n');
  const cacheFolder = join(newFolder(), 'cache');
  const first = await compileProgram(request([main, part]), { cacheFolder });
  // The headers, two objects, the program.
  expect(readdirSync(cacheFolder)).toHaveLength(4);
  const other = join(newFolder(), 'cache');
  await compileProgram(request([part]), { cacheFolder: other }).catch(() => {});
  const again = await compileProgram(request([main, part]), { cacheFolder: other });
  expect(Buffer.from(again.host).equals(Buffer.from(first.host))).toBe(true);
});
