/** Language models on Node: a folder of this machine, else a model of the catalogue or any repository, kept in a cache folder. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Precision } from '../policy/linear.ts';
import type { BaseModel, BaseModels } from '../session/base-model.ts';
import { prepareModel } from '../session/model-loader.ts';
import { baseNameOf } from '../session/model-names.ts';
import { WeightsCache } from '../store/weights-cache.ts';
import { NodeDisk } from '../store/weights-disk.ts';
import { FolderSource, nodeFiles } from '../store/weights-folder.ts';
import { HttpSource } from '../store/weights-http.ts';

const cacheFolder = () => process.env.TABGYM_MODELS ?? join(homedir(), '.cache', 'tabgym', 'models');

/** `TABGYM_HUB`: a mirror; `HF_TOKEN`: for gated repositories. */
const hubOptions = () => ({ base: process.env.TABGYM_HUB, token: process.env.HF_TOKEN ?? null });

export class NodeBaseModels implements BaseModels {
  async open(model: string, precision: Precision): Promise<BaseModel> {
    const { signal } = new AbortController();
    if (existsSync(join(model, 'config.json'))) {
      const source = await FolderSource.open(model, await nodeFiles(model));
      return prepareModel(source, { precision, cache: null, signal });
    }
    const { name, revision } = baseNameOf(model);
    const { base, token } = hubOptions();
    const source = new HttpSource({ id: name, revision: revision ?? undefined, base }, { token });
    return prepareModel(source, { precision, cache: new WeightsCache(new NodeDisk(cacheFolder())), signal });
  }
}
