/**
 * The common part of names of kernels and ranges that are not equal. A changed parameter or template argument does not make a
 * kernel another one, nor does a tool's way of writing it: Nsight Systems has `k<(int)4>(T1 *)` for what Kineto calls `k<4>(float*)`.
 */

export interface KernelName {
  full: string;
  /** Name with namespace and template arguments: `ns::tile<8>`. */
  instance: string;
  /** Name with namespace: `ns::tile`. */
  function: string;
  /** Types between the last parentheses. */
  parameters: string;
}

const anonymous = '@anonymous';
/** Readable form of a name. */
export const readable = (name: string): string => name.replaceAll(anonymous, '(anonymous namespace)');

/** The parts of a demangled name; names of C and of libraries are all of it. */
export function kernelName(full: string): KernelName {
  const text = full
    .replaceAll(/<unnamed>|\(anonymous namespace\)|\{anonymous\}/g, anonymous)
    // Casts in front of template arguments.
    .replaceAll(/\((?:unsigned |signed )?(?:int|long|long long|short|char|bool|[\w:]*Type)\)(?=-?\w)/g, '')
    .trim();
  const open = openingOfParameters(text);
  const name = (open < 0 ? text : text.slice(0, open)).trimEnd();
  const instance = withoutReturnType(name).replaceAll(/\s+/g, '');
  return {
    full,
    instance,
    function: withoutTemplates(instance),
    parameters: open < 0 ? '' : text.slice(open).replaceAll(/\s+/g, ''),
  };
}

/** Position at which the parameters of the function begin; -1 where there are none. */
function openingOfParameters(text: string): number {
  const end = text.lastIndexOf(')');
  let depth = 0;
  for (let at = end; at >= 0; at--) {
    if (text[at] === ')') depth++;
    else if (text[at] === '(' && --depth === 0) return at;
  }
  return -1;
}

/** `void tile<8>` has one, as demanglers write it of templates only. */
function withoutReturnType(name: string): string {
  let depth = 0;
  for (let at = name.length - 1; at >= 0; at--) {
    const letter = name[at]!;
    if (letter === '>' || letter === ')') depth++;
    else if (letter === '<' || letter === '(') depth--;
    else if (letter === ' ' && depth === 0) return name.slice(at + 1);
  }
  return name;
}

function withoutTemplates(name: string): string {
  let [depth, kept] = [0, ''];
  for (const letter of name) {
    if (letter === '<') depth++;
    else if (letter === '>') depth--;
    else if (depth === 0) kept += letter;
  }
  return kept === '' ? name : kept;
}

/**
 * Text of a range without what counts on: PyTorch's numbers of operators (`aten::to, op_id = 995`, `seq = 12`) and of steps
 * (`ProfilerStep#1014`).
 */
export const rangeName = (text: string): string => text.replaceAll(/, (?:op_id|seq) = \d+/g, '').replace(/#\d+$/, '#');

/** The same of ranges that may be steps: `step 12`, `iteration_3` and `ProfilerStep#7` are `step #`, `iteration_#`, `ProfilerStep#`. */
export const stepName = (text: string): string => rangeName(text).replace(/(?<=[\s_:#-])\d+$|(?<=[A-Za-z])\d+$/, '#');
