/**
 * NVRTC: sources that a program compiles while it runs. What comes out is a module image (engine/base/module-image.ts), which programs take for PTX and
 * for machine code. Profilers list none of these calls, and they take no simulated time.
 */
import type { RunTimeModule, RunTimeSource } from '../../model/run-time-compilation.ts';
import { onWords, type Imported } from '../runtime/arguments.ts';
import type { CudaContext } from '../runtime/context.ts';
import { cudaVersion } from '../runtime/devices.ts';

const results = [
  'NVRTC_SUCCESS',
  'NVRTC_ERROR_OUT_OF_MEMORY',
  'NVRTC_ERROR_PROGRAM_CREATION_FAILURE',
  'NVRTC_ERROR_INVALID_INPUT',
  'NVRTC_ERROR_INVALID_PROGRAM',
  'NVRTC_ERROR_INVALID_OPTION',
  'NVRTC_ERROR_COMPILATION',
  'NVRTC_ERROR_BUILTIN_OPERATION_FAILURE',
  'NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION',
  'NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION',
  'NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID',
  'NVRTC_ERROR_INTERNAL_ERROR',
  'NVRTC_ERROR_TIME_FILE_WRITE_FAILED',
  'NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED',
  'NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED',
  'NVRTC_ERROR_PCH_CREATE',
  'NVRTC_ERROR_CANCELLED',
  'NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED',
] as const;
const code = (name: (typeof results)[number]): number => results.indexOf(name);
const success = code('NVRTC_SUCCESS');
const invalidInput = code('NVRTC_ERROR_INVALID_INPUT');
const invalidProgram = code('NVRTC_ERROR_INVALID_PROGRAM');

/** Those of CUDA 12.8's compiler. */
const architectures = [50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120];

interface Program extends Omit<RunTimeSource, 'options'> {
  compiled: RunTimeModule | null;
}

type Six = [number, number, number, number, number, number];

const encoder = new TextEncoder();

class Nvrtc {
  private readonly context: CudaContext;
  private readonly programs = new Map<number, Program>();

  constructor(context: CudaContext) {
    this.context = context;
  }

  create(target: number, source: number, name: number, count: number, headers: number, includes: number): number {
    const { memory } = this.context;
    if (target === 0) return invalidProgram;
    if (source === 0 || (count > 0 && (headers === 0 || includes === 0))) return invalidInput;
    const names = memory.texts(includes, count);
    const handle = this.context.newHandle();
    this.programs.set(handle, {
      name: name === 0 ? 'default_program' : memory.text(name),
      text: memory.text(source),
      headers: memory.texts(headers, count).map((text, i) => ({ name: names[i]!, text })),
      expressions: [],
      compiled: null,
    });
    memory.setWord(target, handle);
    return success;
  }

  destroy(target: number): number {
    const { memory } = this.context;
    if (target === 0 || !this.programs.delete(memory.word(target))) return invalidProgram;
    memory.setWord(target, 0);
    return success;
  }

  compile(handle: number, count: number, words: number): number {
    const program = this.programs.get(handle);
    const { compileText } = this.context.options;
    if (!program) return invalidProgram;
    if (count > 0 && words === 0) return invalidInput;
    if (!compileText) return code('NVRTC_ERROR_INTERNAL_ERROR');
    const { compiled: _, ...source } = program;
    program.compiled = compileText({ ...source, options: this.context.memory.texts(words, count) });
    const { result } = program.compiled;
    if (result === 'compiled') return success;
    return code(result === 'failed' ? 'NVRTC_ERROR_COMPILATION' : 'NVRTC_ERROR_INVALID_OPTION');
  }

  /** Gives the size of what a program has, or that itself. Texts end in a zero. */
  give(handle: number, target: number, what: (compiled: RunTimeModule) => Uint8Array | null, asSize: boolean): number {
    const program = this.programs.get(handle);
    if (!program?.compiled) return invalidProgram;
    if (target === 0) return invalidInput;
    const bytes = what(program.compiled);
    if (bytes === null) return invalidProgram;
    if (asSize) this.context.memory.setWord(target, bytes.length);
    else this.context.memory.bytes(target, bytes.length).set(bytes);
    return success;
  }

  /** Ints for the program. */
  numbers(target: number, values: readonly number[]): number {
    if (target === 0) return invalidInput;
    values.forEach((value, i) => this.context.memory.setU32(target + 4 * i, value));
    return success;
  }

  addName(handle: number, name: number): number {
    const program = this.programs.get(handle);
    if (!program) return invalidProgram;
    if (name === 0) return invalidInput;
    if (program.compiled) return code('NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION');
    program.expressions.push(this.context.memory.text(name));
    return success;
  }

  giveName(handle: number, name: number, target: number): number {
    const program = this.programs.get(handle);
    if (!program) return invalidProgram;
    if (name === 0 || target === 0) return invalidInput;
    if (!program.compiled) return code('NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION');
    const lowered = program.compiled.names[program.expressions.indexOf(this.context.memory.text(name))];
    if (lowered === undefined) return code('NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID');
    this.context.memory.setWord(target, this.context.textAddress(lowered));
    return success;
  }
}

/** A copy with a zero behind it. */
export function withZero(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(bytes.length + 1);
  text.set(bytes);
  return text;
}

export function nvrtcImports(context: CudaContext): Record<string, Imported> {
  const nvrtc = new Nvrtc(context);
  const ptx = ({ image }: RunTimeModule): Uint8Array | null => image && withZero(image);
  const cubin = ({ image }: RunTimeModule): Uint8Array | null => image;
  const log = (compiled: RunTimeModule): Uint8Array => encoder.encode(`${compiled.log}\0`);
  const giving = (name: string, what: (compiled: RunTimeModule) => Uint8Array | null): Record<string, Imported> => ({
    [`nvrtcGet${name}Size`]: onWords((handle, target) => nvrtc.give(handle!, target!, what, true)),
    [`nvrtcGet${name}`]: onWords((handle, target) => nvrtc.give(handle!, target!, what, false)),
  });
  return {
    nvrtcGetErrorString: onWords((result) => context.textAddress(results[result!] ?? 'NVRTC_ERROR unknown')),
    nvrtcVersion: onWords(
      (major, minor) =>
        nvrtc.numbers(major!, [Math.trunc(cudaVersion / 1000)]) ||
        nvrtc.numbers(minor!, [Math.trunc((cudaVersion % 1000) / 10)]),
    ),
    nvrtcGetNumSupportedArchs: onWords((target) => nvrtc.numbers(target!, [architectures.length])),
    nvrtcGetSupportedArchs: onWords((target) => nvrtc.numbers(target!, architectures)),
    nvrtcCreateProgram: onWords((...args) => nvrtc.create(...(args as Six))),
    nvrtcDestroyProgram: onWords((target) => nvrtc.destroy(target!)),
    nvrtcCompileProgram: onWords((handle, count, words) => nvrtc.compile(handle!, count!, words!)),
    ...giving('PTX', ptx),
    ...giving('CUBIN', cubin),
    ...giving('LTOIR', cubin),
    ...giving('ProgramLog', log),
    nvrtcAddNameExpression: onWords((handle, name) => nvrtc.addName(handle!, name!)),
    nvrtcGetLoweredName: onWords((handle, name, target) => nvrtc.giveName(handle!, name!, target!)),
  };
}
