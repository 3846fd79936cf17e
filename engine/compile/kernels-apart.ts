/**
 * Kernels of a large source, each optimized on its own when it is first needed. Sources with many instances of templates define hundreds of
 * kernels, of which a program launches a few, and what the optimizer makes of all of them takes minutes.
 *
 *   const apart = kernelsApart(ir);            // not yet optimized
 *   apart?.variables                           // a module of the variables that kernels share
 *   apart?.kernel('_Z3addPf')                  // a module of one kernel, what it calls and what both name
 */

/** A definition or declaration of a symbol, or a node of metadata, and what it refers to. */
interface Piece {
  text: string;
  mentions: string[];
}

export interface KernelsApart {
  /** In the order of the source. */
  names: string[];
  /** LLVM IR of the variables that kernels or the host may share. */
  variables: string;
  /** LLVM IR of one kernel, with all that it reaches. */
  kernel: (name: string) => string;
}

/** Fewer are not worth the searching. */
const fewestKernels = 4;

const piece = /^(?:define [^]*?\n\}|.+)$/gm;
/** Symbols and nodes of metadata that a text names. */
const mention = /@(?:"[^"]+"|[\w.$]+)|!\d+\b/g;
const withoutQuotes = (name: string): string => name.replaceAll('"', '');
const mentionsOf = (text: string): string[] => [
  ...new Set([...text.matchAll(mention)].map(([found]) => withoutQuotes(found))),
];
const ownName = /^(?:(?:define|declare)\b[^@\n]*?(@(?:"[^"]+"|[\w.$]+))\(|(@(?:"[^"]+"|[\w.$]+)|!\d+) =)/;
const comdat = /^\$("[^"]+"|[\w.$]+) = comdat/;
const isKernel = /^define [^@\n]*\bptx_kernel\b/;
/** Memory of a block is no variable that kernels share. */
const inSharedMemory = /^@\S+ = [^\n]*? addrspace\(3\) /;
/**
 * Constants that nothing but the code that names them can know of, and what no device has (`threadIdx`, of which only the address is
 * taken): most are gone when the code has been optimized. Strings are not.
 */
const ownToCode =
  /^@\S+ = (?:extern_weak |(?:private|internal|linkonce_odr) (?!.*\bexternally_initialized\b)(?:[\w()]+ )*?constant (?!\[\d+ x i8\] c"))/;
/** Lists for the linker and the loader; what they are about is not dropped here in any case. */
const ofLinker = /^@llvm\./;
/** The address of a function, where it is not called. */
const functionAsValue = /\bptr (@(?:"[^"]+"|[\w.$]+))(?![\w.$("])/g;

/**
 * Null where kernels depend on each other: where addresses of functions are data, which have to be the same in all of them, where
 * something has to run before them, or where nothing would be won.
 */
export function kernelsApart(ir: string): KernelsApart | null {
  if (/^@llvm\.global_(?:ctors|dtors) = /m.test(ir)) return null;
  const common: string[] = [];
  const lists: string[] = [];
  const comdats = new Map<string, string>();
  const pieces = new Map<string, Piece>();
  const names: string[] = [];
  for (const [text] of ir.matchAll(piece)) {
    const own = ownName.exec(text);
    const group = comdat.exec(text)?.[1];
    if (ofLinker.test(text)) continue;
    if (group !== undefined) comdats.set(withoutQuotes(group), text);
    else if (own !== null) {
      const name = withoutQuotes(own[1] ?? own[2]!);
      pieces.set(name, { text, mentions: mentionsOf(text) });
      if (isKernel.test(text)) names.push(name.slice(1));
    } else if (text.startsWith('!')) lists.push(text);
    else common.push(text);
  }
  if (names.length < fewestKernels || takesAddresses(pieces)) return null;
  const fixed = neverWritten(pieces);
  for (const [name, { text, mentions }] of pieces)
    if (ownVariable.test(text) && !inSharedMemory.test(text) && !fixed.has(name))
      pieces.set(name, { text: text.replace(ownVariable, '$1'), mentions });

  const moduleOf = (first: readonly string[]): string => {
    const needed = reachedFrom([...first, ...lists.flatMap(mentionsOf)], pieces);
    const groups = [...comdats].filter(([name]) => needed.has(`@${name}`)).map(([, text]) => text);
    const texts = [...pieces].filter(([name]) => needed.has(name)).map(([, { text }]) => text);
    return `${[...common, ...groups, ...texts, ...lists].join('\n')}\n`;
  };
  const variables = [...pieces]
    .filter(
      ([name, { text }]) =>
        text.startsWith('@') && !inSharedMemory.test(text) && !ownToCode.test(text) && !fixed.has(name),
    )
    .map(([name]) => name);
  return { names, variables: moduleOf(variables), kernel: (name) => moduleOf([`@${name}`]) };
}

/** A variable of the unit's own that is not constant. */
const ownVariable = /^(@(?:"[^"]+"|[\w.$]+) = )(?:private|internal) (?=(?:[\w()]+ )*?global )/;
const load = /^\s*%\S+ = load /;

/**
 * Names of variables that are what they were in the beginning: nothing but loads names them, in the whole unit. Others that kernels may
 * write to must be none that the optimizer sees all accesses of.
 */
function neverWritten(pieces: ReadonlyMap<string, Piece>): Set<string> {
  const candidates = new Set<string>();
  for (const [name, { text }] of pieces) if (ownVariable.test(text) && !inSharedMemory.test(text)) candidates.add(name);
  if (candidates.size === 0) return candidates;
  for (const [name, { text, mentions }] of pieces) {
    if (name.startsWith('!')) continue;
    for (const used of mentions) {
      if (used === name || !candidates.has(used)) continue;
      const lines = text.split('\n').filter((line) => mentionsOf(line).includes(used));
      if (!text.startsWith('define ') || !lines.every((line) => load.test(line))) candidates.delete(used);
    }
  }
  return candidates;
}

function reachedFrom(first: readonly string[], pieces: ReadonlyMap<string, Piece>): Set<string> {
  const reached = new Set<string>();
  const queue = [...first];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const found = pieces.get(name);
    if (found === undefined || reached.has(name)) continue;
    reached.add(name);
    for (const next of found.mentions) if (!reached.has(next)) queue.push(next);
  }
  return reached;
}

function takesAddresses(pieces: ReadonlyMap<string, Piece>): boolean {
  const isFunction = (name: string): boolean => /^(?:define|declare) /.test(pieces.get(name)?.text ?? '');
  for (const [name, { text }] of pieces) {
    if (name.startsWith('!')) continue;
    for (const [, value] of text.matchAll(functionAsValue)) if (isFunction(withoutQuotes(value!))) return true;
  }
  return false;
}
