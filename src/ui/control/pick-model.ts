/** What the language-model picker's buttons do: look a model up, fetch it, stop, list what is kept, delete it. Draws nothing. */

import type { Experiment } from '../../experiment/experiment.ts';
import { withLanguageModel, withOnnxModel } from '../../models/draft.ts';
import type { ModelCard, ModelRequest, Precision } from '../../models/protocol.ts';
import type { TrainerApi } from '../../session/protocol.ts';
import type { ModelState, Store } from '../state/state.ts';

/** What the browser thinks it may still store for this page; null: it does not say. */
async function freeSpace(): Promise<number | null> {
  const { quota, usage } = (await navigator.storage?.estimate?.().catch(() => null)) ?? {};
  return quota === undefined || usage === undefined ? null : Math.max(0, quota - usage);
}

/** About the bytes that are still to be kept of a model. */
export const bytesToKeep = ({ storedBytes, remainingBytes, totalBytes }: ModelCard) =>
  totalBytes ? storedBytes * (remainingBytes / totalBytes) : 0;

const sentence = (error: unknown) => (error instanceof Error ? error.message : String(error));

export class ModelPicking {
  private asked = 0;

  constructor(
    private readonly store: Store,
    private readonly api: () => TrainerApi,
    private readonly take: (draft: Experiment) => void,
  ) {}

  private set(patch: Partial<ModelState>) {
    this.store.set({ model: { ...this.store.state.model, ...patch } });
  }

  /** Another choice: what was found before no longer stands. */
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
      // Large, and dear to fetch again: the browser is asked to keep it.
      void navigator.storage?.persist?.().catch(() => false);
    } catch (error) {
      const { done, total } = this.store.state.model;
      if (ask === this.asked)
        this.set({ step: 'found', card: { ...card, remainingBytes: total - done }, problem: sentence(error) });
    }
    await this.refresh();
  }

  /** The setup's draft takes the model that is shown. */
  use() {
    const { model, draft } = this.store.state;
    if (!draft || !model.card) return;
    try {
      const { name, precision, onnx } = model.card;
      this.take(onnx ? withOnnxModel(draft, name, onnx) : withLanguageModel(draft, name, precision));
    } catch (error) {
      this.set({ problem: sentence(error) });
    }
  }

  /** A lookup that is stopped leaves nothing to say; a download says what of it is kept. */
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
