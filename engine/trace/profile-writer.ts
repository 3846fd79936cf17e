/** The profiles of kernels as rows: what the simulated SMs saw of each instruction, block and warp. */
import type Database from 'better-sqlite3';
import type { ProfileEvent } from '../model/events.ts';
import type { KernelProfile } from '../model/kernel-profile.ts';
import { accessSampleColumns, addAccessSample } from './access-samples.ts';
import type { RecordedNames } from './recorded-names.ts';
import type { Table } from './tables.ts';
import { addMix, addWarps, warpColumns } from './warp-table.ts';

/** Opens a table of the recording. */
type OpenTable = (name: string, columns: readonly string[]) => Table;

export class ProfileWriter {
  private readonly names: RecordedNames;
  private readonly schedulers: number;
  private readonly profiles: Table;
  private readonly instructions: Table;
  private readonly instructionStates: Table;
  private readonly accessSamples: Table;
  private readonly branches: Table;
  private readonly sharedArrays: Table;
  private readonly blocks: Table;
  private readonly warps: Table;
  private readonly mixes: Table;
  private readonly stateIds: ReadonlyMap<string, number>;

  /** `schedulers`: of an SM. */
  constructor(db: Database.Database, table: OpenTable, names: RecordedNames, schedulers: number) {
    this.names = names;
    this.schedulers = schedulers;
    this.profiles = table('SIMSIGHT_PROFILES', ['id', 'cycles', 'share', 'warpCycles']);
    this.instructions = table('SIMSIGHT_INSTRUCTIONS', [
      ...['profile', 'instruction', 'opcodeId', 'block', 'fileId', 'line', 'executed', 'threads', 'threadsOn'],
      ...['sectors', 'wavefronts', 'operands', 'partial', 'idealWavefronts'],
    ]);
    this.instructionStates = table('SIMSIGHT_INSTRUCTION_STATES', ['profile', 'instruction', 'state', 'cycles']);
    this.accessSamples = table('SIMSIGHT_ACCESS_SAMPLES', accessSampleColumns);
    this.branches = table('SIMSIGHT_BRANCHES', ['profile', 'instruction', 'executed', 'diverged', 'taken', 'notTaken']);
    this.sharedArrays = table('SIMSIGHT_SHARED_ARRAYS', ['profile', 'nameId', 'offset', 'bytes', 'rowBytes']);
    this.blocks = table('SIMSIGHT_SM_BLOCKS', ['profile', 'block', 'start', 'end']);
    this.warps = table('SIMSIGHT_WARP_CHUNKS', warpColumns);
    this.mixes = table('SIMSIGHT_WARP_MIX', ['profile', 'width', 'cells', 'data']);
    const states = db.prepare('SELECT name, id FROM ENUM_SIMSIGHT_WARP_STATE').raw().all() as [string, number][];
    this.stateIds = new Map(states);
  }

  add({ id, profile }: ProfileEvent): void {
    this.profiles.add(id, profile.cycles, profile.share, Math.round(profile.warpCycles));
    this.addInstructions(id, profile);
    for (const { instruction, executed, diverged, taken, notTaken } of profile.branches)
      this.branches.add(id, instruction, executed, diverged, taken, notTaken);
    for (const { name, offset, bytes, rowBytes } of profile.sharedArrays)
      this.sharedArrays.add(id, this.names.string(name), offset, bytes, rowBytes);
    for (const { block, start, end } of profile.blocks) this.blocks.add(id, block, start, end < 0 ? null : end);
    addMix(this.mixes, id, profile.mix);
    addWarps(this.warps, id, profile.warps, profile.issues, this.schedulers);
  }

  private addInstructions(id: number, profile: KernelProfile): void {
    profile.instructions.forEach((one, i) => {
      const { opcode, block, file, line, executed, threads, threadsOn, sectors, wavefronts, states, samples } = one;
      const { operands, partial, idealWavefronts } = one;
      const place = file === null ? [null, null] : [this.names.string(file), line];
      this.instructions.add(
        ...[id, i, this.names.string(opcode), block],
        ...place,
        ...[executed, threads, threadsOn, sectors, wavefronts, operands, partial, idealWavefronts],
      );
      for (const [state, cycles] of Object.entries(states))
        this.instructionStates.add(id, i, this.stateIds.get(state)!, cycles);
      for (const sample of samples) addAccessSample(this.accessSamples, id, i, sample);
    });
  }
}
