/**
 * Evaluations on Node of policies from files and folders: with the items of an interrupted one kept by the caller, and
 * two policies on the same items. `Run.evaluate` is the same for a run that a trainer has.
 */
import { parseExperiment } from '../../experiment/experiment.ts';
import { gainOf } from '../../rl/evaluation/gain.ts';
import {
  type EvaluatedPolicy,
  OWN_SUITE,
  type PlayedSuite,
  type PlayOptions,
  playSuite,
  suiteFor,
  suiteNames,
  suiteReportOf,
} from '../../session/evaluation/suite-evaluation.ts';
import type { SuiteRequest } from '../../session/evaluation-protocol.ts';
import { lastFinite } from '../../session/finite-weights.ts';
import { readRunFile } from '../../session/run-file.ts';
import { getRun } from '../../session/stored-run.ts';
import { crc32 } from '../../store/crc32.ts';
import { FolderStore } from '../../store/folder.ts';
import { RunStore } from '../../store/run-store.ts';
import type { FoundSuite } from '../../worlds/suites.ts';
import { type EnginesOptions, nodeEngines } from './engines.ts';

export { type EvaluatedPolicy, OWN_SUITE, type PlayedSuite, type SuiteRequest, suiteFor, suiteNames, suiteReportOf };

/** The run has no checkpoint to play with. */
class NoCheckpointError extends Error {
  override name = 'NoCheckpointError';
}

/** The checkpoint at the end of a run's imitation. */
function imitatedOf(file: string, { records, checkpoints }: ReturnType<typeof readRunFile>) {
  const gain = gainOf(records);
  if (!gain)
    throw new NoCheckpointError(
      `${file} has no evaluation at the end of imitation and of later reward: compare other runs.`,
    );
  const checkpoint = checkpoints?.find(({ meta }) => meta.step === gain.imitated);
  if (checkpoint) return checkpoint;
  throw new NoCheckpointError(
    `${file} has no checkpoint of step ${gain.imitated}, its last step of imitation: let evaluations and imitation end at a step whose checkpoint is kept.`,
  );
}

/** The policy of a run's file after its last step, or after its imitation. Throws NoCheckpointError. */
export function policyOfFile(bytes: Uint8Array, file: string, which: 'last' | 'imitation'): EvaluatedPolicy {
  const run = readRunFile(bytes, file);
  const checkpoint = which === 'imitation' ? imitatedOf(file, run) : lastFinite(run.checkpoints);
  if (!checkpoint)
    throw new NoCheckpointError(`${file} contains no checkpoint: export the run again, with its last step.`);
  const experiment = parseExperiment(run.experiment);
  return { name: run.name, experiment, tokenizer: run.assets?.['tokenizer.json'], checkpoint };
}

/** The policy of a folder's run at its first step or its last. Throws NoCheckpointError. */
export async function policyOfFolder(folder: string, id: string, which: 'first' | 'last'): Promise<EvaluatedPolicy> {
  const store = new RunStore(new FolderStore(folder));
  const { name, experiment } = await getRun(store, id);
  const checkpoint = await store.checkpoint(id, which === 'first' ? 0 : undefined);
  if (!checkpoint) throw new NoCheckpointError(`${name} has no checkpoint of its ${which} step: train it again.`);
  return { name, experiment, tokenizer: (await store.asset(id, 'tokenizer.json')) ?? undefined, checkpoint };
}

/** Text that differs between policies with other weights, and between other requests. */
export function evaluationKey({ checkpoint, name, experiment }: EvaluatedPolicy, request: SuiteRequest): string {
  const weights = checkpoint ? [checkpoint.meta.step, crc32(checkpoint.bytes)] : experiment.policy;
  return JSON.stringify([name, weights, request]);
}

/** Plays every item of a suite. `found`: a suite without a name, instead of the request's. */
export async function playPolicy(
  machine: EnginesOptions,
  policy: EvaluatedPolicy,
  request: SuiteRequest,
  options: PlayOptions,
  found?: FoundSuite,
): Promise<PlayedSuite> {
  const engines = nodeEngines({ ...machine, sandbox: false });
  try {
    return await playSuite(engines, policy, request, options, found);
  } finally {
    await engines.closeDevice();
  }
}
