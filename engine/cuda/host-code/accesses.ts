/**
 * The page table of the host: which pages of managed memory the host program cannot read or write without a page fault.
 * The checks that `instrument` puts into the program call a small module, which looks a page up in a memory of its own, one
 * byte for each page of 4 KiB, and calls the runtime where it has to.
 */
import { Writer } from '../../base/wasm-binary.ts';
import type { HostExports } from '../host-exports.ts';
import { hostSymbols } from './instrument.ts';

export const hostPageBytes = 4096;
const addressSpacePages = 2 ** 32 / hostPageBytes;
const memoryPages = addressSpacePages / 65536;

/** `mask`: 1 reads, 2 writes. Called before the access is made. */
export type OnHostFault = (address: number, bytes: number, mask: number) => void;

export class HostAccesses {
  private readonly pages: Uint8Array;
  private readonly exports: HostExports;
  private lowest = Infinity;
  private highest = 0;

  /** Takes the exports of a program with checks of accesses. */
  constructor(exports: HostExports, onFault: OnHostFault) {
    this.exports = exports;
    const looker = new WebAssembly.Instance(new WebAssembly.Module(lookupModule()), {
      env: {
        fault: (address: number, bytes: number, mask: number) => onFault(address >>> 0, bytes >>> 0, mask),
      },
    });
    this.pages = new Uint8Array((looker.exports['pages'] as WebAssembly.Memory).buffer);
    exports.table(hostSymbols.touch).set(0, looker.exports['touch']);
  }

  /** From now on accesses to these addresses are looked up. */
  watch(address: number, bytes: number): void {
    this.lowest = Math.min(this.lowest, address);
    this.highest = Math.max(this.highest, address + bytes);
    this.exports.setWord(hostSymbols.first, this.lowest);
    this.exports.setWord(hostSymbols.bytes, this.highest - this.lowest);
  }

  /** `mask`: what faults there, bits of `accessMask`. */
  protect(page: number, mask: number): void {
    this.pages[page] = mask;
  }
}

/**
 *   (module
 *     (import "env" "fault" (func $fault (param i32 i32 i32)))
 *     (memory (export "pages") 16 16)
 *     (func (export "touch") (param $address i32) (param $bytes i32) (param $mask i32) (local $page i32) (local $last i32)
 *       (if (i32.eqz (local.get $bytes)) (then (return)))
 *       (local.set $page (i32.shr_u (local.get $address) (i32.const 12)))
 *       (local.set $last (i32.shr_u (i32.sub (i32.add (local.get $address) (local.get $bytes)) (i32.const 1)) (i32.const 12)))
 *       (loop
 *         (if (i32.and (i32.load8_u (local.get $page)) (local.get $mask))
 *           (then (call $fault (local.get $address) (local.get $bytes) (local.get $mask)) (return)))
 *         (if (i32.ge_u (local.get $page) (local.get $last)) (then (return)))
 *         (local.set $page (i32.add (local.get $page) (i32.const 1)))
 *         (br 0))))
 */
function lookupModule(): Uint8Array<ArrayBuffer> {
  const [address, bytes, mask, page, last] = [0, 1, 2, 3, 4];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const constant = (value: number): number[] => [0x41, value];
  const leaveIf = [0x04, 0x40, 0x0f, 0x0b];
  const pageOf = [...constant(12), 0x76];
  const code = [
    ...[1, 2, 0x7f],
    ...[...get(bytes), 0x45, ...leaveIf],
    ...[...get(address), ...pageOf, ...set(page)],
    ...[...get(address), ...get(bytes), 0x6a, ...constant(1), 0x6b, ...pageOf, ...set(last)],
    ...[0x03, 0x40],
    ...[...get(page), 0x2d, 0, 0, ...get(mask), 0x71],
    ...[0x04, 0x40, ...get(address), ...get(bytes), ...get(mask), 0x10, 0, 0x0f, 0x0b],
    ...[...get(page), ...get(last), 0x4f, ...leaveIf],
    ...[...get(page), ...constant(1), 0x6a, ...set(page), 0x0c, 0, 0x0b, 0x0b],
  ];
  const out = new Writer().all(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const put = (id: number, content: Writer): void => void out.byte(id).sized(content.written);
  put(1, new Writer().all(Uint8Array.of(1, 0x60, 3, 0x7f, 0x7f, 0x7f, 0)));
  put(2, new Writer().byte(1).name('env').name('fault').all(Uint8Array.of(0, 0)));
  put(3, new Writer().all(Uint8Array.of(1, 0)));
  put(5, new Writer().all(Uint8Array.of(1, 1, memoryPages, memoryPages)));
  put(7, new Writer().byte(2).name('pages').all(Uint8Array.of(2, 0)).name('touch').all(Uint8Array.of(0, 1)));
  put(10, new Writer().byte(1).sized(Uint8Array.from(code)));
  return out.written.slice();
}
