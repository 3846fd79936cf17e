/** The package that brings Clang and the linker. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of the package's files; it exports only its entry, which lies there. */
export const packageFolder = (): string => dirname(createRequire(import.meta.url).resolve('@yowasp/clang'));

let version = '';
/** The version of Clang's package. */
export function compilerVersion(): string {
  if (!version) {
    // Its description lies beside its files' folder.
    const description = readFileSync(join(packageFolder(), '..', 'package.json'), 'utf8');
    version = (JSON.parse(description) as { version: string }).version;
  }
  return version;
}
