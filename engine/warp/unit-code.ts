/** What a unit of kernels is to those who compile and load it. Apart from `units.ts`, which makes them and has the runtime's code with it. */

/** Exports of second functions, which nothing else that units import begins like. */
export const secondExport = (entry: number): string => `second_${entry}`;
export const isSecondExport = (name: string): boolean => name.startsWith('second_');

export interface UnitCode {
  llvmIr: string;
  exports: string[];
  /** Object files to be linked with it. */
  objects: Uint8Array[];
  /** Where its own data lie; null: right above the stack. */
  dataAt: number | null;
  /** Number of the unit with its second functions; null: it has none. */
  second: number | null;
}

/** True for units of second functions. */
export const isSecond = ({ dataAt }: Pick<UnitCode, 'dataAt'>): boolean => dataAt !== null;

/** Of units, those of first functions. */
export const firstUnits = <Unit extends UnitCode>(units: readonly Unit[]): Unit[] =>
  units.filter((unit) => !isSecond(unit));
