/**
 * Hand-off of a run to other trainers. Another YAML library reads the written configuration, which is compared with
 * tables of the trainers' own names. Every setting of every algorithm must either change the written files or be listed
 * in the README as not handed over.
 */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { FunctionTool } from '../../src/envs/tools.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { algorithms } from '../../src/rl/algorithms/registry.ts';
import { handoffFiles } from '../../src/session/handoff/handoff.ts';
import { Ledger } from '../../src/session/handoff/ledger.ts';
import { handoffChoices } from '../../src/session/handoff/names.ts';
import { differences } from '../../src/session/handoff/readme.ts';
import { handoffTargets } from '../../src/session/handoff/registry.ts';
import { interpolation, stagesAfter } from '../../src/session/handoff/shared.ts';
import { HandoffError, type HandoffInput, type TaskRow } from '../../src/session/handoff/target.ts';
import { nested, toYaml } from '../../src/session/handoff/yaml.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const base = {
  format: 'tabgym-experiment-1',
  name: 'Handed over',
  seed: 5,
  steps: 6,
  policy: { kind: 'lora', model: 'qwen2.5-0.5b', lora: { rank: 32, alpha: 64, targets: ['q_proj', 'v_proj'] } },
  worlds: [{ name: 'textcraft', options: { depths: [1] } }],
  algorithm: { name: 'grpo', groups: 4, groupSize: 2 },
  horizon: [
    { steps: 2, turns: 4 },
    { steps: 4, turns: 8 },
  ],
  sampling: { temperature: 0.9, maskActions: false, maxTokensPerTurn: 32, promptTokens: 700, completionTokens: 300 },
  optimizer: { learningRate: 1e-5, weightDecay: 0.02, maxGradNorm: 0.5, warmupSteps: 3, beta2: 0.95 },
  evaluation: { every: 4, episodes: 8 },
};

const row: TaskRow = {
  item: 'textcraft_3',
  world: 'textcraft',
  id: 3,
  server: 0,
  split: 'train',
  index: 1,
  dataIndex: 3,
  instruction: 'Craft.',
  acknowledgement: 'OK.',
  oracleTurns: 2,
  successReward: 1,
  strata: {},
};

const tool = (name: string, parameters: object): FunctionTool => ({
  type: 'function',
  function: { name, description: 'Takes "one"\nthing.', parameters },
});

const take = tool('take', {
  type: 'object',
  properties: {
    note: { type: 'string' },
    thing: { type: ['string', 'integer'], description: 'The thing.' },
    side: { type: 'string', enum: ['left', 'right'] },
  },
  required: ['thing', 'side'],
});

function inputOf(experiment: Experiment, tools: FunctionTool[] | null = [take]): HandoffInput {
  return {
    name: experiment.name,
    experiment,
    done: 1,
    steps: experiment.steps - 1,
    train: [row],
    test: [{ ...row, split: 'test' }],
    servers: [
      {
        world: 'textcraft',
        title: 'TextCraft',
        port: 36_001,
        options: {},
        agentgym: 'textcraft',
        agentgymPath: '',
        tools,
        callInstruction: 'Craft by calls.',
      },
    ],
    policy: {
      form: 'adapter',
      files: {},
      base: { name: 'Qwen/Qwen2.5-0.5B-Instruct', revision: null },
      instructed: true,
    },
  };
}

function written(to: string, experiment: Experiment) {
  const ledger = new Ledger(experiment);
  const texts = handoffTargets.find(({ name }) => name === to)!.write(inputOf(experiment), ledger);
  return { texts, ledger, said: differences(ledger) };
}

const withAlgorithm = (algorithm: object) =>
  parseExperiment({ ...base, algorithm: { groups: 4, groupSize: 2, ...algorithm } });

/** Under the action mask, which a teacher's distribution over the valid actions needs. */
const maskedWith = (algorithm: { name: string }) =>
  parseExperiment({
    ...base,
    sampling: { ...base.sampling, maskActions: true },
    algorithm: { groups: 4, groupSize: 2, ...algorithm },
  });

