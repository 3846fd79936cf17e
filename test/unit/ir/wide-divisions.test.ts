import { expect, test } from 'vitest';
import { longWay } from '../../../engine/ir/ir.ts';
import { parseModule } from '../../../engine/ir/parse.ts';
import { splitWideDivisions } from '../../../engine/ir/wide-divisions.ts';

const layout = 'target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"';
const split = (body: string) => {
  const module = parseModule(`${layout}\ndefine ptx_kernel void @k(ptr %p, i64 %a, i64 %b, i32 %c) {\n${body}\n}\n`);
  return splitWideDivisions(module.functions.get('k')!);
};

test('lanes whose operands fit 32 bits divide by 32, others the long way; what follows takes the value of either', () => {
  const { blocks } = split(`entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %q, %loop ]
  %q = srem i64 %a, %b
  %done = icmp eq i64 %q, %i
  br i1 %done, label %end, label %loop
end:
  ret void`);
  expect(blocks.map(({ instructions }) => instructions.map(({ op }) => op).join(' '))).toEqual([
    'br',
    'phi or lshr icmp br',
    'srem br',
    'trunc trunc urem zext br',
    'phi icmp br',
    'ret',
  ]);
  const [, loop, long, short, meeting] = blocks;
  expect(loop!.instructions.at(-1)!.labels).toEqual([long!.name, short!.name]);
  expect(long!.instructions[0]!.flags).toEqual([longWay]);
  expect(meeting!.instructions[0]).toMatchObject({ name: 'q', labels: [long!.name, short!.name] });
  // The loop comes back from where the two ways meet.
  expect(loop!.instructions[0]!.labels).toEqual(['entry', meeting!.name]);
});

test('constant divisors, 32 bits and other operations stay', () => {
  const body = `entry:
  %x = udiv i64 %a, 10
  %y = udiv i32 %c, %c
  %z = mul i64 %a, %b
  ret void`;
  expect(split(body).blocks).toHaveLength(1);
});
