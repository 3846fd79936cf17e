/**
 * Device LLVM IR of one source file made into a module that a `Device` can run: functional code (`engine/warp`) and, beside it, what the kernels
 * would be on hardware (`engine/isa`). Plain data, to be cached or posted.
 */
import { SimsightError } from '../base/errors.ts';
import type { MachineBlock } from '../model/machine.ts';
import { machineCode, selectedFrom } from '../isa/machine-code.ts';
import type { SelectedFrom } from '../isa/select/facts.ts';
import type { FunctionIr, GlobalIr, ModuleIr, Type, Value } from '../ir/ir.ts';
import { alignOf, leavesOf, sizeOf, fieldOffset } from '../ir/ir.ts';
import { Pointers, sharedAlignment } from '../ir/addresses.ts';
import { parseModule } from '../ir/parse.ts';
import { narrowIntegers } from '../ir/narrow.ts';
import { pagedAccesses, withIntegralFunctions } from '../ir/paged.ts';
import { shareBases } from '../ir/bases.ts';
import { functionAddress, recursiveFunctions } from '../ir/functions.ts';
import { isArrival, isCountedBarrier, prepareKernel } from '../ir/prepare.ts';
import { contains } from '../ir/analysis/flow.ts';
import type { DeviceCheck, KernelParameter, SharedArray } from '../model/execution.ts';
import { instructionClasses } from '../model/execution.ts';
import { rowOf } from '../model/opcodes.ts';
import { KernelWriter } from '../warp/widen/kernel/kernel-writer.ts';
import { kernelSymbol } from '../warp/widen/kernel/symbols.ts';
import type { KernelOptions, Site, VariablePlaces, WidenedKernel } from '../warp/widen/kernel/widened-kernel.ts';
import { asksTime, mayLaunch, runsByBlocks, unitsOf, waitsForOthers, type KernelCode } from '../warp/units.ts';
import { secondExport, type UnitCode } from '../warp/unit-code.ts';
import type { DeviceModule, ModuleUnit, ModuleKernel, BlockCost, ModuleVariable } from '../warp/module.ts';

export interface WidenOptions {
  checks?: readonly DeviceCheck[];
  /** Independent thread scheduling: lanes of a warp wait for each other wherever they are, as since Volta; default true. */
  independentLanes?: boolean;
  /** For device memory that lies in pages (ir/paged.ts). What is timed is the same. */
  paged?: boolean;
  /** Registers per thread that a kernel with these launch bounds may have; default 255. */
  registerLimit?: (maxThreadsPerBlock: number | null, minBlocksPerSm: number) => number;
  /** Hears of the units to compile before machine code is selected, which takes as long as to compile them. */
  onUnits?: (units: readonly UnitCode[]) => void;
}

export interface BuildOptions extends WidenOptions {
  sourceName: string;
  /** Compiles LLVM IR to a linked module; see {@link import('../compile/wasm-module.ts').compileIrToWasm}. */
  toWasm: (unit: UnitCode) => Promise<Uint8Array>;
}

/** {@link widenModule}, with every unit compiled. */
export async function buildDeviceModule(ir: string, options: BuildOptions): Promise<DeviceModule> {
  const module = widenModule(ir, options.sourceName, options);
  const compile = async (unit: ModuleUnit): Promise<ModuleUnit> => ({
    ...unit,
    wasm: await options.toWasm(unit),
  });
  return { ...module, units: await Promise.all(module.units.map(compile)) };
}

/**
 * LLVM IR over whole warps, and the descriptions; nothing is compiled yet. Machine code is selected from the same IR, before its addresses
 * are narrowed.
 */