const at = (document: unknown, path: string): unknown =>
  path.split('.').reduce((value, key) => (value as { [key: string]: unknown } | undefined)?.[key], document);

/** Names of verl 0.9.1 (docs/algo and examples of that release; estimators and losses in trainer/ppo/core_algos.py). */
const verlTable: [algorithm: object, expected: { [path: string]: unknown }][] = [
  [{ name: 'grpo' }, { 'algorithm.adv_estimator': 'grpo', 'algorithm.norm_adv_by_std_in_grpo': true }],
  [
    { name: 'dr-grpo' },
    {
      'algorithm.adv_estimator': 'grpo',
      'algorithm.norm_adv_by_std_in_grpo': false,
      'actor_rollout_ref.actor.loss_agg_mode': 'seq-mean-token-sum-norm',
      'actor_rollout_ref.actor.loss_scale_factor': 32,
    },
  ],
  [
    { name: 'dapo', mostWaves: 3 },
    {
      'actor_rollout_ref.actor.clip_ratio_low': 0.2,
      'actor_rollout_ref.actor.clip_ratio_high': 0.28,
      'actor_rollout_ref.actor.clip_ratio_c': 10,
      'algorithm.filter_groups.enable': true,
      'algorithm.filter_groups.metric': 'score',
      'algorithm.filter_groups.max_num_gen_batches': 3,
    },
  ],
  [
    { name: 'rloo', klPerEpisode: 0.05 },
    {
      'algorithm.adv_estimator': 'rloo',
      'algorithm.use_kl_in_reward': true,
      'algorithm.kl_ctrl.kl_coef': 0.05,
      'algorithm.kl_penalty': 'k1',
    },
  ],
  [
    { name: 'reinforce-pp', gamma: 0.9 },
    { 'algorithm.adv_estimator': 'reinforce_plus_plus', 'algorithm.gamma': 0.9 },
  ],
  [{ name: 'reinforce-pp-baseline' }, { 'algorithm.adv_estimator': 'reinforce_plus_plus_baseline' }],
  [
    { name: 'ppo', klReward: { coefficient: 0.02, estimator: 'k1', target: 0.3, horizon: 500 } },
    {
      'algorithm.adv_estimator': 'gae',
      'algorithm.lam': 0.95,
      'critic.cliprange_value': 0.5,
      'algorithm.kl_ctrl.type': 'adaptive',
      'algorithm.kl_ctrl.target_kl': 0.3,
      'algorithm.kl_ctrl.horizon': 500,
    },
  ],
  [
    { name: 'gspo' },
    {
      'actor_rollout_ref.actor.policy_loss.loss_mode': 'gspo',
      'actor_rollout_ref.actor.clip_ratio_low': 3e-4,
      'actor_rollout_ref.actor.clip_ratio_high': 4e-4,
      'actor_rollout_ref.actor.loss_agg_mode': 'seq-mean-token-mean',
    },
  ],
  [{ name: 'cispo' }, { 'actor_rollout_ref.actor.policy_loss.loss_mode': 'cispo' }],
  [
    { name: 'grpo', correction: { weights: 'token', outside: 'mask', low: 0.5, high: 5 } },
    {
      'algorithm.rollout_correction.rollout_is': 'token',
      'algorithm.rollout_correction.rollout_is_threshold': '0.5_5',
    },
  ],
];

