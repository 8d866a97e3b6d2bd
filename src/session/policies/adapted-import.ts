/** An adapter that comes from outside in PEFT's layout: a run at step 0, beside the model that it names. */
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

/** A run at step 0 that holds a PEFT adapter, beside the model that the adapter names, or that its settings have where it names none. */
export function importedAdapter(files: AdapterFiles, preset: Experiment, fileName: string): NewRun {
  const text = textOf(files['adapter_config.json']);
  const { rank, alpha, targets, rankStabilized } = parseAdapterConfig(text);
  const own = preset.policy.kind === 'lora' ? preset.policy : null;
  const { name, revision = null, key } = readAdapterBase(text, files['adapter_model.safetensors'], own?.model);
  // Trained elsewhere it may name a folder there: the settings that it comes with know the model better.
  const named = modelNamed({ name, revision }, key);
  const model = own && baseNameOf(own.model).name !== baseNameOf(named).name && !key ? own.model : named;
  // rsLoRA's scale, alpha / sqrt(rank), is that of a larger alpha.
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

/** The run of an adapter's zip; null: it holds none. */
export function readAdapted(bytes: Uint8Array, preset: Experiment, fileName: string): NewRun | null {
  const files = readAdapter(bytes);
  return files && importedAdapter(files, preset, fileName);
}
