/**
 * Where the warps of kernels spent their time, by source line and by machine instruction. Each kernel by the profile that
 * stands for most of its time.
 */
import { sectorBytes, wordBytes } from '../model/geometry.ts';
import { basename } from 'node:path';
import type { KernelPlace } from '../model/kernel-view.ts';
import { bytesOf, parseOpcode } from '../model/opcodes.ts';
import type { ReportTable } from '../model/tables.ts';
import type { ProfiledBranch } from '../model/kernel-profile.ts';
import type { Cell } from '../trace/tables.ts';
import type { SharedArray } from '../model/execution.ts';
import type { Trace } from '../trace/trace.ts';
import { columns, num, type Column } from './columns.ts';

type Rows = ReportTable['rows'];

export interface Place extends Omit<KernelPlace, 'states'> {
  /** Warp-cycles by state's label. */
  states: Map<string, number>;
}

const figures: Column[] = [
  ...columns('percent', 'Warp Cycles (%)'),
  ...columns('text', 'Mostly'),
  ...columns('integer', 'Instructions Executed'),
  ...columns('number', 'Avg. Threads', 'Sectors/Request', 'Wavefronts/Request'),
];
export const lineColumns: Column[] = [...columns('text', 'Kernel', 'Line'), ...figures, ...columns('text', 'Source')];
export const instructionColumns: Column[] = [
  ...columns('text', 'Kernel'),
  ...columns('integer', '#'),
  ...columns('text', 'Instruction'),
  ...figures,
  ...columns('text', 'Line', 'Operands'),
];

function profiles(trace: Trace): { kernel: string; profile: number }[] {
  const rows = trace.query(
    `SELECT n.value, p.profile, sum(k.end - k.start) AS time, k.mangledName
     FROM CUPTI_ACTIVITY_KIND_KERNEL k
     JOIN SIMSIGHT_KERNEL_PROFILES p ON p.kernel = k.rowid JOIN StringIds n ON n.id = k.demangledName
     GROUP BY k.mangledName, p.profile ORDER BY time DESC, p.profile`,
  );
  const first = new Map<string, { kernel: string; profile: number }>();
  for (const [name, profile, , mangled] of rows) {
    const key = String(mangled);
    if (!first.has(key)) first.set(key, { kernel: String(name), profile: num(profile) });
  }
  return [...first.values()];
}

export interface Instruction extends Place {
  opcode: string;
  /** Operands as SASS writes them, registers numbered in the order of their first use. */
  operands: string;
}

type Seven = [number, number, number, number, number, number, number];
/** The bytes of each lane, by how SASS spells the opcode. */
export function laneBytes(opcode: string): number {
  const code = parseOpcode(opcode);
  return code === null ? wordBytes : bytesOf(code);
}

export function instructionsOf(trace: Trace, profile: number): Instruction[] {
  const rows = trace.query(
    `SELECT o.value, f.value, i.line, i.operands, i.partial, i.idealWavefronts,
       i.executed, i.threads, i.threadsOn, i.sectors, i.wavefronts, b.executed, b.diverged
     FROM SIMSIGHT_INSTRUCTIONS i JOIN StringIds o ON o.id = i.opcodeId LEFT JOIN StringIds f ON f.id = i.fileId
     LEFT JOIN SIMSIGHT_BRANCHES b ON b.profile = i.profile AND b.instruction = i.instruction
     WHERE i.profile = ? ORDER BY i.instruction`,
    profile,
  );
  const found = rows.map(([opcode, file, line, operands, partial, idealWavefronts, ...counts]): Instruction => {
    const [executed, threads, threadsOn, sectors, wavefronts, branches, divergedBranches] = counts.map(num) as Seven;
    return {
      opcode: String(opcode),
      file: file === null ? null : String(file),
      line: line === null ? null : num(line),
      ...{ executed, threads, threadsOn, sectors, wavefronts, branches, divergedBranches },
      operands: String(operands),
      partial: num(partial),
      idealSectors: Math.min(sectors, Math.max(executed, (threadsOn * laneBytes(String(opcode))) / sectorBytes)),
      idealWavefronts: num(idealWavefronts),
      sectorRequests: sectors > 0 ? executed : 0,
      wavefrontRequests: wavefronts > 0 ? executed : 0,
      states: new Map(),
    };
  });
  const states = trace.query(
    `SELECT s.instruction, e.label, s.cycles FROM SIMSIGHT_INSTRUCTION_STATES s
     JOIN ENUM_SIMSIGHT_WARP_STATE e ON e.id = s.state WHERE s.profile = ? ORDER BY s.instruction, s.state`,
    profile,
  );
  for (const [instruction, label, cycles] of states) found[num(instruction)]?.states.set(String(label), num(cycles));
  return found;
}

/** Null where the trace does not say. */
export const profileOf = (trace: Trace, kernel: number): number | null =>
  numOrNull(trace.query('SELECT profile FROM SIMSIGHT_KERNEL_PROFILES WHERE kernel = ?', kernel)[0]?.[0]);

/** Branches in the order of the machine code. */
export function branchesOf(trace: Trace, profile: number): ProfiledBranch[] {
  const rows = trace.query(
    'SELECT instruction, executed, diverged, taken, notTaken FROM SIMSIGHT_BRANCHES WHERE profile = ? ORDER BY instruction',
    profile,
  );
  return rows.map(([instruction, executed, diverged, taken, notTaken]) => ({
    ...{ instruction: num(instruction), executed: num(executed), diverged: num(diverged) },
    ...{ taken: numOrNull(taken), notTaken: numOrNull(notTaken) },
  }));
}

