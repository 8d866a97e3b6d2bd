/**
 * verl on Ray (github.com/volcengine/verl, now verl-project/verl; Apache-2.0), release 0.9.1: its V1 trainer with our
 * own agent loop over OpenEnv's socket. Names and defaults of settings: verl/trainer/config/ppo_trainer.yaml of that
 * release.
 */

import type { Ledger } from './ledger.ts';
import agentLoop from './python/tabgym_agent_loop.py?raw';
import worldClient from './python/tabgym_world.py?raw';
import { shellWord } from './quote.ts';
import {
  addressOf,
  counterpartOf,
  gpus,
  handoffPath,
  interpolation,
  jsonLines,
  openingOf,
  rulesOf,
  stagesAfter,
  takeUnneeded,
} from './shared.ts';
import type { HandoffInput, HandoffTarget, NamedTexts, Settings, TaskRow } from './target.ts';
import { nested, toYaml } from './yaml.ts';

type Flat = { [path: string]: Settings[string] };

/** verl's default, used as the minimum; a longer trajectory would not fit into a micro-batch of that size. */
const leastTokensPerGpu = 16_384;
/** Ranks that vLLM plans its memory for (vllm/config/lora.py). */
const vllmRanks = [1, 8, 16, 32, 64, 128, 256, 320, 512];
/** verl always applies dual clip to negative advantages; this bound is never reached. */
const noDualClip = 1e6;
const noGradClip = 1e9;

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';
const model = 'actor_rollout_ref.model';

function clip(ledger: Ledger): Flat {
  const out: Flat = {};
  const low = ledger.take<number | null>('algorithm.clipLow', null);
  const high = ledger.take<number | null>('algorithm.clipHigh', null);
  if (low !== null) Object.assign(out, { [`${actor}.clip_ratio`]: low, [`${actor}.clip_ratio_low`]: low });
  if (high !== null) out[`${actor}.clip_ratio_high`] = high;
  out[`${actor}.clip_ratio_c`] = ledger.take<number | null>('algorithm.dualClip', null) ?? noDualClip;
  if (!ledger.has('algorithm.lowStart')) return out;
  for (const field of ['lowMost', 'lowStep', 'highMost', 'highStep', 'rule', 'target', 'denominator', 'weighted'])
    ledger.note(`algorithm.${field}`, 'the bounds of the clip are fixed there');
  return {
    ...out,
    [`${actor}.clip_ratio_low`]: 1 - ledger.take<number>('algorithm.lowStart'),
    [`${actor}.clip_ratio_high`]: ledger.take<number>('algorithm.highStart') - 1,
  };
}

/** Policy loss by the kind of ratio and surrogate. */
function policyLoss(ledger: Ledger): Flat {
  const ratio = ledger.take<string>('algorithm.ratio', 'token');
  const form = ledger.take<string>('algorithm.surrogate', 'clip');
  const at = `${actor}.policy_loss.loss_mode`;
  if (ratio === 'sequence-sum')
    ledger.note('algorithm.ratio', 'there is no ratio of an episode’s sum there: each token has its own ratio');
  if (ratio === 'sequence' && form !== 'clip')
    ledger.note('algorithm.surrogate', 'GSPO clips the ratio of the episode there');
  // not a kind: verl's name of a policy loss
  if (ratio === 'sequence') return { [at]: 'gspo' };
  // not a kind: verl's name of a policy loss
  return { [at]: form === 'clip' ? 'vanilla' : 'cispo' };
}

function aggregation(ledger: Ledger): Flat {
  const divisor = ledger.take<number | null>('algorithm.lossScaleFactor', null);
  const mode = ledger.take<string>('algorithm.aggregation', 'token-mean');
  if (mode === 'seq-mean-token-sum-norm' && divisor === null)
    ledger.remark(
      'Without a divisor, seq-mean-token-sum-norm divides by the padded width there, and by the longest sequence in Tabgym.',
    );
  return {
    [`${actor}.loss_agg_mode`]: mode,
    [`${actor}.loss_scale_factor`]: divisor,
  };
}

function regularisers(ledger: Ledger): Flat {
  const coefficient = ledger.take<number>('algorithm.kl.coefficient', 0);
  const estimator = ledger.take<string>('algorithm.kl.estimator', 'k3');
  return {
    [`${actor}.use_kl_loss`]: coefficient !== 0,
    [`${actor}.kl_loss_coef`]: coefficient,
    [`${actor}.kl_loss_type`]: estimator,
    [`${actor}.entropy_coeff`]: ledger.take<number>('algorithm.entropy', 0),
    ...klInReward(ledger),
  };
}

