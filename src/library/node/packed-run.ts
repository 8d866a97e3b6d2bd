/**
 * Prepares a trained run for shipping: the weights of its last step in 16 bits without the optimiser's moments, and as
 * many points of its curves as a screen can show. The result is still a run: the page opens, watches and forks it, and
 * `npm run eval` measures it.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { withModelName } from '../../models/names.ts';
import { writeSafetensors } from '../../policy/formats/safetensors.ts';
import { parametersOf } from '../../policy/moments.ts';
import type { StepRecord } from '../../rl/evaluation/evaluation.ts';
import { gainOf } from '../../rl/evaluation/gain.ts';
import { decodeState } from '../../session/checkpoint.ts';
import type { RunSummary } from '../../session/protocol.ts';
import { getRun } from '../../session/stored-run.ts';
import { bundleOf } from '../../store/bundle.ts';
import { FolderStore } from '../../store/folder.ts';
import { RunStore, type StoredCheckpoint } from '../../store/run-store.ts';

/** The run has no weights to ship, or is too large. */
class PackError extends Error {
  override name = 'PackError';
}

/** A chart shows no more points than it has pixels. */
const MOST_RECORDS = 240;
/** Largest acceptable download for a visitor of the page: a whole policy, or an adapter. */
export const mostBytes = ({ policy }: Pick<Experiment, 'policy'>) =>
  factsOf(policy).languageModel ? 8e6 : 4 * 2 ** 20;

/** Evenly spaced records, plus the last and all that contain an evaluation. */
export function thinned(records: readonly StepRecord[], most = MOST_RECORDS): StepRecord[] {
  const every = Math.ceil(records.length / most);
  return records.filter((record, i) => i % every === 0 || record.evaluation || i === records.length - 1);
}

export interface PackedRun {
  bytes: Uint8Array;
  parameters: number;
  /** Size of the vocabulary. */
  words: number;
  /** Device that trained the run. */
  device: string;
}

/** The policy's own tensors of a checkpoint, in 16 bits. */
function weightsOf(checkpoint: Uint8Array) {
  const tensors = parametersOf(decodeState(checkpoint, 0).tensors);
  const parameters = [...tensors.values()].reduce((sum, { data }) => sum + data.length, 0);
  const stored = [...tensors].map(([name, { shape, data }]) => [name, { shape, data, dtype: 'F16' as const }] as const);
  return { parameters, bytes: writeSafetensors(new Map(stored), { format: 'pt' }) };
}

type PackedCheckpoint = { meta: StoredCheckpoint['meta']; bytes: Uint8Array };

const packedCheckpoint = (step: number, adapter: string, bytes: Uint8Array): PackedCheckpoint => ({
  meta: { step, optimizerStep: 0, kernelChoices: {}, batchPlan: {}, adapter },
  bytes,
});

/**
 * The policy after imitation, beside which `npm run eval -- RUN --compare imitation` plays. Empty: its run has no
 * reward after imitation, or no longer has the checkpoint.
 */
async function imitated(store: RunStore, id: string, records: readonly StepRecord[]): Promise<PackedCheckpoint[]> {
  const step = gainOf(records)?.imitated;
  const checkpoint = step === undefined ? null : await store.checkpoint(id, step);
  if (!checkpoint) return [];
  const { meta, bytes } = checkpoint;
  return [packedCheckpoint(meta.step, meta.adapter, weightsOf(bytes).bytes)];
}

/** Assets of a policy with all its weights. An adapter's are those of its language model, which is not shipped. */
const kept = ['config.json', 'tokenizer.json'];

/**
 * `model`: listed name of the language model, since its weights may have come from a file of this machine; null: the
 * run's own name, or no such model.
 */
export async function packRun(store: RunStore, trained: RunSummary, model: string | null = null): Promise<PackedRun> {
  const { id, step, name } = trained;
  const experiment = withModelName(trained.experiment, model);
  const checkpoint = await store.checkpoint(id, step);
  if (!checkpoint) throw new PackError(`The run has no checkpoint at step ${step}: train at least its first step.`);
  const { parameters, bytes: weights } = weightsOf(checkpoint.bytes);
  const { adapter } = checkpoint.meta;
  const assets: { [name: string]: Uint8Array } = {};
  const tokenizer = await store.asset(id, 'tokenizer.json');
  for (const asset of model === null ? kept : []) {
    const bytes = await store.asset(id, asset);
    if (bytes) assets[asset] = bytes;
  }
  const records = thinned(await store.records<StepRecord>(id));
  // No date and no id of this machine, so that the same run gives the same bytes.
  const run = {
    id: '',
    name,
    experiment,
    step,
    createdAt: 0,
    updatedAt: 0,
    deletedUntil: null,
    bytes: weights.byteLength,
  };
  const success = records.findLast((record) => record.evaluation)?.evaluation?.train.policy.rate ?? null;
  const bundle = (checkpoints: PackedCheckpoint[]) =>
    bundleOf({ run: { ...run, success, origin: { kind: 'new' } }, records, checkpoints, assets });
  const last = packedCheckpoint(step, adapter, weights);
  const most = mostBytes(experiment);
  const both = bundle([...(await imitated(store, id, records)), last]);
  const bytes = both.byteLength > most ? bundle([last]) : both;
  if (bytes.byteLength > most)
    throw new PackError(
      `The agent has ${bytes.byteLength} bytes, more than the limit of ${most} for a download: train a smaller policy.`,
    );
  const vocabulary = JSON.parse(new TextDecoder().decode(tokenizer!)).model.vocab;
  return { bytes, parameters, words: Object.keys(vocabulary).length, device: adapter };
}

/** Packs a run of a folder. Returns the packed run and the records of all its steps. */
export async function packStoredRun(folder: string, id: string, model?: string | null) {
  const store = new RunStore(new FolderStore(folder));
  const packed = await packRun(store, await getRun(store, id), model);
  return { ...packed, records: await store.records<StepRecord>(id) };
}
