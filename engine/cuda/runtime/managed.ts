/** Managed memory in copies, memsets and kernels, and in the host program's own accesses. */
import { pageBytes } from '../../system/managed-pages.ts';
import { access, type Paging, type Touches } from '../../system/managed.ts';
import type { CudaContext } from './context.ts';

const isEmpty = ({ steps, remoteBytes, peerBytes }: Paging): boolean =>
  steps.length === 0 && remoteBytes === 0 && peerBytes === 0;

/** Paging that a launch has to wait for; null: none. */
export function pagingOfLaunch(context: CudaContext, device: number, touches: Touches | undefined): Paging | null {
  if (!touches || !context.system.managed.isUsed) return null;
  const paging = context.system.managed.launch(device, touches);
  return isEmpty(paging) ? null : paging;
}

/** A device reads or writes a range itself, as copies and memsets do. */
export function pagingOfRange(
  context: CudaContext,
  device: number,
  address: number,
  bytes: number,
  writes: boolean,
): Paging | null {
  const { managed } = context.system;
  if (bytes === 0 || !managed.isUsed || !managed.holds(address, bytes)) return null;
  const first = Math.floor(address / pageBytes);
  const count = Math.floor((address + bytes - 1) / pageBytes) - first + 1;
  return pagingOfLaunch(context, device, {
    pages: Uint32Array.from({ length: count }, (_, i) => first + i),
    access: new Uint8Array(count).fill(writes ? access.write : access.read),
    sectors: new Uint32Array(count).fill(Math.ceil(bytes / count / 32)),
  });
}

/** The host reads or writes a range: it waits for what is not there. */
export function hostTouches(context: CudaContext, address: number, bytes: number, writes: boolean): void {
  const { managed } = context.system;
  if (bytes === 0 || !managed.isUsed || !managed.holds(address, bytes)) return;
  if (!writes) context.timedOnly?.hostReads();
  const paging = managed.hostAccess(address, bytes, writes);
  if (paging) context.system.hostFaults(paging);
}
