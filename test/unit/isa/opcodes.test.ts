/** How opcodes are spelled and read again, and which of them calls become. */
import { describe, expect, test } from 'vitest';
import { findCall, ptxForms } from '../../../engine/ir/calls/table.ts';
import { integerCoordinates } from '../../../engine/ir/calls/textures.ts';
import { instructions } from '../../../engine/ir/ptx/instructions.ts';
import { bytesOf, coded, opcodes, parseOpcode, rowFor, spelled, wordsMoved } from '../../../engine/model/opcodes.ts';
import * as layout from '../../../engine/warp/layout.ts';

describe('opcodes', () => {
  test('the row is of the longest key, the rest are modifiers', () => {
    expect(parseOpcode('LDG.128')).toEqual({ opcode: 'LDG', modifiers: ['128'] });
    expect(parseOpcode('IMAD.WIDE')).toEqual({ opcode: 'IMAD.WIDE', modifiers: [] });
    expect(parseOpcode('DEPBAR.LE.2')).toEqual({ opcode: 'DEPBAR.LE', modifiers: ['2'] });
    expect(parseOpcode('DEPBAR.LE.SB0.2')).toEqual({ opcode: 'DEPBAR.LE.SB0', modifiers: ['2'] });
    expect(parseOpcode('HMMA.16816.F32.BF16')).toEqual({ opcode: 'HMMA', modifiers: ['16816', 'F32', 'BF16'] });
  });

  test('what has no row is said to have none', () => {
    for (const text of ['', 'LD', 'FFMA2', 'LOAD-GLOBAL', 'toString']) expect(rowFor(text), text).toBeNull();
  });

  test('each is read as what it was spelled from, or as the one whose spelling it borrows', () => {
    for (const opcode of Object.keys(opcodes) as (keyof typeof opcodes)[]) {
      const text = spelled({ opcode, modifiers: [] });
      expect(spelled(parseOpcode(text)!)).toBe(text);
      if (text === opcode) expect(parseOpcode(text)!.opcode).toBe(opcode);
    }
    expect(spelled(coded('IMAD.ADDRESS'))).toBe('IMAD');
    expect(rowFor('IMAD')!.pipe).toBe('imad');
    expect(spelled(coded('LDS.NEVER'))).toBe('@!PT LDS');
    expect(rowFor('@!PT LDS')!.memory).toBeNull();
  });

  test.each([
    ['LDG', 4, 1],
    ['LDG.U8', 1, 1],
    ['STS.U16', 2, 1],
    ['LDS.64', 8, 2],
    ['STG.128', 16, 4],
    ['TEX.LL', 4, 1],
  ])('%s accesses %d bytes of a lane, in %d registers', (text, bytes, words) => {
    expect(bytesOf(parseOpcode(text)!)).toBe(bytes);
    expect(wordsMoved(parseOpcode(text)!)).toBe(words);
  });
});

describe('calls', () => {
  test('a bit of a texture fetch is as the runtime has it', () =>
    expect(integerCoordinates).toBe(layout.integerCoordinates));

  test('an instruction of PTX that is a call of one function has its row', () => {
    for (const { callee, opcodes } of ptxForms)
      for (const opcode of opcodes.split(' ')) expect(instructions.get(opcode)?.effects, callee).toBe(true);
    expect(ptxForms.map(({ callee }) => callee)).toContain('simsight.movmatrix');
  });

  test.each([
    ['simsight.mma.m16n8k16.f32.f16.f16.f32', 'HMMA'],
    ['llvm.nvvm.mma.m16n8k8.row.col.tf32', 'HMMA.TF32'],
    ['llvm.nvvm.mma.m8n8k4.row.col.f64', 'DMMA'],
    ['llvm.nvvm.wmma.m16n16k16.mma.row.col.s8', 'IMMA'],
    ['simsight.mma.m16n8k64.s32.s4.u4.s32', 'IMMA.S4'],
    ['llvm.nvvm.wmma.m8n8k128.mma.xor.popc.row.col.b1', 'BMMA'],
  ])('%s: %s', (callee, opcode) => expect(findCall(callee)?.opcodes).toEqual({ tensor: opcode }));

  test.each([
    ['llvm.nvvm.shfl.sync.bfly.i32', 0, null],
    ['llvm.nvvm.vote.ballot.sync', 0, 'VOTE'],
    ['llvm.nvvm.match.any.sync.i64', 0, 'MATCH'],
    ['llvm.nvvm.redux.sync.add', 1, 'MATCH'],
    ['llvm.nvvm.barrier.warp.sync', 0, null],
  ])('%s has its mask in operand %d, groups take turns with %s', (callee, operand, turns) =>
    expect(findCall(callee)?.mask).toEqual({ operand, turns }),
  );

  test('clocks are read where they stand, whether anybody wants to know or not', () => {
    expect(findCall('llvm.nvvm.read.ptx.sreg.clock64')?.machine).toMatchObject({ stays: true });
    expect(findCall('llvm.nvvm.read.ptx.sreg.tid.x')?.machine).toEqual({ fetched: 'S2R' });
    expect(findCall('__nv_sinf')?.machine).toBeUndefined();
  });
});
