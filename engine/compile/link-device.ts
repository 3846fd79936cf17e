/**
 * Device code of several files made into one module, as `nvcc -rdc=true` and its device linker do: functions and variables of one file that
 * others use are found, static ones stay each file's own.
 */
import { basename } from 'node:path';
import { nameInLinked } from '../base/device-names.ts';
import { SimsightError } from '../base/errors.ts';
import { runCached, type CacheOptions } from './cache.ts';
import { CompileError } from './diagnostics.ts';
import { demangle } from './demangle.ts';
import { deviceBitcodeArguments, deviceLinkArguments } from './flags.ts';
import { compiledSource } from './limits.ts';
import type { DeviceSource } from './types.ts';

const symbol = String.raw`@("[^"]+"|[\w.$]+)`;
/** Global memory and constants; shared memory without a size is external, too. */
const externalVariable = new RegExp(`^${symbol} = external (?:[^\\n]*? )?addrspace\\([14]\\) `, 'gm');
const declaration = new RegExp(`^declare [^@\\n]*${symbol}\\(`, 'gm');
/** What is answered for without a definition: C++'s names of the heap, functions of the math library, type information. */
const answered = /^_Z(?:n[wa]|d[la]|L\d|TVN10__cxxabiv1)/;

const found = (ir: string, pattern: RegExp): string[] =>
  [...ir.matchAll(pattern)].map((match) => match[1]!.replaceAll('"', ''));

/** Names of variables and functions of C++ that this device code uses and does not define. */
export const undefinedIn = (ir: string): string[] => [
  ...found(ir, externalVariable).filter((name) => !answered.test(name)),
  ...found(ir, declaration).filter((name) => name.startsWith('_Z') && !answered.test(name)),
];

/** Names of functions that it leaves to others, those of C included. */
const declaredIn = (ir: string): string[] => [...found(ir, externalVariable), ...found(ir, declaration)];

const defines = (ir: string, name: string): boolean => {
  const escaped = name.replace(/[.$]/g, '\\$&');
  return new RegExp(`^(?:define [^@\\n]*@"?${escaped}"?\\(|@"?${escaped}"? = (?!external ))`, 'm').test(ir);
};

/** True if the device code of one of the files uses what another defines. */
export const dependOnEachOther = (codes: readonly string[]): boolean =>
  codes.some((ir, i) =>
    declaredIn(ir).some((name) => codes.some((other, j) => i !== j && mayBeCalled(name) && defines(other, name))),
  );

const mayBeCalled = (name: string): boolean => !name.startsWith('llvm.') && !name.startsWith('__simsight_');

/** Clang names a static variable without its suffix where it meets a use before it knows that the host has one, too. */
function withOneNameEach(ir: string): string {
  const suffixed = [...ir.matchAll(/^@("?)([\w.$]+__(?:static|intern)__[0-9a-f]+)\1 = /gm)].map((match) => match[2]!);
  let text = ir;
  for (const name of suffixed) {
    const plain = name.replace(/__(?:static|intern)__[0-9a-f]+$/, '');
    const escaped = plain.replace(/[.$]/g, '\\$&');
    if (!new RegExp(`^@${escaped} = external `, 'm').test(text)) continue;
    text = text
      .replace(new RegExp(`^@${escaped} = external .*\\n`, 'm'), '')
      .replace(new RegExp(`@${escaped}(?![\\w.$])`, 'g'), `@${name}`);
  }
  return text.replace(
    /@[\w.$]+__(?:static|intern)__[0-9a-f]+(?![\w.$])|\$[\w.$]+__(?:static|intern)__[0-9a-f]+(?![\w.$])/g,
    nameInLinked,
  );
}

/**
 * The linked device code; the first file names it. Errors: {@link CompileError} for what several files define or none does.
 */
export async function linkDevice(units: readonly DeviceSource[], options: CacheOptions): Promise<DeviceSource> {
  const [first] = units as [DeviceSource];
  const encoder = new TextEncoder();
  const of = compiledSource(first.source);
  const files = await Promise.all(
    units.map(async ({ ir }, i): Promise<[string, Uint8Array]> => {
      const text: [string, Uint8Array] = ['/unit.ll', encoder.encode(withOneNameEach(ir))];
      const run = { arguments: deviceBitcodeArguments('/unit.ll'), files: [text], outputs: ['-'], of };
      const result = await runCached(run, options);
      if (result.outcome !== 'success')
        throw new SimsightError('internal', `Device code of ${basename(units[i]!.source)}: ${result.messages}`);
      return [`/${i}.bc`, result.outputs[0]![1]];
    }),
  );
  const paths = files.map(([path]) => path);
  const run = { arguments: deviceLinkArguments(paths), files, outputs: ['-'], of };
  const linked = await runCached(run, options);
  if (linked.outcome !== 'success') throw await multiplyDefined(linked.messages, units, options);
  const ir = new TextDecoder().decode(linked.outputs[0]![1]);
  await checkDefined(ir, units, options);
  const limits = units.flatMap(({ maxRegisters }) => maxRegisters ?? []);
  return { source: first.source, ir, ...(limits.length === 0 ? {} : { maxRegisters: Math.min(...limits) }) };
}

/** Error of a symbol that two files define. */
async function multiplyDefined(
  messages: string,
  units: readonly DeviceSource[],
  options: CacheOptions,
): Promise<SimsightError> {
  const name = /'([^']+)': symbol multiply defined/.exec(messages)?.[1];
  const [{ source }] = units as [DeviceSource];
  if (name === undefined) return new SimsightError('internal', `Linking device code failed: ${messages}`);
  const [shown] = await demangle([name], options);
  const where = units.filter(({ ir }) => defines(ir, name)).map((unit) => basename(unit.source));
  const text = `multiple definition of device symbol '${shown}' (in ${where.join(', ')})`;
  return linkError(text, 'Define it in one file, or make it static or inline.', source);
}

/** What device code lacks when it is complete, nvcc refuses as well. */
export async function checkDefined(ir: string, units: readonly DeviceSource[], options: CacheOptions): Promise<void> {
  const [name] = undefinedIn(ir);
  if (name === undefined) return;
  const [shown] = await demangle([name], options);
  const user = units.find((unit) => undefinedIn(unit.ir).includes(name)) ?? units[0]!;
  const text = `undefined reference to device symbol '${shown}' in ${basename(user.source)}`;
  throw linkError(text, 'Define it, or also name the source that defines it.', user.source);
}

const linkError = (text: string, remedy: string, file: string): CompileError =>
  new CompileError(
    text,
    remedy,
    { file },
    [{ severity: 'error', file: '', line: 0, column: 0, text }],
    `error: ${text}\n`,
  );
