/** Opcodes of memory accesses by address space. */
import { parameterSpace, type Space } from '../../ir/addresses.ts';

export type MemoryOperation = 'load' | 'store' | 'atomic' | 'reduction';

/** Generic addresses are accessed as global memory is. */
export function memoryOpcode(what: MemoryOperation, space: Space) {
  if (space === 3) return ({ load: 'LDS', store: 'STS', atomic: 'ATOMS', reduction: 'REDS' } as const)[what];
  if (space === 5 && what === 'load') return 'LDL';
  if (space === 5 && what === 'store') return 'STL';
  if ((space === 4 || space === parameterSpace) && what === 'load') return 'LDC';
  return ({ load: 'LDG', store: 'STG', atomic: 'ATOMG', reduction: 'REDG' } as const)[what];
}
