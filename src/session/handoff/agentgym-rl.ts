/**
 * AgentGym-RL (github.com/WooooDyy/AgentGym-RL at 82402a9, a fork of verl 0.2; arXiv 2509.08755): its own clients play
 * our worlds over AgentGym's protocol. It trains whole models that use ChatML, in one world per job, with a horizon of
 * equal stages. Names of settings: verl/agent_trainer/config/ppo_trainer.yaml of that commit.
 */

import { type KlEstimator, klKinds } from '../../rl/objective/kl.ts';
import { worldModule } from '../../worlds/registry.ts';
import type { Ledger } from './ledger.ts';
import merge from './python/merge.py?raw';
import { shellWord } from './quote.ts';
import { counterpartOf, gpus, handoffPath, interpolation, rulesOf, stagesAfter, takeUnneeded } from './shared.ts';
import {
  HandoffError,
  type HandoffInput,
  type HandoffTarget,
  type NamedTexts,
  type Settings,
  type TaskRow,
} from './target.ts';
import { nested, toYaml } from './yaml.ts';

type Flat = { [path: string]: Settings[string] };

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';
const least = 16_384;
const noGradClip = 1e9;

/** Name of the task in that trainer's table of clients (verl/utils/agentgym/client.py). */
const taskOf = ({ agentgym, agentgymPath }: HandoffInput['servers'][number]) => agentgymPath.slice(1) || agentgym;

/** The only server, and the tasks that are items of AgentGym. */
function itemsOf({ servers, train }: HandoffInput): {
  server: HandoffInput['servers'][number];
  rows: readonly TaskRow[];
} {
  const [server, other] = servers;
  if (other)
    throw new HandoffError(
      `AgentGym-RL trains in one world per job, with one set of options. This run has ${servers
        .map(({ title }) => title)
        .join(' and ')}. Fork the run with one of them.`,
    );
  const rows = train.filter(({ dataIndex }) => dataIndex !== null);
  if (rows.length === 0)
    throw new HandoffError(
      `No training task of this run is an item of AgentGym's ${server.title}. Choose verl or TRL.`,
    );
  return { server, rows };
}

/** The horizon as the equal stages of `scaling_inter_stepwise`. Adds remarks where the run's stages differ. */
function rounds(input: HandoffInput, ledger: Ledger): Flat {
  const stages = stagesAfter(input.experiment.horizon, input.done);
  const longest = Math.max(0, ...input.train.map(({ oracleTurns }) => oracleTurns ?? 0));
  const turns = stages.map((stage) => ('turns' in stage ? stage.turns : longest + stage.oracle_plus));
  if (stages.some((stage) => 'oracle_plus' in stage))
    ledger.remark(
      `Tabgym counts the horizon from each task's oracle; AgentGym-RL gives every task the turns of the longest (${longest}) plus the margin.`,
    );
  const lengths = stages.slice(0, -1).map(({ steps }) => steps);
  if (new Set(lengths).size > 1)
    ledger.remark(
      `All stages of the horizon have the same length there: ${lengths[0]} steps instead of ${lengths.join(', ')}.`,
    );
  if (turns.length === 1) return { 'algorithm.rounds_ctrl.type': 'fixed', 'algorithm.rounds_ctrl.rounds': turns[0] };
  return {
    'algorithm.rounds_ctrl.type': 'scaling_inter_stepwise',
    'algorithm.rounds_ctrl.rounds': turns,
    'algorithm.rounds_ctrl.steps_scaling_inter': lengths[0],
  };
}

