/**
 * A kernel call in memory: a record of 64 words (32 bits each) that the host writes (src/device/wasm/recorder.ts has
 * the same layout).
 *
 *   0 number of the kernel · 1 next chunk · 2 chunks done · 3 number of chunks · 4-11 addresses of the bindings
 *   12-27 scalars of the call · 28-63 constants of the kernel
 *
 * Only threads.ts uses words 1 to 3. A record fills four cache lines, so threads do not disturb each other's records.
 * build/kernels/calls.ts, generated from kernels.mjs, reads bindings, scalars and constants by name.
 */
export const RECORD_BYTES: usize = 256;

// @ts-ignore: decorator
@inline
export function ceilDiv(a: u32, b: u32): u32 { return (a + b - 1) / b; }
// @ts-ignore: decorator
@inline
export function least(a: u32, b: u32): u32 { return a < b ? a : b; }

/** Address and size of this thread's scratch memory. The host sets them before the first call. */
export let scratch: usize = 0;
export let scratchBytes: usize = 0;
export function setScratch(at: usize, bytes: usize): void {
  scratch = at;
  scratchBytes = bytes;
}
