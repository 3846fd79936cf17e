/** A source that includes what it may not read: to the compiler, the file is not there, so no message shows a line of it. */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AllowedPaths } from '../../../engine/api/allowed-paths.ts';
import { gatherFiles } from '../../../engine/compile/sources.ts';
import { record } from '../../../engine/recording/record.ts';

const home = mkdtempSync(join(tmpdir(), 'simsight-reach-'));
const granted = join(home, 'granted');
mkdirSync(granted);
const secret = join(home, 'secret.h');
writeFileSync(secret, 'the secret of this machine\n');
writeFileSync(join(granted, 'mine.h'), '#define MINE 1\n');
symlinkSync(secret, join(granted, 'link.h'));
const allowed = new AllowedPaths([granted]);
const mayRead = (path: string): boolean => allowed.allows(path);

const ways = ['../secret.h', secret, 'link.h'];

test('what is gathered is what may be read', () => {
  const source = join(granted, 'all.cu');
  const lines = ['mine.h', ...ways].map((name) => `#include "${name}"\n`).join('');
  writeFileSync(source, `${lines}#if __has_include("../secret.h")\n#endif\n#define CONFIG "link.h"\n`);
  expect([...gatherFiles(source, { includeFolders: [home] }, { mayRead }).keys()]).toEqual([
    source,
    join(granted, 'mine.h'),
  ]);
  // Without a limit, as in the desktop app, all of them: the check above can fail.
  expect([...gatherFiles(source, { includeFolders: [home] }).keys()]).toContain(secret);
});

test('the compiler says that it is not there', async () => {
  const source = join(granted, 'app.cu');
  writeFileSync(source, `#include "../secret.h"\nint main() {}\n`);
  const call = {
    ...{ sources: [source], gpu: 'a100', includeFolders: [], defines: [], environment: [], arguments: [] },
    ...{ cacheFolder: join(home, 'cache'), recordingsFolder: home, keepTrace: false },
  };
  const error = await record({ ...call, mayRead }).catch((reason: unknown) => reason as Error & { details?: string });
  const said = JSON.stringify(error, Object.getOwnPropertyNames(error));
  expect(said).toMatch(/file not found/);
  expect(said).not.toContain('of this machine');
});