function kl(ledger: Ledger): Flat {
  const coefficient = ledger.take<number>('algorithm.kl.coefficient', 0);
  const estimator = ledger.take<KlEstimator>('algorithm.kl.estimator', 'k3');
  const name = klKinds[estimator].verl02;
  if (!name && coefficient !== 0)
    ledger.note('algorithm.kl.estimator', 'this estimator does not exist there: k3 (low_var_kl) replaces it');
  return {
    [`${actor}.use_kl_loss`]: coefficient !== 0,
    [`${actor}.kl_loss_coef`]: coefficient,
    [`${actor}.kl_loss_type`]: name ?? klKinds.k3.verl02!,
    [`${actor}.entropy_coeff`]: ledger.take<number>('algorithm.entropy', 0),
    'algorithm.kl_ctrl.kl_coef': ledger.take<number>('algorithm.klReward.coefficient', 0),
  };
}

/** The clip bound; that trainer has one for both sides. */
function clip(ledger: Ledger): Flat {
  const first = ledger.has('algorithm.lowStart');
  const low = first ? 1 - ledger.take<number>('algorithm.lowStart') : ledger.take<number>('algorithm.clipLow');
  if (!first && ledger.take<number>('algorithm.clipHigh') !== low)
    ledger.note('algorithm.clipHigh', `both sides of the clip have the same width there: ${low}`);
  return { [`${actor}.clip_ratio`]: low };
}

/** Settings that have a fixed value in that trainer; a note is added if the run's value differs. */
const fixed: { readonly [path: string]: readonly [value: unknown, why: string] } = {
  'algorithm.dualClip': [null, 'there is no dual clip there'],
  'algorithm.ratio': ['token', 'each token has its own ratio there'],
  'algorithm.surrogate': ['clip', 'the ratio is clipped there, not the weight'],
  'algorithm.aggregation': ['token-mean', 'the loss is a mean over the tokens of a micro-batch there'],
  'algorithm.correction.weights': ['none', 'there is no importance correction there: log-probabilities are recomputed'],
  'algorithm.klReward.target': [null, 'the KL coefficient is fixed there'],
  'algorithm.advantageEpsilon': [1e-6, 'it is 1e-6 there'],
  'optimizer.beta1': [0.9, 'it is 0.9 there'],
  'optimizer.beta2': [0.999, 'it is 0.999 there'],
  'optimizer.epsilon': [1e-8, 'it is 1e-8 there'],
  'optimizer.weightDecay': [0.01, 'it is 0.01 there'],
  'optimizer.finalFraction': [1, 'the learning rate is constant there'],
};

function noteFixedSettings(ledger: Ledger): void {
  if (ledger.take<string>('algorithm.aggregation', 'token-mean') !== 'seq-mean-token-sum-norm')
    ledger.take('algorithm.lossScaleFactor');
  for (const [path, [value, why]] of Object.entries(fixed))
    if (ledger.take<never>(path, value as never) !== value) ledger.note(path, why);
  if (ledger.take<string>('algorithm.correction.weights', 'none') === 'none') ledger.takeAll('algorithm.correction');
}

/** In that trainer, the score of the last turn is the whole return. */
function endings(ledger: Ledger): void {
  const rules = rulesOf(ledger);
  const why = 'the return is the last reward there, and an episode continues after a refused action';
  if (rules.context !== null) ledger.note('algorithm.endings.context', why);
  if (rules.invalid_action !== 'continue') ledger.note('algorithm.endings.invalidAction.policy', why);
  if (rules.invalid_penalty !== 0) ledger.note('algorithm.endings.invalidAction.penalty', why);
  if (rules.world_failure === 'drop')
    ledger.note('algorithm.endings.worldFailure', 'an episode whose world failed has return 0 there');
  if (rules.overlong !== null) ledger.note('algorithm.longest', 'there is no length penalty there');
}

