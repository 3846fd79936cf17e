/** What only the preprocessor is needed for: its text (`-E`), and the files that a source depends on (`-M`, `-MD`). */
import { realPath } from '../base/compiler-paths.ts';
import { runTool } from './clang.ts';
import { checkPasses, type Unit } from './units.ts';
import { hostArguments } from './flags.ts';
import type { CachedResult } from './cache.ts';

const dependencyFile = '/simsight/dependencies';

/** The arguments of the host pass, with something else to do. */
function preprocessorArguments({ translation, language }: Unit, instead: readonly string[]): string[] {
  const words = hostArguments(translation, language).filter(
    (word, i, all) => word !== '-fcuda-include-gpubinary' && all[i - 1] !== '-fcuda-include-gpubinary',
  );
  const emit = words.findIndex((word) => word === '-emit-obj' || word === '-emit-llvm');
  return words.toSpliced(emit, 1, ...instead);
}

async function run(unit: Unit, instead: readonly string[], outputs: string[]): Promise<CachedResult> {
  const result = await runTool({ arguments: preprocessorArguments(unit, instead), files: unit.files, outputs });
  checkPasses([{ ...result, cached: false }], unit.source, {
    refusals: [],
    isGranted: false,
    includeFolders: unit.translation.request.includeFolders,
  });
  return { ...result, cached: false };
}

/** Our headers and those of the libraries. */
const isOurs = /^\/(?:simsight\/(?!app\/)|usr\/include\/|sysroot\/)/;

const textIn = ({ outputs }: CachedResult): string => new TextDecoder().decode(outputs[0]![1]);

/** The text after preprocessing for the host. Errors: {@link import('./diagnostics.ts').CompileError}. */
export const preprocessed = async (unit: Unit): Promise<string> => textIn(await run(unit, ['-E'], ['-']));

export interface DependencyOptions {
  /** Names of targets, as make reads them. */
  targets: string[];
  /** Empty targets for the headers (`-MP`). */
  phony: boolean;
}

/** A rule of make: the source and the user's headers. Errors: {@link import('./diagnostics.ts').CompileError}. */
export async function dependencies(unit: Unit, { targets, phony }: DependencyOptions): Promise<string> {
  const instead = ['-Eonly', '-dependency-file', dependencyFile, '-MT', 'target'];
  const rule = textIn(await run(unit, instead, [dependencyFile]));
  const words =
    rule
      .replaceAll('\\\n', ' ')
      .replace(/^target:/, '')
      .match(/(?:\\.|\S)+/g) ?? [];
  const names = [...new Set(words)].filter((path) => !isOurs.test(path)).map(realPath);
  const lines = [
    `${targets.join(' ')}: ${names.join(' \\\n  ')}`,
    ...(phony ? names.slice(1).map((name) => `${name}:`) : []),
  ];
  return `${lines.join('\n')}\n`;
}
