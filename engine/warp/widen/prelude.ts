/** LLVM IR that every module begins with. */
import { vectorConstant } from './writer.ts';

/**
 * a * b + c of halves, rounded once. The product is exact as a float. The sum's error (Knuth's TwoSum) says where the float next to it is nearer to
 * odd: rounded to odd, it has two bits more than a half needs to be rounded again (Boldo and Melquiond, "Emulation of a FMA and correctly
 * rounded sums", 2008).
 */
const fusedHalves = `define internal <32 x i16> @fused.half(<32 x i16> %a, <32 x i16> %b, <32 x i16> %c) noinline nounwind willreturn memory(none) {
  %x = call <32 x float> @float_of_half(<32 x i16> %a)
  %y = call <32 x float> @float_of_half(<32 x i16> %b)
  %z = call <32 x float> @float_of_half(<32 x i16> %c)
  %p = fmul <32 x float> %x, %y
  %s = fadd <32 x float> %p, %z
  %v = fsub <32 x float> %s, %p
  %u = fsub <32 x float> %s, %v
  %e.p = fsub <32 x float> %p, %u
  %e.z = fsub <32 x float> %z, %v
  %e = fadd <32 x float> %e.p, %e.z
  %bits = bitcast <32 x float> %s to <32 x i32>
  %error = bitcast <32 x float> %e to <32 x i32>
  %signs = xor <32 x i32> %bits, %error
  %inwards = ashr <32 x i32> %signs, splat (i32 31)
  %step = or <32 x i32> %inwards, splat (i32 1)
  %inexact = fcmp one <32 x float> %e, zeroinitializer
  %wanted = sext <32 x i1> %inexact to <32 x i32>
  %last = and <32 x i32> %bits, splat (i32 1)
  %even = sub <32 x i32> %last, splat (i32 1)
  %moves = and <32 x i32> %wanted, %even
  %by = and <32 x i32> %step, %moves
  %odd = add <32 x i32> %bits, %by
  %sum = bitcast <32 x i32> %odd to <32 x float>
  %r = call <32 x i16> @half_of_float(<32 x float> %sum)
  ret <32 x i16> %r
}`;

/** Small functions that every module contains; written in LLVM IR because they use WebAssembly's own instructions. */
export const preludeIr = `
declare <8 x i16> @llvm.wasm.narrow.signed.v8i16.v4i32(<4 x i32>, <4 x i32>)
declare <16 x i8> @llvm.wasm.narrow.signed.v16i8.v8i16(<8 x i16>, <8 x i16>)
declare i32 @llvm.wasm.bitmask.v16i8(<16 x i8>)
declare i32 @llvm.wasm.anytrue.v4i32(<4 x i32>)
define internal i32 @lane_bits(<32 x i32> %v) alwaysinline nounwind willreturn memory(none) {
${[0, 1, 2, 3, 4, 5, 6, 7].map((k) => `  %p${k} = shufflevector <32 x i32> %v, <32 x i32> poison, <4 x i32> <i32 ${4 * k}, i32 ${4 * k + 1}, i32 ${4 * k + 2}, i32 ${4 * k + 3}>`).join('\n')}
${[0, 1, 2, 3].map((k) => `  %h${k} = call <8 x i16> @llvm.wasm.narrow.signed.v8i16.v4i32(<4 x i32> %p${2 * k}, <4 x i32> %p${2 * k + 1})`).join('\n')}
  %b0 = call <16 x i8> @llvm.wasm.narrow.signed.v16i8.v8i16(<8 x i16> %h0, <8 x i16> %h1)
  %b1 = call <16 x i8> @llvm.wasm.narrow.signed.v16i8.v8i16(<8 x i16> %h2, <8 x i16> %h3)
  %m0 = call i32 @llvm.wasm.bitmask.v16i8(<16 x i8> %b0)
  %m1 = call i32 @llvm.wasm.bitmask.v16i8(<16 x i8> %b1)
  %s = shl i32 %m1, 16
  %r = or i32 %s, %m0
  ret i32 %r
}
${[1, 2, 4, 8]
  .map(
    (
      size,
    ) => `define internal i1 @consecutive${size}(<32 x i32> %a, i32 %first) alwaysinline nounwind willreturn memory(none) {
  %i = insertelement <32 x i32> poison, i32 %first, i32 0
  %f = shufflevector <32 x i32> %i, <32 x i32> poison, <32 x i32> zeroinitializer
  %e = add <32 x i32> %f, ${vectorConstant('i32', (lane) => lane * size)}
  %x = xor <32 x i32> %a, %e
${[0, 1, 2, 3, 4, 5, 6, 7].map((k) => `  %p${k} = shufflevector <32 x i32> %x, <32 x i32> poison, <4 x i32> <i32 ${4 * k}, i32 ${4 * k + 1}, i32 ${4 * k + 2}, i32 ${4 * k + 3}>`).join('\n')}
  %o0 = or <4 x i32> %p0, %p1
  %o1 = or <4 x i32> %p2, %p3
  %o2 = or <4 x i32> %p4, %p5
  %o3 = or <4 x i32> %p6, %p7
  %o4 = or <4 x i32> %o0, %o1
  %o5 = or <4 x i32> %o2, %o3
  %o6 = or <4 x i32> %o4, %o5
  %t = call i32 @llvm.wasm.anytrue.v4i32(<4 x i32> %o6)
  %r = icmp eq i32 %t, 0
  ret i1 %r
}`,
  )
  .join('\n')}
${multiplyAdd('float', 'f32', 4)}
${multiplyAdd('double', 'f64', 2)}
${['float', 'double'].flatMap((type) => [byParts('lesser', 'pmin', type), byParts('greater', 'pmax', type)]).join('\n')}
declare i32 @llvm.wasm.anytrue.v8i16(<8 x i16>)
${halfConversions(
  '.1',
  (type) => type,
  (_, value) => value,
)}
${halfConversions(
  '',
  (type) => `<32 x ${type}>`,
  (type, value) => `splat (${type} ${value})`,
)}
${fusedHalves}
`;

