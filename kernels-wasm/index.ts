/**
 * The engine's kernels for the processor: what the shaders compute, in one linear memory that the host imports. One instance a
 * thread. README.md says how the parts fit.
 */
export { setScratch } from './call';
export { runAlone, runTogether, serve, setControl, setNumber } from './threads';
import { ATTENTION_SCRATCH } from './attention-rows';
import { MATMUL_SCRATCH } from './matmul';

/** Bytes of scratch that each thread needs; tables of up to 64 KiB a row are unpacked behind the rest. */
export function scratchNeeded(): u32 {
  const products = MATMUL_SCRATCH + 16384;
  return <u32>(products > ATTENTION_SCRATCH ? products : ATTENTION_SCRATCH) + 131072;
}

/** Bytes at the start of memory that are the module's own. */
export function reservedBytes(): u32 { return <u32>__heap_base; }
