/**
 * The kernels of the shaders as one WebAssembly module, over a linear memory that the host imports. Each thread has its
 * own instance. README.md gives an overview.
 */
export { setScratch } from './call';
export { firstCallLeft, firstChunkLeft, runAlone, runTogether, serve, setControl, setNumber } from './threads';
import { ATTENTION_SCRATCH } from './attention-rows';
import { INTEGER_SCRATCH } from './integer';
import { MATMUL_SCRATCH } from './matmul';

/** Bytes of scratch memory per thread, with 128 KiB for table rows of up to 64 KiB. */
export function scratchNeeded(): u32 {
  const products = MATMUL_SCRATCH + 16384;
  const most = products > INTEGER_SCRATCH ? products : INTEGER_SCRATCH;
  return <u32>(most > ATTENTION_SCRATCH ? most : ATTENTION_SCRATCH) + 131072;
}

/** Bytes at the start of the memory that belong to the module. */
export function reservedBytes(): u32 { return <u32>__heap_base; }