function batches(ledger: Ledger): Flat {
  const groups = ledger.take<number>('algorithm.groups');
  const prompt = ledger.take<number>('sampling.promptTokens');
  const completion = ledger.take<number>('sampling.completionTokens');
  const minibatches = ledger.take<number>('algorithm.minibatches');
  if (ledger.take<number>('algorithm.innerEpochs') !== 1)
    ledger.note('algorithm.innerEpochs', 'ppo_epochs has no effect at this commit: each batch is trained on once');
  return {
    'data.train_batch_size': groups,
    'data.max_prompt_length': prompt,
    'data.max_response_length': completion,
    'data.shuffle': false,
    [`${actor}.ppo_mini_batch_size`]: Math.max(1, Math.floor(groups / minibatches)),
    [`${actor}.ppo_micro_batch_size_per_gpu`]: 1,
    [`${actor}.ppo_epochs`]: 1,
    [`${actor}.ppo_max_token_len_per_gpu`]: Math.max(least, prompt + completion),
    [`${rollout}.n`]: ledger.take<number>('algorithm.groupSize'),
    [`${rollout}.max_model_len`]: prompt + completion,
    [`${rollout}.max_tokens`]: ledger.take<number>('sampling.maxTokensPerTurn'),
    [`${rollout}.temperature`]: ledger.take<number>('sampling.temperature'),
    [`${rollout}.tensor_model_parallel_size`]: 1,
  };
}

function learning(ledger: Ledger, { steps }: HandoffInput): Flat {
  const warmup = ledger.take<number>('optimizer.warmupSteps');
  return {
    [`${actor}.optim.lr`]: ledger.take<number>('optimizer.learningRate'),
    [`${actor}.optim.lr_warmup_steps_ratio`]: Math.min(1, warmup / steps),
    [`${actor}.grad_clip`]: ledger.take<number | null>('optimizer.maxGradNorm') ?? noGradClip,
    'algorithm.gamma': ledger.take<number>('algorithm.gamma', 1),
    'algorithm.lam': ledger.take<number>('algorithm.lambda', 1),
  };
}

function policy(ledger: Ledger, { policy: { form, instructed } }: HandoffInput): void {
  if (!instructed)
    throw new HandoffError(
      "AgentGym-RL writes ChatML, which Qwen's models read, and this policy has a vocabulary of its world alone. Choose verl or TRL.",
    );
  if (form === 'model') return;
  ledger.takeAll('policy.kind');
  ledger.takeAll('policy.model');
  ledger.note('policy.lora.rank', 'the whole model is trained there: the adapter is merged into it first');
  ledger.takeAll('policy.lora.alpha');
  ledger.takeAll('policy.lora.targets');
  ledger.takeAll('policy.lora.layers');
  ledger.takeAll('policy.keptMiB');
  for (const field of ['weights', 'kvCache', 'kvShare'])
    ledger.note(`policy.${field}`, 'the model is unquantised and in bfloat16 there');
}

function settingsOf(input: HandoffInput, ledger: Ledger): Settings {
  const { name, set = {} } = counterpartOf(agentGymRl, input, ledger);
  const { server } = itemsOf(input);
  const critic = ledger.has('algorithm.valueClip');
  return nested({
    'algorithm.adv_estimator': name,
    ...set,
    'data.train_file': handoffPath('train.json'),
    ...batches(ledger),
    ...clip(ledger),
    ...kl(ledger),
    ...learning(ledger, input),
    ...rounds(input, ledger),
    ...(critic && {
      'critic.cliprange_value': ledger.take<number>('algorithm.valueClip'),
      'critic.ppo_micro_batch_size_per_gpu': 1,
      'critic.model.path': handoffPath('model'),
    }),
    'actor_rollout_ref.model.path': handoffPath('model'),
    'actor_rollout_ref.agentgym.task_name': taskOf(server),
    'actor_rollout_ref.agentgym.env_addr': `http://${interpolation('oc.env:TABGYM_WORLDS,127.0.0.1')}:${server.port}/${server.world}`,
    [`${rollout}.rollout_log_dir`]: handoffPath('rollouts'),
    'trainer.project_name': 'tabgym',
    'trainer.experiment_name': input.name.replace(/[^\w.-]+/g, '-'),
    'trainer.logger': ['console'],
    'trainer.nnodes': 1,
    'trainer.n_gpus_per_node': gpus,
    'trainer.total_epochs': 1,
    'trainer.total_training_steps': input.steps,
    'trainer.save_freq': 20,
    'trainer.default_local_dir': handoffPath('checkpoints'),
  });
}

