/**
 * The figures of AgentGym-RL (https://arxiv.org/abs/2509.08755) at the size of a tab: the sweeps to train, the
 * evaluations to run, and the paper's claim to compare with. Data only; `reproduction.ts` runs them. A sweep whose
 * experiment was removed with its world drops out, and a figure without a sweep.
 */
import { existsSync } from 'node:fs';
import type { WorldSuite } from '../envs/suite.ts';

/** A sweep of a figure: an experiment's file with some settings changed. */
export interface FigureSweep {
  /** Name of its folder. */
  key: string;
  label: string;
  /** A file of experiments/, without its extension. */
  base: string;
  changes: { readonly [path: string]: unknown };
  /** File whose variants are compared. Default: `base`. */
  variantsOf?: string;
  /** Metric compared. Default: success. */
  metric?: 'success' | 'score';
}

/** Evaluation of a sweep's runs on separate items. */
export interface FigureEvaluation {
  sweep: string;
  suite: WorldSuite;
  /** Default: all variants. */
  variant?: string;
  /** Checkpoints to evaluate: after the last step, before the first, or both. */
  steps: readonly ('first' | 'last')[];
  samples: number;
  turns: readonly number[];
  completionTokens: number;
  promptTokens?: number;
}

export interface Figure {
  name: string;
  title: string;
  /** The paper's claim. */
  expected: string;
  /** Differences from the paper's setting. */
  differs: string;
  sweeps: readonly string[];
  evaluations: readonly FigureEvaluation[];
  /**
   * What the evaluations make: success against turns, pass@k, or a table of the variants' success under one horizon.
   * Absent: there are none, and the training curves are the figure.
   */
  curve?: 'turns' | 'pass' | 'ends';
}

const allSweeps: readonly FigureSweep[] = [
  { key: 'textcraft-algorithms', label: 'TextCraft', base: 'grpo-reinforce', changes: {} },
  {
    key: 'babyai-algorithms',
    label: 'BabyAI',
    base: 'babyai-first',
    changes: {
      steps: 160,
      horizon: [
        { steps: 80, turns: 1 },
        { steps: 80, turns: 3 },
      ],
      evaluation: { every: 40, episodes: 300 },
    },
    variantsOf: 'grpo-reinforce',
  },
  {
    key: 'sciworld-algorithms',
    label: 'ScienceWorld',
    base: 'sciworld-first',
    changes: { steps: 120, horizon: [{ steps: 120, turns: 2 }], evaluation: { every: 40, episodes: 200 } },
    variantsOf: 'grpo-reinforce',
    metric: 'score',
  },
  { key: 'horizons', label: 'BabyAI', base: 'horizons', changes: {} },
  { key: 'horizons-equal', label: 'BabyAI, masked', base: 'horizons-equal', changes: {} },
  { key: 'horizons-free', label: 'BabyAI, free text', base: 'horizons-free', changes: {} },
];

export const figureSweeps = allSweeps.filter(({ base }) => existsSync(`experiments/${base}.json`));
const isHere = (sweep: string) => figureSweeps.some(({ key }) => key === sweep);

const small =
  'Tiny policies from random weights that choose among listed actions, on short tasks; the paper trains Qwen2.5-3B and 7B.';

const levels: WorldSuite = {
  name: 'babyai-levels-1-5',
  label: 'BabyAI, levels 1 to 5',
  sentence: 'Twenty held-out rooms of each of the levels 1 to 5, compact observations.',
  options: { levels: [1, 2, 3, 4, 5], observation: 'compact', testSeeds: 20 },
  split: 'test',
  turns: 12,
  columns: [1, 2, 3, 4, 5].map((level) => `Level ${level}`),
  columnOf: ({ strata }) => `Level ${strata.level}`,
};

const levelsInSixTurns: WorldSuite = { ...levels, name: 'babyai-levels-1-5-short', turns: 6 };

const depths: WorldSuite = {
  name: 'textcraft-depths-1-2',
  label: 'TextCraft, depths 1 and 2',
  sentence: 'The test ids of the depths 1 and 2 among three distracting recipes.',
  options: { depths: [1, 2], distractors: 3 },
  split: 'test',
  turns: 8,
  columns: ['Depth 1', 'Depth 2'],
  columnOf: ({ strata }) => `Depth ${strata.depth}`,
};

