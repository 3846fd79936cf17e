/**
 * Where the warps of kernels spent their time, by source line and by machine instruction. Each kernel by the profile that
 * stands for most of its time.
 */
import type { CellType, ReportTable } from '../api/types.ts';
import type { Row, Trace } from '../trace/trace.ts';

type Rows = ReportTable['rows'];
type Column = ReportTable['columns'][number];

interface Place {
  name: string;
  executed: number;
  threads: number;
  sectors: number;
  /** Requests that had sectors, and those that had passes of shared memory. */
  sectorRequests: number;
  wavefronts: number;
  wavefrontRequests: number;
  /** Warp-cycles by state's label. */
  states: Map<string, number>;
}

const num = (value: Row[number] | undefined): number => Number(value ?? 0);
const columnsOf = (type: CellType, ...names: string[]): Column[] => names.map((name) => ({ name, type }));

const figures: Column[] = [
  ...columnsOf('percent', 'Warp Cycles (%)'),
  ...columnsOf('text', 'Mostly'),
  ...columnsOf('integer', 'Instructions Executed'),
  ...columnsOf('number', 'Avg. Threads', 'Sectors/Request', 'Wavefronts/Request'),
];
export const lineColumns: Column[] = [
  ...columnsOf('text', 'Kernel', 'Line'),
  ...figures,
  ...columnsOf('text', 'Source'),
];
export const instructionColumns: Column[] = [
  ...columnsOf('text', 'Kernel'),
  ...columnsOf('integer', '#'),
  ...columnsOf('text', 'Instruction'),
  ...figures,
  ...columnsOf('text', 'Line'),
];

/** Traces before format version 2 have no profiles. */
function profiles(trace: Trace): { kernel: string; profile: number }[] {
  const [known] = trace.query("SELECT count(*) FROM sqlite_schema WHERE name = 'SIMSIGHT_KERNEL_PROFILES'");
  if (num(known?.[0]) === 0) return [];
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

interface Instruction extends Place {
  opcode: string;
  line: number | null;
  file: string | null;
}

function instructionsOf(trace: Trace, profile: number): Instruction[] {
  const rows = trace.query(
    `SELECT o.value, f.value, i.line, i.executed, i.threads, i.sectors, i.wavefronts
     FROM SIMSIGHT_INSTRUCTIONS i JOIN StringIds o ON o.id = i.opcodeId LEFT JOIN StringIds f ON f.id = i.fileId
     WHERE i.profile = ? ORDER BY i.instruction`,
    profile,
  );
  const found = rows.map(([opcode, file, line, executed, threads, sectors, wavefronts]): Instruction => ({
    name: '',
    opcode: String(opcode),
    file: file === null || file === undefined ? null : String(file),
    line: line === null || line === undefined ? null : num(line),
    executed: num(executed),
    threads: num(threads),
    sectors: num(sectors),
    sectorRequests: num(sectors) > 0 ? num(executed) : 0,
    wavefronts: num(wavefronts),
    wavefrontRequests: num(wavefronts) > 0 ? num(executed) : 0,
    states: new Map(),
  }));
  const states = trace.query(
    `SELECT s.instruction, e.label, s.cycles FROM SIMSIGHT_INSTRUCTION_STATES s
     JOIN ENUM_SIMSIGHT_WARP_STATE e ON e.id = s.state WHERE s.profile = ? ORDER BY s.instruction, s.state`,
    profile,
  );
  for (const [instruction, label, cycles] of states) found[num(instruction)]?.states.set(String(label), num(cycles));
  return found;
}

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

function linesOf(instructions: Instruction[]): (Place & { file: string | null; line: number | null })[] {
  const lines = new Map<string, Place & { file: string | null; line: number | null }>();
  for (const one of instructions) {
    const { file, line, states } = one;
    const name = line === null ? '' : `${file ?? ''}:${line}`;
    const sum = lines.get(name);
    if (sum === undefined) {
      lines.set(name, { ...one, name, states: new Map(states) });
      continue;
    }
    sum.executed += one.executed;
    sum.threads += one.threads;
    sum.sectors += one.sectors;
    sum.sectorRequests += one.sectorRequests;
    sum.wavefronts += one.wavefronts;
    sum.wavefrontRequests += one.wavefrontRequests;
    for (const [state, cycles] of states) sum.states.set(state, (sum.states.get(state) ?? 0) + cycles);
  }
  return [...lines.values()].sort(
    (a, b) => (a.file ?? '').localeCompare(b.file ?? '') || (a.line ?? 0) - (b.line ?? 0),
  );
}

const baseName = (path: string): string => path.split('/').at(-1) ?? path;

export function lineRows(trace: Trace): Rows {
  const sources = new Map(trace.sources().map(({ path, text }) => [baseName(path), text.split('\n')]));
  return profiles(trace).flatMap(({ kernel, profile }) => {
    const lines = linesOf(instructionsOf(trace, profile));
    const all = lines.reduce((sum, line) => sum + cyclesOf(line), 0);
    return lines.map((place) => {
      const file = place.file === null ? '' : baseName(place.file);
      const text = place.line === null ? '' : (sources.get(file)?.[place.line - 1]?.trim() ?? '');
      return [kernel, place.line === null ? '(none)' : `${file}:${place.line}`, ...figuresOf(place, all), text];
    });
  });
}

export function instructionRows(trace: Trace): Rows {
  return profiles(trace).flatMap(({ kernel, profile }) => {
    const instructions = instructionsOf(trace, profile);
    const all = instructions.reduce((sum, one) => sum + cyclesOf(one), 0);
    return instructions.map((one, i) => [
      kernel,
      i,
      one.opcode,
      ...figuresOf(one, all),
      one.line === null ? '' : `${one.file === null ? '' : baseName(one.file)}:${one.line}`,
    ]);
  });
}