describe('verl', () => {
  it.each(verlTable)('%j', (algorithm, expected) => {
    const document = parse(written('verl', withAlgorithm(algorithm)).texts['tabgym.yaml']);
    for (const [path, value] of Object.entries(expected)) expect([path, at(document, path)]).toEqual([path, value]);
  });

  it('has batches, optimiser, adapter and the horizon from the next step on', () => {
    const { texts } = written('verl', parseExperiment(base));
    const document = parse(texts['tabgym.yaml']);
    const actor = 'actor_rollout_ref.actor';
    const expected = {
      'data.train_batch_size': 4,
      'actor_rollout_ref.rollout.n': 2,
      [`${actor}.ppo_mini_batch_size`]: 4,
      [`${actor}.optim.lr`]: 1e-5,
      // One of three warm-up steps has passed.
      [`${actor}.optim.lr_warmup_steps`]: 2,
      [`${actor}.optim.betas`]: [0.9, 0.95],
      [`${actor}.optim.clip_grad`]: 0.5,
      'actor_rollout_ref.model.lora_rank': 32,
      'actor_rollout_ref.model.lora_alpha': 64,
      'actor_rollout_ref.model.target_modules': ['q_proj', 'v_proj'],
      'actor_rollout_ref.rollout.temperature': 0.9,
      'trainer.total_training_steps': 5,
    };
    for (const [path, value] of Object.entries(expected)) expect([path, at(document, path)]).toEqual([path, value]);
    const [loop] = parse(texts['agent_loop.yaml']);
    expect(loop.horizon).toEqual([
      { steps: 1, turns: 4 },
      { steps: 4, turns: 8 },
    ]);
    expect(loop._target_).toBe('tabgym_agent_loop.TabgymLoop');
  });
});

describe('TRL', () => {
  const config = (algorithm: object) =>
    JSON.parse(written('trl', withAlgorithm(algorithm)).texts['tabgym.json']).config;
  it.each([
    [{ name: 'grpo' }, { scale_rewards: 'group', loss_type: 'dapo', importance_sampling_level: 'token', beta: 0 }],
    [{ name: 'dr-grpo' }, { scale_rewards: 'none', loss_type: 'dr_grpo' }],
    [{ name: 'gspo' }, { importance_sampling_level: 'sequence', epsilon: 3e-4, epsilon_high: 4e-4, loss_type: 'grpo' }],
    [{ name: 'cispo' }, { loss_type: 'cispo', epsilon_high: 0.28 }],
    [
      { name: 'grpo', dualClip: 3, innerEpochs: 2, minibatches: 2 },
      { delta: 3, num_iterations: 2, max_steps: 20, gradient_accumulation_steps: 2, steps_per_generation: 4 },
    ],
    [
      { name: 'grpo', correction: { weights: 'sequence', low: 0.5, high: 5 } },
      {
        vllm_importance_sampling_correction: true,
        vllm_importance_sampling_mode: 'sequence_truncate',
        vllm_importance_sampling_clip_min: 0.5,
      },
    ],
  ])('%j', (algorithm, expected) => {
    expect(config(algorithm)).toMatchObject(expected);
  });
});

describe('AgentGym-RL', () => {
  it('has its items, its server and its rounds', () => {
    const experiment = parseExperiment({
      ...base,
      horizon: [
        { steps: 3, turns: 10 },
        { steps: 2, turns: 20 },
        { steps: 9, turns: 30 },
      ],
    });
    const { texts } = written('agentgym-rl', experiment);
    const document = parse(texts['tabgym.yaml']);
    expect(JSON.parse(texts['train.json'])).toEqual([{ item_id: 'textcraft_3' }]);
    expect(at(document, 'algorithm.rounds_ctrl')).toEqual({
      type: 'scaling_inter_stepwise',
      rounds: [10, 20, 30],
      steps_scaling_inter: 2,
    });
    expect(at(document, 'actor_rollout_ref.agentgym.task_name')).toBe('textcraft');
  });

  it('refuses with a message what it cannot play', () => {
    const two = { ...inputOf(parseExperiment(base)) };
    const target = handoffTargets.find(({ name }) => name === 'agentgym-rl')!;
    const servers = [...two.servers, { ...two.servers[0], title: 'BabyAI' }];
    expect(() => target.write({ ...two, servers }, new Ledger(two.experiment))).toThrow(HandoffError);
    const tiny = { ...two, policy: { ...two.policy, instructed: false } };
    expect(() => target.write(tiny, new Ledger(tiny.experiment))).toThrow('ChatML');
  });
});

