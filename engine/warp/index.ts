/**
 * Functional execution of kernels. `buildDeviceModule` turns device LLVM IR into a module of plain data (cache it, post
 * it to a worker), `Device` holds the simulated memory and runs grids.
 */
export { Device } from './device.ts';
export type { DeviceOptions } from './device.ts';
export { buildDeviceModule, widenModule } from './module.ts';
export type { BuildOptions, DeviceModule, ModuleKernel, ModuleUnit, ModuleVariable } from './module.ts';
export * from './types.ts';
export { KernelError, whereText } from './faults.ts';
