/** Imports an adapter in PEFT's layout as a run at step 0 on its base model. */
import type { Experiment } from '../../experiment/experiment.ts';
import { forLanguageModel } from '../../models/draft.ts';
import { baseNameOf, modelNamed } from '../../models/names.ts';
import { readAdapterAlone, readAdapterBase } from '../../policy/formats/peft.ts';
import { freshState } from '../../policy/moments.ts';
import { type AdapterFiles, readAdapter } from '../../store/bundle.ts';
import type { NewRun } from '../../store/run-store.ts';
import { encodeState, REFERENCE } from '../checkpoint.ts';
import { requireUsable, textOf } from './kept-files.ts';
import { untrained } from './kind.ts';

/**
 * A run at step 0 with a PEFT adapter, and with its own tokenizer and chat template if it has them. The base model is
 * the one that the adapter names, under the preset's name for it if the preset has the same model. It is the preset's
 * model instead if the adapter names none, or names another one without this project's key of it. If neither names one,
 * it is `beside`, a model in the folder around the adapter.
 */
export function importedAdapter(
  files: AdapterFiles,
  preset: Experiment,
  fileName: string,
  beside: string | null = null,
): NewRun {
  const { 'adapter_config.json': config, 'adapter_model.safetensors': bytes, ...conversation } = files;
  const text = textOf(config);
  const own = preset.policy.kind === 'lora' ? preset.policy : null;
  const { lora: read, tensors } = readAdapterAlone({ config: text, tensors: bytes }, own?.lora ?? null);
  requireUsable(tensors);
  const { name, revision = null, key } = readAdapterBase(text, bytes, own?.model ?? beside);
  // An adapter trained elsewhere may name a local folder as its base. The preset's settings, if they have a model,
  // identify it better.
  const named = modelNamed({ name, revision }, key && baseNameOf(key).name === name ? key : own?.model);
  const model = own && baseNameOf(own.model).name !== baseNameOf(named).name && !key ? own.model : named;
  // rsLoRA's scale, alpha / sqrt(rank), equals LoRA's alpha / rank with alpha multiplied by sqrt(rank).
  const { rank, rankStabilized, targets, layers } = read;
  const alpha = rankStabilized ? read.alpha * Math.sqrt(rank) : read.alpha;
  const lora = { rank, alpha, targets: [...targets], ...(layers && { layers: [...layers] }) };
  const settings = { ...preset, name: fileName.slice(0, 120), description: '' };
  const experiment = forLanguageModel(settings, { ...(own ?? { kind: 'lora' as const }), model, lora });
  return {
    name: experiment.name,
    experiment,
    origin: { kind: 'import', file: fileName },
    checkpoints: [{ meta: untrained, bytes: encodeState(freshState(tensors)) }],
    assets: { [REFERENCE]: encodeState(freshState(new Map())), ...conversation },
  };
}

/** The run of an adapter's zip; null: the zip has no adapter. */
export function readAdapted(
  bytes: Uint8Array,
  preset: Experiment,
  fileName: string,
  beside: string | null = null,
): NewRun | null {
  const files = readAdapter(bytes);
  return files && importedAdapter(files, preset, fileName, beside);
}
