/**
 * Comparison of a name in a report and a label on the timeline: reports give the full demangled name,
 * labels the short one. `void ns::saxpy<float>(int, float*)` and `saxpy` do.
 */
export function baseName(full: string): string {
  let depth = 0;
  let end = full.length;
  // Cut at the first parenthesis or template argument list that belongs to the name itself.
  for (let i = 0; i < full.length; i++) {
    const character = full[i];
    if (character === '(' && full.startsWith('(anonymous namespace)', i)) {
      i += '(anonymous namespace)'.length - 1;
      continue;
    }
    if ((character === '(' || character === '<') && depth === 0) {
      end = i;
      break;
    }
    if (character === '<') depth++;
    if (character === '>') depth--;
  }
  return full.slice(0, end).trim().split(/\s+/).at(-1)?.split('::').at(-1) ?? full;
}

/** A name that says which instance of a template, or which overload, is meant. */
const isExact = (name: string): boolean => /[<(]/.test(name.replaceAll('(anonymous namespace)', ''));

/**
 * True if an event, by its label and its name in full, is what `name` means: exactly, where both say which instance they are; else by
 * base name, of which there may be several instances.
 */
export function isNamed({ label, fullName }: { label: string; fullName: string }, name: string): boolean {
  if (fullName === name || label === name) return true;
  if (memoryOperation(label) === null && isExact(fullName) && isExact(name)) return false;
  return sameName(label, name);
}

export function sameName(label: string, name: string): boolean {
  if (label === name) return true;
  const [memoryOfLabel, memoryOfName] = [memoryOperation(label), memoryOperation(name)];
  if (memoryOfLabel || memoryOfName) return memoryOfLabel === memoryOfName;
  const base = baseName(label);
  return base !== '' && base === baseName(name);
}

/** `[CUDA memcpy Host-to-Device]` of reports and `Memcpy HtoD (Pinned)` of rows as `memcpy HtoD`; null for all else. */
function memoryOperation(name: string): string | null {
  const [, operation, direction = ''] = /^\[?(?:CUDA )?(memcpy|memset)\b ?([\w-]*)/i.exec(name) ?? [];
  if (!operation) return null;
  const short = direction.replace(/^(\w)\w*-to-(\w)\w*$/, '$1to$2');
  return `${operation.toLowerCase()} ${short}`.trim();
}
