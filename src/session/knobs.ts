/**
 * Every knob of an experiment: its path, label, one sentence, unit, bounds, and what changing it costs. The page's setup
 * panel, the documentation and `--help` take their words from here, and only from here. Bounds repeat the schema's, so
 * that a slider can be drawn; a test compares the two. `*` in a path stands for an index.
 */

import { sciWorldTasks, sciWorldVerbs, simplificationLabels } from '../envs/sciworld-tasks.ts';
import { projections } from '../policy/adapter.ts';
import type { Experiment } from './experiment.ts';

export type KnobKind = 'integer' | 'real' | 'boolean' | 'choice' | 'turns' | 'integers' | 'choices' | 'text';

/** What changing a knob of a run that has begun needs: nothing, a fork at the last step, or a new run from step 0. */
export type KnobChange = 'free' | 'fork' | 'restart';

export type KnobSection =
  | 'run'
  | 'world'
  | 'policy'
  | 'algorithm'
  | 'horizon'
  | 'sampling'
  | 'optimizer'
  | 'evaluation';

export interface Knob {
  path: string;
  label: string;
  /** One sentence: what it is and what turning it up does. */
  sentence: string;
  /** Empty where it is a bare number. */
  unit: string;
  kind: KnobKind;
  min?: number;
  max?: number;
  /** A useful step of a spinner; the schema may allow finer values. */
  step?: number;
  /** Values must be multiples of this. */
  multipleOf?: number;
  choices?: readonly string[];
  /** May be null: what null means, in a few words. */
  nullMeans?: string;
  level: 'basic' | 'advanced';
  change: KnobChange;
  section: KnobSection;
  /** An option of these worlds only. */
  worlds?: readonly string[];
  /** A field of these kinds of policy only. */
  policies?: readonly Experiment['policy']['kind'][];
}

type Extra = Partial<Knob>;

const knob = (
  path: string,
  label: string,
  sentence: string,
  kind: KnobKind,
  level: Knob['level'],
  change: KnobChange,
  extra: Extra = {},
): Knob => ({ path, label, sentence, unit: '', kind, level, change, section: sectionOf(path), ...extra });

const sections: { [head: string]: KnobSection } = {
  policy: 'policy',
  worlds: 'world',
  algorithm: 'algorithm',
  horizon: 'horizon',
  sampling: 'sampling',
  optimizer: 'optimizer',
  evaluation: 'evaluation',
};

const sectionOf = (path: string): KnobSection => sections[path.split('.')[0]] ?? 'run';

const range = (min: number, max: number, step?: number): Extra => (step ? { min, max, step } : { min, max });

const runKnobs: Knob[] = [
  knob('name', 'Name', 'What this experiment is called in lists and files.', 'text', 'basic', 'free'),
  knob('description', 'Description', 'What it is for, in your own words.', 'text', 'advanced', 'free'),
  knob(
    'steps',
    'Steps',
    'How many updates of the policy the run makes before it is finished.',
    'integer',
    'basic',
    'fork',
    {
      ...range(1, 1_000_000, 1),
      unit: 'steps',
    },
  ),
  knob(
    'seed',
    'Seed',
    'Where all random numbers of the run start: the same seed on the same adapter gives the same run.',
    'integer',
    'basic',
    'fork',
    range(0, 0xffffffff, 1),
  ),
];

