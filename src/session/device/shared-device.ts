/** One device shared by all runs. It is replaced after a loss or when another one is chosen. */
import type { Device } from '../../device/device.ts';
import type { DeviceUse, GpuMachine } from './gpu-report.ts';

export class SharedDevice {
  private device: Promise<Device> | null = null;
  private opening: Promise<unknown> = Promise.resolve();

  constructor(private readonly machine: GpuMachine) {}

  /** Calls are queued: a report and a run that start together get the same device. */
  open(use: DeviceUse = {}): Promise<Device> {
    const opened = this.opening.then(() => this.current(use));
    this.opening = opened.catch(() => {});
    return opened;
  }

  /** Releases the device; the next `open` requests a new one. All computation on it must have stopped. */
  async close(): Promise<void> {
    const device = await this.device?.catch(() => null);
    this.device = null;
    device?.destroy();
  }

  private async current({ toTrain = false }: DeviceUse): Promise<Device> {
    const current = await this.device?.catch(() => null);
    const stays = current && !current.failure && !(toTrain && this.machine.isProvisional);
    if (stays) return current;
    current?.destroy();
    this.device = this.machine.open({ toTrain });
    return this.device;
  }

  /** Number of threads left; null: there is no device, or no thread can be spared. */
  async giveBackThread(): Promise<number | null> {
    return (await this.device?.catch(() => null))?.giveBackThread?.() ?? null;
  }

  /** The error that ended the device; null: there was no error, or there is no device. */
  async failure(): Promise<Error | null> {
    return (await this.device?.catch(() => null))?.failure ?? null;
  }
}
