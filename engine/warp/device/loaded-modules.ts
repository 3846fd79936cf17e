/** The device modules of a program: their variables in device memory, and the code of their kernels, compiled when one is launched. */
import { SimsightError } from '../../base/errors.ts';
import type { DeviceVariable } from '../../model/execution.ts';
import { guardGranule, secondBase, secondLimit, staticLimit } from '../layout.ts';
import type { DeviceModule, KernelSource, ModuleKernel, ModuleUnit, ModuleVariable } from '../module.ts';
import { secondFunctions, stackPointerOf, type SecondFunctions } from '../second-functions.ts';
import { withSharedMemory } from '../shared-memory.ts';
import type { DeviceMemory } from './memory.ts';

export interface LoadedUnit {
  number: number;
  module: WebAssembly.Module;
  instance: WebAssembly.Instance;
  stackPointer: WebAssembly.Global<'i32'>;
  stackTop: number;
  /** Its own data. */
  data: OwnData;
  /** The unit of its second functions, once a warp has entered one. */
  second: LoadedSecond | null;
  /** Brings it; only where a warp is about to enter one. */
  loadSecond: () => LoadedSecond;
}

/** Second functions run on the stack of the first. */
export type LoadedSecond = Pick<LoadedUnit, 'module' | 'instance' | 'data'>;

/** Data as after instantiation: all units are linked to the same place, and so are all units of second functions. */
interface OwnData {
  at: number;
  image: Uint8Array;
}

export interface LoadedKernel {
  kernel: ModuleKernel;
  module: DeviceModule;
  /** Variables of its module, by GPU. */
  variables: DeviceVariable[][];
}

/** Words of variables that hold the address of another. */
interface Relocation {
  variable: DeviceVariable;
  offset: number;
  target: DeviceVariable;
}

/** Compiler and imports that units get from outside. */
export interface UnitSource {
  /** Compiles a unit that comes without its WebAssembly. */
  compile: ((unit: ModuleUnit) => Uint8Array) | undefined;
  /** A module whose kernels are written for paged memory. */
  paged: ((module: DeviceModule) => DeviceModule) | undefined;
  /** Kernels that modules leave for later. */
  later: KernelSource | undefined;
  /** `more`: others of `env`. */
  imports: (module: WebAssembly.Module, more: SecondFunctions) => WebAssembly.Imports;
}

const variablesByName = (variables: readonly DeviceVariable[]): Map<string, DeviceVariable> =>
  new Map(variables.map((variable) => [variable.name, variable]));

export class LoadedModules {
  readonly variables: DeviceVariable[] = [];
  private readonly memory: DeviceMemory;
  private readonly source: UnitSource;
  private readonly kernels = new Map<string, LoadedKernel>();
  /** Kernels that nobody has asked for. */
  private readonly later = new Map<string, Omit<LoadedKernel, 'kernel'>>();
  /** The same for paged memory, of the modules that a kernel was launched of since there is some. */
  private readonly pagedKernels = new Map<string, LoadedKernel>();
  private readonly units = new Map<ModuleUnit, LoadedUnit>();
  private readonly relocations: Relocation[] = [];
  /** The unit whose data is in place, and that of second functions. */
  private resident: LoadedUnit | null = null;
  private residentSecond: LoadedSecond | null = null;

  constructor(memory: DeviceMemory, source: UnitSource) {
    this.memory = memory;
    this.source = source;
  }

  has(name: string): boolean {
    return this.kernels.has(name) || this.later.has(name);
  }

  kernel(name: string): LoadedKernel | undefined {
    const whole = this.later.get(name);
    if (whole !== undefined) this.add(name, whole);
    return this.kernels.get(name);
  }

  /** A kernel that its module has left for later. */
  private add(name: string, { module, variables }: Omit<LoadedKernel, 'kernel'>): void {
    const own = this.source.later?.(module, name);
    if (own === undefined) throw new SimsightError('internal', `The kernel ${name} has not been compiled.`);
    const isShared = ({ name: variable }: ModuleVariable): boolean =>
      variables[0]!.some((each) => each.name === variable);
    const others = this.loadAll({ ...own, variables: own.variables.filter((each) => !isShared(each)) }, variables);
    const ofGpu = variables.map((shared, gpu) => {
      const byName = variablesByName([...others[gpu]!, ...shared]);
      return own.variables.map((variable) => byName.get(variable.name)!);
    });
    this.enter(own, ofGpu, this.kernels);
    this.later.delete(name);
  }

  /** The kernel as it is executed on the memory that there is now. */
  executable(name: string): LoadedKernel | undefined {
    const kernel = this.kernel(name);
    if (kernel === undefined || this.memory.paging === null) return kernel;
    const known = this.pagedKernels.get(name);
    if (known !== undefined) return known;
    const paged = this.source.paged?.(kernel.module);
    if (paged === undefined)
      throw new SimsightError('internal', `The kernel ${name} cannot be executed on paged memory.`);
    this.enter(paged, kernel.variables, this.pagedKernels);
    return this.pagedKernels.get(name);
  }

  load(module: DeviceModule): void {
    const variables = this.loadAll(module);
    this.enter(module, variables, this.kernels);
    for (const name of module.later ?? []) this.later.set(name, { module, variables });
  }

