/**
 * What `--use_fast_math`, `-prec-div=false` and `-prec-sqrt=false` make of device code, as PTX of nvcc 13 has it: other functions in the place of
 * divisions, square roots and the math library's. `-fmad` and `-ftz` are options of Clang's.
 */
import { mathOf } from './flags.ts';
import type { DeviceMath } from './types.ts';

/** nvcc's documentation, "Functions affected by --use_fast_math"; the names are those of libdevice and of PTX. */
const fastFunctions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['sinf', 'cosf', 'tanf', 'expf', 'exp10f', 'logf', 'log2f', 'log10f', 'powf'].map((name) => [
      `__nv_${name}`,
      `__nv_fast_${name}`,
    ]),
  ),
  __nv_exp2f: 'llvm.nvvm.ex2.approx.ftz.f',
  __nv_tanhf: 'llvm.nvvm.tanh.approx.f',
};
const squareRoots = ['__nv_sqrtf', 'llvm.sqrt.f32'];

const one = /^(?:1\.0+e\+00|1\.0+|0x3FF0000000000000)$/;

/** LLVM IR with those functions. */
export function withMath(ir: string, math: DeviceMath | undefined): string {
  const { fastMath, ftz, precDiv, precSqrt } = mathOf(math ?? {});
  const flush = ftz ? '.ftz' : '';
  const renamed = new Map(fastMath ? Object.entries(fastFunctions) : []);
  if (!precSqrt) for (const name of squareRoots) renamed.set(name, `llvm.nvvm.sqrt.approx${flush}.f`);
  const declared = new Map<string, number>();
  let text = ir;
  if (renamed.size > 0)
    text = text.replace(/@(__nv_\w+|llvm\.sqrt\.f32)\(/g, (whole, name: string) => {
      const other = renamed.get(name);
      if (other === undefined) return whole;
      declared.set(other, other === '__nv_fast_powf' ? 2 : 1);
      return `@${other}(`;
    });
  if (!precDiv)
    text = text.replace(
      /^(\s+%\S+ = )fdiv (?:\w+ )*float ([^,\n]+), ([^,\n]+)/gm,
      (_, start: string, a: string, b: string) => {
        const reciprocal = one.test(a);
        const name = `llvm.nvvm.${reciprocal ? 'rcp.approx' : fastMath ? 'div.approx' : 'div.full'}${flush}.f`;
        declared.set(name, reciprocal ? 1 : 2);
        return `${start}call float @${name}(${reciprocal ? '' : `float ${a}, `}float ${b})`;
      },
    );
  return withDeclarations(text, declared);
}

/** Each of these functions declared once: one that has been renamed is, and may have been under its new name as well. */
function withDeclarations(ir: string, functions: ReadonlyMap<string, number>): string {
  const seen = new Set<string>();
  const text = ir.replace(/^declare [^@\n]*@([\w.]+)\(.*\n/gm, (line, name: string) => {
    if (!functions.has(name)) return line;
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst ? line : '';
  });
  const missing = [...functions].filter(([name]) => !seen.has(name));
  return (
    text +
    missing
      .map(([name, count]) => `declare float @${name}(${Array<string>(count).fill('float').join(', ')})\n`)
      .join('')
  );
}
