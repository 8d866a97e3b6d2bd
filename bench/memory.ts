/**
 * Runs a thousand steps of a tiny policy on the processor, and records the memory of the device, the heap and the
 * process, none of which may grow.
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WasmDevice } from '../src/device/wasm/device.ts';
import { parseExperiment } from '../src/experiment/experiment.ts';
import { Assembly } from '../src/session/service/assembly.ts';
import { openGuardedWorld } from '../src/workers/spawn-world.ts';

export interface MemoryRow {
  step: number;
  deviceBytes: number;
  deviceBuffers: number;
  linearBytes: number;
  heapBytes: number;
  residentBytes: number;
}

const steps = 1000;
const every = 100;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

export async function benchMemory(): Promise<MemoryRow[]> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const device = await WasmDevice.open({ threads: 1 });
  const experiment = parseExperiment({ ...JSON.parse(readFileSync('experiments/micro.json', 'utf8')), steps });
  const assembly = new Assembly({ machine: { open: async () => device }, openWorld: openGuardedWorld });
  const signal = new AbortController().signal;
  const engine = await assembly.open(experiment, { assets: null, choices: null, onProgress: () => {}, signal });
  await engine.initialize();
  const rows: MemoryRow[] = [];
  for (let step = 1; step <= steps; step++) {
    await engine.training!.step(step, { signal });
    if (step % every !== 0) continue;
    collect();
    const { heapUsed, rss } = process.memoryUsage();
    const { bytesAllocated, buffersCreated, memory } = device;
    const row = {
      step,
      deviceBytes: bytesAllocated,
      deviceBuffers: buffersCreated,
      linearBytes: memory.buffer.byteLength,
      heapBytes: heapUsed,
      residentBytes: rss,
    };
    rows.push(row);
    console.log(
      `  step ${step}: device ${megabytes(row.deviceBytes)} in ${row.deviceBuffers} buffers created so far, linear memory ${megabytes(row.linearBytes)}, heap ${megabytes(row.heapBytes)}, process ${megabytes(row.residentBytes)}`,
    );
  }
  await engine.close();
  device.destroy();
  return rows;
}