/** verl subtracts the KL from the reward token by token; the sum is the same as for an episode's KL. */
function klInReward(ledger: Ledger): Flat {
  const perEpisode = ledger.take<number>('algorithm.klPerEpisode', 0);
  const coefficient = ledger.take<number>('algorithm.klReward.coefficient', perEpisode);
  const estimator = ledger.take<string>('algorithm.klReward.estimator', 'k1');
  const target = ledger.take<number | null>('algorithm.klReward.target', null);
  return {
    'algorithm.use_kl_in_reward': coefficient !== 0,
    'algorithm.kl_penalty': estimator,
    'algorithm.kl_ctrl.type': target === null ? 'fixed' : 'adaptive',
    'algorithm.kl_ctrl.kl_coef': coefficient,
    'algorithm.kl_ctrl.target_kl': target ?? 0.1,
    'algorithm.kl_ctrl.horizon': ledger.take<number>('algorithm.klReward.horizon', 10_000),
  };
}

/** Correction for the mismatch between the sampling policy and the trained one. */
function correction(ledger: Ledger): Flat {
  const weights = ledger.take<string>('algorithm.correction.weights', 'none');
  const high = ledger.take<number | null>('algorithm.correction.high', 2) ?? noGradClip;
  const low = ledger.take<number | null>('algorithm.correction.low', null);
  const masked = ledger.take<string>('algorithm.correction.outside', 'truncate') === 'mask';
  const at = 'algorithm.rollout_correction';
  if (weights !== 'none' && low !== null && !masked)
    ledger.note(
      'algorithm.correction.low',
      'weights are cut only from above there, unless weights out of bounds become zero',
    );
  return {
    [`${at}.rollout_is`]: weights === 'none' ? null : weights,
    [`${at}.rollout_is_threshold`]: masked ? `${low ?? 0}_${high}` : high,
    [`${at}.rollout_is_batch_normalize`]: ledger.take<boolean>('algorithm.correction.normalize', false),
  };
}

/** Replaces groups whose episodes all have the same result. */
function filter(ledger: Ledger): Flat {
  if (!ledger.has('algorithm.mostWaves')) return {};
  const waves = ledger.take<number>('algorithm.mostWaves');
  return {
    'algorithm.filter_groups.enable': waves > 1,
    'algorithm.filter_groups.metric': ledger.take<string>('algorithm.filterBy') === 'score' ? 'score' : 'reward',
    'algorithm.filter_groups.max_num_gen_batches': waves,
  };
}

/** `advantageEpsilon` is a constant in verl (verl/trainer/ppo/core_algos.py). */
const spreadFloor = 1e-6;

function credit(ledger: Ledger): Flat {
  const critic = ledger.has('algorithm.valueClip');
  if (ledger.take<number>('algorithm.advantageEpsilon', spreadFloor) !== spreadFloor)
    ledger.note('algorithm.advantageEpsilon', `it is ${spreadFloor} there`);
  const unlike = {
    turnGamma: 'credit is assigned per token there',
    turnEnds: 'credit is assigned per token there',
    turnRewards: 'the whole return is on the last token there',
    critic: 'the critic is a separate model there',
    valueWeight: 'the critic shares no layers with the policy there',
    criticLearningRate: 'the critic is a whole model there, not a head: critic.optim.lr stays at 1e-5',
    stepWeight: 'single steps are not compared there',
    divideByStd: 'single steps are not compared there',
    statistics: 'single steps are not compared there',
    turnWeight: 'turns have no separate credit there',
    turnDiscount: 'turns have no separate credit there',
    turnForm: 'turns have no separate credit there',
    normalizeBatch: 'advantages are not whitened over the batch there',
  };
  for (const [field, why] of Object.entries(unlike)) ledger.note(`algorithm.${field}`, why);
  return {
    'algorithm.gamma': ledger.take<number>('algorithm.gamma', 1),
    'algorithm.lam': ledger.take<number>('algorithm.lambda', 1),
    ...(critic && { 'critic.cliprange_value': ledger.take<number>('algorithm.valueClip') }),
  };
}

function optimizer(ledger: Ledger, { done }: HandoffInput): Flat {
  const at = `${actor}.optim`;
  const warmup = ledger.take<number>('optimizer.warmupSteps');
  if (ledger.take<number>('optimizer.finalFraction') !== 1)
    ledger.note(
      'optimizer.finalFraction',
      'there is no linear schedule there (constant or cosine): the learning rate is constant',
    );
  return {
    [`${at}.lr`]: ledger.take<number>('optimizer.learningRate'),
    [`${at}.lr_warmup_steps`]: Math.max(0, warmup - done),
    [`${at}.lr_scheduler_type`]: 'constant',
    [`${at}.betas`]: [ledger.take<number>('optimizer.beta1'), ledger.take<number>('optimizer.beta2')],
    [`${at}.override_optimizer_config`]: { eps: ledger.take<number>('optimizer.epsilon') },
    [`${at}.weight_decay`]: ledger.take<number>('optimizer.weightDecay'),
    [`${at}.clip_grad`]: ledger.take<number | null>('optimizer.maxGradNorm') ?? noGradClip,
  };
}

