/** nvJitLink: images that become one, whose device code is linked when the program loads it. As of NVRTC, profilers list none of the calls. */
import { imageBody, joinedImages } from '../../base/module-image.ts';
import { imageAt, imageIn } from '../driver/modules.ts';
import { onWords, type Imported } from '../runtime/arguments.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaVersion } from '../runtime/devices.ts';
import { withZero } from './nvrtc.ts';

const success = 0;
const unrecognizedOption = 1;
const missingArchitecture = 2;
const invalidInput = 3;
const unrecognizedInput = 8;

interface Link {
  images: Uint8Array[];
  linked: Uint8Array | null;
}

/** `-arch=sm_90`, without which nothing is linked. */
const architecture = /^--?arch=(?:sm|compute|lto)_\d+\w?$/;
/** Others change nothing here. */
const option =
  /^--?(?:arch|lto|ptx|time|verbose|O\d|g|lineinfo|ftz|prec-div|prec-sqrt|fma|kernels-used|variables-used|optimize-unused-variables|maxrregcount|no-cache|cache-only|split-compile\w*|jump-table-density|device-stack-protector|Xptxas|Xnvvm)(?:=.*|$)/;

class Linker {
  private readonly context: CudaContext;
  private readonly links = new Map<number, Link>();

  constructor(context: CudaContext) {
    this.context = context;
  }

  create(target: number, count: number, options: number): number {
    const { memory } = this.context;
    if (target === 0) return invalidInput;
    const words = memory.texts(options, count);
    if (words.some((word) => !option.test(word))) return unrecognizedOption;
    if (!words.some((word) => architecture.test(word))) return missingArchitecture;
    const handle = this.context.newHandle();
    this.links.set(handle, { images: [], linked: null });
    memory.setWord(target, handle);
    return success;
  }

  destroy(target: number): number {
    const { memory } = this.context;
    if (target === 0 || !this.links.delete(memory.word(target))) return invalidInput;
    memory.setWord(target, 0);
    return success;
  }

  add(handle: number, image: () => Uint8Array | number): number {
    const link = this.links.get(handle);
    if (!link) return invalidInput;
    const bytes = image();
    if (typeof bytes === 'number' || imageBody(bytes) === null) return unrecognizedInput;
    link.images.push(bytes);
    return success;
  }

  complete(handle: number): number {
    const link = this.links.get(handle);
    if (!link || link.images.length === 0) return invalidInput;
    link.linked = joinedImages(link.images);
    return success;
  }

  /** The size of what there is, or that itself. */
  give(handle: number, target: number, what: (link: Link) => Uint8Array | null, asSize: boolean): number {
    const link = this.links.get(handle);
    const bytes = link ? what(link) : null;
    if (bytes === null || target === 0) return invalidInput;
    if (asSize) this.context.memory.setWord(target, bytes.length);
    else this.context.memory.bytes(target, bytes.length).set(bytes);
    return success;
  }
}

export function nvjitlinkImports(context: CudaContext): Record<string, Imported> {
  const linker = new Linker(context);
  const linked = (link: Link): Uint8Array | null => link.linked;
  const asText = ({ linked: image }: Link): Uint8Array | null => image && withZero(image);
  // What is wrong with the code is said when it is loaded.
  const log = (): Uint8Array => Uint8Array.of(0);
  const giving = (name: string, what: (link: Link) => Uint8Array | null): Record<string, Imported> => ({
    [`nvJitLinkGet${name}Size`]: onWords((handle, target) => linker.give(handle!, target!, what, true)),
    [`nvJitLinkGet${name}`]: onWords((handle, target) => linker.give(handle!, target!, what, false)),
  });
  return {
    nvJitLinkCreate: onWords((target, count, options) => linker.create(target!, count!, options!)),
    nvJitLinkDestroy: onWords((target) => linker.destroy(target!)),
    nvJitLinkAddData: onWords((handle, _type, data) =>
      linker.add(handle!, () => imageAt(context, 'nvJitLinkAddData', data!)),
    ),
    nvJitLinkAddFile: onWords((handle, _type, file) =>
      linker.add(handle!, () => imageIn(context, 'nvJitLinkAddFile', file!)),
    ),
    nvJitLinkComplete: onWords((handle) => linker.complete(handle!)),
    ...giving('LinkedCubin', linked),
    ...giving('LinkedPtx', asText),
    ...giving('ErrorLog', log),
    ...giving('InfoLog', log),
    nvJitLinkVersion: onWords((major, minor) => {
      if (major === 0 || minor === 0) return invalidInput;
      context.memory.setU32(major!, Math.trunc(cudaVersion / 1000));
      context.memory.setU32(minor!, Math.trunc((cudaVersion % 1000) / 10));
      return success;
    }),
  };
}
