/**
 * Loads a language model for the engine: finds it at its source (files.ts), streams it in slices of rows, packs them
 * (format.ts), keeps them for later (store/weights-cache.ts), and yields them piece by piece. At most one slice is in
 * memory. Kept pieces are read from disk, and an interrupted download continues after its last piece.
 */
import { type ModelConfig, parameterShapes, parseConfig } from '../policy/config.ts';
import { headName } from '../policy/formats/checkpoint.ts';
import { type WeightPieces, withFormats } from '../policy/weights/base.ts';
import type { Precision, WeightPiece } from '../policy/weights/linear.ts';
import type { TensorFormats } from '../policy/weights/packed-layout.ts';
import type { PackedFormat } from '../policy/weights/quantize.ts';
import { rowSlices, type StoredTensor, sliceBytes } from '../policy/weights/stored-tensor.ts';
import type { Kept, PieceRecord, PieceWriter, WeightsCache } from '../store/weights-cache.ts';
import type { ModelSource } from '../store/weights-source.ts';
import { findModelFiles, type ModelFiles, type WeightFile } from './files.ts';
import { decodePiece, encodePiece, formatName, formatsIn, namedFormat, readPiece } from './format.ts';
import { TiedCheck, type TiedState } from './tied-head.ts';
import {
  bytesBefore,
  type FilesPlan,
  type FilesPosition,
  invalidatesKept,
  planOfFiles,
  totalOf,
  WeightReader,
} from './weight-reader.ts';

export interface LoadOptions {
  signal: AbortSignal;
  /** Reports the bytes of the model's files processed so far, and their total. */
  onProgress?(done: number, total: number): void;
}

/** Model with a known config, whose weights can be loaded repeatedly. */
export interface PreparedModel {
  /** Key of the model, by which `openKept` finds it again. */
  key: string;
  label: string;
  precision: Precision;
  config: ModelConfig;
  /** Formats of the packed tensors. */
  formats: TensorFormats;
  /**
   * config.json, tokenizer.json, and those of tokenizer_config.json, chat_template.jinja and generation_config.json
   * that exist.
   */
  texts: { readonly [name: string]: string };
  /** Size of the weight files, and the part of it that is still to be downloaded. In bytes. */
  totalBytes: number;
  remainingBytes: number;
  /**
   * Streams every tensor in pieces of whole rows, in file order, with `formats`. May be called again, also after a failure. Rejects
   * with a message written for a person, or with the signal's reason.
   */
  pieces(options: LoadOptions): Required<WeightPieces>;
}

export interface PrepareOptions {
  precision: Precision;
  /** Null: nothing is kept. */
  cache: WeightsCache | null;
  /** GGUF file to read instead of the safetensors. */
  gguf?: string | null;
  /** `optional`: a folder without tokenizer.json is read too. Default: needed. */
  tokenizer?: 'needed' | 'optional';
  signal: AbortSignal;
}

/** Journal entry of a piece: its file, tensor and rows, and the read position after it. */
interface PieceNote extends FilesPosition {
  name: string;
  row: number;
  rows: number;
  /** `formatName` of the piece. */
  format?: string;
  /** Comparison of a redundant head with the embedding, if the files have one. */
  tied?: TiedState;
}

/**
 * Names, sizes and versions of the model's files, and the slice size. Kept pieces are reused only if these are
 * unchanged.
 */
interface Plan extends FilesPlan {
  sliceBytes: number;
  /** Version of the rules that choose a format (`formatOf`), so that no model has pieces from two versions. */
  formats: number;
}

type KeptModel = Kept<PieceNote>;

const keyOf = (source: ModelSource, gguf: string | null | undefined) => (gguf ? `${source.key}#${gguf}` : source.key);

const planOf = (weights: readonly WeightFile[]): Plan => ({
  sliceBytes,
  formats: 2,
  ...planOfFiles(weights.map(({ file }) => file)),
});

async function* keptPieces(
  cache: WeightsCache,
  kept: KeptModel,
  config: ModelConfig,
  precision: Precision,
  { signal, onProgress }: LoadOptions,
): AsyncGenerator<WeightPiece, void, undefined> {
  const plan = kept.note.plan as Plan;
  const shapes = parameterShapes(config);
  for (const record of [...kept.pieces]) {
    signal.throwIfAborted();
    const { name, row, rows, format } = record.what;
    const where = { name, shape: shapes.get(name)!, row, rows };
    const bytes = await cache.read(kept, record as PieceRecord);
    yield decodePiece(namedFormat(format, precision, where), where, bytes);
    onProgress?.(bytesBefore(plan, record.what), totalOf(plan));
  }
}

/** Formats of the tensors of a completely kept model. */
function keptFormats(kept: KeptModel, config: ModelConfig, precision: Precision): TensorFormats {
  const shapes = parameterShapes(config);
  const formats = new Map<string, PackedFormat>();
  for (const { what } of kept.pieces) {
    const format = namedFormat(what.format, precision, { ...what, shape: shapes.get(what.name)! });
    if (format) formats.set(what.name, format);
  }
  return formats;
}