const worldKnobs: Knob[] = [
  knob('worlds.*.name', 'World', 'Which world the agent acts in.', 'choice', 'basic', 'restart', {
    choices: ['textcraft', 'babyai', 'sciworld'],
  }),
  knob(
    'worlds.*.weight',
    'Share',
    'How often a group is drawn from this world, relative to the other worlds of the mixture.',
    'real',
    'advanced',
    'fork',
    range(0, 1000, 0.1),
  ),
  knob(
    'worlds.*.evaluated',
    'Evaluated',
    'Whether evaluations ask the tasks of this entry too; switched off, it is only trained on.',
    'boolean',
    'advanced',
    'fork',
  ),
  knob(
    'worlds.*.options.depths',
    'Depths',
    'How many crafting steps lie between the goal and what can be fetched: 1 is one craft, 4 is a chain of four.',
    'integers',
    'basic',
    'fork',
    { ...range(1, 4, 1), unit: 'crafts', worlds: ['textcraft'] },
  ),
  knob(
    'worlds.*.options.distractors',
    'Distractors',
    'How many recipes that do not help are shown between those that do.',
    'integer',
    'basic',
    'fork',
    { ...range(0, 100, 1), unit: 'recipes', worlds: ['textcraft'] },
  ),
  knob(
    'worlds.*.options.listSeed',
    'List seed',
    'What the distractors and the order of the shown recipes are drawn from.',
    'integer',
    'advanced',
    'fork',
    { ...range(0, 0xffffffff, 1), worlds: ['textcraft'] },
  ),
  knob(
    'worlds.*.options.listSeeds',
    'Lists a goal',
    'Under how many different lists of recipes each training goal is met: with more of them, a goal is harder to learn by heart.',
    'integer',
    'advanced',
    'fork',
    { ...range(1, 1000, 1), worlds: ['textcraft'] },
  ),
  knob(
    'worlds.*.options.naming',
    'Naming',
    'Which exchange of the words that items are called by is used; 0 leaves every item its own name.',
    'integer',
    'advanced',
    'fork',
    { ...range(0, 0xffffffff, 1), worlds: ['textcraft'] },
  ),
  knob(
    'worlds.*.options.namings',
    'Namings a goal',
    'Under how many exchanges of names each training goal is met instead of its own: a goal must then be looked up, not remembered.',
    'integer',
    'advanced',
    'fork',
    { ...range(0, 1000, 1), worlds: ['textcraft'] },
  ),
  knob(
    'worlds.*.options.levels',
    'Levels',
    "Which of BabyAI's 40 levels are played: 1 to 5 are one room, later ones have doors, keys and several tasks.",
    'integers',
    'basic',
    'fork',
    { ...range(1, 40, 1), worlds: ['babyai'] },
  ),
  knob(
    'worlds.*.options.observation',
    'Observation',
    "How the world speaks: in AgentGym's full words, or in a third of them, without the list of actions, for tiny policies.",
    'choice',
    'basic',
    'fork',
    { choices: ['full', 'compact'], worlds: ['babyai'] },
  ),
  knob(
    'worlds.*.options.trainSeeds',
    'Training rooms',
    'How many different rooms of each level are trained on: with more of them, none is learnt by heart.',
    'integer',
    'basic',
    'fork',
    { ...range(1, 100_000, 1), unit: 'a level', worlds: ['babyai'] },
  ),
  knob(
    'worlds.*.options.testSeeds',
    'Held-out rooms',
    "How many rooms of each level an evaluation may ask; 0 takes AgentGym's five.",
    'integer',
    'advanced',
    'fork',
    { ...range(0, 100_000, 1), unit: 'a level', worlds: ['babyai'] },
  ),
  knob(
    'worlds.*.options.tasks',
    'Tasks',
    'Which experiments are done: finding things is short, chemistry and growing take long.',
    'choices',
    'basic',
    'fork',
    { choices: sciWorldTasks.map(({ name }) => name), worlds: ['sciworld'] },
  ),
  knob(
    'worlds.*.options.simplifications',
    'Simplifications',
    'What is made easier: doors and containers open, moving in one action, pots that water themselves; easy is most of them.',
    'choices',
    'basic',
    'fork',
    { choices: simplificationLabels, worlds: ['sciworld'] },
  ),
  knob(
    'worlds.*.options.stepLimit',
    'Move limit',
    'After how many moves the world ends an episode, whatever the horizon.',
    'integer',
    'advanced',
    'fork',
    { ...range(1, 1000, 1), unit: 'moves', worlds: ['sciworld'] },
  ),
  knob(
    'worlds.*.options.verbs',
    'Verbs',
    'Only actions that begin so are offered; with none chosen, all are.',
    'choices',
    'advanced',
    'fork',
    { choices: sciWorldVerbs, worlds: ['sciworld'] },
  ),
  knob(
    'worlds.*.options.validActions',
    'List actions',
    'Whether the world lists the valid actions of each turn; without the list, actions cannot be masked.',
    'boolean',
    'advanced',
    'fork',
    { worlds: ['sciworld'] },
  ),
  knob(
    'worlds.*.options.upstream',
    'Original rules',
    'Keep the rules of the original where ours differ, to compare with published results.',
    'boolean',
    'advanced',
    'fork',
    { worlds: ['babyai', 'sciworld'] },
  ),
];

/** Fields of one kind of policy. */
const adapted: Extra = { policies: ['lora'] };
const whole: Extra = { policies: ['tiny'] };