/** The model, and the adapter that training continues from. */
function modelOf(ledger: Ledger, { policy }: HandoffInput): Flat {
  if (policy.form === 'model')
    return { [`${model}.path`]: handoffPath('model'), [`${model}.lora_rank`]: 0, [`${rollout}.load_format`]: 'auto' };
  ledger.takeAll('policy.kind');
  ledger.take('policy.model');
  const rank = ledger.take<number>('policy.lora.rank');
  if (!vllmRanks.includes(rank)) ledger.note('policy.lora.rank', `vLLM accepts the ranks ${vllmRanks.join(', ')}`);
  ledger.note('policy.lora.layers', 'a new adapter is in every layer there; one that is handed over keeps its layers');
  ledger.takeAll('policy.keptMiB');
  for (const field of ['weights', 'kvCache', 'kvShare'])
    ledger.note(`policy.${field}`, 'the model is bfloat16 there, and vLLM plans its own cache');
  return {
    [`${model}.path`]: interpolation('oc.env:BASE_MODEL'),
    [`${model}.lora_rank`]: rank,
    [`${model}.lora_alpha`]: ledger.take<number>('policy.lora.alpha'),
    [`${model}.target_modules`]: ledger.take<string[]>('policy.lora.targets'),
    ...(policy.files && { [`${model}.lora_adapter_path`]: handoffPath('adapter') }),
    [`${rollout}.load_format`]: 'safetensors',
    [`${rollout}.layered_summon`]: true,
  };
}

function batches(ledger: Ledger, input: HandoffInput): Flat {
  const groups = ledger.take<number>('algorithm.groups');
  const minibatches = ledger.take<number>('algorithm.minibatches');
  const prompt = ledger.take<number>('sampling.promptTokens');
  const completion = ledger.take<number>('sampling.completionTokens');
  if (groups % minibatches !== 0)
    ledger.note(
      'algorithm.minibatches',
      `it does not divide the ${groups} groups: the last minibatch of a step is smaller`,
    );
  return {
    'data.train_files': handoffPath('train.jsonl'),
    'data.val_files': handoffPath('val.jsonl'),
    'data.train_batch_size': groups,
    'data.val_batch_size': Math.max(1, Math.min(input.test.length, 64)),
    'data.max_prompt_length': prompt,
    'data.max_response_length': completion,
    'data.return_raw_chat': true,
    'data.filter_overlong_prompts': false,
    // The rows are already in the order in which the run would have drawn them.
    'data.shuffle': false,
    'data.seed': input.experiment.seed,
    [`${actor}.ppo_mini_batch_size`]: Math.max(1, Math.floor(groups / minibatches)),
    [`${actor}.ppo_epochs`]: ledger.take<number>('algorithm.innerEpochs'),
    [`${actor}.use_dynamic_bsz`]: true,
    [`${actor}.ppo_max_token_len_per_gpu`]: Math.max(leastTokensPerGpu, 2 * (prompt + completion)),
    [`${rollout}.n`]: ledger.take<number>('algorithm.groupSize'),
    [`${rollout}.max_model_len`]: prompt + completion,
  };
}

function play(ledger: Ledger): Flat {
  const temperature = ledger.take<number>('sampling.temperature');
  return {
    [`${rollout}.name`]: 'vllm',
    [`${rollout}.mode`]: 'async',
    [`${rollout}.tensor_model_parallel_size`]: 1,
    [`${rollout}.temperature`]: temperature,
    [`${rollout}.top_p`]: 1,
    [`${rollout}.calculate_log_probs`]: true,
    [`${rollout}.multi_turn.enable`]: true,
    [`${rollout}.agent.default_agent_loop`]: 'tabgym',
    [`${rollout}.agent.agent_loop_config_path`]: handoffPath('agent_loop.yaml'),
    // Success on held-out tasks is sampled at the training temperature, as in this project.
    [`${rollout}.val_kwargs.do_sample`]: true,
    [`${rollout}.val_kwargs.temperature`]: temperature,
  };
}