/** Shared arrays in the order in which they lie. */
export function sharedArraysOf(trace: Trace, profile: number): SharedArray[] {
  const rows = trace.query(
    `SELECT n.value, a.offset, a.bytes, a.rowBytes FROM SIMSIGHT_SHARED_ARRAYS a JOIN StringIds n ON n.id = a.nameId
     WHERE a.profile = ? ORDER BY a.offset, a.rowid`,
    profile,
  );
  return rows.map(([name, offset, bytes, rowBytes]) => ({
    ...{ name: String(name), offset: num(offset), bytes: numOrNull(bytes), rowBytes: numOrNull(rowBytes) },
  }));
}
const numOrNull = (cell: Cell | undefined): number | null =>
  cell === null || cell === undefined ? null : Number(cell);

const cyclesOf = ({ states }: Place): number => [...states.values()].reduce((sum, cycles) => sum + cycles, 0);

function figuresOf(place: Place, all: number): Rows[number] {
  const cycles = cyclesOf(place);
  const [most] = [...place.states].sort(([, a], [, b]) => b - a);
  const per = (amount: number, requests: number): number | null => (requests === 0 ? null : amount / requests);
  return [
    all === 0 ? 0 : (100 * cycles) / all,
    most === undefined || cycles === 0 ? '' : `${most[0]} ${Math.round((100 * most[1]) / cycles)} %`,
    Math.round(place.executed),
    per(place.threads, place.executed),
    per(place.sectors, place.sectorRequests),
    per(place.wavefronts, place.wavefrontRequests),
  ];
}

export function linesOf(instructions: readonly Instruction[]): Place[] {
  const lines = new Map<string, Place>();
  for (const one of instructions) {
    const { file, line, states } = one;
    const name = `${file}:${line}`;
    const sum = lines.get(name);
    if (sum === undefined) {
      lines.set(name, { ...one, states: new Map(states) });
      continue;
    }
    sum.executed += one.executed;
    sum.threads += one.threads;
    sum.threadsOn += one.threadsOn;
    sum.partial += one.partial;
    sum.sectors += one.sectors;
    sum.idealSectors += one.idealSectors;
    sum.idealWavefronts += one.idealWavefronts;
    sum.sectorRequests += one.sectorRequests;
    sum.wavefronts += one.wavefronts;
    sum.wavefrontRequests += one.wavefrontRequests;
    sum.branches += one.branches;
    sum.divergedBranches += one.divergedBranches;
    for (const [state, cycles] of states) sum.states.set(state, (sum.states.get(state) ?? 0) + cycles);
  }
  return [...lines.values()].sort(
    (a, b) => (a.file ?? '').localeCompare(b.file ?? '') || (a.line ?? 0) - (b.line ?? 0),
  );
}

/** `file:line`; empty where the code comes from no line of the program's own. */
const placeOf = ({ file, line }: Place): string => (file === null ? '' : `${basename(file)}:${line}`);

const allCycles = (places: readonly Place[]): number => places.reduce((sum, place) => sum + cyclesOf(place), 0);

export function lineRows(trace: Trace): Rows {
  const sources = new Map(trace.sources().map(({ path, text }) => [basename(path), text.split('\n')]));
  const textOf = ({ file, line }: Place): string =>
    file === null || line === null ? '' : (sources.get(basename(file))?.[line - 1]?.trim() ?? '');
  return profiles(trace).flatMap(({ kernel, profile }) => {
    const lines = linesOf(instructionsOf(trace, profile));
    const all = allCycles(lines);
    return lines.map((place) => [kernel, placeOf(place) || '(none)', ...figuresOf(place, all), textOf(place)]);
  });
}

/** Bytes of what grows with detail, states and issues of warps and addresses of single accesses, and how many launches share them. */
export function recordedBytes(trace: Trace, profile: number): { warps: number; accesses: number; launches: number } {
  const sum = (sql: string): number => num(trace.query(`${sql} WHERE profile = ?`, profile)[0]?.[0]);
  return {
    warps: sum('SELECT sum(length(data) + ifnull(length(issues), 0)) FROM SIMSIGHT_WARP_CHUNKS'),
    accesses: sum('SELECT sum(length(addresses)) FROM SIMSIGHT_ACCESS_SAMPLES'),
    launches: sum('SELECT count(*) FROM SIMSIGHT_KERNEL_PROFILES'),
  };
}

export const recordedColumns: Column[] = [
  ...columns('text', 'Kernel'),
  ...columns('integer', 'Launches', 'Bytes', 'Of Warps', 'Of Accesses', 'Instructions'),
];

/** One row for each profile, of a kernel those that most launches share first. */
export function recordedRows(trace: Trace): Rows {
  const rows = trace.query(
    `SELECT min(n.value), p.profile, (SELECT count(*) FROM SIMSIGHT_INSTRUCTIONS i WHERE i.profile = p.profile)
     FROM CUPTI_ACTIVITY_KIND_KERNEL k
     JOIN SIMSIGHT_KERNEL_PROFILES p ON p.kernel = k.rowid JOIN StringIds n ON n.id = k.demangledName
     GROUP BY p.profile ORDER BY min(n.value), count(*) DESC, p.profile`,
  );
  return rows.map(([kernel, profile, instructions]) => {
    const { warps, accesses, launches } = recordedBytes(trace, num(profile));
    return [String(kernel), launches, warps + accesses, warps, accesses, num(instructions)];
  });
}

export function instructionRows(trace: Trace): Rows {
  return profiles(trace).flatMap(({ kernel, profile }) => {
    const instructions = instructionsOf(trace, profile);
    const all = allCycles(instructions);
    return instructions.map((one, i) => [
      ...[kernel, i, one.opcode],
      ...figuresOf(one, all),
      ...[placeOf(one), one.operands],
    ]);
  });
}
