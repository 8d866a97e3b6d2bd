/** BabyAI's evaluation suites: AgentGym-RL's 90 items, and fresh rooms of the same levels, which are harder. */
import { agentGymRlDiffers, type WorldSuite } from '../../envs/suite.ts';
import { RL_LEVELS } from './split.ts';

const columns = ['GoTo', 'Pickup', 'ActionObjDoor', 'FindObj', 'OneRoom', 'SynthLoc'];

export const babyaiSuites: readonly WorldSuite[] = [
  {
    name: 'babyai-test',
    label: 'BabyAI, the 90 test ids',
    sentence: "AgentGym-RL's test rooms, five of each of its 18 levels, 20 turns.",
    options: { levels: RL_LEVELS, testSeeds: 0 },
    policyOptions: ['observation', 'instruction'],
    split: 'test',
    turns: 20,
    columns,
    columnOf: ({ strata }) => String(strata.family),
    published: {
      source: 'AgentGym-RL, table 4 (https://arxiv.org/abs/2509.08755)',
      differs: agentGymRlDiffers,
      rows: [
        ['GPT-4o', 92.73, 80, 100, 80, 60, 60, 86.67],
        ['o3', 98.18, 93.33, 100, 80, 60, 100, 94.44],
        ['DeepSeek-R1', 98.18, 86.67, 100, 60, 80, 100, 93.33],
        ['Qwen2.5-3B', 61.82, 40, 20, 60, 40, 20, 52.22],
        ['Qwen2.5-7B', 70.91, 66.67, 60, 80, 60, 20, 66.67],
        ['Qwen2.5-72B', 92.73, 93.33, 100, 60, 60, 80, 88.89],
        ['AgentGym-RL-3B', 100, 100, 100, 60, 60, 60, 93.33],
        ['AgentGym-RL-7B', 100, 93.33, 100, 60, 60, 60, 92.22],
        ['ScalingInter-7B', 100, 93.33, 100, 80, 80, 100, 96.67],
      ],
    },
  },
  {
    name: 'babyai-fresh',
    label: 'BabyAI, 100 fresh rooms a level',
    sentence: 'Rooms outside all published lists of ids, 100 of each of the 18 levels, 20 turns.',
    options: { levels: RL_LEVELS, testSeeds: 100 },
    policyOptions: ['observation', 'instruction'],
    split: 'test',
    turns: 20,
    columns,
    columnOf: ({ strata }) => String(strata.family),
  },
  {
    name: 'babyai-dev',
    label: 'BabyAI, 100 rooms a level to tune on',
    sentence: 'Like the fresh rooms, with seeds reserved for tuning: no test room is among them.',
    options: { levels: RL_LEVELS, testSeeds: 100, heldOut: 'dev' },
    policyOptions: ['observation', 'instruction'],
    split: 'test',
    turns: 20,
    columns,
    columnOf: ({ strata }) => String(strata.family),
  },
];