const policyKnobs: Knob[] = [
  knob(
    'policy.kind',
    'Kind',
    'A tiny policy starts from random weights and trains all of them; lora trains an adapter beside a language model that stays as it is.',
    'choice',
    'advanced',
    'restart',
    {
      choices: ['tiny', 'lora'],
    },
  ),
  knob(
    'policy.model',
    'Language model',
    'Which model the adapter stands beside: one of the catalogue, a repository of the Hub, or one that is kept here.',
    'text',
    'basic',
    'restart',
    adapted,
  ),
  knob(
    'policy.weights',
    'Weights',
    'How the frozen matrices are kept: fewer bits take less memory and are a little less exact.',
    'choice',
    'basic',
    'restart',
    { choices: ['int4', 'int8', 'f32'], ...adapted },
  ),
  knob(
    'policy.lora.rank',
    'Rank',
    'Width of the adapter: more can change more, and takes more memory for its gradients and moments.',
    'integer',
    'basic',
    'restart',
    { ...range(1, 256, 1), ...adapted },
  ),
  knob(
    'policy.lora.alpha',
    'Alpha',
    "The adapter's output is scaled by alpha over rank: larger makes the same step of the optimiser count for more.",
    'real',
    'advanced',
    'restart',
    { ...range(0.01, 1024, 1), ...adapted },
  ),
  knob(
    'policy.lora.targets',
    'Adapted projections',
    'Which matrices of each layer have an adapter beside them.',
    'choices',
    'advanced',
    'restart',
    { choices: projections, ...adapted },
  ),
  knob(
    'policy.layers',
    'Layers',
    'Transformer blocks: more can plan further and cost proportionally more time.',
    'integer',
    'basic',
    'restart',
    { ...range(1, 16, 1), ...whole },
  ),
  knob('policy.hidden', 'Width', 'Numbers that describe each token inside the policy.', 'integer', 'basic', 'restart', {
    ...range(16, 1024, 16),
    multipleOf: 4,
    ...whole,
  }),
  knob(
    'policy.heads',
    'Heads',
    'Attention heads a layer: how many places each token can look at once.',
    'integer',
    'advanced',
    'restart',
    { ...range(1, 32, 1), ...whole },
  ),
  knob(
    'policy.kvHeads',
    'Key-value heads',
    'Heads that keep their own keys and values; fewer than heads saves memory by sharing.',
    'integer',
    'advanced',
    'restart',
    { ...range(1, 32, 1), ...whole },
  ),
  knob('policy.headDim', 'Head size', 'Numbers a head compares two tokens by.', 'integer', 'advanced', 'restart', {
    ...range(4, 128, 4),
    multipleOf: 4,
    ...whole,
  }),
  knob(
    'policy.intermediate',
    'Feed-forward width',
    'Width of the layer that works on each token by itself.',
    'integer',
    'advanced',
    'restart',
    {
      ...range(16, 4096, 16),
      multipleOf: 4,
      ...whole,
    },
  ),
  knob(
    'policy.tieEmbeddings',
    'Tie embeddings',
    'Use one table both to read tokens and to choose them: fewer parameters.',
    'boolean',
    'advanced',
    'restart',
    whole,
  ),
  knob(
    'policy.qkNorm',
    'QK-norm',
    'Normalise queries and keys before they are compared, as Qwen3 does: steadier at high learning rates.',
    'boolean',
    'advanced',
    'restart',
    whole,
  ),
  knob(
    'policy.ropeTheta',
    'RoPE base',
    'How slowly the position code turns: larger reaches further back.',
    'real',
    'advanced',
    'restart',
    { ...range(10, 1e7, 1000), ...whole },
  ),
  knob(
    'policy.initStd',
    'Initial spread',
    'Standard deviation of the random weights at the start.',
    'real',
    'advanced',
    'restart',
    { ...range(1e-4, 1, 0.005), ...whole },
  ),
];

