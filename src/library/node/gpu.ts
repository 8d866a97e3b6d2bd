/**
 * WebGPU on Node through Dawn: chooses the adapter, and explains what to install if there is none. As in the tests,
 * scripts/machine.mjs searches for drivers. All code above this file works as in a page.
 */
import { existsSync } from 'node:fs';
import { findSoftwareDrivers, hasRenderNode, installAdvice } from '../../../scripts/machine.mjs';
import { GpuUnavailableError } from '../../device/webgpu/device.ts';

interface Dawn {
  create(options: string[]): GPU;
  globals: object;
}

/** Setup for one attempt to find an adapter: Dawn's options and the Vulkan driver file. */
interface Attempt {
  options: string[];
  driver: string | null;
}

/** Kept alive here: if the instance were garbage-collected, its devices would be lost. */
let instance: GPU | null = null;

const hasHardware = () => process.platform !== 'linux' || hasRenderNode() || existsSync('/dev/nvidia0');

/** Dawn rounds timestamps to 0.1 ms, against timing attacks by web pages. A program on Node has no such page. */
const exactTimestamps = 'disable-dawn-features=timestamp_quantization';

/** TABGYM_ADAPTER: a driver file, or part of an adapter's name in Dawn. */
function namedAttempt(name: string): Attempt {
  return name.endsWith('.json') ? { options: [], driver: name } : { options: [`adapter=${name}`], driver: null };
}

/** Real hardware first, then Mesa's software adapter, then Chromium's. */
function attempts(): Attempt[] {
  const name = process.env.TABGYM_ADAPTER;
  if (name) return [namedAttempt(name)];
  const drivers = process.env.VK_DRIVER_FILES ? [] : findSoftwareDrivers();
  const system: Attempt = { options: [], driver: null };
  const software = drivers.map((driver: string): Attempt => ({ options: [], driver }));
  return hasHardware() || process.env.VK_DRIVER_FILES ? [system, ...software] : [...software, system];
}

async function tryAttempt(dawn: Dawn, { options, driver }: Attempt): Promise<GPU | null> {
  // The Vulkan loader reads this variable when an instance is created.
  if (driver) process.env.VK_DRIVER_FILES = driver;
  try {
    const gpu = dawn.create([exactTimestamps, ...options]);
    return (await gpu.requestAdapter()) ? gpu : null;
  } catch (error) {
    if (process.env.TABGYM_ADAPTER) throw new GpuUnavailableError(`TABGYM_ADAPTER: ${(error as Error).message}`);
    return null;
  }
}

async function loadDawn(): Promise<Dawn> {
  try {
    return (await import('webgpu')) as unknown as Dawn;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new GpuUnavailableError(
      'WebGPU on Node needs the optional package webgpu. Install it (npm install webgpu), or choose the processor: device wasm.',
    );
  }
}

/** `navigator.gpu` for Node. Throws GpuUnavailableError, with instructions, if there is no adapter. */
export async function nodeGpu(): Promise<GPU> {
  if (instance) return instance;
  const dawn = await loadDawn();
  Object.assign(globalThis, dawn.globals);
  for (const attempt of attempts()) {
    instance = await tryAttempt(dawn, attempt);
    if (instance) return instance;
  }
  throw new GpuUnavailableError(
    `No WebGPU adapter was found on this machine. A software adapter is enough: ${installAdvice()}. Or name an adapter: TABGYM_ADAPTER=NAME, or the path of a Vulkan driver file.`,
  );
}
