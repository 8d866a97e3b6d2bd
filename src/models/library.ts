/**
 * Library of language models: those that were looked up, and those kept on disk. Looks models up, downloads them ahead
 * of a run with progress and cancellation, lists and deletes them, and opens them for an engine. Access tokens are held
 * here, in memory only.
 */

import { catalogue } from '../policy/catalogue.ts';
import { countParameters, type ModelConfig, parameterShapes } from '../policy/config.ts';
import { planBuffers, totalBytes } from '../policy/plan/buffers.ts';
import { projections } from '../policy/weights/adapter.ts';
import { isUnplannable, withFormats } from '../policy/weights/base.ts';
import type { Precision } from '../policy/weights/linear.ts';
import type { TensorFormats } from '../policy/weights/packed-layout.ts';
import { packedBytes, packedRow } from '../policy/weights/quantize.ts';
import type { WeightsCache } from '../store/weights-cache.ts';
import { browserFiles, FolderSource } from '../store/weights-folder.ts';
import { HttpSource, publicHub } from '../store/weights-http.ts';
import { type ModelSource, SourceError } from '../store/weights-source.ts';
import type { BaseModels } from './base-model.ts';
import { formatIn } from './format.ts';
import { type LoadOptions, openKept, type PreparedModel, prepareModel } from './loader.ts';
import { placeOf, publicRepository } from './names.ts';
import { type OnnxModel, openKeptOnnx, prepareOnnx } from './onnx-model.ts';
import { cardRun, type KeptModelInfo, type ModelCard, type ModelPlace, type ModelRequest } from './protocol.ts';

/** Approximate size of a model's pieces at a precision, in bytes. */
export function storedBytes(config: ModelConfig, precision: Precision, formats: TensorFormats = new Map()): number {
  let total = 0;
  for (const [name, shape] of parameterShapes(config)) {
    const values = shape.reduce((a, b) => a * b, 1);
    const columns = shape.at(-1)!;
    const format = formats.get(name) ?? formatIn(precision, { name, shape });
    total += format ? packedBytes(packedRow(format, columns), values / columns) : values * 4;
  }
  return total;
}

/** GPU memory of `cardRun` in bytes; null if this build cannot run the precision. */
function gpuBytes({ config, precision, formats }: PreparedModel, blockBytes: number): number | null {
  const { rank, episodes, prompt, completion, batchTokens } = cardRun;
  const capacity = {
    rows: episodes,
    groups: 1,
    promptTokens: prompt,
    completionTokens: completion,
    batchTokens,
    batchScored: batchTokens,
  };
  const lora = { rank, alpha: 2 * rank, targets: projections };
  try {
    return totalBytes(
      planBuffers(config, capacity, { trainable: true, reference: false, precision, formats, lora, blockBytes }),
    );
  } catch (error) {
    if (isUnplannable(error)) return null;
    throw error;
  }
}

const cardOf = (model: PreparedModel, blockBytes: number): ModelCard => cardWith(model, gpuBytes(model, blockBytes));

const cardWith = (
  { key, label, precision, config, formats, totalBytes, remainingBytes }: PreparedModel,
  gpuBytes: number | null,
): ModelCard => ({
  key,
  name: nameOf(key),
  label,
  precision,
  modelType: config.modelType,
  layers: config.numLayers,
  hidden: config.hiddenSize,
  vocabulary: config.vocabSize,
  parameters: countParameters(config),
  totalBytes,
  remainingBytes,
  storedBytes: storedBytes(config, precision, formats),
  gpuBytes,
});

/** Card of an ONNX model of any family, with the sizes given in its config.json. */
function onnxCard({ key, label }: ModelSource, model: OnnxModel, onnx: string): ModelCard {
  const { texts, totalBytes, remainingBytes } = model;
  const config = JSON.parse(texts['config.json']) as { [name: string]: unknown };
  const size = (name: string) => (typeof config[name] === 'number' ? config[name] : 0);
  return {
    ...{ key, label, onnx, name: nameOf(key), precision: 'f32', modelType: String(config.model_type ?? '') },
    ...{ layers: size('num_hidden_layers'), hidden: size('hidden_size'), vocabulary: size('vocab_size') },
    ...{ parameters: 0, totalBytes, remainingBytes, storedBytes: totalBytes, gpuBytes: null },
  };
}

/**
 * The requested ONNX file, or the only kind of weights among picked files; null if the weights can be trained with an
 * adapter.
 */
function onnxFileOf(place: ModelPlace): string | null {
  if (place.kind === 'hub') return place.onnx ?? null;
  const names = place.files.map(({ name }) => name);
  if (names.some((name) => /\.(safetensors|gguf)$/i.test(name))) return null;
  return names.filter((name) => name.endsWith('.onnx')).sort()[0] ?? null;
}

async function sourceOf(place: ModelPlace): Promise<ModelSource> {
  if (place.kind === 'hub') return new HttpSource(place, { token: place.token ?? null });
  return FolderSource.open(place.label, browserFiles(place.files));
}

/** Source on the public hub for a short id, a repository's name or a key of the hub; null for other keys. */
function hubSource(model: string): HttpSource | null {
  const kept = publicRepository(model);
  if (kept) return new HttpSource(kept);
  const listed = catalogue.find(({ id }) => id === model.toLowerCase());
  const id = listed?.repository ?? model;
  return listed || /^[\w.-]+\/[\w.-]+$/.test(model) ? new HttpSource({ id }) : null;
}

