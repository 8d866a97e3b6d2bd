/** A policy as files of Hugging Face's layout: from a run's file, from its zip, and as a zip. */
import { parseExperiment } from '../experiment/experiment.ts';
import { factsOf } from '../experiment/policies/registry.ts';
import { lastFinite } from '../session/finite-weights.ts';
import { readRunFile } from '../session/run-file.ts';
import { keptPolicy, policyFiles } from '../session/service/policy-files.ts';
import {
  BundleError,
  missingWeights,
  NotARunError,
  policyFileNames,
  readAdapter,
  readPolicy,
} from '../store/bundle.ts';
import type { NewRun } from '../store/run-store.ts';

export { missingWeights, policyFileNames };

export interface PolicyFiles {
  [name: string]: Uint8Array;
}

/** The files of the policy after a run's last step. Throws BundleError if the run does not contain it. */
export function policyOfRun({ experiment, checkpoints, assets = {} }: NewRun, name: string): PolicyFiles {
  const { policy } = parseExperiment(experiment);
  const last = lastFinite(checkpoints);
  const { exports, ownWeights } = factsOf(policy);
  if (exports && (!last || (ownWeights && !assets['config.json'])))
    throw new BundleError(`${name} contains no checkpoint: export the run again, with its last step.`);
  return policyFiles(policy, keptPolicy(last?.bytes, assets));
}

/** The files of a policy from a run's file, or from a policy's zip. */
export function policyFilesOf(file: Uint8Array, name: string): PolicyFiles {
  try {
    return policyOfRun(readRunFile(file, name), name);
  } catch (error) {
    if (!(error instanceof NotARunError)) throw error;
    return { ...(readAdapter(file) ?? readPolicy(file)) };
  }
}
