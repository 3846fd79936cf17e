import type { Space } from '../../../ir/addresses.ts';
import { parameterSpace } from '../../../ir/addresses.ts';
import { faultCode, launchField } from '../../layout.ts';
import type { Leaf } from '../writer.ts';
import type { KernelContext } from './context.ts';

type Needs = Pick<KernelContext, 'analysis' | 'counters' | 'current' | 'entry' | 'faults' | 'writer'>;

/** Work that loads and stores share: counters of shared memory, checks of ranges, and the condition of the fast path. */
export class MemoryAccess {
  private readonly kernel: Needs;

  constructor(kernel: Needs) {
    this.kernel = kernel;
  }

  /** An i1: true for pointers into `space` (`isspacep`). */
  isInSpace(pointer: Leaf, space: string): Leaf {
    const { entry, writer: w } = this.kernel;
    const window = (start: 'shared' | 'local', bytes: 'sharedBytes' | 'localTotal'): Leaf =>
      w.compare(
        'ult',
        w.binary('sub', pointer, entry.launchValue(launchField[start], start)),
        entry.launchValue(launchField[bytes], bytes),
      );
    if (space === 'const') return w.constant('i1', 'false');
    const shared = window('shared', 'sharedBytes');
    if (space === 'shared') return shared;
    const local = window('local', 'localTotal');
    if (space === 'local') return local;
    // The windows of blocks that run side by side lie above all memory.
    const above = w.compare('uge', pointer, entry.launchValue(launchField.lowest, 'lowest'));
    const no = w.constant('i1', 'false');
    return w.select(shared, no, w.select(local, no, above));
  }

  /** Wavefronts of a divergent request to shared memory; one analysis serves all accesses off one base. */
  countShared(kind: 'load' | 'store', root: Leaf, size: number, space: Space, site: string): string | null {
    const { counters, current, writer: w } = this.kernel;
    if (space !== 3) return null;

    const isWideStore = kind === 'store' && size > 4 ? 1 : 0;
    const shape = w.emit(
      `call i32 @shared_shape(<32 x i32> ${w.vector(root)}, i32 ${current.mask}, i32 ${size}, i32 ${isWideStore})`,
    );
    const above = w.emit(`lshr i32 ${shape}, 8`);
    counters.addTo(site, 'wavefronts', size > 4 ? w.emit(`and i32 ${above}, 255`) : above);
    if (size > 4) counters.addTo(site, 'wide', w.emit(`lshr i32 ${shape}, 16`));
    return shape;
  }

  /** Condition under which one vector access serves the warp: all lanes, consecutive, aligned, in range. */
  fastCondition(
    size: number,
    root: Leaf,
    offset: number,
    space: Space,
    shape: string | null,
  ): { condition: string; start: string } {
    const { current, entry, writer: w } = this.kernel;
    const first = w.emit(`extractelement <32 x i32> ${root.text}, i32 0`);
    const start = offset === 0 ? first : w.emit(`add i32 ${first}, ${offset | 0}`);
    let condition: string;
    if (shape !== null) {
      condition = w.emit(`icmp ne i32 ${w.emit(`and i32 ${shape}, 16`)}, 0`);
      const inside = w.emit(`sub i32 ${start}, ${entry.launchValue(launchField.shared, 'shared').text}`);
      const limit = entry.once(`limit${size}`, (emit) => {
        const bytes = entry.launchValue(launchField.sharedBytes, 'sharedBytes').text;
        // Never true in a window smaller than the access.
        const enough = emit(`icmp uge i32 ${bytes}, ${32 * size}`);
        return [
          w.uniform('i32', emit(`select i1 ${enough}, i32 ${emit(`sub i32 ${bytes}, ${32 * size - 1}`)}, i32 0`)),
        ];
      })[0] as Leaf;
      condition = w.emit(`and i1 ${condition}, ${w.emit(`icmp ult i32 ${inside}, ${limit.text}`)}`);
    } else {
      const consecutive = w.emit(`call i1 @consecutive${size}(<32 x i32> ${root.text}, i32 ${first})`);
      condition = w.emit(`and i1 ${consecutive}, ${w.emit(`icmp eq i32 ${current.mask}, -1`)}`);
    }
    if (size > 1)
      condition = w.emit(`and i1 ${condition}, ${w.emit(`icmp eq i32 ${w.emit(`and i32 ${start}, ${size - 1}`)}, 0`)}`);
    return { condition, start };
  }

  /** Accounts for an access to one address for the warp, and checks its range. `kind`: 0 load, 1 store, 2 atomic. */
  accountUniform(address: string, size: number, space: Space, kind: number, site: string): void {
    const { analysis, counters, current, entry, faults, writer: w } = this.kernel;
    if (space === parameterSpace || space === 4) return;
    if (space === 3 && !analysis.options.checked) {
      const inside = w.emit(`sub i32 ${address}, ${entry.launchValue(launchField.shared, 'shared').text}`);
      const limit = w.emit(`sub i32 ${entry.launchValue(launchField.sharedBytes, 'sharedBytes').text}, ${size}`);
      faults.failIf(w.emit(`icmp ugt i32 ${inside}, ${limit}`), faultCode.sharedRange, site, inside, size);
      counters.noteAccess('note_one_access', address, size, site);
      this.countUniform(site, size, kind);
      return;
    }
    if (kind === 1 && powerOfTwo(size) !== size)
      w.line(`call void @writes_too(ptr %launch, i32 ${address}, i32 ${size})`);
    w.line(
      `call void @account_one(ptr %launch, ptr ${site}, i32 ${address}, i32 ${powerOfTwo(size)}, i32 ${space}, i32 ${kind}, i32 ${current.mask})`,
    );
    if (space === 3) this.countUniform(site, size, kind);
  }

  private countUniform(site: string, size: number, kind: number): void {
    const { counters, writer } = this.kernel;
    const wavefronts = this.uniformWavefronts(size, kind);
    counters.addTo(site, 'wavefronts', wavefronts);
    if (wavefronts !== '1') counters.addTo(site, 'wide', writer.emit(`sub i32 ${wavefronts}, 1`));
  }

  /** Wavefronts of an access to one address of shared memory: one per group of lanes of which any is active (shared_shape in shared-memory.c). */
  private uniformWavefronts(size: number, kind: number): string {
    const groups = powerOfTwo(size) / (kind === 1 ? 4 : 8);
    if (groups <= 1 || kind === 2) return '1';
    const w = this.kernel.writer;
    const lanes = 2 ** (32 / groups) - 1;
    const active = Array.from({ length: groups }, (_, i) =>
      w.emit(
        `zext i1 ${w.emit(`icmp ne i32 ${w.emit(`and i32 ${this.kernel.current.mask}, ${(lanes << ((32 / groups) * i)) | 0}`)}, 0`)} to i32`,
      ),
    );
    return active.reduce((sum, each) => w.emit(`add i32 ${sum}, ${each}`));
  }
}

/** Number of an address space in the runtime, which knows parameters as constant memory. */
export const runtimeSpace = (space: Space): number => (space === parameterSpace ? 4 : space);

const powerOfTwo = (size: number): number => 2 ** Math.floor(Math.log2(Math.max(1, size)));
