/** The session's module for each kind of policy; `experiment/policies/registry.ts` lists the same names. */
import { type Experiment, parseExperiment } from '../../experiment/experiment.ts';
import type { PolicyName } from '../../experiment/policies/registry.ts';
import { BundleError, readHandoff } from '../../store/bundle.ts';
import type { NewRun } from '../../store/run-store.ts';
import { adapted } from './adapted.ts';
import { api } from './api.ts';
import type { SessionPolicy } from './kind.ts';
import { onnx } from './onnx.ts';
import { tiny } from './tiny.ts';

const kinds: { [name in PolicyName]: SessionPolicy<name> } = { api, lora: adapted, onnx, tiny };

/** A module accepts only experiments of its own kind, so it is looked up by the experiment's kind. */
export const sessionPolicy = ({ kind }: Pick<Experiment['policy'], 'kind'>) =>
  kinds[kind] as unknown as SessionPolicy<PolicyName>;

/**
 * The run of a policy's zip, read by the first kind that recognizes it. A policy that returns from a hand-off keeps its
 * run's settings; any other gets the preset's. `beside`: a language model in the folder around the policy, for an
 * adapter that names none. Throws a BundleError if no kind recognizes it.
 */
export function importedRun(
  bytes: Uint8Array,
  preset: Experiment,
  fileName: string,
  beside: string | null = null,
): NewRun {
  const handed = readHandoff(bytes);
  const settings = handed ? parseExperiment(handed.experiment) : preset;
  for (const kind of Object.values(kinds)) {
    const run = kind.import?.(bytes, settings, fileName, beside);
    if (run) return handed ? { ...run, origin: { kind: 'import', file: fileName, from: handed.from } } : run;
  }
  throw new BundleError(`${fileName} contains no policy that can be imported.`);
}
