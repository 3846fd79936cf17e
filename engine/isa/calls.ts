/**
 * Code that ptxas makes of calls that are more than the instructions they count as (warp/widen/table.ts): a row each. To give a call
 * machine code of its own, add a row; the first that fits is taken.
 */
import type { InstructionClass } from '../model/execution.ts';
import type { Opcode } from '../model/opcodes.ts';

export interface CallRow {
  callee: RegExp;
  /** No instruction: its first operand, negated or not. */
  isOperand?: true;
  /** Fetched once for all that use it. */
  fetched?: 'ULDC' | 'S2R';
  /** These in a row instead of what it is counted as; with a count the first operand is a modifier, or the count where it is not constant. */
  code?: readonly { opcode: Opcode; count?: number }[];
  /** Its code waits for the operands. */
  reads?: true;
  /** It stays where nothing uses its result. */
  stays?: true;
  /** Which opcode of a class it is, where that is not the usual one. */
  opcodes?: Partial<Record<InstructionClass, Opcode>>;
  /**
   * The operand that says which lanes take part. Groups of lanes with masks of their own take turns with some opcodes, and go side by side
   * with others (null).
   */
  mask?: { operand: number; turns: 'VOTE' | 'MATCH' | null };
}

/** Nanoseconds of `__nanosleep`, where the program computes them: traces do not say how many. */
const usualSleep = 100;

const forgetsL1 = [{ opcode: 'MEMBAR' }, { opcode: 'CCTL.IVALL' }] as const;
const product = (types: string): RegExp => new RegExp(`^(?:llvm\\.nvvm|simsight)\\.w?mma\\..*\\b(${types})`);

const rows: readonly CallRow[] = [
  // ---- no instruction, or one for all ----
  { callee: /^llvm\.(fabs|canonicalize|expect)/, isOperand: true },
  { callee: /^llvm\.nvvm\.read\.ptx\.sreg\.n(cta|t)id\./, fetched: 'ULDC' },
  { callee: /^llvm\.nvvm\.read\.ptx\.sreg\.((cta|t)id\.|laneid)/, fetched: 'S2R' },
  {
    callee: /^llvm\.(nvvm\.read\.ptx\.sreg\.(clock|globaltimer)|readcyclecounter)/,
    code: [{ opcode: 'CS2R.CLOCK' }],
    stays: true,
  },
  { callee: /^llvm\.nvvm\.nanosleep$/, code: [{ opcode: 'NANOSLEEP', count: usualSleep }], reads: true },

  // ---- fences ----
  { callee: /^llvm\.nvvm\.membar\.cta$/, code: [{ opcode: 'MEMBAR.CTA' }] },
  { callee: /^llvm\.nvvm\.membar\.(gl|sys)$/, code: forgetsL1 },

  // ---- asynchronous copies ----
  { callee: /^llvm\.nvvm\.cp\.async\.commit\.group/, code: [{ opcode: 'LDGDEPBAR' }] },
  { callee: /^llvm\.nvvm\.cp\.async\.wait\.group/, code: [{ opcode: 'DEPBAR.LE', count: 0 }] },
  { callee: /^llvm\.nvvm\.cp\.async\.wait\.all/, code: [{ opcode: 'LDGDEPBAR' }, { opcode: 'DEPBAR.LE', count: 0 }] },
  { callee: /^simsight\.bulk\.commit$/, code: [{ opcode: 'UTMACMDFLUSH' }] },
  { callee: /^simsight\.bulk\.wait$/, code: [{ opcode: 'DEPBAR.LE.SB0', count: 0 }] },

  // ---- what lanes do together ----
  {
    callee: /^llvm\.nvvm\.bar(rier)?\.warp\.sync/,
    opcodes: { barrier: 'WARPSYNC' },
    mask: { operand: 0, turns: null },
  },
  { callee: /^llvm\.nvvm\.shfl\.sync/, mask: { operand: 0, turns: null } },
  { callee: /^llvm\.nvvm\.vote\.\w+\.sync/, mask: { operand: 0, turns: 'VOTE' } },
  {
    callee: /^llvm\.nvvm\.match\.any\.sync\.i64/,
    opcodes: { vote: 'MATCH.ANY.U64' },
    mask: { operand: 0, turns: 'MATCH' },
  },
  { callee: /^llvm\.nvvm\.match\.any\.sync/, opcodes: { vote: 'MATCH.ANY' }, mask: { operand: 0, turns: 'MATCH' } },
  {
    callee: /^llvm\.nvvm\.match\.all\.sync\.i64p/,
    opcodes: { vote: 'MATCH.ALL.U64' },
    mask: { operand: 0, turns: 'MATCH' },
  },
  { callee: /^llvm\.nvvm\.match\.all\.sync/, opcodes: { vote: 'MATCH.ALL' }, mask: { operand: 0, turns: 'MATCH' } },
  // It leaves its result in a uniform register.
  {
    callee: /^llvm\.nvvm\.redux\.sync/,
    opcodes: { vote: 'REDUX', int: 'MOV' },
    mask: { operand: 1, turns: 'MATCH' },
  },

  // ---- matrices, by what is multiplied; 16-bit floats where the name does not say ----
  { callee: product('f64\\b'), opcodes: { tensor: 'DMMA' } },
  { callee: product('tf32\\b'), opcodes: { tensor: 'HMMA.TF32' } },
  { callee: product('e4m3|e5m2'), opcodes: { tensor: 'QMMA' } },
  { callee: product('b1\\b'), opcodes: { tensor: 'BMMA' } },
  { callee: product('[su]4\\b'), opcodes: { tensor: 'IMMA.S4' } },
  { callee: product('[su]8\\b'), opcodes: { tensor: 'IMMA' } },
];

const known = new Map<string, CallRow | undefined>();
export function callRow(callee: string): CallRow | undefined {
  if (!known.has(callee))
    known.set(
      callee,
      rows.find((row) => row.callee.test(callee)),
    );
  return known.get(callee);
}

/** The opcode that stands for what functions are counted as. */
export const usualOpcodes = {
  fp32: 'FFMA',
  fp64: 'DFMA',
  fp16: 'HFMA2',
  int: 'IADD3',
  imad: 'IMAD',
  conversion: 'F2F',
  special: 'MUFU',
  'load-global': 'LDG',
  'store-global': 'STG',
  'load-shared': 'LDS',
  'store-shared': 'STS',
  'load-constant': 'LDC',
  'load-local': 'LDL',
  'store-local': 'STL',
  'atomic-global': 'ATOMG',
  'atomic-shared': 'ATOMS',
  shuffle: 'SHFL',
  vote: 'VOTE',
  barrier: 'BAR',
  branch: 'BRA',
  tensor: 'HMMA',
  sync: 'SYNCS.ARRIVE',
  bulk: 'UBLKCP.S.G',
  texture: 'TEX',
} as const satisfies Record<InstructionClass, Opcode>;
