/**
 * Creates new runs from existing ones. A fork starts at a checkpoint of its parent with some settings changed; a
 * duplicate is the same run under another name. Both include the parent's curve up to that step, so that one continuous
 * curve is drawn.
 */

import { addsLayers, layersPath } from '../../experiment/added-layers.ts';
import { type Experiment, ExperimentError } from '../../experiment/experiment.ts';
import { findKnob } from '../../experiment/knobs.ts';
import { type Difference, differences } from '../../experiment/paths.ts';
import { changedName, copyName, freeName } from '../../experiment/run-names.ts';
import { type RunManifest, StoreError } from '../../store/run.ts';
import { assetFile, type NewRun, type RunStore, type StoredCheckpoint, stepOf } from '../../store/run-store.ts';
import { sessionPolicy } from '../policies/registry.ts';
import type { StepRecord } from '../protocol.ts';
import { getRun } from '../stored-run.ts';

/**
 * Settings that define the meaning of weights and tokens: changing one needs a new run, unless its knob says that a fork
 * is enough, as for a policy's memory.
 */
// Thoughts are fixed too: a policy with thoughts has a token that ends a thought.
const FIXED = [/^policy(\.|$)/, /^worlds\.\d+\.name$/, /^format$/, /^sampling\.thoughts$/];
const isFixed = (path: string) => FIXED.some((pattern) => pattern.test(path)) && findKnob(path)?.change !== 'fork';

async function assetsOf(store: RunStore, runId: string): Promise<{ [name: string]: Uint8Array }> {
  const manifest = await store.manifest(runId);
  const names = Object.keys(manifest.files).filter((file) => file.startsWith(assetFile('')));
  const read = names.map(
    async (file) => [file.slice(assetFile('').length), (await store.read(manifest, file))!] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

function refuseFixed(changes: readonly Difference[]): void {
  const fixed = changes.filter((change) => isFixed(change.path) && !addsLayers(change));
  if (!fixed.length) return;
  const message = 'cannot change within a run: its weights would not fit. Start a new run with it.';
  const fewer = 'can grow within a run, not shrink: the weights of the layers above would be lost.';
  throw new ExperimentError(fixed.map(({ path }) => ({ path, message: path === layersPath ? fewer : message })));
}

/**
 * A new run from `step` of this one, without damaged records; its own files replace the parent's. Returns its id.
 */
export async function forkRun(
  store: RunStore,
  runId: string,
  step: number,
  experiment: Experiment,
  assets: { [name: string]: Uint8Array } = {},
): Promise<string> {
  const parent = await getRun(store, runId);
  const changes = differences(parent.experiment, experiment).filter(
    ({ path }) => path !== 'name' && path !== 'description',
  );
  refuseFixed(changes);
  if (experiment.steps < step)
    throw new ExperimentError([
      { path: 'steps', message: `is ${experiment.steps}, but the fork begins at step ${step}` },
    ]);
  const checkpoint = await store.checkpoint(runId, step);
  if (!checkpoint) {
    const steps = await store.checkpointSteps(runId);
    const others = steps.length
      ? `These have one: ${steps.join(', ')}.`
      : 'No step of this run has one: export it again, with its checkpoints.';
    throw new StoreError(`Step ${step} has no checkpoint. ${others}`);
  }
  const records = await store.wholeRecords<StepRecord>(runId, step);
  // Other settings may need other memory, so a changed fork plans its own.
  const meta = changes.length ? { ...checkpoint.meta, batchPlan: {} } : checkpoint.meta;
  const kept = { checkpoint: { ...checkpoint, meta }, assets: { ...(await assetsOf(store, runId)), ...assets } };
  const run = await store.create({
    name: await forkName(store, parent, step, experiment, changes),
    experiment,
    origin: { kind: 'fork', parent: runId, step, changes },
    step,
    success: records.findLast((record) => record.evaluation)?.evaluation?.train.policy.rate ?? null,
    records,
    ...(changes.some(addsLayers) ? grown(experiment, kept) : { checkpoints: [kept.checkpoint], assets: kept.assets }),
  });
  return run.id;
}

const namesIn = async (store: RunStore) => (await store.list()).map(({ name }) => name);

/** Name of a fork: a name that the user gave it, else the parent's with the changed settings or the step. */
async function forkName(
  store: RunStore,
  parent: { name: string; experiment: Experiment },
  step: number,
  experiment: Experiment,
  changes: readonly Difference[],
): Promise<string> {
  const taken = await namesIn(store);
  if (experiment.name !== parent.experiment.name) return freeName(experiment.name, taken);
  return changes.length
    ? changedName(parent.name, changes, taken)
    : freeName(`${parent.name}, from step ${step}`, taken);
}

interface Kept {
  checkpoint: StoredCheckpoint;
  assets: { [name: string]: Uint8Array };
}

/**
 * Initial state of a deeper policy: the same weights and files with added layers that leave the output unchanged, and
 * without the optimizer's moments.
 */
function grown(experiment: Experiment, { checkpoint, assets }: Kept): Pick<NewRun, 'checkpoints' | 'assets'> {
  const larger = sessionPolicy(experiment.policy).grow!(experiment, { checkpoint: checkpoint.bytes, assets });
  // The kernels were measured for the old number of layers.
  const meta = { ...checkpoint.meta, optimizerStep: 0, kernelChoices: {}, batchPlan: {} };
  return { checkpoints: [{ meta, bytes: larger.checkpoint }], assets: larger.assets };
}

/** Copies the run with all its stored data but damaged records, as its last commit left it. Returns the new id. */
export async function duplicateRun(store: RunStore, runId: string): Promise<string> {
  const { experiment } = await getRun(store, runId);
  const { manifest, records, blobs } = await store.snapshot(runId, ({ files }) => Object.keys(files), 'left-out');
  const { name, step, success, best } = manifest.run;
  const copy: NewRun = {
    name: copyName(name, await namesIn(store)),
    experiment,
    origin: { kind: 'duplicate', parent: runId, step },
    step,
    success,
    records,
    best,
    ...partsOf(blobs, manifest),
  };
  return (await store.create(copy)).id;
}

/** A run's blobs by what they are. */
function partsOf(blobs: ReadonlyMap<string, Uint8Array>, manifest: RunManifest) {
  const checkpoints: StoredCheckpoint[] = [];
  const trajectories = new Map<number, Uint8Array>();
  const assets: { [name: string]: Uint8Array } = {};
  for (const [file, bytes] of blobs) {
    const [checkpoint, step] = [stepOf(file, 'checkpoint'), stepOf(file, 'trajectories')];
    if (checkpoint !== null) checkpoints.push({ meta: manifest.checkpoints[checkpoint], bytes });
    else if (step !== null) trajectories.set(step, bytes);
    else assets[file.slice(assetFile('').length)] = bytes;
  }
  return { checkpoints, trajectories, assets };
}
