/** A language model in ONNX: found by its name, played on the ONNX runtime, never trained. */
import { capacityOf } from '../../experiment/sizes.ts';
import { assetsOf } from '../../models/base-model.ts';
import type { OnnxModel } from '../../models/onnx-model.ts';
import { conversationOf } from '../../rl/episode/conversation-files.ts';
import { StoreError } from '../../store/run.ts';
import { conversationFiles } from '../chat-assets.ts';
import { planReport } from '../device/plan-report.ts';
import { PlaysOnlyError } from '../engine.ts';
import { withWorlds } from '../opened-worlds.ts';
import { ActingEngine } from './acting-engine.ts';
import { bytesOf } from './kept-files.ts';
import type { SessionPolicy } from './kind.ts';

/** Stop tokens from config.json, for any model family. */
function eosTokensOf({ 'config.json': config }: OnnxModel['texts']): number[] {
  const { eos_token_id: ids } = JSON.parse(config) as { eos_token_id?: unknown };
  return [ids].flat().filter((id): id is number => typeof id === 'number');
}

export const onnx: SessionPolicy<'onnx'> = {
  /** The ONNX runtime manages the memory. */
  plan: async (_, { device }) => planReport([], await device().catch(() => null)),

  async open(experiment, options, { modelsFor, openWorld, tokenizers }) {
    const { policy } = experiment;
    if (options.purpose === 'train') throw new PlaysOnlyError(`${policy.model} in ONNX`);
    const model = await modelsFor(policy).openOnnx(policy.model, policy.file);
    const assets = assetsOf(model);
    const { onProgress, signal } = options;
    onProgress({ what: 'Opening the worlds', done: 0, total: null, unit: 'steps' });
    return withWorlds(experiment, openWorld, async (worlds) => {
      const tokenizer = await tokenizers.of(experiment, assets, worlds);
      const conversation = await conversationOf(tokenizer, conversationFiles(assets, eosTokensOf(model.texts)));
      const what = `Loading ${model.label}`;
      const load = () =>
        model.load({ signal, onProgress: (done, total) => onProgress({ what, done, total, unit: 'bytes' }) });
      return new ActingEngine({
        ...options,
        ...{ experiment, capacity: capacityOf(experiment), tokenizer, worlds, conversation },
        backend: policy.backend,
        config: bytesOf(model.texts['config.json']),
        initial: load,
        restored: null,
      });
    });
  },

  export({ model }) {
    throw new StoreError(`This run plays ${model} as it is: it has no policy of its own to export.`);
  },
};