  /** The variables of a module, by GPU. `shared`: others that these may refer to. */
  private loadAll(module: DeviceModule, shared: readonly DeviceVariable[][] = []): DeviceVariable[][] {
    const variables: DeviceVariable[][] = [];
    for (let gpu = 0; gpu < this.memory.gpuCount; gpu++)
      variables.push(this.loadVariables(module, gpu, variables[0], shared[gpu]));
    return variables;
  }

  private enter(module: DeviceModule, variables: DeviceVariable[][], into: Map<string, LoadedKernel>): void {
    for (const kernel of module.kernels) into.set(kernel.name, { kernel, module, variables });
  }

  /** Every GPU has variables of its own, but for managed ones, which are those of the first. */
  private loadVariables(
    module: DeviceModule,
    gpu: number,
    ofFirst: DeviceVariable[] | undefined,
    shared: readonly DeviceVariable[] = [],
  ): DeviceVariable[] {
    const variables = module.variables.map(({ name, size, managed }, i): DeviceVariable => {
      if (managed && ofFirst) return ofFirst[i]!;
      const address = this.memory.allocate(Math.max(1, size), 0, managed ? undefined : gpu);
      if (address === null)
        throw new SimsightError('kernel-failed', `Device memory is too small for the variable ${name}.`);
      return { name, address, size, managed, ...(ofFirst ? { gpu } : {}) };
    });
    this.variables.push(...variables.filter((variable) => !ofFirst?.includes(variable)));
    const byName = variablesByName([...shared, ...variables]);
    module.variables.forEach(({ bytes, relocations, size }, i) => {
      const variable = variables[i]!;
      if (ofFirst?.includes(variable)) return;
      if (bytes !== null) new Uint8Array(this.memory.wasm.buffer, variable.address, size).set(bytes);
      for (const { offset, variable: name } of relocations) {
        const target = byName.get(name)!;
        this.addTo(variable, offset, target.address);
        this.relocations.push({ variable, offset, target });
      }
    });
    return variables;
  }

  private addTo({ address, size }: DeviceVariable, offset: number, distance: number): void {
    const view = new DataView(this.memory.wasm.buffer, address, size);
    view.setUint32(offset, view.getUint32(offset, true) + distance, true);
  }

  /** Moves a variable, with what it holds, before any kernel has run; false when something else lies there. */
  moveVariable(variable: DeviceVariable, address: number): boolean {
    const from = variable.address;
    const { size } = variable;
    if (address % guardGranule !== 0 || !this.memory.take(address, Math.max(1, size), 0)) return false;
    const bytes = new Uint8Array(this.memory.wasm.buffer);
    bytes.copyWithin(address, from, from + size);
    this.memory.free(from);
    for (const { variable: holder, offset, target } of this.relocations) {
      if (target === variable) this.addTo(holder, offset, address - from);
    }
    variable.address = address;
    return true;
  }

  /** The unit of a kernel, compiled and in place. */
  unitFor({ module, kernel }: LoadedKernel): LoadedUnit {
    const unit = module.units[kernel.unit]!;
    let loaded = this.units.get(unit);
    if (loaded === undefined) {
      const loadSecond = (): LoadedSecond => this.secondOf(loaded!, module.units[unit.second!]!);
      const code = this.instantiate(this.codeOf(unit), loadSecond);
      loaded = { ...code, number: this.units.size, second: null, loadSecond };
      this.units.set(unit, loaded);
    } else if (this.resident !== loaded) this.putInPlace(loaded.data);
    this.resident = loaded;
    if (loaded.second !== null) this.makeResident(loaded.second);
    return loaded;
  }

  private codeOf(unit: ModuleUnit): Uint8Array {
    const wasm = unit.wasm ?? this.source.compile?.(unit);
    if (!wasm) throw new SimsightError('internal', `A kernel (${unit.exports[0]}) has not been compiled.`);
    return wasm;
  }

  private secondOf(first: LoadedUnit, unit: ModuleUnit): LoadedSecond {
    if (first.second !== null) return first.second;
    first.second = this.instantiate(this.codeOf(unit), null);
    this.residentSecond = first.second;
    return first.second;
  }

  private makeResident(second: LoadedSecond): void {
    if (this.residentSecond !== second) this.putInPlace(second.data);
    this.residentSecond = second;
  }

  private putInPlace({ at, image }: OwnData): void {
    new Uint8Array(this.memory.wasm.buffer, at, image.length).set(image);
  }

  /** `second`: what brings the unit of second functions; null for such a unit. */
  private instantiate(
    wasm: Uint8Array,
    second: (() => LoadedSecond) | null,
  ): Omit<LoadedUnit, 'number' | 'second' | 'loadSecond'> {
    const { buffer } = this.memory.wasm;
    const [start, end] = second === null ? [secondBase, secondLimit] : [0, staticLimit];
    // Not the stack, where it is a second function that is about to be entered: the first one's frames are there.
    new Uint8Array(buffer, start, end - start).fill(0);
    const module = new WebAssembly.Module(withSharedMemory(wasm) as BufferSource);
    const functions =
      second === null
        ? {}
        : secondFunctions(
            module,
            (): WebAssembly.Instance => instance,
            () => second().instance,
          );
    const instance: WebAssembly.Instance = new WebAssembly.Instance(module, this.source.imports(module, functions));
    const stackPointer = stackPointerOf(instance);
    const stackTop = stackPointer.value;
    const at = second === null ? start : stackTop;
    const data = { at, image: new Uint8Array(buffer, at, end - at).slice() };
    return { module, instance, stackPointer, stackTop, data };
  }
}
