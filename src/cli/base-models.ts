/**
 * Opens language models on Node: from a local folder, or else a model of the catalogue or any repository, kept in a
 * cache folder.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { BaseModel, BaseModels } from '../models/base-model.ts';
import { prepareModel } from '../models/loader.ts';
import { baseNameOf } from '../models/names.ts';
import { type OnnxModel, prepareOnnx } from '../models/onnx-model.ts';
import type { Precision } from '../policy/weights/linear.ts';
import { WeightsCache } from '../store/weights-cache.ts';
import { NodeDisk } from '../store/weights-disk.ts';
import { FolderSource, nodeFiles } from '../store/weights-folder.ts';
import { HttpSource } from '../store/weights-http.ts';
import type { ModelSource } from '../store/weights-source.ts';

const cacheFolder = () => process.env.TABGYM_MODELS ?? join(homedir(), '.cache', 'tabgym', 'models');

/** `TABGYM_HUB`: address of a mirror; `HF_TOKEN`: token for gated repositories. */
const hubOptions = () => ({ base: process.env.TABGYM_HUB, token: process.env.HF_TOKEN ?? null });

const isFolder = (model: string) => existsSync(join(model, 'config.json'));

/** A local folder is read in place, without a cache. */
const cacheFor = (model: string) => (isFolder(model) ? null : new WeightsCache(new NodeDisk(cacheFolder())));

async function sourceOf(model: string): Promise<ModelSource> {
  if (isFolder(model)) return FolderSource.open(model, await nodeFiles(model));
  const { name, revision } = baseNameOf(model);
  const { base, token } = hubOptions();
  return new HttpSource({ id: name, revision: revision ?? undefined, base }, { token });
}

export class NodeBaseModels implements BaseModels {
  async open(model: string, precision: Precision): Promise<BaseModel> {
    const { signal } = new AbortController();
    return prepareModel(await sourceOf(model), { precision, cache: cacheFor(model), signal });
  }

  async openOnnx(model: string, file: string): Promise<OnnxModel> {
    const { signal } = new AbortController();
    return prepareOnnx(await sourceOf(model), file, { cache: cacheFor(model), signal });
  }
}