export function widenModule(
  ir: string,
  sourceName: string,
  { checks = [], independentLanes = true, registerLimit, paged = false, onUnits }: WidenOptions = {},
): DeviceModule {
  const parsed = parseModule(ir);
  const asExecuted = paged ? pagedCode(parsed) : narrowedCode(parsed);
  const table = [...parsed.globals.values()].filter((variable) => variable.space !== 3);
  const written = [...parsed.functions.values()]
    .filter((fn) => fn.isKernel)
    .map((fn, entry) => {
      const declarations = new Map<string, string>();
      const prepared = prepareKernel(parsed, fn);
      const shared = placeShared(parsed, prepared, table);
      const otherBarriers = hasOtherBarriers(prepared);
      const options: KernelOptions = {
        checked: checks.includes('racecheck') || (checks.includes('order') && !otherBarriers),
        independentLanes,
      };
      const { places } = shared;
      const writer = new KernelWriter(
        { ...asExecuted(prepared), places, options, called: null, first: null },
        declarations,
      );
      const widened = writer.write();
      const source = { module: parsed, asExecuted, places, options };
      const called = calledFunctions(source, writer, widened, declarations, widened.flow.blocks.length);
      const code: KernelCode = {
        bodies: [widened.text, launcher(fn.name, entry)],
        called: called.map(({ text }) => text),
        second:
          widened.meeting === null ? null : { kernel: fn.name, text: widened.meeting, export: secondExport(entry) },
        declarations,
        exports: [`run_${entry}`],
      };
      return { fn, entry, prepared, shared, otherBarriers, widened, called, code };
    });
  const codes = written.map(({ code }) => code);
  const { units, unitOf } = unitsOf(codes);
  onUnits?.(units);

  const kernels = written.map(
    ({ fn, entry, prepared, shared: { bytes, sharedArrays }, otherBarriers, widened, called }) => {
      const bounds = [boundOf(fn, 'nvvm.maxntid'), boundOf(fn, 'nvvm.minctasm') ?? 1] as const;
      const [maxThreadsPerBlock, minBlocksPerSm] = bounds;
      const code = machineCode(asTimed(parsed, prepared, widened), registerLimit?.(...bounds));
      const machine = [...code.blocks];
      for (const each of called)
        machine.push(...shifted(machineCode(asTimed(parsed, each.prepared, each.fn)).blocks, machine.length));
      return {
        name: fn.name,
        ...parametersOf(fn),
        staticSharedBytes: bytes,
        registersPerThread: code.registers,
        localBytes: widened.localBytes,
        maxThreadsPerBlock,
        minBlocksPerSm,
        entry,
        code: functionAddress(parsed, fn.name)!,
        warpBytes: widened.warpBytes,
        blocks: machine.map(costOf),
        machine: {
          blocks: withSites(machine, widened.sites),
          sites: widened.sites.length,
          polling: machine.map((_, i) => [...widened.polls, ...widened.clockLoops].some((loop) => contains(loop, i))),
          successors: machine.map((_, i) => [...new Set(widened.flow.blocks[i]?.successors ?? [])]),
          sharedArrays,
        },
        sites: widened.sites,
        polls: widened.polls,
        clockLoops: widened.clockLoops,
        clockReads: widened.clockReads,
        globalAtomics: globalAtomicsOf(widened.sites, machine),
        otherBarriers,
        place: fn.place,
      };
    },
  );
  return {
    sourceName,
    units: units.map((unit) => ({ ...unit, wasm: null })),
    kernels: kernels.map((kernel, i) => ({
      ...kernel,
      unit: unitOf[i]!,
      waits: waitsForOthers(codes[i]!),
      asksTime: asksTime(codes[i]!),
      mayLaunch: mayLaunch(codes[i]!),
      byBlocks: !paged && areReductions(kernel.sites) && runsByBlocks(codes[i]!),
    })),
    variables: table.map((variable) => variableOf(parsed, variable)),
  };
}

/** A function as it is executed, and the module that it calls others of. */
type AsExecuted = (prepared: FunctionIr) => { module: ModuleIr; fn: FunctionIr };

