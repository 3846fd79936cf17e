/** Module images that a recorded program loads, made into modules of its own: see {@link file://../compile/images.ts}. */
import { createHash } from 'node:crypto';
import { shortName, type CompiledImage } from '../compile/index.ts';
import { nameInModule } from '../base/device-names.ts';
import type { KernelNames } from '../trace/recording-facts.ts';
import type { DeviceModule } from '../warp/module.ts';
import type { LoadedImage } from './kernel-code.ts';
import type { WidenOrder } from './widen.ts';

interface Built {
  compiled: CompiledImage;
  order: WidenOrder;
  module: DeviceModule;
  demangled: string[];
}

interface ImageSteps {
  compile: (image: Uint8Array) => Promise<CompiledImage>;
  widen: (compiled: CompiledImage) => Promise<{ order: WidenOrder; module: DeviceModule }>;
  demangle: (mangled: string[]) => Promise<string[]>;
  /** Names of all kernels, which those of images are added to. */
  names: Map<string, KernelNames>;
  /** All modules so far. */
  modules: readonly DeviceModule[];
  add: (module: DeviceModule, order: WidenOrder) => void;
}

/** Loads images, each as often as it is asked for, with variables of its own; it is compiled once. */
export function images(steps: ImageSteps): (image: Uint8Array) => Promise<LoadedImage> {
  const known = new Map<string, Promise<Built>>();
  async function build(image: Uint8Array): Promise<Built> {
    const compiled = await steps.compile(image);
    const { order, module } = await steps.widen(compiled);
    const demangled = await steps.demangle(module.kernels.map(({ name }) => name));
    return { compiled, order, module, demangled };
  }
  return async (image) => {
    const key = createHash('sha256').update(image).digest('hex');
    if (!known.has(key)) known.set(key, build(image));
    const { compiled, order, module, demangled } = await known.get(key)!;
    const loaded = renamed(module, steps.modules);
    loaded.kernels.forEach(({ name }, i) =>
      steps.names.set(name, { demangled: demangled[i]!, short: shortName(demangled[i]!) }),
    );
    steps.add(loaded, order);
    return {
      module: loaded,
      kernels: module.kernels.map(({ name }) => name),
      variables: module.variables.map(({ name }) => name),
      demangled,
      text: compiled.text,
    };
  };
}

/** The module with names that none of the others has. */
function renamed(module: DeviceModule, others: readonly DeviceModule[]): DeviceModule {
  const taken = new Set(
    others.flatMap(({ kernels, variables, later = [] }) => [
      ...[...kernels, ...variables].map(({ name }) => name),
      ...later,
    ]),
  );
  return withNames(module, (name) => (taken.has(name) ? nameInModule(name, others.length) : name));
}

/** A module whose kernels and variables have other names. */
export function withNames(module: DeviceModule, rename: (name: string) => string): DeviceModule {
  return {
    ...module,
    kernels: module.kernels.map((kernel) => ({ ...kernel, name: rename(kernel.name) })),
    variables: module.variables.map((variable) => ({
      ...variable,
      name: rename(variable.name),
      relocations: variable.relocations.map((place) => ({ ...place, variable: rename(place.variable) })),
    })),
    ...(module.later === undefined ? {} : { later: module.later.map(rename) }),
  };
}
