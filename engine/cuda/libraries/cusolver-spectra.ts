/**
 * What cuSOLVER's eigenvalues and singular values have in common, by kernels of `cusolver-vectors.cu`: workspaces, the
 * iterations that find values in so many launches as they need, and vectors in their order.
 */
import type { Cusolver, Handle, Kind, RotationSettings, Setting } from './cusolver.ts';
import { ceilDiv, inOrder, status } from './cusolver.ts';

/** Matrices of at most so many rows are turned by rotations in one launch where programs ask for that. */
export const mostRotated = 64;
/** Those of at most so many rows are reduced by one block, larger ones column by column. */
export const mostInOneBlock = 192;

export const realBytes = ({ letter }: Kind): number => (letter === 's' || letter === 'c' ? 4 : 8);

/** Arguments by their names. */
export function named<Name extends string>(args: number[], ...names: Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, args[index]])) as Record<Name, number>;
}

/** A workspace that is given away piece by piece. From address 0 it only counts. */
export class Room {
  readonly kind: Kind;
  private readonly start: number;
  private end = 0;

  constructor(kind: Kind, start: number) {
    this.kind = kind;
    this.start = start;
  }

  take(bytes: number): number {
    const at = this.start + this.end;
    this.end += Math.ceil(bytes / 16) * 16;
    return at;
  }

  numbers(count: number): number {
    return this.take(this.kind.bytes * count);
  }

  reals(count: number): number {
    return this.take(realBytes(this.kind) * count);
  }

  get elements(): number {
    return Math.max(1, ceilDiv(this.end, this.kind.bytes));
  }
}

/** Elements of a workspace that is laid out like this. */
export const elementsOf = (kind: Kind, layout: (room: Room) => unknown): number => {
  const room = new Room(kind, 0);
  layout(room);
  return room.elements;
};

/** A grid with a thread for each element of a matrix. */
export const perElement = (rows: number, columns: number) => ({ x: ceilDiv(rows, 128), y: columns, threads: 128 });

/** What every iteration has: the numbers that it works on, and how far it is. */
export interface Spectrum {
  kind: Kind;
  n: number;
  d: number;
  e: number;
  scale: number;
  iteration: number;
  places: number;
  values: number;
}

export const spectrumIn = (room: Room, n: number): Spectrum => ({
  ...{ kind: room.kind, n, d: room.reals(n), e: room.reals(n), scale: room.take(16), iteration: room.take(16) },
  ...{ places: room.take(4 * n), values: room.reals(n) },
});

/**
 * Rotations that are kept until vectors are turned by them. Launches with as many of them resemble each other, so that one is
 * simulated for all: of 512 rows some 14.
 */
export const rotationsFor = (n: number): number => Math.max(n, Math.min(2 * n * n, 16384));
export const rotationBytes = (kind: Kind): number => 2 * realBytes(kind) + 8;

/** A matrix on the device, of which all is there or, of a Hermitian one, one triangle: 1 the lower one, 2 the upper one. */
export interface Source {
  m: number;
  n: number;
  at: number;
  ld: number;
  part: 0 | 1 | 2;
}

export const triangle = (fill: number): 1 | 2 => (fill === 0 ? 1 : 2);

/** Copies a scaled matrix, or its conjugate transpose, to where it is changed, and begins an iteration. */
export function begin(
  solver: Cusolver,
  handle: Handle,
  { kind, scale, iteration }: Spectrum,
  { m, n, at, ld, part }: Source,
  { target, flipped = false, info }: { target: number; flipped?: boolean; info: number },
): number {
  const [rows, columns] = flipped ? [n, m] : [m, n];
  const grid = perElement(rows, columns);
  return inOrder(
    () =>
      solver.run(
        handle,
        `${kind.letter}spectrum_scale`,
        { threads: n <= 64 ? 256 : 1024 },
        ...[m, n, at, ld, part, scale, iteration, info],
      ),
    () =>
      solver.run(
        handle,
        `${kind.letter}spectrum_begin`,
        grid,
        ...[rows, columns, at, ld, part, flipped ? 1 : 0, scale, target],
      ),
  );
}

/** The first columns of a product of reflectors. */
export function reflected(
  solver: Cusolver,
  handle: Handle,
  { letter }: Kind,
  { m, columns, target }: { m: number; columns: number; target: number },
  { at, ld, tau, count, offset }: { at: number; ld: number; tau: number; count: number; offset: number },
): number {
  const grid = { x: ceilDiv(columns, 4), threads: 128 };
  return solver.run(handle, `${letter}spectrum_reflect`, grid, m, columns, count, offset, at, ld, tau, target);
}

/** Vectors that an iteration turns. */
export interface Turned {
  m: number;
  at: number;
  rotations: number;
}

/** Steps of an iteration until all values are found, each followed by the rotations of vectors. */
export function iterate(
  solver: Cusolver,
  handle: Handle,
  { kind, iteration }: Spectrum,
  vectors: Turned[],
  step: () => number,
): number {
  for (;;) {
    const code = inOrder(
      step,
      ...vectors.map(({ m, at, rotations }) => () => {
        const grid = { x: ceilDiv(m, 32), threads: 32 };
        return solver.run(handle, `${kind.letter}spectrum_rotate`, grid, m, at, rotations, iteration);
      }),
    );
    if (code !== status.SUCCESS) return code;
    const state = solver.integers(handle, iteration, 4);
    if (!state) return status.EXECUTION_FAILED;
    if (state[3] !== 0) return status.SUCCESS;
  }
}

