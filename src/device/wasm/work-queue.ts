/** Recorded work that has not run yet: lists of calls, and uploads between them. */
import { callBytes, maxCalls } from '../device.ts';

/** Length of a call record (kernels-wasm/call.ts) in 32-bit words. */
const callWords = callBytes / 4;

/** Room for `maxCalls` call records, as integers and as floats. */
interface Block {
  u32s: Uint32Array;
  f32s: Float32Array;
}

interface CallList {
  block: Block;
  firstCall: number;
  count: number;
  /** Kernel of a call that is timed; it is then the only one of its list. */
  name: string | null;
  /** True once the list has been taken; no further call is added to it. */
  isTaken: boolean;
}

interface Upload {
  address: number;
  bytes: Uint8Array;
}

export class WorkQueue {
  private readonly work: (CallList | Upload)[] = [];
  /** The block that the next call is written to, and the number of calls in it. */
  private block = newBlock();
  private used = 0;

  get isEmpty(): boolean {
    return this.work.length === 0;
  }

  /** The work to do next; the queue must not be empty. */
  takeFirst(): Upload | { words: Uint32Array; count: number; name: string | null } {
    const [first] = this.work;
    if ('bytes' in first) return first;
    first.isTaken = true;
    const { block, firstCall, count, name } = first;
    return { words: block.u32s.subarray(firstCall * callWords, (firstCall + count) * callWords), count, name };
  }

  /** Block and first word of the next call. */
  nextCall(): { base: number; block: Block } {
    if (this.isEmpty) this.used = 0;
    else if (this.used === maxCalls) {
      this.block = newBlock();
      this.used = 0;
    }
    return { base: this.used * callWords, block: this.block };
  }

  /** Adds the call that was written to `nextCall`. `name`: the call is timed, in a list of its own. */
  addCall(name: string | null): void {
    const last = this.work.at(-1);
    const { block, used } = this;
    const joins = last && !('bytes' in last) && !last.isTaken && last.block === block;
    if (joins && name === null && last.name === null) last.count++;
    else this.work.push({ block, firstCall: used, count: 1, name, isTaken: false });
    this.used++;
  }

  addUpload(address: number, bytes: Uint8Array): void {
    this.work.push({ address, bytes });
  }

  dropFirst(): void {
    this.work.shift();
  }

  clear(): void {
    this.work.length = 0;
  }
}

function newBlock(): Block {
  const buffer = new ArrayBuffer(maxCalls * callBytes);
  return { u32s: new Uint32Array(buffer), f32s: new Float32Array(buffer) };
}
