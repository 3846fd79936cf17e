/** 2026-01-01T00:00:00Z: when every recording begins, and what the compiler's clock says. */
export const epochNanoseconds = BigInt(Date.UTC(2026, 0, 1)) * 1_000_000n;
