/**
 * A kernel call as it lies in memory: 64 words that the host writes (src/device/wasm/commands.ts has the same layout).
 *
 *   0 operation · 1 next chunk to take · 2 chunks done · 3 chunks in all · 4-11 addresses of the bindings
 *   12-27 the call's scalars · 28-63 the constants that the kernel was asked for with
 *
 * Words 1 to 3 belong to the threads (threads.ts). A record has four cache lines of its own, so threads disturb no neighbour.
 */
export const RECORD_BYTES: usize = 256;

// @ts-ignore: decorator
@inline
export function ceilDiv(a: u32, b: u32): u32 { return (a + b - 1) / b; }
// @ts-ignore: decorator
@inline
export function least(a: u32, b: u32): u32 { return a < b ? a : b; }

/** Where this thread's scratch memory begins, and how much of it there is; given by the host before the first call. */
export let scratch: usize = 0;
export let scratchBytes: usize = 0;
export function setScratch(at: usize, bytes: usize): void {
  scratch = at;
  scratchBytes = bytes;
}
