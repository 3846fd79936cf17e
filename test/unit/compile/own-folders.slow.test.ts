/** Files that sources of a recording may include: those in their folders and in those of -I, and no others of the machine. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gatherFiles, withinFolders } from '../../../engine/compile/sources.ts';
import type { SimsightError } from '../../../engine/base/errors.ts';
import { record } from '../../../engine/recording/record.ts';
import { cacheFolder } from '../cuda/program.ts';

const home = mkdtempSync(join(tmpdir(), 'simsight-own-folders-'));
const [app, common] = ['app', 'common'].map((name) => join(home, name)) as [string, string];
for (const folder of [app, common, join(app, 'inner')]) mkdirSync(folder);
const secret = join(home, 'secret.h');
writeFileSync(secret, 'the secret of this machine\n');
writeFileSync(join(common, 'common.h'), '#define COMMON 1\n');
writeFileSync(join(app, 'inner', 'mine.h'), '#include "../beside.h"\n');
writeFileSync(join(app, 'beside.h'), '#define BESIDE 1\n');
symlinkSync(secret, join(app, 'linked.h'));
symlinkSync(home, join(app, 'up'));
symlinkSync(app, join(home, 'way'));

const write = (text: string): string => {
  const source = join(app, `${text.length}.cu`);
  writeFileSync(source, text);
  return source;
};
const call = (source: string, includeFolders: string[] = []) => ({
  ...{ sources: [source], gpu: 'a100', includeFolders, defines: [], environment: [], arguments: [] },
  ...{ cacheFolder, recordingsFolder: home, output: join(home, 'out.simsight'), keepTrace: true, ownFoldersOnly: true },
});
const failure = (source: string, includeFolders?: string[]): Promise<SimsightError> =>
  record(call(source, includeFolders)).then(
    () => expect.unreachable('should not compile'),
    (error: SimsightError) => error,
  );
const saidIn = (error: unknown): string => JSON.stringify(error, Object.getOwnPropertyNames(error));

test('what lies in a folder is told with all links followed', () => {
  const may = withinFolders([app]);
  const allowed = ['beside.h', 'inner/mine.h', 'nothing.h', 'inner/../beside.h'];
  expect(allowed.filter((name) => !may(join(app, name)))).toEqual([]);
  const refused = ['linked.h', 'up/secret.h', '../secret.h', '../app2/x.h', 'inner/../../secret.h'];
  expect(refused.filter((name) => may(join(app, name)))).toEqual([]);
  expect(may(secret)).toBe(false);
  // A folder may itself be named by a link.
  expect(withinFolders([join(home, 'way')])(join(home, 'way', 'beside.h'))).toBe(true);
  expect(withinFolders([join(home, 'way')])(join(home, 'way', 'linked.h'))).toBe(false);
});

const ways = ['../secret.h', secret, 'linked.h', 'up/secret.h', 'inner/../../secret.h'];

test('files outside are refused in the same way whether they are there or not', () => {
  const source = write(
    [...ways, '../none.h'].map((name) => `#include "${name}"\n#if __has_include("${name}")\n#endif\n`).join(''),
  );
  const refused: string[] = [];
  const found = gatherFiles(
    source,
    { includeFolders: [] },
    { mayRead: withinFolders([app]), onRefused: ({ name }) => void refused.push(name) },
  );
  expect([...found.keys()]).toEqual([source]);
  expect(new Set(refused)).toEqual(new Set([...ways, '../none.h']));
});

describe('a recording', () => {
  test.each(ways)('does not read %s', async (name) => {
    const error = await failure(write(`#include "${name}"\nint main() { return ${name.length}; }\n`));
    expect(error.message).toMatch(/file not found: it is outside the source's folder and the folders given with -I/);
    expect(error.remedy).toBe(`To allow it, add -I ${home}.`);
    expect(saidIn(error)).not.toContain('of this machine');
  });

  test('with -I it does, by the same way', async () => {
    const source = write(
      '#include "../common/common.h"\n#include "inner/mine.h"\nint main() { return BESIDE + COMMON - 2; }\n',
    );
    expect((await failure(source)).remedy).toBe(`To allow it, add -I ${common}.`);
    expect((await record(call(source, [common]))).exitCode).toBe(0);
  });

  test('finds nothing by asking, embedding or assembling, and a trace has nothing of it', async () => {
    const source = write(`#include <cstdio>
#if __has_include("${secret}") || __has_include("../secret.h") || __has_include("linked.h") || __has_embed("${secret}")
#error found
#endif
#line 1 "${secret}"
#pragma GCC warning "careful"
int main() { printf("%s", __FILE__); }
`);
    expect((await record(call(source))).exitCode).toBe(0);
    expect(readFileSync(join(home, 'out.simsight')).includes('of this machine')).toBe(false);
    const embedding = await failure(write(`char a[] = {\n#embed "${secret}"\n};\nint main() {}\n`));
    const assembling = await failure(write(`asm(".globl x\\nx: .incbin \\"${secret}\\"\\n");\nint main() {}\n`));
    for (const error of [embedding, assembling]) {
      expect(error.code).toBe('compile-failed');
      expect(saidIn(error)).not.toContain('of this machine');
    }
    expect(readdirSync(home).filter((name) => name.endsWith('.new'))).toEqual([]);
  });
});
