/**
 * Compares steps of the first experiments on the WebAssembly device with the same steps on this machine's WebGPU
 * adapter, alternating between the two. Meant for software adapters, one of which `TABGYM_ADAPTER` names (a driver
 * file, or part of its name).
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Device } from '../src/device/device.ts';
import { WasmDevice } from '../src/device/wasm/device.ts';
import { Gpu } from '../src/device/webgpu/device.ts';
import { median } from '../src/envs/median.ts';
import { parseExperiment } from '../src/experiment/experiment.ts';
import { nodeGpu } from '../src/library/node/gpu.ts';
import { Assembly } from '../src/session/service/assembly.ts';
import { openGuardedWorld } from '../src/workers/spawn-world.ts';

interface AdapterRow {
  name: string;
  steps: number;
  /** Median milliseconds per step on each device. */
  oursMs: number;
  theirsMs: number;
  times: number;
  aim: number | null;
}

export interface AdapterComparison {
  adapter: string;
  rows: AdapterRow[];
}

/**
 * Minimum speed of WebAssembly as a multiple of an adapter's, for adapters whose name matches: for most steps, and for
 * the long step, whose number of operations favours WebAssembly.
 */
const aims: [adapter: RegExp, times: number, ofLong: number][] = [
  [/swiftshader/i, 8, 8],
  [/llvmpipe/i, 4, 12],
];

/** The first `warm` steps are not counted, because code and pipelines are still being compiled. */
const parts = [
  { file: 'textcraft-first', warm: 2, steps: 5, long: false },
  { file: 'babyai-first', warm: 3, steps: 9, long: false },
  { file: 'sciworld-first', warm: 2, steps: 7, long: false },
  // One step takes an adapter a minute.
  { file: 'sciworld-rl', warm: 0, steps: 1, long: true },
].filter(({ file }) => existsSync(`experiments/${file}.json`));

/** Opens an experiment on a device; `step` runs the next step and returns its milliseconds. */
async function opened(device: Device, file: string) {
  const experiment = parseExperiment(JSON.parse(readFileSync(`experiments/${file}.json`, 'utf8')));
  const assembly = new Assembly({ machine: { open: async () => device }, openWorld: openGuardedWorld });
  const signal = new AbortController().signal;
  const engine = await assembly.open(experiment, { assets: null, choices: null, onProgress: () => {}, signal });
  await engine.initialize();
  return {
    name: experiment.name,
    async step(number: number): Promise<number> {
      const start = performance.now();
      await engine.training!.step(number, { signal });
      return performance.now() - start;
    },
    close: () => engine.close(),
  };
}

async function comparison(wasm: Device, gpu: Device, part: (typeof parts)[number]): Promise<AdapterRow> {
  const [ours, theirs] = [await opened(wasm, part.file), await opened(gpu, part.file)];
  const times: [number, number][] = [];
  for (let step = 1; step <= part.steps; step++) times.push([await ours.step(step), await theirs.step(step)]);
  await ours.close();
  await theirs.close();
  const counted = times.slice(part.warm);
  const [oursMs, theirsMs] = [median(counted.map(([ms]) => ms)), median(counted.map(([, ms]) => ms))];
  const [, short, long] = aims.find(([adapter]) => adapter.test(gpu.info.description)) ?? [null, null, null];
  const aim = part.long ? long : short;
  const row = { name: ours.name, steps: counted.length, oursMs, theirsMs, times: theirsMs / oursMs, aim };
  console.log(
    `  ${row.name}: ${oursMs.toFixed(0)} ms, ${gpu.info.description} ${theirsMs.toFixed(0)} ms, ${row.times.toFixed(1)} times${aim ? ` (aim ${aim})` : ''}`,
  );
  return row;
}

/** `match`: only experiments whose file name contains it. */
export async function benchCompareAdapter(match = ''): Promise<AdapterComparison> {
  const wasm = await WasmDevice.open({ threads: 2 });
  const gpu = await Gpu.open(await nodeGpu());
  const rows: AdapterRow[] = [];
  for (const part of parts) if (part.file.includes(match)) rows.push(await comparison(wasm, gpu, part));
  const adapter = gpu.info.description;
  gpu.destroy();
  wasm.destroy();
  return { adapter, rows };
}