function trainer({ name, steps, experiment }: HandoffInput, dropsGroups: boolean): Flat {
  return {
    'trainer.use_v1': true,
    'trainer.v1.trainer_mode': 'sync',
    'trainer.v1.sampler.sync_refill_failed_groups': dropsGroups,
    'trainer.project_name': 'tabgym',
    'trainer.experiment_name': name.replace(/[^\w.-]+/g, '-'),
    'trainer.logger': ['console'],
    'trainer.nnodes': 1,
    'trainer.n_gpus_per_node': gpus,
    'trainer.total_epochs': 1,
    'trainer.total_training_steps': steps,
    'trainer.save_freq': 20,
    'trainer.test_freq': experiment.evaluation.every || -1,
    'trainer.val_before_train': true,
    'trainer.default_local_dir': handoffPath('checkpoints'),
    // Ray's workers import the agent loop from PYTHONPATH.
    'ray_kwargs.ray_init.runtime_env.env_vars': { PYTHONPATH: interpolation('oc.env:PYTHONPATH') },
  };
}

function rowFor(input: HandoffInput) {
  return (row: TaskRow, index: number) => ({
    data_source: `tabgym/${row.world}`,
    agent_name: 'tabgym',
    prompt: openingOf(row),
    ability: row.world,
    reward_model: { style: 'rule', ground_truth: row.item },
    extra_info: {
      index,
      split: row.split,
      item: row.item,
      url: addressOf(input.servers[row.server], `/${row.world}`),
      task_index: row.index,
      oracle_turns: row.oracleTurns,
      success_reward: row.successReward,
    },
  });
}

const runScript = `#!/usr/bin/env bash
# Trains on with verl. The worlds are served by ./serve.sh, here or on the machine that TABGYM_WORLDS names.
set -euo pipefail
export TABGYM_HANDOFF="$(cd "$(dirname "$0")" && pwd)"
export PYTHONPATH="$TABGYM_HANDOFF:\${PYTHONPATH:-}"
BASE_LINE
exec python3 -m verl.trainer.main_ppo --config-path="$TABGYM_HANDOFF" --config-name=tabgym "$@"
`;

export const verl: HandoffTarget = {
  name: 'verl',
  label: 'verl',
  sentence: 'Trains on one or more machines with Ray, verl’s V1 trainer and an agent loop that plays Tabgym’s worlds.',
  pins: ['verl==0.9.1', 'vllm', 'transformers>=5.5.3,<5.11', 'peft', 'aiohttp'],
  // not a kind: a protocol
  protocol: 'openenv',

  write(input, ledger): NamedTexts {
    const { name, set = {} } = counterpartOf(verl, input, ledger);
    takeUnneeded(ledger, input);
    ledger.take('evaluation.every');
    const rules = rulesOf(ledger);
    const settings = nested({
      'algorithm.adv_estimator': name,
      ...set,
      ...batches(ledger, input),
      ...clip(ledger),
      ...policyLoss(ledger),
      ...aggregation(ledger),
      ...regularisers(ledger),
      ...correction(ledger),
      ...filter(ledger),
      ...credit(ledger),
      ...optimizer(ledger, input),
      ...modelOf(ledger, input),
      ...play(ledger),
      ...trainer(input, rules.world_failure === 'drop'),
    });
    const loop = {
      name: 'tabgym',
      _target_: 'tabgym_agent_loop.TabgymLoop',
      horizon: stagesAfter(input.experiment.horizon, input.done),
      rules,
      max_tokens_per_turn: ledger.take<number>('sampling.maxTokensPerTurn'),
      instructed: input.policy.instructed,
    };
    const head = 'hydra:\n  searchpath: [pkg://verl.trainer.config]\ndefaults: [ppo_trainer, _self_]\n';
    const base = input.policy.base?.name;
    return {
      'tabgym.yaml': `# Differences from verl 0.9.1's own ppo_trainer.yaml.\n${head}${toYaml(settings)}`,
      // JSON is valid YAML; hydra reads it as a list.
      'agent_loop.yaml': `${JSON.stringify([loop], null, 2)}\n`,
      'train.jsonl': jsonLines(input.train.map(rowFor(input))),
      'val.jsonl': jsonLines(input.test.map(rowFor(input))),
      'tabgym_agent_loop.py': agentLoop,
      'tabgym_world.py': worldClient,
      'run.sh': runScript.replace('BASE_LINE\n', () =>
        base ? `[ -n "\${BASE_MODEL:-}" ] || BASE_MODEL=${shellWord(base)}\nexport BASE_MODEL\n` : '',
      ),
    };
  },

  howTo: ({ policy }) => ({
    start: 'GPUS=1 ./run.sh                     # more settings of verl may follow, as trainer.save_freq=50',
    back:
      policy.form === 'adapter'
        ? 'python3 -m verl.model_merger merge --backend fsdp --local_dir checkpoints/global_step_N/actor --target_dir merged\n' +
          'npm run train -- --from merged/lora_adapter --out runs/back'
        : 'python3 -m verl.model_merger merge --backend fsdp --local_dir checkpoints/global_step_N/actor --target_dir merged\n' +
          'npm run train -- --from merged --out runs/back',
  }),
};