/** Name of a model in experiments: the id of a listed model, else the key, which every command understands. */
function nameOf(key: string): string {
  const [, id] = new RegExp(`^${publicHub.replaceAll('.', '\\.')}/(.+)@main$`).exec(key) ?? [];
  return catalogue.find(({ repository }) => repository === id)?.id ?? key;
}

const named = (key: string, precision: string) => `${precision} ${key}`;

const lookupStopped = 'The lookup of the model was stopped.';
const downloadStopped = 'The download was stopped. Its received part is kept.';

export type DownloadListener = (done: number, total: number) => void;

export class ModelLibrary implements BaseModels {
  /** Models found since this tab was opened, by key and precision. */
  private readonly found = new Map<string, PreparedModel>();
  /** Lookups and downloads in progress, with the message for the waiting caller if one is stopped. */
  private readonly pending = new Map<AbortController, string>();
  /**
   * Sources of the ONNX models that were looked up, by key and name. Their access tokens and folders exist in this tab
   * only.
   */
  private readonly sources = new Map<string, ModelSource>();

  constructor(private readonly cache: WeightsCache) {}

  /** Looks a model up. `blockBytes` is the adapter's largest binding. */
  async findModel({ place, precision }: ModelRequest, blockBytes: number): Promise<ModelCard> {
    const onnx = onnxFileOf(place);
    if (onnx) return this.findOnnx(place, onnx);
    const gguf = place.kind === 'hub' ? (place.gguf ?? null) : null;
    const model = await this.cancellable(lookupStopped, async (signal) =>
      prepareModel(await sourceOf(place), { cache: this.cache, precision, gguf, signal }),
    );
    this.found.set(named(model.key, precision), this.forgetIfChanged(model));
    return cardOf(model, blockBytes);
  }

  private async findOnnx(place: ModelPlace, file: string): Promise<ModelCard> {
    const source = await sourceOf(place);
    const model = await this.prepareOnnx(source, file);
    const card = onnxCard(source, model, file);
    for (const name of [card.key, card.name]) this.sources.set(name, source);
    return card;
  }

  /**
   * Wraps a found model so that it is forgotten when its files turn out to have changed. It must then be looked up
   * again.
   */
  private forgetIfChanged(model: PreparedModel): PreparedModel {
    const { found } = this;
    const watched = async function* (options: LoadOptions) {
      try {
        yield* model.pieces(options);
      } catch (error) {
        if (error instanceof SourceError && error.problem === 'changed')
          found.delete(named(model.key, model.precision));
        throw error;
      }
    };
    return { ...model, pieces: (options) => withFormats(model.formats, watched(options)) };
  }

  /**
   * Opens a model by its key, short id or repository: from the disk if it is complete there, from this tab's lookups,
   * or from the public hub. Throws SourceError if none of these has it.
   */
  async open(model: string, precision: Precision): Promise<PreparedModel> {
    const source = hubSource(model);
    const key = source?.key ?? model;
    const known = (await openKept(this.cache, key, precision)) ?? this.found.get(named(key, precision));
    if (known) return known;
    if (source)
      return this.cancellable(lookupStopped, (signal) =>
        prepareModel(source, { cache: this.cache, precision, signal }),
      );
    throw new SourceError(
      'missing',
      placeOf(model) === 'path'
        ? `${model} is neither a listed model nor a repository of the hub, and the page cannot open a path. Write the repository of ` +
            "the base model into the adapter's adapter_config.json (base_model_name_or_path), and import it again."
        : `The model ${model} is not kept in ${precision} here. Choose it again under Language model and download it.`,
    );
  }

  async openOnnx(model: string, file: string): Promise<OnnxModel> {
    const source = this.sources.get(model) ?? hubSource(model);
    if (source) return this.prepareOnnx(source, file);
    const kept = await openKeptOnnx(this.cache, model, file);
    if (kept) return kept;
    throw new SourceError(
      'missing',
      `${file} of ${model} is not kept here, and this tab does not know its source. Look it up again under Language model.`,
    );
  }

  private prepareOnnx(source: ModelSource, file: string): Promise<OnnxModel> {
    return this.cancellable(lookupStopped, (signal) => prepareOnnx(source, file, { cache: this.cache, signal }));
  }

  async downloadModel(key: string, precision: Precision, listener: DownloadListener): Promise<void> {
    const model = await this.open(key, precision);
    // One download at a time: a new one stops the previous one.
    this.stop([downloadStopped]);
    await this.cancellable(downloadStopped, async (signal) => {
      // Reading a piece also keeps it, so the pieces themselves are not needed.
      for await (const _ of model.pieces({ signal, onProgress: listener }));
    });
  }

  private async cancellable<T>(message: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    this.pending.set(stop, message);
    try {
      return await call(stop.signal);
    } finally {
      this.pending.delete(stop);
    }
  }

  async cancelDownload(): Promise<void> {
    this.stop([lookupStopped, downloadStopped]);
  }

  private stop(kinds: readonly string[]): void {
    for (const [stop, message] of this.pending)
      if (kinds.includes(message)) stop.abort(new SourceError('unreachable', message));
  }

  async keptModels(): Promise<KeptModelInfo[]> {
    const kept = await this.cache.list();
    return kept.map(({ folder, key, label, kind, bytes, complete }) => ({
      folder,
      key,
      label,
      precision: kind,
      bytes,
      complete,
    }));
  }

  async deleteModel(folder: string): Promise<void> {
    const kept = (await this.cache.list()).find((each) => each.folder === folder);
    await this.cache.remove(folder);
    // The found model may read from the deleted files.
    if (kept) this.found.delete(named(kept.key, kept.kind));
  }
}
