/**
 * Kernels as LLVM modules that compile alone: in parallel, when first launched, and again only when they change. A unit
 * holds a large kernel or a few small ones, and of the runtime what they call. Second functions of kernels (meetings.ts) are larger than the
 * first and seldom entered: those of a unit are a unit of their own, which is compiled when a warp enters one.
 */
import { preludeIr } from './widen/prelude.ts';
import { callersOfHost, runtimeIr } from './runtime/ir.ts';
import { runtimeObject } from './runtime/object.ts';
import { secondBase } from './layout.ts';
import { unitHeader } from './target.ts';
import type { UnitCode } from './unit-code.ts';
import { meetingSymbol } from './widen/kernel/symbols.ts';

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
  /** The first function and its launcher. */
  bodies: string[];
  /** Functions that both call. */
  called: string[];
  /** The second function, by which a unit of its own exports it; null where there is none. */
  second: SecondFunction | null;
  /** Declarations of functions that are not defined there, by name; the runtime's own need none. */
  declarations: Map<string, string>;
  exports: string[];
}

interface SecondFunction {
  kernel: string;
  text: string;
  /** What the first function's unit imports, and the second's exports. */
  export: string;
}

const firstBodies = ({ bodies, called }: KernelCode): string[] => [...bodies, ...called];
const allBodies = (code: KernelCode): string[] =>
  code.second === null ? firstBodies(code) : [...firstBodies(code), code.second.text];

/** Of `pieces`, those that texts need, whatever these need included. */
function neededBy(texts: readonly string[], pieces: ReadonlyMap<string, Piece>): Set<string> {
  const needed = new Set<string>();
  const queue = texts.flatMap(mentionsOf);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const piece = pieces.get(name);
    if (piece === undefined || needed.has(name)) continue;
    needed.add(name);
    queue.push(...piece.mentions);
  }
  return needed;
}

/** True if warps of a kernel give way to others: they return 2 where they spin, 6 where they do nothing but poll. */
export const waitsForOthers = (code: KernelCode): boolean =>
  allBodies(code).some((body) => /\bret i32 [26]\b/.test(body));

/**
 * True if blocks of a kernel may be executed side by side (see crew.ts): none waits for another or for the grid, asks the time, prints,
 * allocates, or moves memory by other ways than loads and stores.
 */
export function runsByBlocks(code: KernelCode): boolean {
  const { declarations } = code;
  const bodies = allBodies(code);
  if (waitsForOthers(code) || bodies.some((body) => movesMemory.test(body))) return false;
  const mentioned = [...bodies, ...declarations.values()].flatMap(mentionsOf);
  return !mentioned.some((name) => asksHost.has(name));
}

/**
 * True if a kernel asks the time, and its effects can be undone (see Crew.rehearse): it waits for no other block, leaves heap and child
 * launches alone, and moves memory by loads, stores and atomics only. What it prints is held back.
 */
export function asksTime(code: KernelCode): boolean {
  const calls = (name: RegExp): boolean => allBodies(code).some((body) => name.test(body));
  return calls(/@cycles\b/) && !waitsForOthers(code) && !calls(movesMemory) && !calls(asksForMore);
}
/** True if the kernel may launch kernels. */
export const mayLaunch = (code: KernelCode): boolean =>
  allBodies(code).some((body) => /@device_runtime_lanes\b/.test(body));

const movesMemory = /@(copy_lanes|set_lanes)\b/;
const asksForMore = /@(allocate|release|device_runtime)_lanes\b/;

/** Kernels in their order, then units of second functions; `unitOf` gives each kernel's number of unit. */
export function unitsOf(kernels: KernelCode[]): { units: UnitCode[]; unitOf: number[] } {
  const groups: KernelCode[][] = [];
  const unitOf: number[] = [];
  let length = Infinity;
  for (const kernel of kernels) {
    const own = firstBodies(kernel).reduce((sum, body) => sum + body.length, 0);
    if (length + own > unitLength) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)!.push(kernel);
    length += own;
    unitOf.push(groups.length - 1);
  }
  const withSecond = groups.filter((group) => group.some(({ second }) => second !== null));
  const units = groups.map((group): UnitCode => {
    const at = withSecond.indexOf(group);
    return { ...firstUnit(group), second: at < 0 ? null : groups.length + at };
  });
  return { units: [...units, ...withSecond.map(secondUnit)], unitOf };
}

const asksHost = new Set<string>(callersOfHost);

/** Bodies, and what they need of declarations and of the runtime, each in its order. */
function irOf(bodies: readonly string[], declarations: ReadonlyMap<string, string>): string {
  const own = [...declarations]
    .filter(([name]) => !runtime.pieces.has(name))
    .map(([name, text]): [string, Piece] => [name, { text, mentions: mentionsOf(text) }]);
  const pieces = new Map([...runtime.pieces, ...own]);
  const needed = neededBy(bodies, pieces);
  return [
    unitHeader,
    ...runtime.common,
    ...[...pieces].filter(([name]) => needed.has(name)).map(([, { text }]) => text),
    ...bodies,
    footer,
  ].join('\n');
}

const declarationsOf = (kernels: readonly KernelCode[]): Map<string, string> =>
  new Map(kernels.flatMap(({ declarations }) => [...declarations]));

function firstUnit(kernels: readonly KernelCode[]): UnitCode {
  const seconds = kernels.flatMap(({ second }) => (second === null ? [] : [importOf(second)]));
  return {
    llvmIr: irOf([...seconds, ...kernels.flatMap(firstBodies)], declarationsOf(kernels)),
    exports: [
      ...kernels.flatMap((kernel) => kernel.exports),
      // Functions of the runtime for the host to call.
      ...['replay', 'conflicts', 'forget_part', 'add_hot'],
      'begin_launch',
      'stored',
      'hash_pages',
      'hash_l2',
    ],
    objects: [runtimeObject],
    dataAt: null,
    second: null,
  };
}

const importOf = ({ kernel, export: name }: SecondFunction): string =>
  `declare i32 @${meetingSymbol(kernel)}(ptr, ptr, ptr, ptr) cold nounwind "wasm-import-module"="env" "wasm-import-name"="${name}"`;

const exportOf = ({ kernel, export: name }: SecondFunction): string =>
  `define i32 @${name}(ptr %warp, ptr %launch, ptr %counts, ptr %sites) {
  %result = call i32 @${meetingSymbol(kernel)}(ptr %warp, ptr %launch, ptr %counts, ptr %sites)
  ret i32 %result
}`;

/** Functions that both call are in both units: the runtime keeps nothing in data of its own. */
function secondUnit(kernels: readonly KernelCode[]): UnitCode {
  const own = kernels.flatMap(({ second, called }) => (second === null ? [] : [{ second, called }]));
  const bodies = own.flatMap(({ second, called }) => [second.text, exportOf(second), ...called]);
  return {
    llvmIr: irOf(bodies, declarationsOf(kernels)),
    exports: own.map(({ second }) => second.export),
    objects: [runtimeObject],
    dataAt: secondBase,
    second: null,
  };
}