const figure7Claim =
  'Figure 7: a long horizon leads at first and collapses, a short one is stable and stays low, and ScalingInter-RL, which grows the horizon in stages, passes both.';

/** All variants of a sweep under six turns. */
const atTheEnd = (sweep: string): FigureEvaluation => ({
  sweep,
  suite: levelsInSixTurns,
  steps: ['last'],
  samples: 4,
  turns: [1, 3, 6],
  completionTokens: 512,
});

const allFigures: readonly Figure[] = [
  {
    name: 'table6',
    title: 'GRPO against REINFORCE++',
    expected:
      'Table 6: GRPO is above REINFORCE++ in every world (TextCraft, BabyAI, SearchQA; success %): 3B 75.00, 93.33, 25.75 against 28.00, 70.00, 13.25; 7B 83.00, 92.22, 34.00 against 73.00, 84.44, 24.00.',
    differs: `${small} ScienceWorld stands in the place of the paper's third world, a search task, and is compared by score: the short half of its tasks that is trained here cannot end in success. In the original's code the reward sits on a masked token, which its REINFORCE++ drops; here it does not.`,
    sweeps: ['textcraft-algorithms', 'babyai-algorithms', 'sciworld-algorithms'],
    evaluations: [],
  },
  {
    name: 'figure7',
    title: 'Short, long, growing and adaptive horizon at equal operations',
    expected: figure7Claim,
    differs: `${small} Each variant has steps for about as many operations, and all are compared under six turns. The adaptive horizon, which the paper does not have, ends a stage when the policy succeeds.`,
    sweeps: ['horizons-equal'],
    evaluations: [atTheEnd('horizons-equal')],
    curve: 'ends',
  },
  {
    name: 'figure7-free',
    title: 'Short, long, growing and adaptive horizon in free text',
    expected: figure7Claim,
    differs:
      'Tiny policies on short tasks; the paper trains Qwen2.5-3B and 7B. They write their actions freely, after imitation of an oracle; otherwise as figure7.',
    sweeps: ['horizons-free'],
    evaluations: [atTheEnd('horizons-free')],
    curve: 'ends',
  },
  {
    name: 'figure8',
    title: 'Success against turns',
    expected: 'Figure 8: success rises with the turns that are allowed at test time, for every model.',
    differs: `${small} One evaluation of twelve turns: success within t turns counts the episodes that ended well by then; the policy does not see the shorter limit.`,
    sweeps: ['horizons'],
    evaluations: [
      {
        sweep: 'horizons',
        suite: levels,
        steps: ['last'],
        samples: 2,
        turns: [1, 2, 3, 4, 6, 8, 10, 12],
        completionTokens: 1024,
      },
    ],
    curve: 'turns',
  },
  {
    name: 'figure9',
    title: 'Success of at least one of k samples',
    expected:
      'Figure 9: pass@k rises with k, and the trained policy stays above its base model up to k = 64, by 5.5 points (deep search) and 7.05 (ScienceWorld).',
    differs: `${small} k up to 16, by the unbiased estimate. The base is the same policy before its first step: random weights, which is near chance and no language model.`,
    sweeps: ['textcraft-algorithms', 'horizons'],
    evaluations: [
      {
        sweep: 'textcraft-algorithms',
        suite: depths,
        variant: 'GRPO',
        steps: ['first', 'last'],
        samples: 16,
        turns: [],
        completionTokens: 384,
        promptTokens: 384,
      },
      {
        sweep: 'horizons',
        suite: levelsInSixTurns,
        variant: 'Growing',
        steps: ['first', 'last'],
        samples: 16,
        turns: [],
        completionTokens: 512,
      },
    ],
    curve: 'pass',
  },
];

export const figures: readonly Figure[] = allFigures
  .map((figure) => ({
    ...figure,
    sweeps: figure.sweeps.filter(isHere),
    evaluations: figure.evaluations.filter(({ sweep }) => isHere(sweep)),
  }))
  .filter(({ sweeps }) => sweeps.length > 0);