function run({ policy: { form, base } }: HandoffInput): string {
  const merging =
    `[ -n "\${BASE_MODEL:-}" ] || BASE_MODEL=${shellWord(base?.name ?? '')}\n` +
    '[ -d "$TABGYM_HANDOFF/model" ] || python3 "$TABGYM_HANDOFF/merge.py" "$BASE_MODEL"\n';
  return `#!/usr/bin/env bash
# Trains on with AgentGym-RL; AGENTGYM_RL is a checkout of it, installed. ./serve.sh serves the world.
set -euo pipefail
export TABGYM_HANDOFF="$(cd "$(dirname "$0")" && pwd)"
export VLLM_ATTENTION_BACKEND="\${VLLM_ATTENTION_BACKEND:-XFORMERS}"
${form === 'adapter' ? merging : ''}cd "\${AGENTGYM_RL:?set AGENTGYM_RL to a checkout of AgentGym-RL}/AgentGym-RL"
exec python3 -m verl.agent_trainer.main_ppo --config-path="$TABGYM_HANDOFF" --config-name=tabgym "$@"
`;
}

/**
 * Adds remarks on tasks that are lost or merged: tasks that differ only in this project's options are one item there.
 */
function remarkOnItems(input: HandoffInput, rows: readonly TaskRow[], ledger: Ledger): void {
  const lost = input.train.length - rows.length;
  if (lost)
    ledger.remark(`${lost} of ${input.train.length} tasks are not items of AgentGym's protocol and are left out.`);
  const places = new Map<number, Set<number>>();
  for (const { dataIndex, index } of rows) places.set(dataIndex!, (places.get(dataIndex!) ?? new Set()).add(index));
  if ([...places.values()].some(({ size }) => size > 1))
    ledger.remark('Tasks that differ in their options alone (lists, namings) are one item there.');
  const options = worldModule(input.servers[0].world);
  ledger.remark(
    `${options.title} is played by the original's own rules unless the options differ, and with its client's instruction.`,
  );
}

export const agentGymRl: HandoffTarget = {
  name: 'agentgym-rl',
  label: 'AgentGym-RL',
  sentence: 'Trains a whole model in one world with the paper’s own code, over AgentGym’s protocol.',
  pins: ['vllm==0.6.3', 'transformers==4.51.3', 'torch==2.4.0'],
  protocol: 'agentgym',

  write(input, ledger): NamedTexts {
    policy(ledger, input);
    const { rows } = itemsOf(input);
    takeUnneeded(ledger, input);
    if (ledger.take<number>('evaluation.every') !== 0)
      ledger.note('evaluation.every', 'nothing is evaluated while it trains there: bring the policy back for that');
    endings(ledger);
    noteFixedSettings(ledger);
    const settings = settingsOf(input, ledger);
    remarkOnItems(input, rows, ledger);
    const head = 'hydra:\n  searchpath: [pkg://verl.agent_trainer.config]\ndefaults: [ppo_trainer, _self_]\n';
    const task = taskOf(input.servers[0]);
    return {
      'tabgym.yaml': `# What differs from AgentGym-RL's own ppo_trainer.yaml.\n${head}${toYaml(settings)}`,
      'train.json': `${JSON.stringify(rows.map(({ dataIndex }) => ({ item_id: `${task}_${dataIndex}` })))}\n`,
      'run.sh': run(input),
      ...(input.policy.form === 'adapter' && { 'merge.py': merge }),
    };
  },

  howTo: () => ({
    start: 'AGENTGYM_RL=~/AgentGym-RL GPUS=8 ./run.sh',
    back:
      'python3 "$AGENTGYM_RL/AgentGym-RL/scripts/model_merger.py" --local_dir checkpoints/global_step_N/actor\n' +
      'npm run train -- --from checkpoints/global_step_N/actor/huggingface --out runs/back',
  }),
};
