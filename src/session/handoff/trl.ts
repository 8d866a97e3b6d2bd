/**
 * TRL's GRPOTrainer (github.com/huggingface/trl, Apache-2.0), release 1.16.0: one script that plays our worlds over
 * OpenEnv's socket through `rollout_func`, so that the policy sees the same conversation format as here. Names of
 * settings: trl/trainer/grpo_config.py of that release.
 */

import type { Json } from '../../envs/env.ts';
import type { Ledger } from './ledger.ts';
import trainer from './python/tabgym_trl.py?raw';
import worldClient from './python/tabgym_world.py?raw';
import train from './python/trl_train.py?raw';
import { addressOf, counterpartOf, jsonLines, openingOf, rulesOf, stagesAfter, takeUnneeded } from './shared.ts';
import type { HandoffInput, HandoffTarget, NamedTexts, TaskRow } from './target.ts';

type Fields = { [field: string]: Json };

const turnCredit = 'every token has the credit of its whole episode there';
const fixedBounds = 'the bounds of the clip are fixed there';

/** Fields of single algorithms that GRPOTrainer lacks, with the note for each. */
const unknown: { readonly [field: string]: string } = {
  mostWaves: 'groups without signal are not replaced there',
  filterBy: 'groups without signal are not replaced there',
  klPerEpisode: 'the KL is part of the loss there (beta), not of the return',
  normalizeBatch: 'see scale_rewards',
  gamma: turnCredit,
  stepWeight: turnCredit,
  divideByStd: turnCredit,
  statistics: turnCredit,
  turnWeight: turnCredit,
  turnDiscount: turnCredit,
  turnForm: turnCredit,
  lowMost: fixedBounds,
  lowStep: fixedBounds,
  highMost: fixedBounds,
  highStep: fixedBounds,
  rule: fixedBounds,
  target: fixedBounds,
  denominator: fixedBounds,
  weighted: fixedBounds,
};

/** Constant that TRL adds to the standard deviation (trl/trainer/grpo_trainer.py). */
const spreadFloor = 1e-4;

function clip(ledger: Ledger): Fields {
  const dual = ledger.take<number | null>('algorithm.dualClip', null);
  if (ledger.has('algorithm.lowStart'))
    return {
      epsilon: 1 - ledger.take<number>('algorithm.lowStart'),
      epsilon_high: ledger.take<number>('algorithm.highStart') - 1,
      delta: dual,
    };
  return {
    epsilon: ledger.take<number>('algorithm.clipLow'),
    epsilon_high: ledger.take<number>('algorithm.clipHigh'),
    // TRL's bound on the unclipped ratio is the same as dual clip for negative advantages, and never active for
    // positive ones.
    delta: dual,
  };
}

const lossTypes: { readonly [aggregation: string]: string } = {
  // not a kind: TRL's name of a loss
  'token-mean': 'dapo',
  // not a kind: TRL's name of a loss
  'seq-mean-token-mean': 'grpo',
  'seq-mean-token-sum-norm': 'dr_grpo',
  'seq-mean-token-sum': 'dr_grpo',
  'token-sum': 'dr_grpo',
};

function loss(ledger: Ledger): Fields {
  const ratio = ledger.take<string>('algorithm.ratio', 'token');
  const aggregation = ledger.take<string>('algorithm.aggregation');
  const divisor = ledger.take<number | null>('algorithm.lossScaleFactor', null);
  // not a kind: a form of the policy term
  const weightsClipped = ledger.take<string>('algorithm.surrogate', 'clip') === 'cispo';
  if (ratio === 'sequence-sum')
    ledger.note('algorithm.ratio', 'the ratio of an episode is the mean over its tokens there, not the sum');
  if (weightsClipped) {
    ledger.note('algorithm.clipLow', 'weights are clipped only from above there');
    if (aggregation !== 'token-mean') ledger.note('algorithm.aggregation', 'this loss is a mean over tokens there');
  } else if (lossTypes[aggregation] === 'dr_grpo')
    ledger.note(
      divisor === null ? 'algorithm.aggregation' : 'algorithm.lossScaleFactor',
      'sums are divided by max_completion_length and by the number of episodes there, so the step size differs',
    );
  return {
    // not a kind: TRL's name of a loss
    loss_type: weightsClipped ? 'cispo' : lossTypes[aggregation],
    importance_sampling_level: ratio === 'token' ? 'token' : 'sequence',
  };
}

