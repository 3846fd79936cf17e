/**
 * What nvcc says of itself with `-v` and `-dryrun`, in the lines that CMake and other build tools read: where the toolkit is, and which
 * program links for the host with which libraries.
 */
import { delimiter, join, resolve } from 'node:path';
import type { DriverOptions } from './options.ts';

/** The folder of the toolkit whose nvcc runs; unset: it was called as `simsight nvcc`. */
export const toolkitVariable = 'SIMSIGHT_TOOLKIT';

/**
 * What a program says of its compiler in strings that CMake looks for in it (`INFO:compiler[…]`, `INFO:sizeof_dptr[…]`), so that they stand
 * in the file as they do in machine code.
 */
export function identityOf(host: Uint8Array): Buffer {
  const found = Buffer.from(host.buffer, host.byteOffset, host.length)
    .toString('latin1')
    .match(/INFO:\w+\[[^\]\n]{0,200}\]/g);
  // After the zero nothing is read as compressed.
  return Buffer.from(found === null ? '' : `\0\n${found.join('\n')}\n`, 'latin1');
}

/** Lines as nvcc prints them to stderr, each after `#$ `. */
export function wordsOfToolkit({ phase, output = 'a.out', computeCapability }: DriverOptions): string {
  const named = process.env[toolkitVariable];
  if (named === undefined) return '';
  const top = resolve(named);
  const bin = join(top, 'bin');
  const libraries = [join(top, 'lib64', 'stubs'), join(top, 'lib64')].map((folder) => `"-L${folder}"`).join(' ');
  const { major, minor } = computeCapability ?? { major: 9, minor: 0 };
  const lines = [
    '_CUDART_=cudart',
    `_HERE_=${bin}`,
    `_THERE_=${bin}`,
    `TOP=${top}`,
    `NVVMIR_LIBRARY_DIR=${join(top, 'nvvm', 'libdevice')}`,
    `PATH=${[bin, process.env['PATH'] ?? ''].join(delimiter)}`,
    `INCLUDES="-I${join(top, 'include')}"  `,
    `LIBRARIES=  ${libraries}`,
    `cicc -arch compute_${major}${minor}`,
    ...(phase === 'link'
      ? [`"${join(bin, 'simsight-c++')}" -o "${output}" ${libraries} -lcudadevrt -lcudart_static -lrt -lpthread -ldl`]
      : []),
  ];
  return lines.map((line) => `#$ ${line}\n`).join('');
}
