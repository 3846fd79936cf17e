/** Integers of 64 bits that are computed in 32, and those that are not. */
import { describe, expect, test } from 'vitest';
import { shareBases } from '../../../engine/ir/bases.ts';
import { fieldOffset, sizeOf, typeText, type FunctionIr, type Value } from '../../../engine/ir/ir.ts';
import { narrowIntegers } from '../../../engine/ir/narrow.ts';
import { parseModule } from '../../../engine/ir/parse.ts';

const layout = 'target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"';
const moduleOf = (parameters: string, body: string) =>
  parseModule(`${layout}\ndefine ptx_kernel void @k(${parameters}) {\nentry:\n${body}\n  ret void\n}\n`);
const textOf = (value: Value): string =>
  value.kind === 'local' ? `%${value.name}` : value.kind === 'int' ? String(value.value) : value.kind;
const lines = (fn: FunctionIr): string[] =>
  fn.blocks.flatMap(({ instructions }) =>
    instructions.map(({ op, name, predicate, type, callee, operands }) =>
      [name === null ? '' : `%${name} =`, op, predicate, callee, typeText(type), operands.map(textOf).join(', ')]
        .filter((part) => part !== '')
        .join(' '),
    ),
  );
const narrowed = (parameters: string, body: string): string[] =>
  lines(narrowIntegers(moduleOf(parameters, body).functions.get('k')!));

test('pointers of a 64-bit device have 8 bytes in memory, but for the spaces that the layout excepts', () => {
  const module = parseModule(`${layout}
%view = type { i32, ptr, i32 }
@v = addrspace(1) global %view zeroinitializer, align 8
@t = addrspace(1) global ptr addrspace(6) null, align 4
`);
  expect(module.pointerBytes).toBe(8);
  const { type } = module.globals.get('v')!;
  expect([sizeOf(type), fieldOffset(type, 1), fieldOffset(type, 2)]).toEqual([24, 8, 16]);
  expect(sizeOf(module.globals.get('t')!.type)).toBe(4);
  expect(parseModule('@p = global ptr null, align 4\n').pointerBytes).toBe(4);
  expect(parseModule('target datalayout = "e-p:32:32-i64:64"\n').pointerBytes).toBe(4);
});

describe('only the low half is used', () => {
  test('of indices, however they came about', () => {
    const body = `  %i = sext i32 %n to i64
  %s = mul i64 %i, %m
  %j = add nsw i64 %s, -1
  %p = getelementptr float, ptr %a, i64 %j
  store float 0.0, ptr %p, align 4`;
    expect(narrowed('ptr %a, i32 %n, i64 %m', body)).toEqual([
      '%.narrow.m = trunc i32 %m',
      '%.narrow.i = freeze i32 %n',
      '%.narrow.s = mul i32 %.narrow.i, %.narrow.m',
      '%.narrow.j = add i32 %.narrow.s, -1',
      '%p = getelementptr ptr %a, %.narrow.j',
      'store void float, %p',
      'ret void',
    ]);
  });

  test('but not where somebody stores, compares or shifts down all of it', () => {
    const sum = '  %s = add i64 %m, %l\n';
    for (const use of [
      'store i64 %s, ptr %a',
      '%c = icmp ult i64 %s, %m',
      '%h = lshr i64 %s, 32',
      '%f = sitofp i64 %s to float',
    ])
      expect(narrowed('ptr %a, i64 %m, i64 %l', `${sum}  ${use}`)[0], use).toBe('%s = add i64 %m, %l');
  });
});

describe('all of it fits', () => {
  test('comparisons of what was extended', () => {
    const body = `  %i = zext i32 %n to i64
  %j = zext i32 %m to i64
  %c = icmp ugt i64 %i, %j
  %d = icmp sgt i64 %i, %j
  %e = icmp sgt i64 %i, -1`;
    expect(narrowed('i32 %n, i32 %m', body)).toEqual([
      '%.narrow.i = freeze i32 %n',
      // Extended for the comparison with a negative number.
      '%i = zext i64 %.narrow.i',
      '%.narrow.j = freeze i32 %m',
      '%c = icmp ugt i1 %.narrow.i, %.narrow.j',
      '%d = icmp ugt i1 %.narrow.i, %.narrow.j',
      '%e = icmp sgt i1 %i, -1',
      'ret void',
    ]);
  });

  test('quotients, remainders and shifts of what is not negative', () => {
    const body = `  %i = zext i32 %n to i64
  %q = sdiv i64 %i, 10
  %r = ashr i64 %i, 3
  store i64 %q, ptr %a
  store i64 %r, ptr %a`;
    expect(narrowed('ptr %a, i32 %n', body).slice(1, 5)).toEqual([
      '%.narrow.q = udiv i32 %.narrow.i, 10',
      '%q = zext i64 %.narrow.q',
      '%.narrow.r = lshr i32 %.narrow.i, 3',
      '%r = zext i64 %.narrow.r',
    ]);
  });

  test('addresses', () => {
    const body = '  %i = ptrtoint ptr %a to i64\n  %l = and i64 %i, 15\n  %c = icmp eq i64 %l, 0';
    expect(narrowed('ptr %a', body)[2]).toBe('%c = icmp eq i1 %.narrow.l, 0');
  });

  test('the least number by -1 does not', () => {
    const body = '  %i = sext i32 %n to i64\n  %j = sext i32 %m to i64\n  %q = sdiv i64 %i, %j\n  store i64 %q, ptr %a';
    expect(narrowed('ptr %a, i32 %n, i32 %m', body)).toContain('%q = sdiv i64 %i, %j');
  });

  const loop = (start: string, step: number, condition: string): string => `  %w = zext i32 %n to i64
  br label %loop
loop:
  %iv = phi i64 [ ${start}, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %iv
  store i64 %iv, ptr %p
  %next = add nuw nsw i64 %iv, ${step}
  %c = icmp ${condition}
  br i1 %c, label %loop, label %end
end:`;

  test('counters of loops with a bound that fits', () => {
    for (const condition of ['ne i64 %next, %w', 'ult i64 %next, %w', 'slt i64 %iv, %w'])
      expect(narrowed('ptr %a, i32 %n', loop('0', 1, condition)), condition).toEqual(
        expect.arrayContaining(['%.narrow.iv = phi i32 0, %.narrow.next', '%.narrow.next = add i32 %.narrow.iv, 1']),
      );
    expect(narrowed('ptr %a, i32 %n', loop('%w', -1, 'sgt i64 %iv, 0'))).toContain(
      '%.narrow.iv = phi i32 %.narrow.w, %.narrow.next',
    );
  });

  test('counters with another bound do not', () => {
    for (const condition of ['ult i64 %next, %m', 'ne i64 %next, %m', 'sgt i64 %next, %w'])
      expect(narrowed('ptr %a, i32 %n, i64 %m', loop('0', 1, condition)), condition).toContain(
        '%iv = phi i64 0, %next',
      );
  });
});

test('addresses a constant apart have one base', () => {
  const module = moduleOf(
    'ptr %a, i32 %n',
    `  %i = sext i32 %n to i64
  %p = getelementptr float, ptr %a, i64 %i
  %j = add nsw i64 %i, 8
  %q = getelementptr float, ptr %a, i64 %j
  %x = load float, ptr %p, align 4
  store float %x, ptr %q, align 4`,
  );
  const fn = shareBases(module, narrowIntegers(module.functions.get('k')!));
  expect(lines(fn)).toContain('%q = getelementptr ptr %p, 32');
});