const algorithmKnobs: Knob[] = [
  knob(
    'algorithm.name',
    'Algorithm',
    'GRPO compares each episode with its group; Dr. GRPO does so without dividing by the spread or the length.',
    'choice',
    'basic',
    'fork',
    {
      choices: ['grpo', 'dr-grpo'],
    },
  ),
  knob(
    'algorithm.groups',
    'Groups',
    'Tasks tried in each step: more makes each update steadier and slower.',
    'integer',
    'basic',
    'fork',
    {
      ...range(1, 256, 1),
      unit: 'tasks',
    },
  ),
  knob(
    'algorithm.groupSize',
    'Group size',
    'Episodes of the same task that are compared with each other.',
    'integer',
    'basic',
    'fork',
    {
      ...range(2, 64, 1),
      unit: 'episodes',
    },
  ),
  knob(
    'algorithm.kl.coefficient',
    'KL weight',
    'How strongly the policy is held near the one it started from; 0 lets it go anywhere.',
    'real',
    'basic',
    'fork',
    range(0, 10, 0.001),
  ),
  knob(
    'algorithm.kl.estimator',
    'KL estimator',
    'How the distance to the first policy is estimated from samples; k3 is unbiased and never negative.',
    'choice',
    'advanced',
    'fork',
    {
      choices: ['k1', 'k2', 'k3', 'abs', 'k1+', 'k3+'],
    },
  ),
  knob(
    'algorithm.entropy',
    'Entropy bonus',
    'Reward for staying undecided: a little keeps the policy exploring, a lot keeps it random.',
    'real',
    'basic',
    'fork',
    range(-1, 1, 0.001),
  ),
  knob(
    'algorithm.clipLow',
    'Clip low',
    'How far an update may make an action less likely before the gradient is cut.',
    'real',
    'basic',
    'fork',
    range(0, 1, 0.05),
  ),
  knob(
    'algorithm.clipHigh',
    'Clip high',
    'How far an update may make an action more likely before the gradient is cut; above clip low it favours rare finds.',
    'real',
    'basic',
    'fork',
    range(0, 10, 0.05),
  ),
  knob(
    'algorithm.dualClip',
    'Dual clip',
    'Bound on the loss of a bad action that became much more likely.',
    'real',
    'advanced',
    'fork',
    {
      ...range(1, 100, 0.5),
      nullMeans: 'no dual clip',
    },
  ),
  knob(
    'algorithm.aggregation',
    'Aggregation',
    'How the losses of tokens become one number: a token or an episode may count the same.',
    'choice',
    'advanced',
    'fork',
    {
      choices: ['token-mean', 'token-sum', 'seq-mean-token-sum', 'seq-mean-token-sum-norm', 'seq-mean-token-mean'],
    },
  ),
  knob(
    'algorithm.lossScaleFactor',
    'Loss divisor',
    'What seq-mean-token-sum-norm divides by.',
    'real',
    'advanced',
    'fork',
    {
      ...range(1, 1e6, 1),
      nullMeans: 'the longest sequence',
      unit: 'tokens',
    },
  ),
  knob(
    'algorithm.normalizeByStd',
    'Divide by the spread',
    'Divide advantages by the standard deviation of their group, as GRPO does: close contests weigh as much as clear ones.',
    'boolean',
    'advanced',
    'fork',
  ),
  knob(
    'algorithm.advantageEpsilon',
    'Spread floor',
    'Added to the standard deviation so that equal returns do not divide by zero.',
    'real',
    'advanced',
    'fork',
    range(0, 1, 1e-6),
  ),
  knob(
    'algorithm.minibatches',
    'Minibatches',
    'Pieces the episodes of a step are cut into, with one optimiser step each.',
    'integer',
    'advanced',
    'fork',
    range(1, 64, 1),
  ),
  knob(
    'algorithm.innerEpochs',
    'Inner epochs',
    'How often each step trains on the same episodes.',
    'integer',
    'advanced',
    'fork',
    range(1, 16, 1),
  ),
  knob(
    'algorithm.endings.context',
    'Return on overflow',
    'What an episode that ran out of context is worth.',
    'real',
    'advanced',
    'fork',
    {
      ...range(-10, 10, 0.1),
      nullMeans: "the world's score",
    },
  ),
  knob(
    'algorithm.endings.invalidAction.policy',
    'On an invalid action',
    'Whether an action that the world refuses ends the episode.',
    'choice',
    'advanced',
    'fork',
    {
      choices: ['continue', 'end'],
    },
  ),
  knob(
    'algorithm.endings.invalidAction.penalty',
    'Invalid-action penalty',
    'Added to the return of an episode for each action the world refused.',
    'real',
    'advanced',
    'fork',
    range(-10, 0, 0.05),
  ),
  knob(
    'algorithm.endings.worldFailure',
    'On a world failure',
    'Whether an episode whose world broke is left out or counts as zero.',
    'choice',
    'advanced',
    'fork',
    {
      choices: ['drop', 'zero'],
    },
  ),
];

const horizonKnobs: Knob[] = [
  knob(
    'horizon.*.turns',
    'Most turns',
    'Turns an episode may take: a number, or what the oracle needs plus some. A tight limit keeps chance low.',
    'turns',
    'basic',
    'fork',
    {
      ...range(1, 200, 1),
      unit: 'turns',
    },
  ),
  knob(
    'horizon.*.steps',
    'Stage length',
    'Steps this limit holds before the next stage of the schedule; the last stage stays.',
    'integer',
    'advanced',
    'fork',
    {
      ...range(1, 1_000_000, 1),
      unit: 'steps',
    },
  ),
];

