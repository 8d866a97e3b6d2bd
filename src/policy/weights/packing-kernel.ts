/**
 * kernels-wasm/packing.ts: packs rows into 4 bits with a minimum, with the bits of quantize-minimum.ts. The module has
 * three kilobytes and is part of the script, so that packing waits for no download and stays synchronous.
 */
const modules = import.meta.glob<string>('/build/wasm/packing.wasm', {
  query: '?url&inline',
  import: 'default',
  eager: true,
});

interface PackingExports {
  memory: WebAssembly.Memory;
  firstFree(): number;
  pack(inp: number, rows: number, length: number, codes: number, scales: number): number;
}

/** `PackedRows` of quantize.ts. */
interface Packed {
  row: { length: number; groups: number; codeWords: number };
  rows: number;
  codes: Uint32Array;
  scales: Uint32Array;
}

/** Packs all values. Returns the number of the first group that cannot be packed, or null. */
type PackingKernel = (out: Packed, values: Float32Array) => number | null;

/** Values in the module's memory at a time, if a row has no more. */
const valuesAtOnce = 1 << 16;

const upTo = (bytes: number, unit: number) => Math.ceil(bytes / unit) * unit;

function kernelOf({ memory, firstFree, pack }: PackingExports): PackingKernel {
  const inp = upTo(firstFree(), 16);
  return (out, values) => {
    const { length, groups, codeWords } = out.row;
    const rowsAtOnce = Math.max(1, Math.floor(valuesAtOnce / length));
    const codes = upTo(inp + Math.min(rowsAtOnce, out.rows) * length * 4, 16);
    const scales = codes + Math.min(rowsAtOnce, out.rows) * codeWords * 4;
    const missing = scales + Math.min(rowsAtOnce, out.rows) * groups * 4 - memory.buffer.byteLength;
    if (missing > 0) memory.grow(upTo(missing, 65536) / 65536);
    for (let row = 0; row < out.rows; row += rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, out.rows - row);
      new Float32Array(memory.buffer, inp).set(values.subarray(row * length, (row + rows) * length));
      const refused = pack(inp, rows, length, codes, scales);
      if (refused >= 0) return row * groups + refused;
      out.codes.set(new Uint32Array(memory.buffer, codes, rows * codeWords), row * codeWords);
      out.scales.set(new Uint32Array(memory.buffer, scales, rows * groups), row * groups);
    }
    return null;
  };
}

/** Null in an engine without WebAssembly SIMD, and in a page's thread that compiles nothing at once. */
function instantiate(): PackingKernel | null {
  const [url] = Object.values(modules);
  if (!url) return null;
  const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
    return kernelOf(exports as unknown as PackingExports);
  } catch {
    return null;
  }
}

let kernel: PackingKernel | null | undefined;

/** The kernel, made at the first call; null if it cannot run here. */
export function packingKernel(): PackingKernel | null {
  if (kernel === undefined) kernel = instantiate();
  return kernel;
}
