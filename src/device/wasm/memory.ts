/**
 * Buffers in one linear memory: first fit over a list of free ranges, with adjacent ranges joined. The memory grows if
 * no range is large enough, and never shrinks. Does not depend on kernels.
 */
import { type DeviceBuffer, DeviceError, DeviceUnavailableError } from '../device.ts';

const pageBytes = 65536;
/** Alignment of bindings. It also keeps buffers from sharing cache lines. */
const alignment = 256;
const aligned = (bytes: number) => Math.ceil(bytes / alignment) * alignment;

export class WasmBuffer implements DeviceBuffer {
  constructor(
    readonly label: string,
    readonly address: number,
    readonly size: number,
  ) {}
}

interface Range {
  start: number;
  end: number;
}

export class LinearMemory {
  private free: Range[] = [];
  private end: number;

  /** Everything below `reserved` belongs to the module. */
  constructor(
    readonly memory: WebAssembly.Memory,
    reserved: number,
  ) {
    this.end = aligned(reserved);
  }

  get buffer(): ArrayBufferLike {
    return this.memory.buffer;
  }

  /** Bytes up to the end of the last buffer. */
  get taken(): number {
    return this.end;
  }

  take(label: string, size: number): WasmBuffer {
    const bytes = aligned(size);
    const found = this.free.find(({ start, end }) => end - start >= bytes);
    const address = found ? found.start : this.extend(label, bytes);
    if (found) {
      found.start += bytes;
      this.free = this.free.filter(({ start, end }) => end > start);
      new Uint8Array(this.buffer, address, bytes).fill(0);
    }
    return new WasmBuffer(label, address, size);
  }

  /**
   * Takes memory after everything taken so far, including a free range at the end. Grown memory is zero; a range given
   * back has to be cleared.
   */
  private extend(label: string, bytes: number): number {
    const last = this.free.find(({ end }) => end === this.end);
    const start = last ? last.start : this.end;
    const end = start + bytes;
    const missing = end - this.buffer.byteLength;
    if (missing > 0) this.grow(label, Math.ceil(missing / pageBytes));
    if (last) {
      new Uint8Array(this.buffer, start, last.end - start).fill(0);
      this.free = this.free.filter((range) => range !== last);
    }
    this.end = end;
    return start;
  }

  private grow(label: string, pages: number): void {
    try {
      this.memory.grow(pages);
    } catch {
      const held = Math.round(this.buffer.byteLength / 2 ** 20);
      throw new DeviceUnavailableError(
        `${label} needs ${Math.ceil((pages * pageBytes) / 2 ** 20)} MB more memory, but this tab or process cannot grow beyond ${held} MB. Choose a smaller policy or fewer rows, or close other tabs.`,
      );
    }
  }

  give({ address, size }: WasmBuffer): void {
    const range = { start: address, end: address + aligned(size) };
    const ranges = [...this.free, range].sort((a, b) => a.start - b.start);
    this.free = [];
    for (const next of ranges) {
      const before = this.free.at(-1);
      if (before && before.end > next.start) throw new DeviceError(`Memory at ${next.start} was given back twice.`);
      if (before?.end === next.start) before.end = next.end;
      else this.free.push({ ...next });
    }
  }
}
