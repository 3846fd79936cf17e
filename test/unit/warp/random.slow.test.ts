/**
 * Random control flow: the same text is run lane by lane as JavaScript and as a CUDA kernel on whole warps. Loops with
 * breaks and continues, switches with fall-through and early returns nest at will; every lane goes its own way.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { DeviceModule } from '../../../engine/warp/module.ts';
import { Device } from '../../../engine/warp/device.ts';
import { compileModule, dim, download, launch, upload } from './cuda.ts';

const kernels = 8;
const threads = 100;

function generate(seed: number): string {
  let state = seed * 2654435761 + 1;
  const pick = (count: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  let loops = 0;
  const variable = (): string => 'abcd'.charAt(pick(4));
  const expression = (): string =>
    [
      () => `W(${variable()} + ${variable()} + ${pick(100)})`,
      () => `W(${variable()} ^ ${variable()})`,
      () => `W(${variable()} - ${variable()})`,
      () => `W((${variable()} << ${pick(8)}) + t)`,
      () => `W(${variable()} % ${pick(20) + 3})`,
      () => `W(${variable()} & ${pick(1000)})`,
    ][pick(6)]!();
  const condition = (): string => `${variable()} % ${pick(5) + 2} ${['==', '<', '>', '!='][pick(4)]} ${pick(3)}`;
  const block = (depth: number, inLoop: boolean): string => {
    let text = '';
    for (let i = pick(3) + 1; i > 0; i--) text += statement(depth, inLoop);
    return text;
  };
  const statement = (depth: number, inLoop: boolean): string => {
    const kind = depth <= 0 ? 0 : pick(8);
    if (kind === 1 || kind === 2) {
      return `if (${condition()}) { ${block(depth - 1, inLoop)} } else { ${block(depth - 1, inLoop)} }\n`;
    }
    if (kind === 3 || kind === 4) {
      const i = `i${++loops}`;
      return `n${i} = W(${variable()} & 7); for (${i} = 0; ${i} < n${i}; ${i}++) { ${block(depth - 1, true)} }\n`;
    }
    if (kind === 5 && inLoop) return `if (${condition()}) ${pick(2) ? 'break' : 'continue'};\n`;
    if (kind === 6) {
      const cases = Array.from(
        { length: 4 },
        (_, k) => `case ${k}: ${block(depth - 2, false)} ${pick(3) ? 'break;' : ''}`,
      );
      return `switch (${variable()} % 6) { ${cases.join(' ')} default: ${block(depth - 2, false)} }\n`;
    }
    if (kind === 7 && pick(3) === 0) return `if (${condition()}) RETURN(W(${variable()} + ${variable()}));\n`;
    return `${variable()} = ${expression()};\n`;
  };
  const body = block(4, false) + block(3, false);
  const names = Array.from({ length: loops }, (_, i) => `i${i + 1} = 0, ni${i + 1} = 0`);
  return `DECLARE a = input, b = W(t + 1), c = 7, d = W(input ^ t)${names.map((name) => `, ${name}`).join('')};\n${body}RETURN(W(a + b + c + d));`;
}

const programs = Array.from({ length: kernels }, (_, i) => generate(i + 1));
const source = programs
  .map(
    (text, i) => `__global__ void random${i}(unsigned *out, const unsigned *in) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, input = in[t];
  ${text
    .replace('DECLARE', 'unsigned')
    .replaceAll('W(', '(')
    .replace(/RETURN\((.*)\);/g, '{ out[t] = $1; return; }')}
}`,
  )
  .join('\n');

let module: DeviceModule;
let device: Device;
beforeAll(async () => {
  module = await compileModule(source);
  device = Device.create([module], { memoryBytes: 1 << 28 });
});

describe('random control flow', () => {
  it.each(programs.map((text, i) => [i, text]))('program %i', (i, text) => {
    const lane = new Function(
      't',
      'input',
      `const W = (x) => x >>> 0;\n${String(text)
        .replace('DECLARE', 'let')
        .replace(/RETURN\((.*)\);/g, '{ return $1; }')}`,
    ) as (t: number, input: number) => number;
    const input = Uint32Array.from({ length: threads }, (_, t) => Math.imul(t + 3, 2654435761) >>> 7);
    const out = upload(device, new Uint32Array(threads));
    const names = module.kernels.map(({ name }) => name);
    launch(device, names, `random${i}`, dim(2), dim(threads / 2), [out, upload(device, input)]);
    expect(download(device, out, input)).toEqual(input.map((value, t) => lane(t, value)));
  });
});
