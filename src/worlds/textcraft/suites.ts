/** TextCraft's evaluation suite: AgentGym's 100 test ids, with AgentGym-RL's settings. */
import { agentGymRlDiffers, type WorldSuite } from '../../envs/suite.ts';

export const textcraftSuites: readonly WorldSuite[] = [
  {
    name: 'textcraft-test',
    label: 'TextCraft, the 100 test ids',
    sentence: "AgentGym's test items of all depths among ten distracting recipes, 30 turns.",
    options: { depths: [1, 2, 3, 4], distractors: 10 },
    policyOptions: ['instruction'],
    split: 'test',
    turns: 30,
    columns: ['Depth 1', 'Depth 2', 'Depth 3', 'Depth 4'],
    columnOf: ({ strata }) => `Depth ${strata.depth}`,
    published: {
      source: 'AgentGym-RL, table 3 (https://arxiv.org/abs/2509.08755)',
      differs: agentGymRlDiffers,
      rows: [
        ['GPT-4o', 100, 87.8, 64, 0, 83],
        ['Gemini-2.5-Pro', 100, 100, 84, 33.33, 94],
        ['DeepSeek-R1', 100, 100, 84, 0, 93],
        ['Qwen2.5-3B', 35.48, 7.32, 0, 0, 14],
        ['Qwen2.5-7B', 80.65, 41.46, 0, 0, 42],
        ['Qwen2.5-72B', 96.77, 85.37, 48, 0, 77],
        ['AgentGym-RL-3B', 100, 90.24, 28, 0, 75],
        ['AgentGym-RL-7B', 100, 97.56, 72, 0, 89],
        ['ScalingInter-7B', 100, 97.56, 76, 33.33, 91],
      ],
    },
  },
  {
    name: 'textcraft-apart',
    label: 'TextCraft, 60 goals kept apart',
    sentence:
      'Training goals that an experiment with `apart: 60` never trains on, among ten distracting recipes, 30 turns. Tune on these.',
    options: { depths: [1, 2, 3, 4], distractors: 10, apart: 60 },
    policyOptions: ['instruction'],
    split: 'test',
    turns: 30,
    columns: ['Depth 1', 'Depth 2', 'Depth 3', 'Depth 4'],
    columnOf: ({ strata }) => `Depth ${strata.depth}`,
  },
];
