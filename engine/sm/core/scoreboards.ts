/** Scoreboards: per warp slot and register, from when on a result can be read, and what a warp waits for until then. */
import type { SmOptions, SmProgram } from './types.ts';

export class Scoreboards {
  private readonly program: SmProgram;

  /** Per slot and register: from when it can be read, and what one waits for until then. */
  readonly registerReady: Int32Array;
  readonly registerWhy: Uint8Array;

  constructor(options: SmOptions) {
    const { residentBlocks, warpsPerBlock } = options;
    const slots = residentBlocks * warpsPerBlock;
    const { program } = options;
    this.program = options.program;
    this.registerReady = new Int32Array(slots * program.registers);
    this.registerWhy = new Uint8Array(slots * program.registers);
  }

  /** Another warp takes the slot. */
  begin(w: number): void {
    const { registers } = this.program;
    this.registerReady.fill(0, w * registers, (w + 1) * registers);
  }

  setResults(w: number, p: number, time: number, why: number): void {
    const { makesStart, makes, registers } = this.program;
    for (let k = makesStart[p]!, end = makesStart[p + 1]!; k < end; k++) {
      const register = w * registers + makes[k]!;
      this.registerReady[register] = time;
      this.registerWhy[register] = why;
    }
  }
}
