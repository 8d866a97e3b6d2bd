/**
 * A head that the files of a model with tied embeddings store beside the embedding. As in transformers, it is the
 * model's head if its values differ, and redundant if they are equal. Files are compared in places before loading, and
 * completely while they are loaded, because a download is read once.
 */
import { createSHA256, type IHasher } from 'hash-wasm';
import { CheckpointError, embeddingName, headName } from '../policy/formats/checkpoint.ts';
import type { StoredTensor } from '../policy/weights/stored-tensor.ts';
import { readRange, type SourceFile } from '../store/weights-source.ts';
import { fromBase64, toBase64 } from './base64.ts';

export interface PlacedTensor {
  file: SourceFile;
  tensor: StoredTensor;
}

/** Bytes of a tensor that are compared before loading, at most, and the number of places. */
const comparedBytes = 4 << 20;
const places = 4;

/** Rows to compare: all of a small table, else as many at the start, at the end and in between. */
function rowsToCompare({ rows, rowGroup, start, end }: StoredTensor): { row: number; rows: number }[] {
  const rowBytes = (end - start) / rows;
  if (end - start <= comparedBytes) return [{ row: 0, rows }];
  const count = Math.max(1, Math.floor(comparedBytes / places / rowBytes / rowGroup)) * rowGroup;
  return Array.from({ length: places }, (_, i) => {
    const row = Math.floor(((rows - count) * i) / (places - 1) / rowGroup) * rowGroup;
    return { row, rows: count };
  });
}

async function bytesAt({ file, tensor }: PlacedTensor, row: number, rows: number, signal: AbortSignal) {
  const rowBytes = (tensor.end - tensor.start) / tensor.rows;
  const start = tensor.start + row * rowBytes;
  return readRange(file, start, start + rows * rowBytes, signal);
}

const equal = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((value, i) => value === b[i]);

/** True if the head is stored in another type or shape than the embedding, or has other values in a compared place. */
export async function headDiffers(embedding: PlacedTensor, head: PlacedTensor, signal: AbortSignal): Promise<boolean> {
  const [a, b] = [embedding.tensor, head.tensor];
  if (a.end - a.start !== b.end - b.start || a.rows !== b.rows) return true;
  for (const { row, rows } of rowsToCompare(a)) {
    const [ours, theirs] = await Promise.all([embedding, head].map((each) => bytesAt(each, row, rows, signal)));
    if (!equal(ours, theirs)) return true;
  }
  return false;
}

/** State of a comparison, saved with each kept piece, so that a resumed download is still compared as a whole. */
export interface TiedState {
  embedding: string;
  head: string;
}

/** Compares the bytes of head and embedding while they are read, in order, with everything else between them. */
export class TiedCheck {
  private constructor(
    private readonly embedding: IHasher,
    private readonly head: IHasher,
  ) {}

  static async open(state: TiedState | undefined): Promise<TiedCheck> {
    const [embedding, head] = [(await createSHA256()).init(), (await createSHA256()).init()];
    if (state) {
      embedding.load(fromBase64(state.embedding));
      head.load(fromBase64(state.head));
    }
    return new TiedCheck(embedding, head);
  }

  /** Takes the next bytes of a tensor. Other tensors are ignored. */
  update(name: string, bytes: Uint8Array): void {
    if (name === embeddingName) this.embedding.update(bytes);
    if (name === headName) this.head.update(bytes);
  }

  state(): TiedState {
    return { embedding: toBase64(this.embedding.save()), head: toBase64(this.head.save()) };
  }

  /** Throws CheckpointError if the tensors differ. */
  finish(): void {
    if (this.embedding.digest('hex') === this.head.digest('hex')) return;
    throw new CheckpointError(
      `${headName} differs from ${embeddingName} in some rows, although config.json ties them: set tie_word_embeddings to false ` +
        'in config.json, which makes it the head.',
    );
  }
}
