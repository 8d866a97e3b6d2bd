/**
 * Opens language models on Node: from a folder or a GGUF file, read in place, or from a hub, kept in a cache folder.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { BaseModel, BaseModels } from '../../models/base-model.ts';
import { type PrepareOptions, prepareModel } from '../../models/loader.ts';
import { type OnnxModel, prepareOnnx } from '../../models/onnx-model.ts';
import type { Precision } from '../../policy/weights/linear.ts';
import { WeightsCache } from '../../store/weights-cache.ts';
import { NodeDisk } from '../../store/weights-disk.ts';
import { FolderSource, nodeFiles } from '../../store/weights-folder.ts';
import { HttpSource } from '../../store/weights-http.ts';
import type { ModelSource } from '../../store/weights-source.ts';
import { type CommandModel, ggufNames, modelAt } from './model-place.ts';

const cacheFolder = () => process.env.TABGYM_MODELS ?? join(homedir(), '.cache', 'tabgym', 'models');

interface Opened {
  source: ModelSource;
  /** Null for files on this machine. */
  cache: WeightsCache | null;
  gguf: string | null;
}

/** `TABGYM_HUB`: address of a mirror of the public hub; `HF_TOKEN`: token for gated repositories. */
function onHub({ base, id, revision, gguf }: CommandModel & { kind: 'hub' }): Opened {
  const place = { id, revision: revision ?? undefined, base: base ?? process.env.TABGYM_HUB };
  const source = new HttpSource(place, { token: process.env.HF_TOKEN ?? null });
  return { source, cache: new WeightsCache(new NodeDisk(cacheFolder())), gguf };
}

async function openPlace(model: string): Promise<Opened> {
  const place = modelAt(model);
  if (place.kind === 'hub') return onHub(place);
  const all = await nodeFiles(place.folder);
  if (place.kind === 'folder') return { source: await FolderSource.open(model, all), cache: null, gguf: null };
  const own = new Set(ggufNames(place));
  const files = all.filter(({ name }) => own.has(name));
  return { source: await FolderSource.open(model, files), cache: null, gguf: place.file };
}

export class NodeBaseModels implements BaseModels {
  async open(model: string, precision: Precision, options: Pick<PrepareOptions, 'tokenizer'> = {}): Promise<BaseModel> {
    const { source, ...place } = await openPlace(model);
    return prepareModel(source, { ...options, ...place, precision, signal: new AbortController().signal });
  }

  async openOnnx(model: string, file: string): Promise<OnnxModel> {
    const { source, cache } = await openPlace(model);
    return prepareOnnx(source, file, { cache, signal: new AbortController().signal });
  }
}
