/** `simsight nvcc`, `cc` and `c++`: compilers for makefiles, whose objects and programs are recorded. */
import { version } from '../base/version.ts';
import { exitCodes, print, type Command } from './command.ts';
import type { DriverName } from './driver/options.ts';

/** CUDA's version that the headers are of: makefiles and CMake look for "release X.Y". */
const toolkit = { release: '12.8', full: '12.8.0' };

const versions: Readonly<Record<DriverName, string>> = {
  // CMake knows nvcc by its first line.
  nvcc: `nvcc: NVIDIA (R) Cuda compiler driver (as Simsight ${version} has it)
Cuda compilation tools, release ${toolkit.release}, V${toolkit.full}
`,
  cc: `cc (Simsight ${version}) 12.0.0\n`,
  'c++': `c++ (Simsight ${version}) 12.0.0\n`,
};

const machines: Readonly<Record<string, string>> = {
  '-dumpversion': '12\n',
  '-dumpfullversion': '12.0.0\n',
  '-dumpmachine': 'x86_64-linux-gnu\n',
};

const driverCommand = (name: DriverName, help: string): Command => ({
  name,
  options: {},
  help,
  async run(words) {
    // Loaded when needed, as for recordings.
    const { readWords } = await import('./driver/options.ts');
    const options = readWords(name, words);
    if (options.phase === 'version') print(machines[words[0]!] ?? versions[name]);
    else await (await import('./driver/driver.ts')).drive(name, options);
    return exitCodes.ok;
  },
});

const programs = `Objects hold the source with its headers and options, programs the objects; both are compiled for the GPU of the
recording. Errors are those of now, for the architecture that is named.

  make CC="simsight cc" CXX="simsight c++" NVCC="simsight nvcc"
  simsight record ./app -- ARGUMENTS`;

export const nvcc = driverCommand(
  'nvcc',
  `usage: simsight nvcc [options of nvcc] FILE…

${programs}

  -c, -dc, -dlink, -lib, -E, -M, -MD …   as for nvcc; without, a program is linked
  -fatbin, -cubin, -ptx                  make a module image, for programs that load their kernels (cuModuleLoad)
  -rdc=true                              device code of one file uses that of others
  -o, -I, -D, -U, -include, -isystem, -std, -x, -l, -L, -arch, -gencode, -Xcompiler …
  -use_fast_math, -ftz, -prec-div, -prec-sqrt, -fmad, -maxrregcount, -default-stream

Options that change nothing here are accepted: -O3, -lineinfo, -W…; what is not modelled, it says.
`,
);

export const cc = driverCommand(
  'cc',
  `usage: simsight cc [options of gcc] FILE…

${programs}
`,
);

export const cxx = driverCommand(
  'c++',
  `usage: simsight c++ [options of g++] FILE…

${programs}
`,
);
