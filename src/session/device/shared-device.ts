/** One device for all runs; a new one where the last was lost, or where another was chosen meanwhile. */
import type { Device } from '../../device/device.ts';
import type { DeviceUse, GpuMachine } from './gpu-report.ts';

export class SharedDevice {
  private device: Promise<Device> | null = null;
  private opening: Promise<unknown> = Promise.resolve();

  constructor(private readonly machine: GpuMachine) {}

  /** One after another: a report and a run that begin together get the same device. */
  open(use: DeviceUse = {}): Promise<Device> {
    const opened = this.opening.then(() => this.current(use));
    this.opening = opened.catch(() => {});
    return opened;
  }

  /** Gives the device back: the next `open` asks the machine again. Whoever computes on it has stopped. */
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

  /** Threads that are left; null: there is no device, or it has none to spare. */
  async giveBackThread(): Promise<number | null> {
    return (await this.device?.catch(() => null))?.giveBackThread?.() ?? null;
  }

  /** Why the device is gone or has failed; null: it has not, or there is none. */
  async failure(): Promise<Error | null> {
    return (await this.device?.catch(() => null))?.failure ?? null;
  }
}
