/** The device modules of a program: their variables in device memory, and the code of their kernels, compiled when one is launched. */
import { SimsightError } from '../../base/errors.ts';
import type { DeviceVariable } from '../../model/execution.ts';
import { guardGranule, staticLimit } from '../layout.ts';
import type { DeviceModule, KernelSource, ModuleKernel, ModuleUnit, ModuleVariable } from '../module.ts';
import { withSharedMemory } from '../shared-memory.ts';
import type { DeviceMemory } from './memory.ts';

export interface LoadedUnit {
  number: number;
  module: WebAssembly.Module;
  instance: WebAssembly.Instance;
  /** The unit's own data as after instantiation: all units are linked to the same place, above the stack. */
  image: Uint8Array;
  stackPointer: WebAssembly.Global<'i32'>;
  stackTop: number;
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
  imports: (module: WebAssembly.Module) => WebAssembly.Imports;
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
  /** The unit whose data is in place. */
  private resident: LoadedUnit | null = null;

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
      const wasm = unit.wasm ?? this.source.compile?.(unit);
      if (!wasm) throw new SimsightError('internal', `The kernel ${kernel.name} has not been compiled.`);
      loaded = this.instantiate(wasm);
      this.units.set(unit, loaded);
    } else if (this.resident !== loaded) {
      new Uint8Array(this.memory.wasm.buffer, loaded.stackTop, staticLimit - loaded.stackTop).set(loaded.image);
    }
    this.resident = loaded;
    return loaded;
  }

  private instantiate(wasm: Uint8Array): LoadedUnit {
    const { buffer } = this.memory.wasm;
    new Uint8Array(buffer, 0, staticLimit).fill(0);
    const module = new WebAssembly.Module(withSharedMemory(wasm) as BufferSource);
    const instance = new WebAssembly.Instance(module, this.source.imports(module));
    const stackPointer = instance.exports['__stack_pointer'] as WebAssembly.Global<'i32'>;
    const stackTop = stackPointer.value;
    const image = new Uint8Array(buffer, stackTop, staticLimit - stackTop).slice();
    return { number: this.units.size, module, instance, image, stackPointer, stackTop };
  }
}
