/**
 * Language model available as ONNX in the Hub's layout. It is found without reading weights, read completely before it
 * plays, and kept if there is space. Works for all families, not only those that the engine runs.
 */
import type { OnnxSource } from '../policy/onnx/session.ts';
import { StoreError } from '../store/run.ts';
import type { Kept, PieceWriter, WeightsCache } from '../store/weights-cache.ts';
import { type ModelSource, SourceError, type SourceFile } from '../store/weights-source.ts';
import { conversationTexts } from './files.ts';
import type { LoadOptions } from './loader.ts';
import {
  bytesBefore,
  type FilesPlan,
  type FilesPosition,
  invalidatesKept,
  planOfFiles,
  totalOf,
  WeightReader,
} from './weight-reader.ts';

export interface OnnxModel {
  label: string;
  /** config.json, tokenizer.json, and those conversation files that exist. */
  texts: { readonly [name: string]: string };
  /** Size of all its files, and the part of it that is still to be downloaded. In bytes. */
  totalBytes: number;
  remainingBytes: number;
  load(options: LoadOptions): Promise<OnnxSource>;
}

/** Limit of model files: the runtime has 4 GiB of WebAssembly memory and holds a model twice while opening it. */
export const mostOnnxBytes = 3 * 2 ** 29;

/** Size of a kept piece in bytes. */
const pieceBytes = 8 << 20;

const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;

/** Weight files beside the model: `name_data`, then `name_data_1` and so on if they exist. */
async function weightsBeside(source: ModelSource, name: string, signal: AbortSignal): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (;;) {
    const file = await source.file(files.length ? `${name}_data_${files.length}` : `${name}_data`, signal);
    if (!file) return files;
    files.push(file);
  }
}

/** Opens a model that is kept completely, without contacting its source. Returns null otherwise. */
export async function openKeptOnnx(cache: WeightsCache, key: string, name: string): Promise<OnnxModel | null> {
  const kept = await cache.find<FilesPosition>(key, name);
  if (!kept?.complete) return null;
  const plan = kept.note.plan as FilesPlan;
  return {
    label: kept.note.label,
    texts: kept.note.texts,
    totalBytes: totalOf(plan),
    remainingBytes: 0,
    async load(options) {
      const parts = partsOf(plan);
      await readKept(cache, kept, parts, options);
      return sourceOf(plan, parts);
    },
  };
}

export interface OnnxOptions {
  /** Null: nothing is kept. */
  cache: WeightsCache | null;
  signal: AbortSignal;
}

/** Finds a model. Rejects with a SourceError if the file does not exist or is too large for the runtime. */
export async function prepareOnnx(source: ModelSource, name: string, options: OnnxOptions): Promise<OnnxModel> {
  const { cache, signal } = options;
  const whole = cache && (await openKeptOnnx(cache, source.key, name));
  if (whole) return whole;
  const { key, label } = source;
  const files = await filesOf(source, name, signal);
  const texts = await conversationTexts(source, signal);
  const plan = planOfFiles(files);
  const note = { key, label, kind: name, texts, plan };
  const last = cache && (await cache.findSame<FilesPosition>(note))?.pieces.at(-1)?.what;
  return {
    label,
    texts,
    totalBytes: totalOf(plan),
    remainingBytes: totalOf(plan) - (last ? bytesBefore(plan, last) : 0),
    load: (loadOptions) => new Loading(files, plan, note, cache).load(loadOptions),
  };
}

async function filesOf(source: ModelSource, name: string, signal: AbortSignal): Promise<SourceFile[]> {
  const model = await source.file(name, signal);
  if (!model) {
    const others = source.names()?.filter((each) => each.endsWith('.onnx')) ?? [];
    const there = others.length ? ` It has ${others.join(', ')}.` : '';
    throw new SourceError(
      'missing',
      `${source.label} has no ${name}.${there} Name an ONNX file (policy.file), or a repository that has one.`,
    );
  }
  const files = [model, ...(await weightsBeside(source, name, signal))];
  const bytes = totalOf({ files });
  if (bytes > mostOnnxBytes)
    throw new SourceError(
      'unreadable',
      `${name} of ${source.label} is ${gigabytes(bytes)}; the ONNX runtime can load at most ${gigabytes(mostOnnxBytes)}. Choose a file with fewer bits, such as onnx/model_q4.onnx.`,
    );
  return files;
}

