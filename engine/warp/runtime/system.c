/* Calls of the device that the host answers: output, heap. Lanes in order. */
#define IMPORT(NAME) __attribute__((import_module("env"), import_name(#NAME)))
IMPORT(print) u32 host_print(u32 format, u32 values, u32 warp, u32 longBytes);
IMPORT(allocate) u32 host_allocate(u32 bytes);
IMPORT(release) u32 host_release(u32 address);
IMPORT(device_runtime) u32 host_device_runtime(u32 call, u32 a, u32 b);

/*
 * Of a warp's lanes the first says which warp of the grid it is, the others ~0: its calls are counted. `longBytes`: of `long` and
 * pointers among the values.
 */
NOINLINE void print_lanes(struct Launch *L, v32 *out, v32 format, v32 values, u32 mask, u32 longBytes) {
  u32 warp = L->running * L->warps + ((struct Warp *)L->warp)->id;
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    ((u32 *)out)[lane] = host_print(format[lane], values[lane], left == mask ? warp : ~0u, longBytes);
  }
}
NOINLINE void allocate_lanes(v32 *out, v32 bytes, u32 mask) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    ((u32 *)out)[lane] = host_allocate(bytes[lane]);
  }
}
NOINLINE void release_lanes(v32 address, u32 mask, struct Site *site, struct Launch *L) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    if (address[lane] && !host_release(address[lane])) fault_at(L, BAD_FREE, site, address[lane], lane, 0);
  }
}
NOINLINE void device_runtime_lanes(v32 *out, u32 call, v32 a, v32 b, u32 mask) {
  for (u32 left = mask; left; left &= left - 1) {
    u32 lane = __builtin_ctz(left);
    ((u32 *)out)[lane] = host_device_runtime(call, a[lane], b[lane]);
  }
}

__attribute__((import_module("env"), import_name("clock"))) double host_clock(double estimate, u32 block, u32 warp, u32 timer);
/* See KernelWriter.clock. `left`: instructions of the current block that are still to come; `timer`: in nanoseconds. */
NOINLINE u64 cycles(struct Launch *L, const struct BlockCount *counts, const u32 *weights, u32 blocks, u32 left, u32 timer) {
  u64 sum = 0;
  for (u32 i = 0; i < blocks; i++) sum += counts[i].times * weights[i];
  u32 block = ((struct Block *)L->block)->number, warp = ((struct Warp *)L->warp)->id;
  return (u64)host_clock((double)(4 * (sum - left) + L->clock), block, warp, timer);
}
