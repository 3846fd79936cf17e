/**
 * Compiles the example that a newcomer records first into the folder of compiled programs that the app brings along, for
 * the GPU that recordings use when nobody chose one: a first recording does not wait for Clang. With it are the standard
 * headers that it includes, so that neither does the first change to it.
 */
import { compiledFolder } from '../engine/base/paths.ts';
import { defaultGpu, gpuById } from '../engine/gpus/index.ts';
import { defaultLab } from '../engine/labs/index.ts';
import { compileOwnKernels, translate } from '../engine/recording/translate.ts';

for (const { source, defines } of defaultLab.variants) {
  const call = {
    ...{ sources: [source], gpu: defaultGpu, includeFolders: [], defines, arguments: [], environment: [] },
    ...{ cacheFolder: compiledFolder, recordingsFolder: '', keepTrace: false },
  };
  await compileOwnKernels(await translate(call, gpuById(defaultGpu), () => {}));
}
