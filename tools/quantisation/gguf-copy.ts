/** Copies of a GGUF file with other values, in f32: `npm run quant-report -- --file MODEL.gguf --save COPY.gguf`. */
import { closeSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readGguf } from '../../src/policy/formats/gguf.ts';
import { readHeader } from '../../src/policy/formats/gguf-header.ts';
import { loadAdapter } from '../../src/policy/formats/peft.ts';
import type { TensorMap } from '../../src/policy/policy.ts';
import { ggufModel } from '../gguf-model.ts';
import { merged, shifted } from './off-grid.ts';

const alignment = 32;
const padded = (bytes: number) => Math.ceil(bytes / alignment) * alignment;
const f32 = 0;

function u64(value: number): Uint8Array {
  const out = new DataView(new ArrayBuffer(8));
  out.setBigUint64(0, BigInt(value), true);
  return new Uint8Array(out.buffer);
}

const u32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);

/** llama.cpp's order of the rows of q and k: row 2 j + t of a head is row j of its half t. */
function interleaved(values: Float32Array, columns: number, headDim: number): Float32Array {
  const out = new Float32Array(values.length);
  for (let row = 0; row * columns < values.length; row++) {
    const inHead = row % headDim;
    const from = row - inHead + (inHead % 2) * (headDim / 2) + (inHead >> 1);
    out.set(values.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return out;
}

/** All values of the file's model, by Hugging Face's names. */
async function valuesOf(path: string): Promise<TensorMap> {
  const tensors: TensorMap = new Map();
  const { pieces } = await ggufModel(path, 'f32');
  for await (const { name, shape, row, ...piece } of pieces({ signal: new AbortController().signal })) {
    if (piece.kind !== 'f32') throw new Error(`${name} is packed.`);
    if (!tensors.has(name))
      tensors.set(name, { shape: [...shape], data: new Float32Array(shape.reduce((a, b) => a * b, 1)) });
    tensors.get(name)!.data.set(piece.values, row * (shape.length > 1 ? shape[1] : 0));
  }
  return tensors;
}

/** Start of the table of tensors, which begins with the entry of the first one. */
function tableStart(header: Buffer, name: string): number {
  const text = new TextEncoder().encode(name);
  const at = header.indexOf(Buffer.concat([u64(text.length), text]));
  if (at < 0) throw new Error(`The header has no entry of ${name}.`);
  return at;
}

export interface CopyOptions {
  /** Off the grid of the file's blocks (off-grid.ts); null: the same values. */
  offGrid: 'shifted' | 'merged' | null;
  /** PEFT folder of the adapter to merge. */
  adapter: string | null;
}

/** Writes the file's model in f32 to `out`, off its grid if asked, with the file's metadata. */
export async function copyGguf(path: string, out: string, { offGrid, adapter }: CopyOptions): Promise<void> {
  const file = openSync(path, 'r');
  const read = async (start: number, end: number) => {
    const bytes = new Uint8Array(end - start);
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
  };
  const name = basename(path);
  const { config, parts } = await readGguf({ name, bytes: statSync(path).size, read });
  const { tensors: infos } = await readHeader(read, statSync(path).size);
  if (parts[0].tensors.length !== infos.length) throw new Error('Factors of a rotary scaling are not copied.');
  const header = Buffer.from(await read(0, infos[0].start));
  closeSync(file);
  let values = await valuesOf(path);
  if (offGrid === 'shifted') values = shifted(config, values);
  if (offGrid === 'merged') {
    if (adapter === null) throw new Error("--off-grid merged needs --adapter FOLDER, an adapter in PEFT's layout.");
    const own = readFileSync(join(adapter, 'adapter_config.json'), 'utf8');
    const factors = { config: own, tensors: new Uint8Array(readFileSync(join(adapter, 'adapter_model.safetensors'))) };
    values = merged(config, values, loadAdapter(config, factors));
  }

  const start = header.subarray(0, tableStart(header, infos[0].name));
  const entries = [];
  let offset = 0;
  for (const { name, shape } of infos) {
    const text = new TextEncoder().encode(name);
    entries.push(u64(text.length), text, u32(shape.length), ...[...shape].reverse().map(u64), u32(f32), u64(offset));
    offset += padded(4 * shape.reduce((a, b) => a * b, 1));
  }
  const target = openSync(out, 'w');
  const table = Buffer.concat([start, ...entries]);
  writeSync(target, table);
  writeSync(target, new Uint8Array(padded(table.length) - table.length));
  for (const [i, { name: known, shape, rowGroup }] of parts[0].tensors.entries()) {
    if (infos[i].name === known) throw new Error(`${known} is not a tensor of the model.`);
    const { data } = values.get(known)!;
    const rows = rowGroup > 1 ? interleaved(data, shape[1], rowGroup) : data;
    const bytes = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength);
    writeSync(target, bytes);
    writeSync(target, new Uint8Array(padded(bytes.length) - bytes.length));
  }
  closeSync(target);
}