function regularisers(ledger: Ledger): Fields {
  const beta = ledger.take<number>('algorithm.kl.coefficient', 0);
  if (ledger.take<string>('algorithm.kl.estimator', 'k3') !== 'k3' && beta !== 0)
    ledger.note('algorithm.kl.estimator', 'it is k3 there');
  return { beta, use_bias_correction_kl: false, entropy_coef: ledger.take<number>('algorithm.entropy', 0) };
}

/** Applies to vLLM. If the model that trains also samples, there is no mismatch to correct. */
function correction(ledger: Ledger): Fields {
  const weights = ledger.take<string>('algorithm.correction.weights', 'none');
  const masked = ledger.take<string>('algorithm.correction.outside', 'truncate') === 'mask';
  if (ledger.take<boolean>('algorithm.correction.normalize', false))
    ledger.note('algorithm.correction.normalize', 'weights are not divided by their mean there');
  return {
    vllm_importance_sampling_correction: weights !== 'none',
    vllm_importance_sampling_mode: `${weights === 'none' ? 'token' : weights}_${masked ? 'mask' : 'truncate'}`,
    vllm_importance_sampling_clip_max: ledger.take<number | null>('algorithm.correction.high', null),
    vllm_importance_sampling_clip_min: ledger.take<number | null>('algorithm.correction.low', null),
  };
}

function optimizer(ledger: Ledger, { done }: HandoffInput): Fields {
  const warmup = Math.max(0, ledger.take<number>('optimizer.warmupSteps') - done);
  const last = ledger.take<number>('optimizer.finalFraction');
  if (last !== 1 && last !== 0)
    ledger.note('optimizer.finalFraction', 'the learning rate falls to 0 or is constant there: it is constant');
  const falls = last === 0;
  if (falls && done > 0)
    ledger.remark('The learning rate falls to 0 from its initial value; the steps done in Tabgym do not count.');
  return {
    learning_rate: ledger.take<number>('optimizer.learningRate'),
    lr_scheduler_type: falls ? 'linear' : 'constant_with_warmup',
    warmup_steps: warmup,
    adam_beta1: ledger.take<number>('optimizer.beta1'),
    adam_beta2: ledger.take<number>('optimizer.beta2'),
    adam_epsilon: ledger.take<number>('optimizer.epsilon'),
    weight_decay: ledger.take<number>('optimizer.weightDecay'),
    // 0: not clipped.
    max_grad_norm: ledger.take<number | null>('optimizer.maxGradNorm') ?? 0,
  };
}

/**
 * Batch sizes with one group per device batch: an optimizer minibatch accumulates several groups, and a step of the run
 * has several minibatches.
 */
function batches(ledger: Ledger, { steps }: HandoffInput): { fields: Fields; updates: number } {
  const groups = ledger.take<number>('algorithm.groups');
  const groupSize = ledger.take<number>('algorithm.groupSize');
  const wanted = ledger.take<number>('algorithm.minibatches');
  const minibatches = groups % wanted === 0 ? wanted : 1;
  if (minibatches !== wanted)
    ledger.note('algorithm.minibatches', `TRL needs a divisor of the ${groups} groups: there is one minibatch`);
  const epochs = ledger.take<number>('algorithm.innerEpochs');
  const updates = minibatches * epochs;
  return {
    updates,
    fields: {
      num_generations: groupSize,
      per_device_train_batch_size: groupSize,
      gradient_accumulation_steps: groups / minibatches,
      steps_per_generation: groups,
      num_iterations: epochs,
      max_steps: steps * updates,
    },
  };
}

function configOf(ledger: Ledger, input: HandoffInput, batch: Fields): Fields {
  const { name: _, set = {} } = counterpartOf({ name: 'trl', label: 'TRL' }, input, ledger);
  if (ledger.take<number>('algorithm.advantageEpsilon', spreadFloor) !== spreadFloor)
    ledger.note('algorithm.advantageEpsilon', `it is ${spreadFloor} there`);
  return {
    ...batch,
    ...set,
    ...clip(ledger),
    ...loss(ledger),
    ...regularisers(ledger),
    ...correction(ledger),
    ...optimizer(ledger, input),
    temperature: ledger.take<number>('sampling.temperature'),
    top_p: 1,
    top_k: 0,
    max_completion_length: ledger.take<number>('sampling.completionTokens'),
    seed: input.experiment.seed % 2 ** 31,
    // The rows are already in the order in which the run would have drawn them.
    shuffle_dataset: false,
    disable_dropout: true,
    remove_unused_columns: false,
    logging_steps: 1,
    save_steps: 20,
    report_to: 'none',
  };
}

