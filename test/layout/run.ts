/**
 * Sizes, alignments and offsets of types as a program here has them, on the host and in kernels, beside nvcc's.
 *
 *   node build/run.mjs ./test/layout/run.ts [--gpu ID] [--all]     those that differ, or all
 *   node build/run.mjs ./test/layout/run.ts --reference            makes the reference; wants nvcc (the file says which)
 *
 * Exit code 1 where one differs for another reason than that the reference is of CUDA 13.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cli } from '../setup/command-line.ts';

const { values } = parseArgs({
  options: { gpu: { type: 'string', default: 'h100' }, all: { type: 'boolean' }, reference: { type: 'boolean' } },
});
const source = join(import.meta.dirname, 'types.cu');
const referenceFile = join(import.meta.dirname, '..', 'reference', 'layout', 'nvcc.txt');

function outputOf(program: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (error) throw error;
  if (status !== 0 && stdout === '') throw new Error(`${program} ${words.join(' ')} failed: ${stderr}`);
  return stdout;
}

/** "size 8 align 8" or "at 16" by "host NAME" and "device NAME". */
function layouts(text: string): Map<string, string> {
  const lines = text.matchAll(/^((?:host|device) .+?) (size \d+ align \d+|at \d+)$/gm);
  return new Map([...lines].map(([, name, layout]) => [name!, layout!]));
}

function makeReference(): void {
  const folder = mkdtempSync(join(tmpdir(), 'simsight-layout-'));
  try {
    const options = ['-std=c++17', '-arch=sm_90', '-w', source];
    outputOf('nvcc', [...options, '-o', join(folder, 'types')]);
    outputOf('nvcc', [...options, '-ptx', '-o', join(folder, 'types.ptx')]);
    // Without a GPU the kernel fails, after the host's lines.
    const host = [...layouts(outputOf(join(folder, 'types'), []))].filter(([name]) => name.startsWith('host '));
    const ptx = readFileSync(join(folder, 'types.ptx'), 'utf8');
    // Zeros at the end are left out.
    const [, size, listed] = /\.b8 layoutOnDevice\[(\d+)\] = \{([\d, ]+)\}/.exec(ptx)!;
    const bytes = new Uint8Array(Number(size));
    bytes.set(listed!.split(', ').map(Number));
    const numbers = [...new Int32Array(bytes.buffer)];
    const device = host.map(([name, layout]) => [
      name.replace('host', 'device'),
      layout.replace(/\d+/g, () => String(numbers.shift())),
    ]);
    if (numbers.length > 0 || device.flat().join().includes('undefined'))
      throw new Error('The PTX has other numbers of types than the program prints.');
    const version = /release [\d.]+/.exec(outputOf('nvcc', ['--version']))![0];
    const lines = [...host, ...device].map(([name, layout]) => `${name} ${layout}`);
    writeFileSync(referenceFile, [`nvcc, ${version}, -std=c++17, Linux x86-64`, ...lines, ''].join('\n'));
    console.log(`${lines.length} lines: ${referenceFile}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Structs of the API that CUDA 13 gave other members; the headers here are those of 12.8. */
const changedByCuda13 = /^(host|device) cuda(DeviceProp|PointerAttributes|ResourceDesc|ResourceViewDesc)\b/;

function compare(): void {
  const expected = layouts(readFileSync(referenceFile, 'utf8'));
  const found = layouts(outputOf(process.execPath, [cli, 'run', source, '--gpu', values.gpu]));
  let equal = 0;
  let changed = 0;
  for (const [name, layout] of expected) {
    const own = found.get(name) ?? 'is not there';
    if (own === layout) equal++;
    else if (changedByCuda13.test(name)) changed++;
    if (own !== layout || values.all) console.log(`${name.padEnd(48)} nvcc: ${layout.padEnd(20)} here: ${own}`);
  }
  console.log(
    `${equal} of ${expected.size} equal; ${changed} are of structs that CUDA 13 changed, and here as in 12.8`,
  );
  process.exitCode = equal + changed === expected.size ? 0 : 1;
}

if (values.reference) makeReference();
else compare();
