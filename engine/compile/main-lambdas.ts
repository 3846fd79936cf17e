/**
 * Lambdas in `main(int, char **)`, as kernels' names have them. For a host of WebAssembly, Clang gives that function a mangled name with
 * its parameters, for the device none: a kernel of a lambda in it would have two names. The host's are put right in the linked program.
 */
import type { CacheOptions } from './cache.ts';
import { demangle } from './demangle.ts';
import type { DeviceSource } from './types.ts';

/** A mangled name, and the end of its text, with a `main` that has parameters, which are no `void`. */
const withMain = /_Z\w*?Z4main(?![Ev])\w*(?=\0)/g;
const main = /\bmain\(int(?:, (?:const )?char(?: const)? ?\*\*)+\)/g;

/** Gives the host's texts the names that kernels have in the devices' IR. Without such lambdas nothing changes. */
export async function withKernelNames(
  host: Uint8Array<ArrayBuffer>,
  device: readonly Pick<DeviceSource, 'ir' | 'later'>[],
  options: CacheOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Buffer.from(host);
  const texts = [...bytes.toString('latin1').matchAll(withMain)];
  if (texts.length === 0) return host;
  const kernels = device.flatMap(({ ir, later }) => [
    ...[...ir.matchAll(/^define [^@\n]*@(_Z\w*Z4mainE\w*)\(/gm)].map(([, name]) => name!),
    ...(later?.names ?? []).filter((name) => /^_Z\w*Z4mainE\w*$/.test(name)),
  ]);
  const demangled = await demangle([...kernels, ...texts.map(([text]) => text)], options);
  const kernelOf = new Map(kernels.map((kernel, i) => [demangled[i]!, kernel]));
  for (const [i, { 0: text, index: start }] of texts.entries()) {
    const kernel = kernelOf.get(demangled[kernels.length + i]!.replaceAll(main, 'main'));
    // It is shorter: it lacks the types of the parameters.
    if (kernel === undefined || kernel.length > text.length) continue;
    bytes.fill(0, start, start + text.length).write(kernel, start, 'latin1');
  }
  return new Uint8Array(bytes);
}