function adapterOf(ledger: Ledger, { policy }: HandoffInput): { model: string; lora: Fields | null } {
  if (policy.form === 'model') return { model: 'model', lora: null };
  for (const field of ['kind', 'model']) ledger.take(`policy.${field}`);
  ledger.takeAll('policy.keptMiB');
  for (const field of ['weights', 'kvCache', 'kvShare'])
    ledger.note(`policy.${field}`, 'the model is bfloat16 on a GPU there, float32 without one');
  const lora = {
    r: ledger.take<number>('policy.lora.rank'),
    lora_alpha: ledger.take<number>('policy.lora.alpha'),
    target_modules: ledger.take<string[]>('policy.lora.targets'),
    ...(ledger.has('policy.lora.layers') && { layers_to_transform: ledger.take<number[]>('policy.lora.layers') }),
    lora_dropout: 0,
  };
  return { model: policy.base!.name, lora };
}

/**
 * Settings of a training script (`tabgym.json`), for both hand-offs to TRL. `reward_weights`: those of its reward
 * functions.
 */
export function settingsOf(input: HandoffInput, ledger: Ledger, rewardWeights: number[]) {
  takeUnneeded(ledger, input);
  if (ledger.take<number>('evaluation.every') !== 0)
    ledger.note(
      'evaluation.every',
      'there is no evaluation during training there: bring the policy back to evaluate it',
    );
  for (const [field, why] of Object.entries(unknown)) ledger.note(`algorithm.${field}`, why);
  const { fields, updates } = batches(ledger, input);
  const rules = rulesOf(ledger);
  if (rules.world_failure === 'drop')
    ledger.note('algorithm.endings.worldFailure', 'an episode whose world failed has return 0 there');
  ledger.note('sampling.promptTokens', 'prompts have no length limit there');
  return {
    rules,
    updates,
    config: { ...configOf(ledger, input, fields), reward_weights: rewardWeights },
    ...adapterOf(ledger, input),
  };
}

const rowFor = (input: HandoffInput) => (row: TaskRow, place: number) => ({
  // The prompt that TRL passes to the rollout; it identifies the row.
  prompt: `${place} ${row.item}`,
  item: row.item,
  url: addressOf(input.servers[row.server], `/${row.world}`),
  split: row.split,
  index: row.index,
  oracle_turns: row.oracleTurns,
  success_reward: row.successReward,
  opening: openingOf(row),
});

export const trlPins = ['trl==1.16.0', 'transformers==5.23.0', 'peft==0.21.2', 'torch', 'aiohttp'];

export const runScript = `#!/usr/bin/env bash
# Trains on with TRL. The worlds are served by ./serve.sh, here or on the machine that TABGYM_WORLDS names.
set -euo pipefail
cd "$(dirname "$0")"
exec accelerate launch --num_processes "\${GPUS:-1}" train.py "$@"
`;

export const howTo = () => ({
  start: 'GPUS=1 ./run.sh                     # fields of GRPOConfig may follow, as use_vllm=true vllm_mode=colocate',
  back: 'npm run train -- --from trained --out runs/back',
});

export const trl: HandoffTarget = {
  name: 'trl',
  label: 'TRL',
  sentence: 'Trains on one machine with Hugging Face’s GRPOTrainer and a script that plays Tabgym’s worlds.',
  pins: trlPins,
  // not a kind: a protocol
  protocol: 'openenv',

  write(input, ledger): NamedTexts {
    const { updates, ...shared } = settingsOf(input, ledger, [1, 0]);
    const settings = {
      ...shared,
      instructed: input.policy.instructed,
      horizon: stagesAfter(input.experiment.horizon, input.done),
      updates_per_step: updates,
      turn_tokens: ledger.take<number>('sampling.maxTokensPerTurn'),
      completion_tokens: input.experiment.sampling.completionTokens,
    };
    return {
      'tabgym.json': `${JSON.stringify(settings, null, 2)}\n`,
      'train.jsonl': jsonLines(input.train.map(rowFor(input))),
      'train.py': train,
      'tabgym_trl.py': trainer,
      'tabgym_world.py': worldClient,
      'run.sh': runScript,
    };
  },

  howTo,
};
