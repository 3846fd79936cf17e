/**
 * Kernels as LLVM modules that compile alone: in parallel, when first launched, and again only when they change. A unit
 * holds a large kernel or a few small ones, and of the runtime what they call.
 */
import { preludeIr } from './widen/prelude.ts';
import { callersOfHost, runtimeIr } from './runtime/ir.ts';
import { runtimeObject } from './runtime/object.ts';
import { unitHeader } from './target.ts';

/** Small kernels share a unit up to this many characters: about a second of Clang's time. */
const unitLength = 64 << 10;

const footer = `!9000 = !{!"branch_weights", i32 64, i32 1}
!9001 = !{!"branch_weights", i32 1, i32 1024}`;

/** A definition or declaration of a symbol, and what it refers to. */
interface Piece {
  text: string;
  mentions: string[];
}

const symbol = /@("[^"]+"|[\w.$]+)/g;
const mentionsOf = (text: string): string[] => [...new Set([...text.matchAll(symbol)].map((match) => match[1]!))];

/** Types, attributes and metadata stay with every unit; the rest goes by symbol. */
function split(ir: string): { common: string[]; pieces: Map<string, Piece> } {
  const common: string[] = [];
  const pieces = new Map<string, Piece>();
  const found = /^(?:define [^]*?\n\}|declare .*|@.*|.+)$/gm;
  for (const [text] of ir.matchAll(found)) {
    const name = /^(?:define|declare)\b[^@\n]*@("[^"]+"|[\w.$]+)\(|^@("[^"]+"|[\w.$]+) =/.exec(text);
    if (name === null) common.push(text);
    else pieces.set(name[1] ?? name[2]!, { text, mentions: mentionsOf(text) });
  }
  return { common, pieces };
}

const runtime = split(`${runtimeIr}\n${preludeIr}\ndeclare i32 @llvm.cttz.i32(i32, i1)`);

/** Code written for one kernel. */
export interface KernelCode {
  /** Functions, launcher included. */
  bodies: string[];
  /** Declarations of functions that are not defined there, by name; the runtime's own need none. */
  declarations: Map<string, string>;
  exports: string[];
}

export interface UnitCode {
  llvmIr: string;
  exports: string[];
  /** Object files to be linked with it. */
  objects: Uint8Array[];
}

/** Pieces of the runtime that texts need, themselves included. */
function neededBy(texts: string[]): Map<string, Piece> {
  const needed = new Map<string, Piece>();
  const queue = texts.flatMap(mentionsOf);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const piece = runtime.pieces.get(name);
    if (piece === undefined || needed.has(name)) continue;
    needed.set(name, piece);
    queue.push(...piece.mentions);
  }
  return needed;
}

/** True if warps of a kernel give way to others: they return 2 where they spin, 6 where they do nothing but poll. */
export const waitsForOthers = ({ bodies }: Pick<KernelCode, 'bodies'>): boolean =>
  bodies.some((body) => /\bret i32 [26]\b/.test(body));

/**
 * True if blocks of a kernel may be executed side by side (see crew.ts): none waits for another or for the grid, asks the time, prints,
 * allocates, or moves memory by other ways than loads and stores.
 */
export function runsByBlocks(code: KernelCode): boolean {
  const { bodies, declarations } = code;
  if (waitsForOthers(code) || bodies.some((body) => movesMemory.test(body))) return false;
  const mentioned = [...bodies, ...declarations.values()].flatMap(mentionsOf);
  return !mentioned.some((name) => asksHost.has(name));
}

/**
 * True if a kernel asks the time, and its effects can be undone (see Crew.rehearse): it waits for no other block, leaves heap and child
 * launches alone, and moves memory by loads, stores and atomics only. What it prints is held back.
 */
export function asksTime({ bodies }: KernelCode): boolean {
  const calls = (name: RegExp): boolean => bodies.some((body) => name.test(body));
  return calls(/@cycles\b/) && !waitsForOthers({ bodies }) && !calls(movesMemory) && !calls(asksForMore);
}
/** True if the kernel may launch kernels. */
export const mayLaunch = ({ bodies }: KernelCode): boolean =>
  bodies.some((body) => /@device_runtime_lanes\b/.test(body));

const movesMemory = /@(copy_lanes|set_lanes)\b/;
const asksForMore = /@(allocate|release|device_runtime)_lanes\b/;

/** Kernels in their order; `unitOf` gives each kernel's number of unit. */
export function unitsOf(kernels: KernelCode[]): { units: UnitCode[]; unitOf: number[] } {
  const groups: KernelCode[][] = [];
  const unitOf: number[] = [];
  let length = Infinity;
  for (const kernel of kernels) {
    const own = kernel.bodies.reduce((sum, body) => sum + body.length, 0);
    if (length + own > unitLength) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)!.push(kernel);
    length += own;
    unitOf.push(groups.length - 1);
  }
  return { units: groups.map(unitCode), unitOf };
}

const asksHost = new Set<string>(callersOfHost);

function unitCode(kernels: KernelCode[]): UnitCode {
  const bodies = kernels.flatMap((kernel) => kernel.bodies);
  const declarations = new Map(kernels.flatMap((kernel) => [...kernel.declarations]));
  const needed = neededBy([...bodies, ...declarations.values()]);
  const llvmIr = [
    unitHeader,
    ...runtime.common,
    // In the runtime's order, whatever the order of their discovery.
    ...[...runtime.pieces].filter(([name]) => needed.has(name)).map(([, { text }]) => text),
    ...[...declarations].filter(([name]) => !runtime.pieces.has(name)).map(([, declaration]) => declaration),
    ...bodies,
    footer,
  ].join('\n');
  // Functions of the runtime for the host to call.
  return {
    llvmIr,
    exports: [
      ...kernels.flatMap((kernel) => kernel.exports),
      ...['replay', 'conflicts', 'forget_part', 'add_hot'],
      'begin_launch',
      'stored',
      'hash_pages',
      'hash_l2',
    ],
    objects: [runtimeObject],
  };
}
