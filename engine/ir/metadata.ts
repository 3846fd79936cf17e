/** Metadata of LLVM IR: source places and marks of loops. */
import { realPath } from '../base/compiler-paths.ts';
import type { SourcePlace } from '../model/source-place.ts';
import { unescaped } from './names.ts';

/** Ids of `!llvm.loop` metadata that forbid unrolling: the loop has been unrolled, or the program says so. */
export function unrolledLoops(lines: string[]): Set<string> {
  const forbids = lines.find((line) => line.endsWith('!{!"llvm.loop.unroll.disable"}'))?.split(' = ')[0];
  const isOne = (line: string): boolean => forbids !== undefined && new RegExp(`[ ,{]${forbids}[,}]`).test(line);
  return new Set(lines.filter(isOne).map((line) => line.split(' = ')[0]!));
}

/** `!dbg` metadata: just enough of it to turn a location into file and line. */
export function parsePlaces(lines: string[]): (id: string) => SourcePlace | null {
  const byId = new Map<string, string>();
  for (const line of lines) {
    const split = line.indexOf(' = ');
    if (split > 0) byId.set(line.slice(0, split), line.slice(split + 3));
  }
  const field = (text: string, name: string): string | undefined =>
    new RegExp(`\\b${name}: (?:"([^"]*)"|(![0-9]+|[0-9]+))`)
      .exec(text)
      ?.slice(1)
      .find((part) => part !== undefined);
  const cache = new Map<string, SourcePlace | null>();
  const fileOf = (scope: string | undefined): string => {
    for (let id = scope, hops = 0; id !== undefined && hops < 64; hops++) {
      const text = byId.get(id) ?? '';
      const file = field(text, 'file');
      if (file !== undefined) return unescaped(field(byId.get(file) ?? '', 'filename') ?? '');
      id = field(text, 'scope');
    }
    return '';
  };
  const resolve = (id: string): SourcePlace | null => {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const text = byId.get(id) ?? '';
    let place: SourcePlace | null = null;
    const inlinedAt = field(text, 'inlinedAt');
    const file = fileOf(text.includes('DISubprogram') ? id : field(text, 'scope'));
    // Code of the toolchain's own headers (threadIdx, __shfl_sync, atomicAdd …) belongs to the line that uses it.
    if (inlinedAt !== undefined && /^\/usr\/include|^\/simsight\/include\/|^<built-in>|__clang_cuda/.test(file))
      place = resolve(inlinedAt);
    else if (text.includes('line:')) {
      place = {
        file: realPath(file),
        line: Number(field(text, 'line') ?? 0),
        column: Number(field(text, 'column') ?? 0),
      };
    }
    cache.set(id, place);
    return place;
  };
  return resolve;
}