const partsOf = ({ files }: FilesPlan) => files.map(({ bytes }) => new Uint8Array(bytes));

/** The runtime looks up external files by name, without their folder. */
function sourceOf({ files }: FilesPlan, [model, ...data]: Uint8Array[]): OnnxSource {
  return { model, external: data.map((part, i) => ({ path: files[i + 1].name.split('/').at(-1)!, data: part })) };
}

async function readKept(
  cache: WeightsCache,
  kept: Kept<FilesPosition>,
  parts: Uint8Array[],
  { signal, onProgress }: LoadOptions,
): Promise<void> {
  const plan = kept.note.plan as FilesPlan;
  for (const piece of kept.pieces) {
    signal.throwIfAborted();
    const { file, position } = piece.what;
    parts[file].set(await cache.read(kept, piece), position - piece.bytes);
    onProgress?.(bytesBefore(plan, piece.what), totalOf(plan));
  }
}

/** Loads one model into memory, and keeps it on disk if there is space and no other tab is writing it. */
class Loading {
  private readonly parts: Uint8Array[];
  private kept: Kept<FilesPosition> | null = null;
  private writer: PieceWriter<FilesPosition> | null = null;

  constructor(
    private readonly files: readonly SourceFile[],
    private readonly plan: FilesPlan,
    private readonly note: Parameters<WeightsCache['resume']>[0],
    private readonly cache: WeightsCache | null,
  ) {
    this.parts = partsOf(plan);
  }

  async load(options: LoadOptions): Promise<OnnxSource> {
    await this.tryToKeep(() => this.resume());
    let forget = false;
    try {
      if (this.kept) await readKept(this.cache!, this.kept, this.parts, options);
      if (!this.kept?.complete) await this.fetch(this.kept?.pieces.at(-1)?.what ?? null, options);
      return sourceOf(this.plan, this.parts);
    } catch (error) {
      forget = invalidatesKept(error);
      throw error;
    } finally {
      await this.writer?.close();
      if (forget && this.kept) await this.cache?.remove(this.kept.folder);
    }
  }

  private async resume(): Promise<void> {
    const kept = await this.cache!.resume<FilesPosition>(this.note);
    if (!kept.complete) this.writer = await this.cache!.append(kept);
    this.kept = kept;
  }

  private async fetch(from: FilesPosition | null, options: LoadOptions): Promise<void> {
    for (let file = from?.file ?? 0; file < this.files.length; file++) {
      const reader = await WeightReader.open(this.files[file], file === from?.file ? from : null, options.signal);
      try {
        await this.readFile(file, reader, options);
        await reader.finish();
      } finally {
        await reader.close();
      }
    }
    await this.tryToKeep(() => this.writer?.complete());
  }

  private async readFile(file: number, reader: WeightReader, { signal, onProgress }: LoadOptions): Promise<void> {
    const part = this.parts[file];
    while (reader.position < part.length) {
      signal.throwIfAborted();
      const at = reader.position;
      const piece = await reader.take(Math.min(pieceBytes, part.length - at));
      part.set(piece, at);
      const what = { file, ...reader.state() };
      await this.tryToKeep(() => this.writer?.append([piece], what));
      onProgress?.(bytesBefore(this.plan, what), totalOf(this.plan));
    }
  }

  /**
   * Runs a disk operation. If it fails, the model is still loaded, and what was kept of it is removed to free the
   * space.
   */
  private async tryToKeep(keep: () => Promise<void> | undefined): Promise<void> {
    if (!this.cache) return;
    try {
      await keep();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const { writer, kept } = this;
      this.writer = null;
      await writer?.close();
      if (writer && kept) await this.cache.remove(kept.folder);
    }
  }
}