/** Opens a model that is kept completely, without contacting its source. Returns null otherwise. */
export async function openKept(cache: WeightsCache, key: string, precision: Precision): Promise<PreparedModel | null> {
  const kept = await cache.find<PieceNote>(key, precision);
  if (!kept?.complete) return null;
  const { label, texts, plan } = kept.note;
  const config = parseConfig(JSON.parse(texts['config.json']));
  const formats = keptFormats(kept, config, precision);
  return {
    key,
    label,
    precision,
    config,
    formats,
    texts,
    totalBytes: totalOf(plan as Plan),
    remainingBytes: 0,
    pieces: (options) => withFormats(formats, keptPieces(cache, kept, config, precision, options)),
  };
}

/** Finds a model and its kept pieces. Rejects with a message written for a person if it cannot be loaded or run. */
export async function prepareModel(source: ModelSource, options: PrepareOptions): Promise<PreparedModel> {
  const { precision, cache, gguf = null, tokenizer = 'needed', signal } = options;
  const key = keyOf(source, gguf);
  const whole = cache && (await openKept(cache, key, precision));
  if (whole) return whole;
  const files = await findModelFiles(source, { gguf, tokenizer, signal });
  const plan = planOf(files.weights);
  const last = (await cache?.findSame<PieceNote>({ key, kind: precision, plan }))?.pieces.at(-1);
  const total = totalOf(plan);
  const formats = formatsIn(
    precision,
    files.weights.flatMap(({ tensors }) => tensors),
  );
  const loading = new Loading({ key, label: source.label, precision, plan, files, cache });
  return {
    key,
    label: source.label,
    precision,
    config: files.config,
    formats,
    texts: files.texts,
    totalBytes: total,
    remainingBytes: total - (last ? bytesBefore(plan, last.what) : 0),
    pieces: (loadOptions) => withFormats(formats, loading.pieces(loadOptions)),
  };
}

interface LoadingParts {
  key: string;
  label: string;
  precision: Precision;
  plan: Plan;
  files: ModelFiles;
  cache: WeightsCache | null;
}

interface TensorReading {
  file: number;
  tensor: StoredTensor;
  reader: WeightReader;
  writer: PieceWriter<PieceNote> | null;
  tied: TiedCheck | null;
}

/** Loading of one model. May be run again after a failure. */
class Loading {
  constructor(private readonly parts: LoadingParts) {}

  async *pieces(options: LoadOptions): AsyncGenerator<WeightPiece, void, undefined> {
    const { cache, files, precision } = this.parts;
    if (!cache) return yield* this.download(null, null, options);
    const { key, label, plan } = this.parts;
    const kept = await cache.resume<PieceNote>({ key, label, kind: precision, texts: files.texts, plan });
    yield* keptPieces(cache, kept, files.config, precision, options);
    if (kept.complete) return;
    const writer = await cache.append(kept);
    let forget = false;
    try {
      yield* this.download(writer, kept.pieces.at(-1)?.what ?? null, options);
      await writer.complete();
    } catch (error) {
      forget = invalidatesKept(error);
      throw error;
    } finally {
      // Also runs if the engine failed and stopped reading pieces.
      await writer.close();
      if (forget) await cache.remove(kept.folder);
    }
  }

  private async *download(
    writer: PieceWriter<PieceNote> | null,
    from: PieceNote | null,
    options: LoadOptions,
  ): AsyncGenerator<WeightPiece, void, undefined> {
    const { weights, hasHeadCopy } = this.parts.files;
    const tied = hasHeadCopy ? await TiedCheck.open(from?.tied) : null;
    for (let file = from?.file ?? 0; file < weights.length; file++) {
      const state = file === from?.file ? from : null;
      const reader = await WeightReader.open(weights[file].file, state, options.signal);
      try {
        for (const tensor of weights[file].tensors)
          yield* this.readTensor({ file, tensor, reader, writer, tied }, options);
        await reader.finish();
      } finally {
        await reader.close();
      }
    }
    tied?.finish();
  }

  private async *readTensor(
    { file, tensor, reader, writer, tied }: TensorReading,
    { signal, onProgress }: LoadOptions,
  ): AsyncGenerator<WeightPiece, void, undefined> {
    const { plan, precision } = this.parts;
    const rowBytes = (tensor.end - tensor.start) / tensor.rows;
    for (const { row, rows } of rowSlices(tensor)) {
      const start = tensor.start + row * rowBytes;
      if (start < reader.position) continue;
      signal.throwIfAborted();
      await reader.skipTo(start);
      const where = { name: tensor.name, shape: tensor.shape, row, rows };
      const bytes = await reader.take(rows * rowBytes);
      tied?.update(tensor.name, bytes);
      if (tied && tensor.name === headName) continue;
      const piece = readPiece(precision, where, tensor, bytes);
      const note: PieceNote = { file, name: tensor.name, row, rows, format: formatName(piece), ...reader.state() };
      if (tied) note.tied = tied.state();
      await writer?.append(encodePiece(piece), note);
      yield piece;
      onProgress?.(bytesBefore(plan, note), totalOf(plan));
    }
  }
}
