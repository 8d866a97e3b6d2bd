/**
 * Every knob of an experiment: its path, label, one sentence, unit, bounds, and what changing it costs. The page's setup
 * panel, the documentation and `--help` take their words from here, and only from here. Bounds repeat the schema's, so
 * that a slider can be drawn; a test compares the two. `*` in a path stands for an index.
 */
import type { Experiment } from './experiment.ts';
import { type Knob, knob, range } from './knob.ts';
import { algorithmKnobs, stageKnobs } from './knobs-algorithm.ts';
import { worldKnobs } from './knobs-world.ts';
import { policyKnobs } from './policies/registry.ts';
import { sweepKnobs } from './sweep.ts';

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
    { ...range(1, 1024, 1), unit: 'tokens' },
  ),
  knob(
    'sampling.thoughts',
    'Thoughts',
    'Longest thought before each action; 0: the action is said at once. Thoughts are free, sampled and trained like actions. A language model thinks in its replies: above 0, the oracle that it imitates does too.',
    'integer',
    'advanced',
    'restart',
    { ...range(0, 1024, 16), unit: 'tokens' },
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
  ...stageKnobs,
  ...algorithmKnobs,
  ...samplingKnobs,
  ...optimizerKnobs,
  ...policyKnobs,
  ...evaluationKnobs,
  ...sweepKnobs,
];

const byPath = new Map<string, Knob[]>();
for (const each of knobs) byPath.set(each.path, [...(byPath.get(each.path) ?? []), each]);

/** A stage's algorithm has the fields of the run's. */
const patternOf = (path: string): string =>
  path.replace(/^stages\.(\d+|\*)\.(?=algorithm\b)/, '').replace(/\.\d+(?=\.|$)/g, '.*');

/**
 * The knob of a concrete path (`horizon.0.steps`) or of a pattern (`horizon.*.steps`). Worlds may have options of the same name: the
 * document says which world's is meant.
 */
export function findKnob(path: string, document?: Pick<Experiment, 'worlds'>): Knob | undefined {
  const found = byPath.get(path) ?? byPath.get(patternOf(path)) ?? [];
  const entry = document && /^worlds\.(\d+)\./.exec(path)?.[1];
  const name = entry === undefined ? undefined : document?.worlds[Number(entry)]?.name;
  return (name === undefined ? undefined : found.find(({ worlds }) => worlds?.includes(name))) ?? found[0];
}