describe('hand-off to TRL by tools', () => {
  const experiment = parseExperiment(base);
  const write = (input: HandoffInput) =>
    handoffTargets.find(({ name }) => name === 'trl-tools')!.write(input, new Ledger(experiment));

  it('has a typed method with a docstring for each tool', () => {
    // Read by get_json_schema of transformers 5.24: thing is string or integer, side an enum, note nullable.
    expect(write(inputOf(experiment))['environment.py']).toContain(`
    def take(self, thing: str | int, side: str, note: str | None = None) -> str:
        """
        Takes "one" thing.

        Args:
            thing: The thing.
            side: The side. (choices: ["left","right"])
            note: The note.

        Returns:
            The world's answer.
        """
        return self._call("take", locals())
`);
  });

  it('gives each row the turns of the horizon at its step', () => {
    const row = JSON.parse(write(inputOf(experiment))['train.jsonl'].split('\n')[0]);
    expect(row).toEqual({
      environment: 'textcraft-1',
      prompt: [{ role: 'user', content: 'Craft by calls.\n\n' }],
      split: 'train',
      index: 1,
      success_reward: 1,
      turns: 4,
    });
    const rows = Array.from({ length: 8 }, () => inputOf(experiment).train[0]);
    const lines = write({ ...inputOf(experiment), train: rows })
      ['train.jsonl'].trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line).turns)).toEqual([4, 4, 4, 4, 8, 8, 8, 8]);
  });

  it('refuses worlds without tools, tiny policies and names that Python does not have', () => {
    const named = (name: string) => inputOf(experiment, [tool(name, { type: 'object' })]);
    expect(() => write(inputOf(experiment, null))).toThrow('TextCraft has no tools');
    for (const name of ['import', 'get_reward', 'a-b', '_call']) expect(() => write(named(name))).toThrow(`"${name}"`);
    const tiny = inputOf(experiment);
    expect(() => write({ ...tiny, policy: { ...tiny.policy, instructed: false } })).toThrow('A tiny policy has no');
  });
});

/** Another value of the same type and within the setting's bounds; undefined if no such value can be made. */
function changed(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value === 0 ? 0.5 : value <= 1 ? value / 2 : value + 1;
  return undefined;
}

function leaves(value: unknown, path: string[] = []): [string[], unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, each]) => leaves(each, [...path, key]));
}

function put(document: object, [key, ...rest]: string[], value: unknown): object {
  const own = (document as { [key: string]: unknown })[key];
  return { ...document, [key]: rest.length ? put(own as object, rest, value) : value };
}

/** Everything that is written for a trainer: files and the list of differences. */
const whole = (to: string, experiment: Experiment) => {
  const { texts, said } = written(to, experiment);
  return JSON.stringify([texts, said]);
};

describe.each(handoffTargets)('hand-off to $name drops no setting', ({ name: to, trainer = to }) => {
  const known = algorithms.filter(({ counterparts }) => counterparts?.[trainer]);

  it.each(known.map(({ name }) => name))('%s', (name) => {
    const experiment = withAlgorithm({ name });
    const own = whole(to, experiment);
    const silent = leaves(experiment.algorithm, ['algorithm']).flatMap(([path, value]) => {
      const other = changed(value);
      if (other === undefined) return [];
      let document: Experiment;
      try {
        document = parseExperiment(put(experiment, path, other));
      } catch {
        return [];
      }
      return whole(to, document) === own ? [path.join('.')] : [];
    });
    // Settings without effect until another setting switches them on.
    const idle = /^algorithm\.(correction\.(high|low|normalize)|penaltyRoom|penalty|penaltyFloor|klReward\.horizon)$/;
    expect(silent.filter((path) => !idle.test(path))).toEqual([]);
  });

  it('refuses algorithms without a counterpart', () => {
    for (const { name } of algorithms.filter(({ counterparts }) => !counterparts?.[trainer]))
      expect(() => written(to, maskedWith({ name }))).toThrow(HandoffError);
  });
});

