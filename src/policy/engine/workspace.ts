/** Working buffers of the engine, allocated once from the plan and found by name. */
import { type BufferSlice, type Device, type DeviceBuffer, whole } from '../../device/device.ts';
import type { PlannedBuffer, WorkspaceBuffer } from '../plan/planned-buffer.ts';

/** Parts allocated elsewhere: by the weights, the recorder, the critic or the host. */
const elsewhere: ReadonlySet<PlannedBuffer['part']> = new Set([
  'weights',
  'adapter',
  'reference',
  'optimizer',
  'transfer',
  'critic',
  'host',
]);

export class Workspace {
  private readonly buffers = new Map<PlannedBuffer['name'], DeviceBuffer>();

  constructor(
    readonly device: Device,
    plan: readonly PlannedBuffer[],
  ) {
    for (const { name, bytes, part } of plan) {
      if (!elsewhere.has(part)) this.buffers.set(name, device.createBuffer(`Workspace.${name}`, bytes));
    }
  }

  buffer(name: WorkspaceBuffer): DeviceBuffer {
    const buffer = this.buffers.get(name);
    if (!buffer) throw new RangeError(`The plan has no buffer ${name}.`);
    return buffer;
  }

  has(name: WorkspaceBuffer): boolean {
    return this.buffers.has(name);
  }

  slice(name: WorkspaceBuffer): BufferSlice {
    return whole(this.buffer(name));
  }

  destroy(): void {
    for (const buffer of this.buffers.values()) this.device.destroyBuffer(buffer);
    this.buffers.clear();
  }
}
