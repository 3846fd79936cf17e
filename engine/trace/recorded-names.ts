/** Names in a recording while it is written: each text once, and threads with theirs. */
import { cutOff } from '../base/harmless.ts';
import { globalId, pid } from '../model/nsight-codes.ts';
import type { Table } from './tables.ts';

/** Characters. Kernels of template libraries have names of some thousand. */
export const longestName = 65_536;
/** Most characters of all names together, and the longest that further names may be. */
const mostNameCharacters = 128 * 2 ** 20;
const longestOfMany = 64;

/** Priorities of thread names by their sources: one that the program gave counts more than one that is made up. */
const priorities = { made: 20, given: 30 } as const;

export class RecordedNames {
  /** Notices to give at the end of the recording. */
  readonly notices: string[] = [];
  private readonly strings: Table;
  private readonly threadNames: Table;
  private readonly program: string;
  private readonly ids = new Map<string, number>();
  private readonly threads = new Set<number>();
  private characters = 0;

  /** `program`: the name of the main thread. */
  constructor(strings: Table, threadNames: Table, program: string) {
    this.strings = strings;
    this.threadNames = threadNames;
    this.program = program;
  }

  /** The id of a text. */
  string(value: string): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    const room = this.characters < mostNameCharacters ? longestName : longestOfMany;
    if (value.length > room) return this.cutString(value, room);
    const id = this.ids.size + 1;
    this.ids.set(value, id);
    this.strings.add(id, value);
    this.characters += value.length;
    return id;
  }

  private cutString(value: string, room: number): number {
    const notice =
      room === longestName
        ? `Names are cut off after ${longestName} characters.`
        : `There are more than ${mostNameCharacters / 2 ** 20} MiB of names: further ones are cut off after ${longestOfMany} characters.`;
    if (!this.notices.includes(notice)) this.notices.push(notice);
    return this.string(cutOff(value, room));
  }

  /** `globalTid` of a thread. */
  thread(threadId: number): number {
    // The main thread, number 1, has the id of its process.
    const globalTid = globalId(pid + threadId - 1);
    if (!this.threads.has(globalTid)) {
      this.threads.add(globalTid);
      const name = this.threads.size === 1 ? this.program : `thread ${threadId}`;
      this.threadNames.add(this.string(name), priorities.made, globalTid);
    }
    return globalTid;
  }

  nameThread(threadId: number, name: string): void {
    const globalTid = globalId(pid + threadId - 1);
    this.threads.add(globalTid);
    this.threadNames.add(this.string(name), priorities.given, globalTid);
  }
}