/** With addresses of 32 bits, and other integers wherever these do. */
const narrowedCode =
  (module: ModuleIr): AsExecuted =>
  (prepared) => ({
    module,
    fn: module.pointerBytes === 8 ? shareBases(module, narrowIntegers(prepared)) : prepared,
  });

/** With addresses of pages. */
function pagedCode(module: ModuleIr): AsExecuted {
  const integral = withIntegralFunctions(module);
  return (prepared) => ({ module: integral, fn: narrowIntegers(pagedAccesses(module, prepared)) });
}

/** The same before: hardware has addresses of 64 bits. */
const asTimed = (module: ModuleIr, prepared: FunctionIr, widened: WidenedKernel): SelectedFrom =>
  module.pointerBytes === 8 ? selectedFrom(module, prepared) : widened;

const hasOtherBarriers = ({ blocks }: FunctionIr): boolean =>
  blocks.some(({ instructions }) =>
    instructions.some(
      (instruction) =>
        isCountedBarrier(instruction) ||
        isArrival(instruction) ||
        /\bmbarrier\b|cp\.async\.bulk/.test(instruction.callee),
    ),
  );

function globalAtomicsOf(sites: readonly Site[], machine: readonly MachineBlock[]): ModuleKernel['globalAtomics'] {
  if (!sites.some(({ kind, space }) => kind === 'atomic' && space !== 3)) return 'none';
  const isAwaited = machine.some(({ instructions }) => instructions.some(({ opcode }) => opcode === 'ATOMG'));
  return isAwaited ? 'awaited' : 'sent';
}

/** Whether no atomic of global memory has to find what those of the blocks before left. */
const areReductions = (sites: readonly Site[]): boolean =>
  sites.every(({ kind, space, isReduction }) => kind !== 'atomic' || space === 3 || isReduction === true);

/** Blocks of a function that follow `first` others. */
const shifted = (blocks: MachineBlock[], first: number): MachineBlock[] =>
  blocks.map((block) => ({
    ...block,
    predicatedBy: block.predicatedBy === null ? null : first + block.predicatedBy,
    follows: block.follows === null ? null : first + block.follows,
  }));

function costOf({ instructions, predicatedBy }: MachineBlock, index: number): BlockCost {
  const mix = instructionClasses.map(() => 0);
  for (const one of instructions) mix[instructionClasses.indexOf(rowOf(one).class)]! += 1 / one.every;
  return {
    mix,
    branches: instructions.filter(({ opcode }) => opcode === 'BRA').length,
    barriers: instructions.filter(({ opcode }) => opcode === 'BAR.SYNC').length,
    counted: predicatedBy ?? index,
  };
}

/** Numbers the accesses of all blocks as the sites that are executed. */
function withSites(blocks: MachineBlock[], sites: Site[]): MachineBlock[] {
  const ofBlock = blocks.map((): number[] => []);
  sites.forEach(({ block, kind }, i) => {
    if (kind !== 'trap') ofBlock[block]?.push(i);
  });
  return blocks.map((block, b) => ({
    ...block,
    instructions: block.instructions.map((instruction) => ({
      ...instruction,
      access: instruction.access === null ? null : (ofBlock[b]![instruction.access] ?? null),
    })),
  }));
}

interface CalledCode {
  name: string;
  text: string;
  prepared: FunctionIr;
  fn: WidenedKernel;
}

/** Circumstances in which the functions of a kernel are written. */
interface CodeSource {
  module: ModuleIr;
  asExecuted: AsExecuted;
  places: VariablePlaces;
  options: KernelOptions;
}

