/** Hand-offs on Node: a run, or an experiment before its first step, as a folder from which another trainer starts. */
import { type Experiment, parseRun } from '../../experiment/experiment.ts';
import { factsOf } from '../../experiment/policies/registry.ts';
import { lastFinite } from '../../session/finite-weights.ts';
import { type HandoffSource, handoffFiles } from '../../session/handoff/handoff.ts';
import { handoffTargets } from '../../session/handoff/registry.ts';
import type { NamedBytes } from '../../session/handoff/target.ts';
import type { NewRun } from '../../store/run-store.ts';
import { policyOfRun } from '../policy-files.ts';
import { openWorldHere } from './worlds.ts';

export { type HandoffSource, handoffTargets, type NamedBytes };

/** An experiment before its first step. */
export function sourceOfExperiment(document: unknown): HandoffSource {
  const experiment = parseRun(document);
  return { name: experiment.name, experiment, done: 0, files: null };
}

/** A run at its last step. Throws BundleError if it has no checkpoint of a policy that is exported. */
export function sourceOfRun(run: NewRun, path: string): HandoffSource {
  const experiment: Experiment = parseRun(run.experiment);
  const last = lastFinite(run.checkpoints);
  const files = last || factsOf(experiment.policy).exports ? policyOfRun(run, path) : null;
  return { name: run.name, experiment, done: last?.meta.step ?? 0, files };
}

/** Files of the folder, by name. */
export const handOffFiles = (source: HandoffSource, options: { to: string; steps?: number }): Promise<NamedBytes> =>
  handoffFiles(source, options, (name) => openWorldHere(name));
