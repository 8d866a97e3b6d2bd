/**
 * A handed-in file: a run's file with `handin.json`, which has the answers and the log. The page opens it like any run.
 * It has no names, times or notes but what the pupil typed as a name and in the answers.
 */
import * as v from 'valibot';
import { type Experiment, ExperimentError, parseExperiment } from '../experiment/experiment.ts';
import { parametersOf } from '../policy/moments.ts';
import type { Trajectory } from '../rl/episode/trajectory.ts';
import type { StepRecord } from '../rl/evaluation/evaluation.ts';
import { decodeState } from '../session/checkpoint.ts';
import { decodeTrajectories } from '../session/run/trajectory-codec.ts';
import { readRunFile } from '../session/run-file.ts';
import { exportRun } from '../store/bundle.ts';
import { surelyKeptFrom } from '../store/retention.ts';
import { StoreError } from '../store/run.ts';
import type { RunStore, StoredCheckpoint } from '../store/run-store.ts';
import { sha256 } from '../store/sha256.ts';
import { type Assignment, assignmentHash } from './assignment.ts';
import { refusedChanges } from './changes.ts';
import { type HandInDocument, type HandInParts, handInPart, handInSchema, partName } from './hand-in-part.ts';
import { brokenAt } from './log.ts';
import { type Reason, RefusedError } from './refused.ts';

/** Writes a stored run as a handed-in file. */
export async function handIn(store: RunStore, runId: string, parts: HandInParts): Promise<Uint8Array<ArrayBuffer>> {
  return exportRun(store, runId, { checkpoints: 'all', assets: handInPart(parts), anonymous: true });
}

/** A handed-in file whose parts fit together. Nothing of it was recomputed yet. */
export interface HandedIn {
  file: string;
  document: HandInDocument;
  experiment: Experiment;
  records: readonly StepRecord[];
  /** Ascending by step. */
  checkpoints: readonly StoredCheckpoint[];
  trajectories: ReadonlyMap<number, readonly Trajectory[]>;
  tokenizer: Uint8Array;
  assets: { readonly [name: string]: Uint8Array };
  /** Number of trained weights. */
  parameters: number;
  /** Hash of the last weights, under which a run is listed without a name. */
  code: string;
}

/** Refuses for a reason if `problem` holds. */
function refuseIf(problem: boolean, reason: Reason, sentence: string): void {
  if (problem) throw new RefusedError(reason, sentence);
}

function openedRun(bytes: Uint8Array, file: string) {
  try {
    return readRunFile(bytes, file);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new RefusedError('damaged', error.message);
  }
}

function documentOf(bytes: Uint8Array | undefined): HandInDocument {
  if (!bytes) throw new RefusedError('not-handed-in', `It is a run without ${partName}: save it with "Hand in".`);
  try {
    return v.parse(handInSchema, JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    throw new RefusedError('not-handed-in', `${partName} cannot be read: ${(error as Error).message.slice(0, 200)}`);
  }
}

function experimentOf(document: unknown, assignment: Assignment): Experiment {
  let experiment: Experiment;
  try {
    experiment = parseExperiment(document);
  } catch (error) {
    if (!(error instanceof ExperimentError)) throw error;
    throw new RefusedError('settings', error.message);
  }
  const refused = refusedChanges(assignment, experiment);
  const words = refused.slice(0, 5).map(({ path, to, reason }) => `${path} (${JSON.stringify(to)}) ${reason}`);
  refuseIf(refused.length > 0, 'settings', `The experiment differs where it may not: ${words.join('; ')}.`);
  return experiment;
}

/** Refuses records that are not those of steps 0 to the last. */
function checkSteps(records: readonly StepRecord[], last: number, { steps }: Experiment): void {
  const wrong = records.findIndex(({ step }, k) => step !== k);
  refuseIf(
    wrong >= 0 || records.length !== last + 1,
    'steps',
    `The file lists ${last} steps and has ${records.length} records${wrong >= 0 ? `; the record of step ${wrong} is missing` : ''}.`,
  );
  refuseIf(last > steps, 'longer', `The run has ${last} steps; its experiment has ${steps}.`);
}

function checkTrajectories(steps: ReadonlyMap<number, Uint8Array>, last: number): void {
  const bytes = [...steps.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  for (let step = surelyKeptFrom(last, bytes); step <= last; step++)
    refuseIf(!steps.has(step), 'trajectories', `The episodes of step ${step} are missing.`);
}

function decoded(step: number, bytes: Uint8Array): readonly Trajectory[] {
  try {
    return decodeTrajectories(bytes);
  } catch (error) {
    throw new RefusedError('trajectories', `The episodes of step ${step} cannot be read: ${(error as Error).message}`);
  }
}

function weightsOf({ bytes, meta }: StoredCheckpoint) {
  try {
    return decodeState(bytes, meta.optimizerStep);
  } catch (error) {
    throw new RefusedError('weights', `The weights of step ${meta.step} cannot be read: ${(error as Error).message}`);
  }
}

/** Opens a handed-in file and checks that its parts fit together and to the assignment. Throws RefusedError. */
export function openHandIn(bytes: Uint8Array, file: string, assignment: Assignment): HandedIn {
  const run = openedRun(bytes, file);
  const document = documentOf(run.assets?.[partName]);
  const hash = assignmentHash(assignment);
  refuseIf(document.assignment !== hash, 'other-assignment', 'It was handed in for another assignment.');
  const broken = brokenAt(hash, document.log);
  refuseIf(broken > 0, 'log', `Entry ${broken} of its log was changed or is missing: its hash differs.`);
  const experiment = experimentOf(run.experiment, assignment);
  const checkpoints = [...(run.checkpoints ?? [])].sort((a, b) => a.meta.step - b.meta.step);
  const last = run.step ?? 0;
  refuseIf(
    checkpoints[0]?.meta.step !== 0,
    'beginning',
    'The weights of step 0 are missing: the run was forked. Train a new run from step 0.',
  );
  refuseIf(checkpoints.at(-1)!.meta.step !== last, 'weights', `The weights of its last step, ${last}, are missing.`);
  checkSteps(run.records, last, experiment);
  const stored = run.trajectories ?? new Map<number, Uint8Array>();
  checkTrajectories(stored, last);
  const tokenizer = run.assets?.['tokenizer.json'];
  if (!tokenizer) throw new RefusedError('damaged', 'tokenizer.json is missing.');
  const parameters = [...parametersOf(weightsOf(checkpoints.at(-1)!).tensors).values()];
  return {
    file,
    document,
    experiment,
    records: run.records,
    checkpoints,
    trajectories: new Map([...stored].map(([step, each]) => [step, decoded(step, each)])),
    tokenizer,
    assets: run.assets ?? {},
    parameters: parameters.reduce((sum, { data }) => sum + data.length, 0),
    code: sha256(checkpoints.at(-1)!.bytes).slice(0, 8),
  };
}