/** Values from the `first` on, in their order. */
export function ordered(
  solver: Cusolver,
  handle: Handle,
  { kind, n, d, scale, places }: Spectrum,
  { descending, first, values }: { descending: boolean; first: number; values: number },
): number {
  const grid = { x: ceilDiv(n, 64), threads: 64 };
  const name = `${kind.letter}spectrum_order`;
  return solver.run(handle, name, grid, n, d, scale, descending ? 1 : 0, first, places, values);
}

/** Where vectors go. */
export interface Target {
  at: number;
  rowStep: number;
  columnStep: number;
  conjugate: boolean;
}

/** Writes vectors in the order of their values: `count` of them from the `first` on. */
export function placed(
  solver: Cusolver,
  handle: Handle,
  { kind, n, places, d }: Spectrum,
  { m, columns, at }: { m: number; columns: number; at: number },
  { first, count, signed, target }: { first: number; count: number; signed: boolean; target: Target },
): number {
  const grid = perElement(m, columns);
  return solver.run(
    handle,
    `${kind.letter}spectrum_place`,
    grid,
    ...[m, n, at, places, signed ? d : 0, first, count, target.at],
    ...[BigInt(target.rowStep), BigInt(target.columnStep), target.conjugate ? 1 : 0],
  );
}

/** Real numbers of the device's for the library's own use, which waits for them; null where they cannot be read. */
export function realsAt(solver: Cusolver, handle: Handle, at: number, count: number, bytes: number): number[] | null {
  const words = solver.integers(handle, at, (count * bytes) / 4);
  if (!words) return null;
  return [...(bytes === 4 ? new Float32Array(words.buffer, 0, count) : new Float64Array(words.buffer, 0, count))];
}

export const doubleBits = (value: number): bigint => new BigInt64Array(Float64Array.of(value).buffer)[0]!;

/** How one call uses rotations; `at`: where the kernel's report of one matrix goes, 0 of a batch. */
export interface RotationUse extends Pick<RotationSettings, 'tolerance' | 'sweeps' | 'sorted'> {
  at: number;
}

/** Of calls that take no settings. */
export const unasked: RotationUse = { tolerance: 0, sweeps: 100, sorted: true, at: 0 };

/** What a program set, and where the report goes. */
export function settingsOf(
  solver: Cusolver,
  settings: number,
  reported: RotationSettings['reported'],
): RotationUse | null {
  const found = solver.rotationSettings.get(settings);
  if (!found) return null;
  found.reported = reported;
  const at = reported === 'rotations' ? solver.reportOf(found) : 0;
  return at === null ? null : { ...found, at };
}

/** Settings of rotations, as eigenvalues (`Syevj`) and singular values (`Gesvdj`) have them. */
function settingsCalls(Name: string): Record<string, Setting> {
  const set =
    (isValid: (value: number) => boolean, change: (settings: RotationSettings, value: number) => void): Setting =>
    (solver, [handle, value]) => {
      const found = solver.rotationSettings.get(Number(handle));
      if (!found || !isValid(Number(value))) return status.INVALID_VALUE;
      change(found, Number(value));
      return status.SUCCESS;
    };
  return {
    [`cusolverDnCreate${Name}Info`]: (solver, [target]) => solver.createSettings(Number(target)),
    [`cusolverDnDestroy${Name}Info`]: (solver, [handle]) => solver.destroySettings(Number(handle)),
    [`cusolverDnX${Name.toLowerCase()}SetTolerance`]: set(
      (value) => value >= 0,
      (settings, value) => (settings.tolerance = value),
    ),
    [`cusolverDnX${Name.toLowerCase()}SetMaxSweeps`]: set(
      (value) => value >= 0,
      (settings, value) => (settings.sweeps = value),
    ),
    [`cusolverDnX${Name.toLowerCase()}SetSortEig`]: set(
      (value) => value === 0 || value === 1,
      (settings, value) => (settings.sorted = value === 1),
    ),
  };
}

/** A number of the report of the last matrix; batches have none, and other iterations leave nothing in one sweep. */
const reported =
  (place: 0 | 1, give: (solver: Cusolver, target: number, value: number) => number): Setting =>
  (solver, [handle, settings, target]) => {
    const own = solver.handles.get(Number(handle));
    const found = solver.rotationSettings.get(Number(settings));
    if (!own) return status.NOT_INITIALIZED;
    if (!found) return status.INVALID_VALUE;
    if (found.reported === 'batch') return status.NOT_SUPPORTED;
    if (found.reported === 'others') return give(solver, Number(target), place);
    const values = realsAt(solver, own, found.report, 2, 8);
    return values ? give(solver, Number(target), values[place]!) : status.EXECUTION_FAILED;
  };

export const rotationSettings: Record<string, Setting> = {
  ...settingsCalls('Syevj'),
  ...settingsCalls('Gesvdj'),
  ...Object.fromEntries(
    ['syevj', 'gesvdj'].flatMap((name) => [
      [`cusolverDnX${name}GetResidual`, reported(0, (solver, target, value) => solver.giveReal(target, value))],
      [`cusolverDnX${name}GetSweeps`, reported(1, (solver, target, value) => solver.give(target, value))],
    ]),
  ),
};
