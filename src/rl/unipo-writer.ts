/**
 * Writes kept steps in UNIPO's canonical form (`unipo.ts`): one prompt a group, one response an episode, the trained
 * tokens of it. `turns` beside the tokens is ours.
 */

import { groupBy } from './common/numbers.ts';
import type { ComparedEpisode, ComparedObjective } from './compare-objectives.ts';
import { chosenPositions } from './episode/micro-batch.ts';
import { rewardOf } from './episode/returns.ts';
import type { Trajectory } from './episode/trajectory.ts';
import type { RecordedPrompt, RecordedStep } from './unipo.ts';

/** Facts of a run for the header. */
export interface WrittenRun {
  task: string;
  model: string;
  reward: string;
  totalSteps: number;
  learningRate: number;
}

export interface WrittenStep {
  step: number;
  metrics: { readonly [name: string]: number };
  trajectories: readonly Trajectory[];
  /** The run's own algorithm on this step; its tokens' log-probabilities are written. */
  own: ComparedObjective;
  /** Text of each token id. */
  texts: readonly string[];
}

/** A value that JSON has no number for is null. */
const plain = (values: ArrayLike<number>) => Array.from(values, (value) => (Number.isFinite(value) ? value : null));

function tokensOf(trajectory: Trajectory, episode: ComparedEpisode | undefined, texts: readonly string[]) {
  const positions = chosenPositions(trajectory);
  const ids = Array.from(positions, (position) => trajectory.tokens[position]);
  const old = Array.from(positions, (position) => trajectory.logprob[position]);
  // An episode that the algorithm does not train on has only the numbers of its sampling.
  const own = episode?.tokens.logprob.length === ids.length ? episode.tokens : null;
  return {
    ids,
    strings: ids.map((id) => texts[id] ?? `#${id}`),
    log_probs: plain(own?.logprob ?? old),
    old_log_probs: plain(old),
    ...(own?.reference && { ref_log_probs: plain(own.reference) }),
    ...(own && {
      advantages: plain(own.advantage),
      token_objective: plain(own.advantage.map((value, k) => value * Math.exp(own.logprob[k] - own.old[k]))),
    }),
    turns: Array.from(positions, (position) => trajectory.turnOf[position]),
  };
}

/** Prompts of a step: all groups, with all members. */
function writtenPrompts({ step, trajectories, own, texts }: Omit<WrittenStep, 'metrics'>): RecordedPrompt[] {
  return [...groupBy(trajectories, ({ group }) => group).values()].map((members) => ({
    prompt: members[0].prompt,
    responses: members.map((each) => {
      const episode = own.episodes.find(({ group, member }) => group === each.group && member === each.member);
      const tokens = tokensOf(each, episode, texts);
      return {
        id: `step${step}_p${each.group}_sample${each.member}`,
        reward: rewardOf(each),
        advantage: episode?.advantage ?? each.advantage,
        response_text: each.turns.map(({ reply, action }) => reply ?? action).join('\n'),
        response_length: tokens.ids.length,
        tokens,
      };
    }),
  }));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** A log of one step or of several. */
export function writeUnipo(run: WrittenRun, steps: readonly WrittenStep[]): string {
  const { settings } = steps[0].own;
  const { name, ...hparams } = settings as { name: string; [field: string]: unknown };
  const { clipLow, clipHigh, kl } = hparams as { clipLow?: number; clipHigh?: number; kl?: { coefficient: number } };
  const entries = steps.map((each) => ({
    step: each.step,
    // The log-probabilities are those after the step only if its weights are kept; the sampling ones are beside them.
    is_first_step_after_rollout_phase: true,
    metrics: {
      policy_objective: -(each.metrics.policyLoss ?? 0),
      reward: mean(each.trajectories.map(rewardOf).filter(Number.isFinite)),
      importance_sampling_ratio: each.own.ratio,
      clip_fraction: each.own.clipped,
      ...(each.metrics.entropy !== undefined && { entropy: each.metrics.entropy }),
      ...(each.metrics.kl !== undefined && { kl: each.metrics.kl }),
      ...(each.metrics.gradNorm !== undefined && { grad_norm: each.metrics.gradNorm }),
      response_length: each.own.tokens / Math.max(1, each.trajectories.length),
    },
    prompts: writtenPrompts(each),
  }));
  const header = {
    task: run.task,
    dataset: run.task,
    reward_strategy: run.reward,
    algorithm: name,
    totalSteps: run.totalSteps,
    model_name: run.model,
    reference_model_name: run.model,
    hparams: {
      ...hparams,
      ...(clipLow !== undefined && { clip_eps: [clipLow, clipHigh] }),
      ...(kl && { kl_coef: kl.coefficient }),
      learning_rate: run.learningRate,
    },
  };
  return `${JSON.stringify({ header, entries })}\n`;
}

/** A step as it would be read back. */
export const asRecorded = (header: RecordedStep['header'], step: Omit<WrittenStep, 'metrics'>): RecordedStep => ({
  step: step.step,
  header,
  prompts: writtenPrompts(step),
});