/** The recursive functions that a kernel reaches, as functions of its own. */
function calledFunctions(
  { module, asExecuted, places, options }: CodeSource,
  kernel: KernelWriter,
  widened: WidenedKernel,
  declarations: Map<string, string>,
  blocks: number,
): CalledCode[] {
  const result: CalledCode[] = [];
  const queue = [...kernel.callees];
  const seen = new Set(queue);
  let firstBlock = blocks;
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    const source = module.functions.get(name);
    if (source === undefined) continue;
    const called = { kernel: kernel.name, laneBytes: widened.localBytes, firstBlock, sites: widened.sites };
    const prepared = prepareKernel(module, source);
    const writer = new KernelWriter({ ...asExecuted(prepared), places, options, called, first: null }, declarations);
    const fn = writer.write();
    firstBlock += fn.flow.blocks.length;
    result.push({ name, text: fn.text, prepared, fn });
    for (const next of writer.callees) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return result;
}

/** An attribute of `__launch_bounds__`: threads are given per dimension. */
function boundOf(fn: FunctionIr, attribute: string): number | null {
  const text = fn.attributes.get(attribute);
  return text === undefined ? null : text.split(',').reduce((product, part) => product * Number(part), 1);
}

const launcher = (
  name: string,
  entry: number,
): string => `define void @run_${entry}(ptr %launch, i32 %first, i32 %count, ptr %counts, ptr %sites) {
  call void @run_blocks(ptr %launch, ptr @${kernelSymbol(name)}, i32 %first, i32 %count, ptr %counts, ptr %sites)
  ret void
}`;

function parametersOf(fn: FunctionIr): { parameters: KernelParameter[]; parameterBytes: number } {
  const parameters: KernelParameter[] = [];
  let end = 0;
  for (const { type, byval, align } of fn.parameters) {
    const size = sizeOf(byval ?? type);
    const step = byval ? Math.max(1, align) : Math.min(16, size);
    const offset = Math.ceil(end / step) * step;
    parameters.push({ offset, size });
    end = offset + size;
  }
  return { parameters, parameterBytes: end };
}

/** Static shared variables that a kernel uses, one after the other; `extern __shared__` arrays begin behind them. */
function placeShared(
  module: ModuleIr,
  fn: FunctionIr,
  table: GlobalIr[],
): { places: VariablePlaces; bytes: number; sharedArrays: SharedArray[] } {
  const used = new Set<string>();
  const visit = (value: Value): void => {
    if (value.kind === 'global') used.add(value.name);
    else if (value.kind === 'expression') value.operands.forEach(visit);
    else if (value.kind === 'aggregate') value.elements.forEach(visit);
  };
  const bodies = [fn, ...[...recursiveFunctions(module)].flatMap((name) => module.functions.get(name) ?? [])];
  for (const { blocks } of bodies)
    for (const block of blocks) for (const instruction of block.instructions) instruction.operands.forEach(visit);
  const shared = new Map<string, number>();
  let bytes = 0;
  const mine = [...module.globals.values()].filter((variable) => variable.space === 3 && used.has(variable.name));
  for (const variable of mine) {
    if (sizeOf(variable.type) === 0) continue;
    const align = sharedAlignment(variable);
    bytes = Math.ceil(bytes / align) * align;
    shared.set(variable.name, bytes);
    bytes += sizeOf(variable.type);
  }
  const dynamic = Math.ceil(bytes / 16) * 16;
  for (const variable of mine) if (sizeOf(variable.type) === 0) shared.set(variable.name, dynamic);
  const tableIndex = new Map(table.map((variable, i) => [variable.name, i]));
  const sharedArrays = mine.map(({ name, type }): SharedArray => ({
    name: sourceNameOf(name),
    offset: shared.get(name)!,
    bytes: sizeOf(type) || null,
    rowBytes: type.kind === 'array' && type.element.kind === 'array' ? rowBytesOf(type.element) : null,
  }));
  return { places: { shared, table: tableIndex, staticShared: dynamic }, bytes, sharedArrays };
}

/** Row size of an array of arrays, bytes: the innermost arrays are the rows. */
const rowBytesOf = (type: Type): number =>
  type.kind === 'array' && type.element.kind === 'array' ? rowBytesOf(type.element) : sizeOf(type);

