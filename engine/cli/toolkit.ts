/**
 * `simsight toolkit`: a folder laid out as a CUDA toolkit's, whose compilers are Simsight's. CMake and makefiles that look for
 * `bin/nvcc`, `include` and `lib64` find them there.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileError } from '../base/errors.ts';
import { dataFolder, exitCodes, parse, print, shellQuoted, usageError, type Command } from './command.ts';
import { toolkitVariable } from './driver/toolkit-words.ts';

export const toolkit: Command = {
  name: 'toolkit',
  options: {},
  help: `usage: simsight toolkit [FOLDER]

Writes a folder with bin/nvcc, include and lib64 as a CUDA toolkit has them, and prints its path. Without FOLDER it is
toolkit in $SIMSIGHT_HOME, or in ~/.simsight. Its programs call this installation of Simsight.

  T=$(simsight toolkit)
  cmake -B build -DCMAKE_TOOLCHAIN_FILE=$T/simsight.cmake && cmake --build build
  PATH=$T/bin:$PATH make                # makefiles that call nvcc
  make CUDA_HOME=$T CUDA_PATH=$T CC=$T/bin/simsight-cc CXX=$T/bin/simsight-c++
  $T/bin/simsight record build/app -- ARGUMENTS
`,
  async run(words) {
    const { positionals } = parse('toolkit', words, {});
    if (positionals.length > 1) throw usageError(`toolkit: "${positionals[1]}" is an unexpected argument.`);
    const folder = positionals[0] === undefined ? usualToolkit() : resolve(positionals[0]);
    // Loaded when needed, as for recordings.
    const { knownLibraries } = await import('./driver/inputs.ts');
    try {
      writeToolkit(folder, knownLibraries.toolkit);
    } catch (error) {
      throw fileError(error as NodeJS.ErrnoException, folder) ?? error;
    }
    print(`${folder}\n`);
    return exitCodes.ok;
  },
};

const usualToolkit = (): string => join(dataFolder(), 'toolkit');

/** What build tools call, with the words of `simsight` that it stands for. */
const programs: Readonly<Record<string, string>> = {
  nvcc: 'nvcc',
  'simsight-cc': 'cc',
  'simsight-c++': 'c++',
  simsight: '',
};

/** Build tools look for these by name; whoever includes them gets Simsight's own. */
const headers = ['cuda.h', 'cuda_runtime.h', 'cuda_runtime_api.h', 'crt/host_config.h', 'cublas_v2.h'];
const headerText =
  '/* A toolkit is found by this file. Simsight compiles with headers of its own, whatever -I says. */\n';

/** `libraries`: names of those that are linked as if they were there. */
function writeToolkit(folder: string, libraries: readonly string[]): void {
  const write = (path: string, text: string): void => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  };
  const entry = [process.execPath, ...process.execArgv, process.argv[1]!].map(shellQuoted).join(' ');
  const asNode = 'electron' in process.versions ? 'ELECTRON_RUN_AS_NODE=1 ' : '';
  for (const [name, command] of Object.entries(programs)) {
    const path = join('bin', name);
    write(path, `#!/bin/sh\n${toolkitVariable}=${shellQuoted(folder)} ${asNode}exec ${entry} ${command} "$@"\n`);
    chmodSync(join(folder, path), 0o755);
  }
  for (const name of headers) write(join('include', name), headerText);
  // What is linked is told by its name.
  for (const name of libraries) {
    if (name.endsWith('_static') || name === 'cudadevrt') write(join('lib64', `lib${name}.a`), '!<arch>\n');
    else write(join('lib64', name === 'cuda' ? 'stubs' : '.', `lib${name}.so`), '');
  }
  // CMake wants it beside the runtime.
  write(join('lib64', 'librt.a'), '!<arch>\n');
  // CMake knows a toolkit by this folder.
  mkdirSync(join(folder, 'nvvm', 'libdevice'), { recursive: true });
  write('simsight.cmake', toolchain(folder));
}

/** CMake's toolchain file: the three compilers, and where the toolkit is. */
const toolchain = (folder: string): string =>
  [
    ['CMAKE_C_COMPILER', join(folder, 'bin', 'simsight-cc')],
    ['CMAKE_CXX_COMPILER', join(folder, 'bin', 'simsight-c++')],
    ['CMAKE_CUDA_COMPILER', join(folder, 'bin', 'nvcc')],
    ['CUDAToolkit_ROOT', folder],
    ['CMAKE_LIBRARY_PATH', join(folder, 'lib64')],
    // Objects are for any GPU.
    ['CMAKE_CUDA_ARCHITECTURES', '90'],
  ]
    .map(([name, value]) => `if(NOT DEFINED ${name})\n  set(${name} "${value}")\nendif()\n`)
    .join('');