/** One rounding, by relaxed SIMD (see ../fused.ts): `fused.f32` for 32 lanes and `fused1.f32` for one. */
function multiplyAdd(type: string, short: string, width: number): string {
  const parts = 32 / width;
  const numbers = (count: number, from = 0): string =>
    Array.from({ length: count }, (_, i) => `i32 ${from + i}`).join(', ');
  const lines: string[] = [];
  for (let k = 0; k < parts; k++) {
    for (const x of 'abc')
      lines.push(
        `  %${x}${k} = shufflevector <32 x ${type}> %${x}, <32 x ${type}> poison, <${width} x i32> <${numbers(width, k * width)}>`,
      );
    lines.push(
      `  %r${width}.${k} = call <${width} x ${type}> @llvm.wasm.relaxed.madd.v${width}${short}(<${width} x ${type}> %a${k}, <${width} x ${type}> %b${k}, <${width} x ${type}> %c${k})`,
    );
  }
  for (let size = width; size < 32; size *= 2)
    for (let k = 0; k < 32 / size / 2; k++)
      lines.push(
        `  %r${size * 2}.${k} = shufflevector <${size} x ${type}> %r${size}.${2 * k}, <${size} x ${type}> %r${size}.${2 * k + 1}, <${size * 2} x i32> <${numbers(size * 2)}>`,
      );
  return `declare <${width} x ${type}> @llvm.wasm.relaxed.madd.v${width}${short}(<${width} x ${type}>, <${width} x ${type}>, <${width} x ${type}>)
define internal <32 x ${type}> @fused.${short}(<32 x ${type}> %a, <32 x ${type}> %b, <32 x ${type}> %c) alwaysinline nounwind willreturn memory(none) {
${lines.join('\n')}
  ret <32 x ${type}> %r32.0
}
define internal ${type} @fused1.${short}(${type} %a, ${type} %b, ${type} %c) alwaysinline nounwind willreturn memory(none) {
${[...'abc'].map((x) => `  %${x}v = insertelement <${width} x ${type}> zeroinitializer, ${type} %${x}, i32 0`).join('\n')}
  %r = call <${width} x ${type}> @llvm.wasm.relaxed.madd.v${width}${short}(<${width} x ${type}> %av, <${width} x ${type}> %bv, <${width} x ${type}> %cv)
  %e = extractelement <${width} x ${type}> %r, i32 0
  ret ${type} %e
}`;
}

/** WebAssembly's pmin(x, y) is `y < x ? y : x`, and pmax(x, y) `x < y ? y : x`. */
function byParts(name: string, instruction: string, type: string): string {
  const [letters, width] = type === 'float' ? ['f32', 4] : ['f64', 2];
  const numbers = (count: number, from = 0): string =>
    Array.from({ length: count }, (_, i) => `i32 ${from + i}`).join(', ');
  const lines: string[] = [];
  for (let k = 0; k < 32 / width; k++) {
    for (const x of 'ab')
      lines.push(
        `  %${x}${k} = shufflevector <32 x ${type}> %${x}, <32 x ${type}> poison, <${width} x i32> <${numbers(width, k * width)}>`,
      );
    const part = `<${width} x ${type}>`;
    lines.push(
      `  %r${width}.${k} = call ${part} @llvm.wasm.${instruction}.v${width}${letters}(${part} %b${k}, ${part} %a${k})`,
    );
  }
  for (let size = width; size < 32; size *= 2)
    for (let k = 0; k < 32 / size / 2; k++)
      lines.push(
        `  %r${size * 2}.${k} = shufflevector <${size} x ${type}> %r${size}.${2 * k}, <${size} x ${type}> %r${size}.${2 * k + 1}, <${size * 2} x i32> <${numbers(size * 2)}>`,
      );
  return `declare <${width} x ${type}> @llvm.wasm.${instruction}.v${width}${letters}(<${width} x ${type}>, <${width} x ${type}>)
define internal <32 x ${type}> @${name}.${letters}(<32 x ${type}> %a, <32 x ${type}> %b) alwaysinline nounwind willreturn memory(none) {
${lines.join('\n')}
  ret <32 x ${type}> %r32.0
}`;
}

