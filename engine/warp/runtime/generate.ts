/**
 * The runtime, which widened kernels call: memory requests that are not plain vector loads, caches, atomics, shuffles, and the loop over
 * blocks and warps. Compiles the C files of this folder into ir.ts, which precedes every kernel module (LLVM drops what a program does
 * not use), and object.ts, and writes abi.ts (generate-abi.ts): `node build/run.mjs ./engine/warp/runtime/generate.ts`. Run it after each
 * change.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileRuntimeToIr, compileToObject } from './compile.ts';
import { unitHeader } from '../target.ts';
import { writeAbi } from './generate-abi.ts';
import { runtimeSource } from './source.ts';

/**
 * Functions that call the host by other ways than to report faults: kernels with them are not split (see ../crew.ts). Those that bring in
 * pages are written as such.
 */
function callersOfHost(ir: string): string[] {
  const imported = [...ir.matchAll(/^attributes (#\d+) = .*"wasm-import-name"="(\w+)"/gm)]
    .filter(([, , name]) => !['fault', 'tick', 'sequence', 'drain', 'page_in'].includes(name!))
    .map(([, group]) => group!);
  const isImported = (line: string): boolean => imported.includes(/ (#\d+)$/.exec(line)?.[1] ?? '');
  const nameOf = (line: string): string => /@([\w.]+)\(/.exec(line)?.[1] ?? '';
  const found = new Set(
    [...ir.matchAll(/^declare .*$/gm)].filter(([line]) => isImported(line)).map(([line]) => nameOf(line)),
  );
  const definitions = [...ir.matchAll(/^define ([^]*?)\n\}/gm)].map(([text]) => text);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const text of definitions) {
      if ([...text.matchAll(/@([\w.]+)/g)].slice(1).some(([, name]) => found.has(name!))) found.add(nameOf(text));
    }
  }
  return [...found].sort();
}

/** The runtime with what is in the object as declarations. */
function declared(ir: string): string {
  return ir.replace(/^define [^\n]*\n[^]*?\n\}/gm, (definition) => {
    const [first] = definition.split('\n') as [string];
    return isOutOfLine(first)
      ? first.replace(/^define (hidden |internal )?/, 'declare ').replace(/ \{$/, '')
      : definition;
  });
}

/** Functions that LLVM itself calls must keep their names, and are in the object alone. */
const calledByCodeGeneration = /@__(multi3|a?shlti3|[la]shrti3)\(/;

const folder = import.meta.dirname;
await writeAbi();
const ir = await compileRuntimeToIr(runtimeSource());
const text = ir
  .split('\n')
  .filter((line) => !/^(;|source_filename|target |!llvm\.(module\.flags|ident|errno)|$)/.test(line))
  // Internal, so that LLVM drops what a program does not call; features come from the code generator's options.
  .map((line) =>
    (calledByCodeGeneration.test(line)
      ? line
      : line.replace(/^define (hidden |dso_local |internal )*/, 'define internal ')
    ).replace(/ local_unnamed_addr/, ''),
  )
  .map((line) =>
    line.replace(/ "(target-cpu|target-features|stack-protector-buffer-size|no-trapping-math)"="[^"]*"/g, ''),
  )
  .join('\n');

/** Functions that are not inlined anyway are compiled here, once; units are linked with them. */
const outOfLine = new Set(
  [...text.matchAll(/^attributes (#\d+) = \{([^}]*)\}/gm)].flatMap(([, group, words]) =>
    / noinline /.test(` ${words} `) ? [group!] : [],
  ),
);
const isOutOfLine = (line: string): boolean =>
  outOfLine.has(/ (#\d+) \{$/.exec(line)?.[1] ?? '') || calledByCodeGeneration.test(line);
const object = await compileToObject(
  `${unitHeader}\n${text
    .split('\n')
    .map((line) => (isOutOfLine(line) ? line.replace('define internal ', 'define hidden ') : line))
    .join('\n')}`,
);
writeFileSync(
  join(folder, 'object.ts'),
  `/** Generated from the C files of this folder by generate.ts: do not edit. A WebAssembly object. */\nexport const runtimeObject = Buffer.from(\n  '${Buffer.from(object).toString('base64')}',\n  'base64',\n);\n`,
);

writeFileSync(
  join(folder, 'ir.ts'),
  `/** Generated from the C files of this folder by generate.ts: do not edit. */\nexport const runtimeIr = ${JSON.stringify(declared(text))};\nexport const callersOfHost = ${JSON.stringify(callersOfHost(text))};\n`,
);