it('names the worlds whose own limits of turns are not handed over', () => {
  const said = (turns?: number) =>
    written('verl', parseExperiment({ ...base, worlds: [{ ...base.worlds[0], turns }] })).ledger.remarks.join(' ');
  expect(said(5)).toContain('a limit of turns of their own (textcraft)');
  expect(said()).not.toContain('of their own');
});

it('the list of differences contains every setting that was not used', () => {
  const ledger = new Ledger({ algorithm: { name: 'x', strange: { fraction: 0.25 } } });
  ledger.take('algorithm.name');
  expect(differences(ledger)).toBe('- `algorithm.strange.fraction` = 0.25: no such setting there\n');
});

it('the stages of the horizon are counted from the next step', () => {
  const horizon = [
    { steps: 10, turns: 4 },
    { steps: 5, turns: { oraclePlus: 2 } },
    { steps: 1, turns: 9 },
  ];
  expect(stagesAfter(horizon, 12)).toEqual([
    { steps: 3, oracle_plus: 2 },
    { steps: 1, turns: 9 },
  ]);
  expect(stagesAfter(horizon, 0)).toHaveLength(3);
  expect(stagesAfter(horizon, 99)).toEqual([{ steps: 1, turns: 9 }]);
});

it('the written YAML is read the same by another library', () => {
  const settings = nested({
    'a.b': 1e-7,
    'a.c': [1, 'x: y'],
    'd.e': { f: null, 'g.h': true },
    i: interpolation('oc.env:HOME'),
    j: {},
  });
  expect(parse(toYaml(settings))).toEqual(settings);
});

it('the two lists of trainers agree', () => {
  expect(handoffChoices.map(({ name, label }) => [name, label])).toEqual(
    handoffTargets.map(({ name, label }) => [name, label]),
  );
});

describe('a folder', () => {
  const experiment = parseExperiment({
    ...base,
    worlds: [
      { name: 'textcraft', options: { depths: [1] } },
      { name: 'textcraft', options: { depths: [2] } },
    ],
  });
  const source = { name: 'Handed over', experiment, done: 2, files: { 'adapter_config.json': new Uint8Array([1]) } };

  it('contains the tasks that the run would train on next, each at the server for its options', async () => {
    const files = await handoffFiles(source, { to: 'verl' }, (name) => openWorld(name));
    const text = (name: string) => new TextDecoder().decode(files[name]);
    const rows = text('train.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(4 * 4);
    const options = [1, 2].map((i) => JSON.parse(text(`worlds/options-${i}.json`)).textcraft);
    expect(options).toEqual([{ depths: [1] }, { depths: [2] }]);
    const worlds = [await openWorld('textcraft'), await openWorld('textcraft')];
    for (const { extra_info: info } of rows) {
      const server = Number(new URL(info.url).port) - 36_001;
      const task = (await worlds[server].tasks(options[server], info.split))[info.task_index];
      expect(`textcraft_${task.id}`).toBe(info.item);
      const [{ observation }] = await worlds[server].reset([0], [task]);
      expect(observation).toContain('Goal:');
      expect((await worlds[server].oracle([0]))[0]).toHaveLength(info.oracle_turns);
    }
    expect(Object.keys(files)).toContain('adapter/adapter_config.json');
    expect(JSON.parse(text('handoff.json'))).toEqual({ trainer: 'verl', run: 'Handed over', step: 2 });
  });
});

it.each(handoffTargets.map(({ name }) => name))('%s takes no reward but the world’s score', (to) => {
  const rewarded = (reward: object) => written(to, parseExperiment({ ...base, reward }));
  expect(() => rewarded({ parts: [{ kind: 'success' }, { kind: 'turns' }] })).toThrow(
    /composed of success, turns \(sum\)/,
  );
  expect(() => rewarded({ parts: [{ kind: 'progress', weight: 2 }] })).toThrow(HandoffError);
  const plain = written(to, parseExperiment(base));
  expect(rewarded({ parts: [{ kind: 'progress' }] }).texts).toEqual(plain.texts);
});
