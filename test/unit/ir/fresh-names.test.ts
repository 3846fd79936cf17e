/** Names that steps give to what they make. */
import { expect, test } from 'vitest';
import { parseModule } from '../../../engine/ir/parse.ts';
import { prepareKernel } from '../../../engine/ir/prepare.ts';

const layout = 'target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"';
const source = (bytes: number): string => `${layout}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define ptx_kernel void @k(ptr %to, ptr %from, ptr %counter) {
entry:
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 ${bytes}, i1 false)
  %old = atomicrmw add ptr %counter, i32 1 seq_cst
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  store i32 %lane, ptr %to, align 4
  ret void
}
`;
/** Names of all values and blocks. */
function namesOf(text: string): string[] {
  const module = parseModule(text);
  const { blocks } = prepareKernel(module, module.functions.get('k')!);
  return blocks.flatMap(({ name, instructions }) => [name, ...instructions.map((each) => String(each.name))]);
}

test('they are those of the function alone, whatever else was prepared before', () => {
  const first = namesOf(source(24));
  namesOf(source(100));
  const again = namesOf(source(24));
  expect(again).toEqual(first);
  expect(first.filter((name) => name.startsWith('.copy')).length).toBeGreaterThan(6);
  expect(first.some((name) => name.startsWith('.ptx'))).toBe(true);
  const named = first.filter((name) => name !== 'null');
  expect(new Set(named).size).toBe(named.length);
});