/** Source name of a function's variable, whose mangled name ends in `E`, the length of the name, and the name (Itanium C++ ABI). */
function sourceNameOf(mangled: string): string {
  const [, length, rest] = /.*E(\d+)([A-Za-z_]\w*)(?:\.\w+)*$/.exec(mangled) ?? [];
  return rest === undefined || rest.length < Number(length) ? mangled : rest.slice(0, Number(length));
}

function variableOf(module: ModuleIr, variable: GlobalIr): ModuleVariable {
  const { initializer } = variable;
  const size = sizeOf(variable.type);
  const relocations: { offset: number; variable: string }[] = [];
  // Most are zero, and some of those are large.
  let bytes: Uint8Array | null = null;
  if (initializer !== null && initializer.kind !== 'zero' && initializer.kind !== 'undef') {
    const all = new Uint8Array(size);
    writeInitializer(module, initializer, variable.type, 0, new DataView(all.buffer), relocations);
    if (relocations.length > 0 || all.some((byte) => byte !== 0)) bytes = all;
  }
  return {
    name: variable.name,
    size,
    align: Math.max(variable.align, alignOf(variable.type), 16),
    bytes,
    relocations,
    constant: variable.space === 4,
    managed: variable.managed,
  };
}

function writeInitializer(
  module: ModuleIr,
  value: Value,
  type: Type,
  offset: number,
  view: DataView,
  relocations: { offset: number; variable: string }[],
): void {
  switch (value.kind) {
    case 'zero':
    case 'undef':
      return;
    case 'bytes':
      value.bytes.forEach((byte, i) => view.setUint8(offset + i, byte));
      return;
    case 'aggregate':
      value.elements.forEach((element, i) =>
        writeInitializer(module, element, element.type, offset + fieldOffset(type, i), view, relocations),
      );
      return;
    case 'int': {
      const size = sizeOf(type);
      for (let i = 0; i < size; i++) view.setUint8(offset + i, Number(BigInt.asUintN(8, value.value >> BigInt(8 * i))));
      return;
    }
    case 'float':
      writeFloat(value.text, type, offset, view);
      return;
    case 'global':
    case 'expression': {
      const number = value.kind === 'expression' && value.op === 'inttoptr' ? value.operands[0] : undefined;
      if (number?.kind === 'int') return writeInitializer(module, number, number.type, offset, view, relocations);
      const { root, offset: distance } = new Pointers(module, noFunction).resolve(value);
      if (root.kind === 'global' && leavesOf(type).length === 1) {
        const code = functionAddress(module, root.name);
        // Functions, and what only other files know (type information), have no place in memory.
        if (code !== null || !module.globals.has(root.name)) {
          view.setInt32(offset, code === null ? 0 : code + distance, true);
          return;
        }
        relocations.push({ offset, variable: root.name });
        view.setInt32(offset, distance, true);
        return;
      }
      break;
    }
    default:
  }
  throw new SimsightError(
    'unsupported-construct',
    `The initial value of a device variable is not supported yet (${value.kind}).`,
    'Initialise it from the host.',
  );
}

const noFunction: FunctionIr = {
  name: '',
  isKernel: false,
  returns: { kind: 'void' },
  parameters: [],
  blocks: [],
  attributes: new Map(),
  place: null,
};

function writeFloat(text: string, type: Type, offset: number, view: DataView): void {
  if (type.kind === 'half' || type.kind === 'bfloat') {
    view.setUint16(offset, parseInt(text.slice(3), 16), true);
    return;
  }
  // LLVM writes the bits of a double, for floats too.
  const bits = new DataView(new ArrayBuffer(8));
  if (text.startsWith('0x')) bits.setBigUint64(0, BigInt(text));
  else bits.setFloat64(0, Number(text));
  if (type.kind === 'float') view.setFloat32(offset, bits.getFloat64(0), true);
  else view.setFloat64(offset, bits.getFloat64(0), true);
}
