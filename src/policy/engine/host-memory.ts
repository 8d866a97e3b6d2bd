/**
 * Host arrays of an update, allocated once from the plan and found by name. A teacher's distributions are planned as
 * well, and lie in the trajectories.
 */
import type { HostBuffer, PlannedBuffer } from '../plan/planned-buffer.ts';

export class HostMemory {
  private readonly arrays = new Map<PlannedBuffer['name'], Float32Array<ArrayBuffer>>();

  constructor(plan: readonly PlannedBuffer[]) {
    for (const { name, bytes, part } of plan)
      if (part === 'host' && name !== 'distributions') this.arrays.set(name, new Float32Array(bytes / 4));
  }

  /** Returns the array, or null if it was not planned. */
  array(name: HostBuffer): Float32Array<ArrayBuffer> | null {
    return this.arrays.get(name) ?? null;
  }

  get bytes(): number {
    return [...this.arrays.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }
}
