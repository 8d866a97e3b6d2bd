/**
 * Chooses the device that runs compute on: the GPU by WebGPU, or the processor by WebAssembly. A device that the person
 * requested is used. Otherwise, if only one is available, that one is used; the processor is preferred to a software
 * WebGPU adapter, which is many times slower. With two real devices a short measurement before the first training picks
 * the faster, and the result is stored for this adapter.
 */
import { type Device, DeviceUnavailableError } from '../../device/device.ts';
import { measureStep } from '../../policy/engine/measure-step.ts';
import type { AdapterMemory } from '../../store/adapter-memory.ts';
import type { ChoiceReason, DeviceChoice, DeviceName } from '../protocol.ts';
import { adapterName, type GpuMachine } from './gpu-report.ts';

const deviceNames: readonly DeviceName[] = ['webgpu', 'wasm'];

export type DeviceOpeners = { readonly [name in DeviceName]: () => Promise<Device> };

export interface ChooserOptions {
  requested?: DeviceName | null;
  memory?: AdapterMemory;
  /** Replaced in tests. */
  measure?(device: Device): Promise<number>;
}

type Measured = NonNullable<DeviceChoice['measured']>;

const isMeasured = (known: unknown): known is Measured =>
  typeof known === 'object' &&
  known !== null &&
  deviceNames.every((name) => typeof (known as Measured)[name] === 'number');

const memoryKey = (gpu: Device) => `device choice: ${adapterName(gpu)}`;

export class DeviceChooser implements GpuMachine {
  choice: DeviceChoice | null = null;
  private requested: DeviceName | null;

  constructor(
    private readonly openers: DeviceOpeners,
    private readonly options: ChooserOptions = {},
  ) {
    this.requested = options.requested ?? null;
  }

  /** Sets the device to use from now on; null: chosen automatically. Takes effect at the next `open`. */
  ask(name: DeviceName | null): void {
    this.requested = name;
    this.choice = null;
  }

  /**
   * Opens a device. `toTrain`: measures first if no measurement is stored. Rejects with DeviceUnavailableError if there
   * is no device.
   */
  async open({ toTrain = false }: { toTrain?: boolean } = {}): Promise<Device> {
    if (this.requested) return this.take(this.requested, 'asked');
    let problem = '';
    const gpu = await this.openers.webgpu().catch((error: Error) => {
      if (!(error instanceof DeviceUnavailableError)) throw error;
      problem = error.message;
      return null;
    });
    if (!gpu) return this.take('wasm', 'only', { problem });
    if (gpu.info.isFallback) return this.besides(gpu, 'software');
    const known = await this.recall(gpu);
    const measured = known ?? (toTrain ? await this.measure(gpu) : null);
    // A GPU that fails this small test would fail in training as well.
    if (measured instanceof Error) return this.besides(gpu, 'only', null, measured.message);
    if (measured && measured.wasm < measured.webgpu) return this.besides(gpu, 'measured', measured);
    return this.chosen(gpu, { name: 'webgpu', reason: measured ? 'measured' : 'unmeasured', measured, problem: '' });
  }

  /** True if opening again to train may choose another device. */
  get isProvisional(): boolean {
    return this.choice?.reason === 'unmeasured';
  }

  private chosen(device: Device, choice: DeviceChoice): Device {
    this.choice = choice;
    return device;
  }

  private async take(name: DeviceName, reason: ChoiceReason, { problem = '' } = {}): Promise<Device> {
    return this.chosen(await this.openers[name](), { name, reason, measured: null, problem });
  }

  /** Uses the processor instead of this GPU, or the GPU if the processor is unavailable. */
  private async besides(
    gpu: Device,
    reason: ChoiceReason,
    measured: Measured | null = null,
    problem = '',
  ): Promise<Device> {
    const processor = await this.openers.wasm().catch(() => null);
    if (!processor) return this.chosen(gpu, { name: 'webgpu', reason: 'only', measured, problem: '' });
    gpu.destroy();
    return this.chosen(processor, { name: 'wasm', reason, measured, problem });
  }

  private async recall(gpu: Device): Promise<Measured | null> {
    // A browser may refuse storage; the measurement is then repeated.
    const known = await this.options.memory?.read(memoryKey(gpu)).catch(() => null);
    return isMeasured(known) ? { webgpu: known.webgpu, wasm: known.wasm } : null;
  }

  /** Returns null if there is nothing to compare with, and an error if this GPU failed. */
  private async measure(gpu: Device): Promise<Measured | Error | null> {
    const { memory, measure = measureStep } = this.options;
    const processor = await this.openers.wasm().catch(() => null);
    if (!processor) return null;
    try {
      const webgpu = await measure(gpu).catch((error: Error) => error);
      if (webgpu instanceof Error) return webgpu;
      const measured = { webgpu, wasm: await measure(processor) };
      await memory?.write(memoryKey(gpu), measured).catch(() => {});
      return measured;
    } finally {
      processor.destroy();
    }
  }
}