const samplingKnobs: Knob[] = [
  knob(
    'sampling.temperature',
    'Temperature',
    'How random actions are drawn: below 1 sharpens the choice, above 1 flattens it.',
    'real',
    'basic',
    'fork',
    range(0.01, 10, 0.05),
  ),
  knob(
    'sampling.maskActions',
    'Only valid actions',
    'Let the policy choose only among the actions that the world lists; a policy from random weights needs this.',
    'boolean',
    'basic',
    'fork',
  ),
  knob(
    'sampling.maxTokensPerTurn',
    'Tokens a turn',
    'Longest action the policy may write.',
    'integer',
    'advanced',
    'fork',
    { ...range(1, 256, 1), unit: 'tokens' },
  ),
  knob(
    'sampling.promptTokens',
    'Prompt room',
    'Tokens kept for the task text; memory is set aside for all of them.',
    'integer',
    'advanced',
    'fork',
    {
      ...range(16, 8192, 16),
      unit: 'tokens',
    },
  ),
  knob(
    'sampling.completionTokens',
    'Episode room',
    'Tokens kept for everything after the task text; an episode that needs more ends as overflow.',
    'integer',
    'advanced',
    'fork',
    {
      ...range(16, 8192, 16),
      unit: 'tokens',
    },
  ),
];

const optimizerKnobs: Knob[] = [
  knob(
    'optimizer.learningRate',
    'Learning rate',
    'Size of each update: too small learns slowly, too large forgets what worked.',
    'real',
    'basic',
    'fork',
    range(0, 1, 0.0001),
  ),
  knob(
    'optimizer.warmupSteps',
    'Warm-up',
    'Steps over which the learning rate grows from zero.',
    'integer',
    'advanced',
    'fork',
    { ...range(0, 100_000, 1), unit: 'steps' },
  ),
  knob(
    'optimizer.finalFraction',
    'Final fraction',
    'Learning rate at the last step as a fraction of the first, falling in a straight line; 1 keeps it constant.',
    'real',
    'advanced',
    'fork',
    range(0, 1, 0.05),
  ),
  knob(
    'optimizer.beta1',
    'Beta 1',
    "Memory of AdamW's average of gradients.",
    'real',
    'advanced',
    'fork',
    range(0, 1, 0.01),
  ),
  knob(
    'optimizer.beta2',
    'Beta 2',
    "Memory of AdamW's average of squared gradients.",
    'real',
    'advanced',
    'fork',
    range(0, 1, 0.001),
  ),
  knob('optimizer.epsilon', 'Epsilon', "Floor of AdamW's division.", 'real', 'advanced', 'fork', range(0, 1, 1e-9)),
  knob(
    'optimizer.weightDecay',
    'Weight decay',
    'How fast unused weights shrink.',
    'real',
    'advanced',
    'fork',
    range(0, 1, 0.01),
  ),
  knob(
    'optimizer.maxGradNorm',
    'Gradient clip',
    'Longest gradient an update may use; longer ones are scaled down to it.',
    'real',
    'advanced',
    'fork',
    {
      ...range(1e-6, 1e6, 0.1),
      nullMeans: 'no clip',
    },
  ),
];

const evaluationKnobs: Knob[] = [
  knob(
    'evaluation.every',
    'Evaluate every',
    'Steps between evaluations; 0 evaluates only before the first step and after the last.',
    'integer',
    'basic',
    'fork',
    {
      ...range(0, 100_000, 1),
      unit: 'steps',
    },
  ),
  knob(
    'evaluation.episodes',
    'Evaluation episodes',
    'Episodes an evaluation plays on each split: more narrows the interval and takes longer.',
    'integer',
    'advanced',
    'fork',
    {
      ...range(1, 5000, 10),
      unit: 'episodes',
    },
  ),
];

/** All knobs, in the order a page shows them. */
export const knobs: readonly Knob[] = [
  ...runKnobs,
  ...worldKnobs,
  ...horizonKnobs,
  ...algorithmKnobs,
  ...samplingKnobs,
  ...optimizerKnobs,
  ...policyKnobs,
  ...evaluationKnobs,
];

const byPath = new Map(knobs.map((each) => [each.path, each]));

/** The knob of a concrete path (`horizon.0.steps`) or of a pattern (`horizon.*.steps`). */
export const findKnob = (path: string): Knob | undefined =>
  byPath.get(path) ?? byPath.get(path.replace(/\.\d+(?=\.|$)/g, '.*'));
