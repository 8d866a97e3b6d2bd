/**
 * `tabgym/policy`: a policy without training. It reads a conversation of observations and actions, acts, and scores
 * actions.
 *
 * @example Play a task of TextCraft with the policy of a run:
 * ```js
 * import { readFileSync } from 'node:fs';
 * import { loadPolicy } from 'tabgym/policy';
 * import { createWorld } from 'tabgym/worlds';
 *
 * const policy = await loadPolicy(readFileSync('run.tabgym'), { device: 'wasm' });
 * const world = await createWorld('textcraft', { options: { depths: [1], distractors: 3 } });
 * let { observation } = await world.reset({ split: 'test', task: 0 });
 * const [action] = await policy.act([{ role: 'user', content: observation }], { temperature: 0 });
 * const [{ logprob }] = await policy.score([{ role: 'user', content: observation }], [action]);
 * console.log(action, logprob);
 * await policy.close();
 * await world.close();
 * ```
 */
import type { TrainerOptions } from './options.ts';
import { type Policy, policyOver } from './policy-over.ts';
import { openPolicyHere } from './policy-platform.ts';

export { PlatformError } from './options.ts';
export type { ActionScore, ActOptions, PolicyCompletion, PolicyMessage } from './policy-over.ts';
export type { Policy };

export type PolicyOptions = Pick<TrainerOptions, 'device' | 'threads'> & {
  /** Name of the file, shown in errors. Default: `policy`. */
  name?: string;
};

/**
 * Loads the policy of a run (`.tabgym`), or an exported one (a zip of `config.json`, `model.safetensors` and
 * `tokenizer.json`, or of an adapter).
 *
 * @throws BundleError or NoPolicyError if the file has no policy that acts.
 */
export async function loadPolicy(file: Uint8Array, options: PolicyOptions = {}): Promise<Policy> {
  return policyOver(await openPolicyHere(file, options));
}