/** Code that sets `result` to true if any of 32 values of 16 bits is negative. */
function anyNegative(value: string, result: string): string {
  const part = (k: number): string => Array.from({ length: 8 }, (_, i) => `i32 ${8 * k + i}`).join(', ');
  const parts = [0, 1, 2, 3].map(
    (k) => `  ${result}.${k} = shufflevector <32 x i16> ${value}, <32 x i16> poison, <8 x i32> <${part(k)}>`,
  );
  return `${parts.join('\n').trim()}
  ${result}.a = or <8 x i16> ${result}.0, ${result}.1
  ${result}.b = or <8 x i16> ${result}.2, ${result}.3
  ${result}.ab = or <8 x i16> ${result}.a, ${result}.b
  ${result}.signs = and <8 x i16> ${result}.ab, splat (i16 -32768)
  ${result}.found = call i32 @llvm.wasm.anytrue.v8i16(<8 x i16> ${result}.signs)
  ${result} = icmp ne i32 ${result}.found, 0`;
}

/**
 * Halves live in lanes as 16 bits and are computed as floats. Functions of their own, since kernels are full of them and
 * the time to compile a kernel grows with its text.
 */
function halfConversions(
  suffix: string,
  shape: (type: string) => string,
  all: (type: string, value: string) => string,
): string {
  const [f, i, s, b] = ['float', 'i32', 'i16', 'i1'].map(shape);
  const int = (value: number): string => all('i32', String(value));
  const float = (bits: string): string => all('float', bits);
  const lanes = shape('i16') !== 'i16';
  return `define internal ${f} @float_of_half${suffix}(${s} %h) noinline nounwind willreturn memory(none) {
  ; Shifted into place and scaled: exact for subnormals too. Infinity and NaN get their exponent.
  %bits = sext ${s} %h to ${i}
  %shifted = shl ${i} %bits, ${int(13)}
  %placed = and ${i} %shifted, ${int(0x8fffe000 | 0)}
  %unscaled = bitcast ${i} %placed to ${f}
  %scaled = fmul ${f} %unscaled, ${float('0x46F0000000000000')}
  ; The highest bit is set where the exponent is all ones.
  %unsigned = and ${s} %h, ${all('i16', '32767')}
  %carried = add ${s} %unsigned, ${all('i16', '1024')}
  ${lanes ? anyNegative('%carried', '%any') : '%any = icmp slt i16 %carried, 0'}
  br i1 %any, label %special, label %usual
usual:
  ret ${f} %scaled
special:
  %number = bitcast ${f} %scaled to ${i}
  %is.special = icmp slt ${s} %carried, ${all('i16', '0')}
  %all = sext ${b} %is.special to ${i}
  %exponent = and ${i} %all, ${int(0x7f800000)}
  %whole = or ${i} %number, %exponent
  %r = bitcast ${i} %whole to ${f}
  ret ${f} %r
}
define internal ${s} @half_of_float${suffix}(${f} %x) noinline nounwind willreturn memory(none) {
  %bits = bitcast ${f} %x to ${i}
  %is.nan = fcmp uno ${f} %x, %x
  %magnitude = and ${i} %bits, ${int(0x7fffffff)}
  %last = lshr ${i} %magnitude, ${int(13)}
  %odd = and ${i} %last, ${int(1)}
  %half.way = add ${i} %magnitude, ${int(0xfff)}
  %up = add ${i} %half.way, %odd
  %rounded = lshr ${i} %up, ${int(13)}
  %normal = sub ${i} %rounded, ${int(112 << 10)}
  ; Adding 0.5 rounds a subnormal half's fraction to the last bits of a float.
  %absolute = bitcast ${i} %magnitude to ${f}
  %sum = fadd ${f} %absolute, ${float('0.5')}
  %sum.bits = bitcast ${f} %sum to ${i}
  %small = sub ${i} %sum.bits, ${int(0x3f000000)}
  %is.small = icmp ult ${i} %magnitude, ${int(0x38800000)}
  %finite = select ${b} %is.small, ${i} %small, ${i} %normal
  %is.large = icmp uge ${i} %magnitude, ${int(0x477ff000)}
  %limited = select ${b} %is.large, ${i} ${int(0x7c00)}, ${i} %finite
  %high = lshr ${i} %bits, ${int(16)}
  %sign = and ${i} %high, ${int(0x8000)}
  %signed = or ${i} %limited, %sign
  %value = select ${b} %is.nan, ${i} ${int(0x7fff)}, ${i} %signed
  %r = trunc ${i} %value to ${s}
  ret ${s} %r
}`;
}
