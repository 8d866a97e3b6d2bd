/** Imports an adapter in PEFT's layout as a run at step 0 on its base model. */
import type { Experiment } from '../../experiment/experiment.ts';
import { forLanguageModel } from '../../models/draft.ts';
import { baseNameOf, modelNamed } from '../../models/names.ts';
import { parseAdapterConfig, readAdapterBase } from '../../policy/formats/peft.ts';
import { freshState } from '../../policy/moments.ts';
import { type AdapterFiles, readAdapter } from '../../store/bundle.ts';
import type { NewRun } from '../../store/run-store.ts';
import { decodeState, encodeState, REFERENCE } from '../checkpoint.ts';
import { textOf } from './kept-files.ts';
import { untrained } from './kind.ts';

/**
 * A run at step 0 with a PEFT adapter. The base model is the one that the adapter names. The preset's model is used
 * instead if the adapter names none, or names a different one without this project's key of the model.
 */
export function importedAdapter(files: AdapterFiles, preset: Experiment, fileName: string): NewRun {
  const text = textOf(files['adapter_config.json']);
  const { rank, alpha, targets, rankStabilized } = parseAdapterConfig(text);
  const own = preset.policy.kind === 'lora' ? preset.policy : null;
  const { name, revision = null, key } = readAdapterBase(text, files['adapter_model.safetensors'], own?.model);
  // An adapter trained elsewhere may name a local folder as its base. The preset's settings, if they have a model,
  // identify it better.
  const named = modelNamed({ name, revision }, key);
  const model = own && baseNameOf(own.model).name !== baseNameOf(named).name && !key ? own.model : named;
  // rsLoRA's scale, alpha / sqrt(rank), equals LoRA's alpha / rank with alpha multiplied by sqrt(rank).
  const lora = { rank, alpha: rankStabilized ? alpha * Math.sqrt(rank) : alpha, targets: [...targets] };
  const { tensors } = decodeState(files['adapter_model.safetensors'], 0);
  const settings = { ...preset, name: fileName.slice(0, 120), description: '' };
  const experiment = forLanguageModel(settings, { ...(own ?? { kind: 'lora' as const }), model, lora });
  return {
    name: experiment.name,
    experiment,
    origin: { kind: 'import', file: fileName },
    checkpoints: [{ meta: untrained, bytes: encodeState(freshState(tensors)) }],
    assets: { [REFERENCE]: encodeState(freshState(new Map())) },
  };
}

/** The run of an adapter's zip; null: the zip has no adapter. */
export function readAdapted(bytes: Uint8Array, preset: Experiment, fileName: string): NewRun | null {
  const files = readAdapter(bytes);
  return files && importedAdapter(files, preset, fileName);
}
