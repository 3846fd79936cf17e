/** PCI bus location of the GPU with an ordinal in the simulated machine: each on a bus of its own. */
export const busLocation = (device: number): string => `0000:${(1 + device).toString(16).padStart(2, '0')}:00.0`;
