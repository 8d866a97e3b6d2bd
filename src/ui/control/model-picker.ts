/**
 * Actions of the language-model picker: find a model, download it, cancel, list and delete stored models. Draws
 * nothing.
 */

import { parseExperiment } from '../../experiment/experiment.ts';
import { withLanguageModel, withOnnxModel } from '../../models/draft.ts';
import type { ModelCard, ModelRequest, Precision } from '../../models/protocol.ts';
import type { TrainerApi } from '../../session/protocol.ts';
import type { ModelState, Store } from '../state/state.ts';
import type { Draft } from './draft.ts';

/** Free space that the browser estimates for this page; null if it has no estimate. */
async function freeSpace(): Promise<number | null> {
  const { quota, usage } = (await navigator.storage?.estimate?.().catch(() => null)) ?? {};
  return quota === undefined || usage === undefined ? null : Math.max(0, quota - usage);
}

/** Approximate bytes of a model that remain to be stored. */
export const bytesToKeep = ({ storedBytes, remainingBytes, totalBytes }: ModelCard) =>
  totalBytes ? storedBytes * (remainingBytes / totalBytes) : 0;

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

export class ModelPicker {
  private asked = 0;

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly draft: Pick<Draft, 'use' | 'change'>,
  ) {}

  private set(patch: Partial<ModelState>) {
    this.store.set({ model: { ...this.store.state.model, ...patch } });
  }

  /** Clears the model that was found, for another choice. */
  forget() {
    this.asked++;
    this.set({ step: 'none', card: null, problem: '' });
  }

  async find(request: ModelRequest) {
    const ask = ++this.asked;
    this.set({ step: 'finding', card: null, problem: '' });
    try {
      const card = await this.api().findModel(request);
      const room = await freeSpace();
      if (ask === this.asked) this.set({ step: 'found', card, room });
    } catch (error) {
      if (ask === this.asked) this.set({ step: 'none', problem: sentence(error) });
    }
  }

  async download() {
    const { card } = this.store.state.model;
    if (!card) return;
    const ask = this.asked;
    this.set({ step: 'downloading', problem: '', done: card.totalBytes - card.remainingBytes, total: card.totalBytes });
    try {
      await this.api().downloadModel(card.key, card.precision);
      if (ask === this.asked) this.set({ step: 'found', card: { ...card, remainingBytes: 0 } });
      // The model is large and slow to download again, so the browser is asked to keep it.
      void navigator.storage?.persist?.().catch(() => false);
    } catch (error) {
      const { done, total } = this.store.state.model;
      if (ask === this.asked)
        this.set({ step: 'found', card: { ...card, remainingBytes: total - done }, problem: sentence(error) });
    }
    await this.refresh();
  }

  /** Puts the shown model into the setup's draft. */
  use() {
    const { model, draft } = this.store.state;
    if (!draft || !model.card) return;
    try {
      const { name, precision, onnx } = model.card;
      this.draft.change(onnx ? withOnnxModel(draft, name, onnx) : withLanguageModel(draft, name, precision));
    } catch (error) {
      this.set({ problem: sentence(error) });
    }
  }

  /** Makes a draft by which a small language model learns, with the shown model in it. */
  async learn() {
    const { card } = this.store.state.model;
    if (!card) return;
    try {
      const { default: document } = await import('../../../experiments/smollm2-textcraft.json');
      const policy = { ...document.policy, model: card.name, weights: card.precision };
      this.draft.use(parseExperiment({ ...document, name: `TextCraft, ${card.label}`, policy }));
    } catch (error) {
      this.set({ problem: sentence(error) });
    }
  }

  /** A cancelled lookup is cleared; a cancelled download keeps the model and shows how much of it is stored. */
  cancel() {
    if (this.store.state.model.step === 'finding') this.forget();
    return this.api().cancelDownload();
  }

  progress(key: string, done: number, total: number) {
    if (this.store.state.model.card?.key === key) this.set({ done, total });
  }

  async refresh() {
    try {
      this.store.set({ keptModels: await this.api().keptModels() });
    } catch (error) {
      this.set({ problem: sentence(error) });
    }
  }

  async remove(folder: string) {
    try {
      await this.api().deleteModel(folder);
      this.forget();
    } catch (error) {
      this.set({ problem: sentence(error) });
    }
    await this.refresh();
  }
}

export const precisions: readonly Precision[] = ['int4', 'int8', 'f32'];
