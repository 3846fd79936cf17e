import { writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { fileError } from '../base/errors.ts';
import { gpuById } from '../gpus/index.ts';
import { defaultGpu } from '../labs/index.ts';
import { dataFolder, exitCodes, helpHint, parse, printError, usageError, type Command } from './command.ts';
import { flagsOf, optionsGiven } from './option-flags.ts';

const forms = ['fatbin', 'cubin', 'ptx'] as const;

const options = {
  ...flagsOf(['includeFolders', 'defines', 'standard']),
  fatbin: { type: 'boolean', default: false },
  cubin: { type: 'boolean', default: false },
  ptx: { type: 'boolean', default: false },
  output: { type: 'string', short: 'o' },
} as const;

/** Options of nvcc that change nothing here: kernels are compiled for the GPU of the recording, as nvcc optimizes them. */
const ignored = [
  /^-(?:arch|gencode|-gpu-architecture|-gpu-code|code|-generate-code)=/,
  /^-O[0-3]?$/,
  /^-(?:m64|lineinfo|-generate-line-info|rdc=\w+)$/,
  /^-(?:w|W[\w-]*|-disable-warnings)$/,
  /^-(?:-expt-\w[\w-]*|expt-\w[\w-]*|-extended-lambda|extended-lambda)$/,
];
/** Those that have a word of their own behind. */
const ignoredWithValue = /^-{1,2}(?:arch|gencode|code|gpu-architecture|gpu-code|generate-code)$/;

/** The words that matter, as this command takes them: nvcc has long names behind one dash. */
function ownWords(words: readonly string[]): string[] {
  const own: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (ignoredWithValue.test(word)) i++;
    else if (ignored.some((pattern) => pattern.test(word))) continue;
    else own.push(/^-(?:fatbin|cubin|ptx|std|output)\b/.test(word) ? `-${word}` : word);
  }
  return own;
}

export const nvcc: Command = {
  name: 'nvcc',
  options,
  summary: 'make a module image of a CUDA source, for programs that load their kernels (cuModuleLoad)',
  help: `usage: simsight nvcc -fatbin|-cubin|-ptx SOURCE.cu [-o FILE] [options]

Programs that use the driver API load kernels from a file, which their makefile has nvcc make. Recorded programs load one
that this command makes: it holds the source, and is compiled for the GPU of the recording when it is loaded.

  -fatbin, -cubin, -ptx   as for nvcc; all of them make the same image
  -o, --output FILE       default: the source's name with .fatbin, .cubin or .ptx, in this folder
  -D, -I, --std           as for "simsight record"

Options of nvcc that choose architectures or warnings are accepted: -arch, -gencode, -O3, -lineinfo, -W….
`,
  async run(words) {
    const { values, positionals } = parse('nvcc', ownWords(words), options);
    const chosen = forms.filter((form) => values[form] === true);
    const [source, ...more] = positionals;
    if (chosen.length !== 1)
      throw usageError('nvcc: name one of -fatbin, -cubin and -ptx.', 'Programs with main are run by "simsight run".');
    if (source === undefined) throw usageError('nvcc: no source file given.', helpHint('nvcc'));
    if (more.length > 0) throw usageError('nvcc: only one source is allowed.', helpHint('nvcc'));
    const target = values.output ?? `${basename(source, extname(source))}.${chosen[0]!}`;
    // Loaded when needed, as for recordings.
    const { makeImage, releaseCompiler } = await import('../compile/index.ts');
    const { includeFolders = [], defines = [], standard } = optionsGiven('nvcc', values);
    const request = {
      ...{ sources: [source], includeFolders, defines, computeCapability: gpuById(defaultGpu).computeCapability },
      ...(standard === undefined ? {} : { standard }),
    };
    try {
      const { image, warnings } = await makeImage(request, { cacheFolder: join(dataFolder(), 'cache') });
      printError(warnings);
      writeFileSync(resolve(target), image);
    } catch (error) {
      throw fileError(error, target) ?? error;
    } finally {
      releaseCompiler();
    }
    return exitCodes.ok;
  },
};
