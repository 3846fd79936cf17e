/** Compiles the C files of this folder into ir.ts: `node build/run.mjs ./engine/warp/runtime/generate.ts`. Run it after each change. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileRuntimeToIr } from '../codegen.ts';

const folder = import.meta.dirname;
const sources = ['runtime.c', 'arithmetic.c', 'tensor.c', 'system.c'];
const ir = await compileRuntimeToIr(
  sources.map((name) => `#line 1 "${name}"\n${readFileSync(join(folder, name), 'utf8')}`).join('\n'),
);
const text = ir
  .split('\n')
  .filter((line) => !/^(;|source_filename|target |!llvm\.(module\.flags|ident|errno)|$)/.test(line))
  // Internal, so that LLVM drops what a program does not call; features come from the code generator's options.
  .map((line) =>
    // Functions that LLVM itself calls must keep their names.
    (/@__(multi3|a?shlti3|[la]shrti3)\(/.test(line)
      ? line
      : line.replace(/^define (hidden |dso_local |internal )*/, 'define internal ')
    ).replace(/ local_unnamed_addr/, ''),
  )
  .map((line) =>
    line.replace(/ "(target-cpu|target-features|stack-protector-buffer-size|no-trapping-math)"="[^"]*"/g, ''),
  )
  .join('\n');
writeFileSync(
  join(folder, 'ir.ts'),
  `/** Generated from runtime.c by generate.ts: do not edit. */\nexport const runtimeIr = ${JSON.stringify(text)};\n`,
);
