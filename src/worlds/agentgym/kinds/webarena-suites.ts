/**
 * AgentGym-RL's split of WebArena's tasks. The fifty test items are published, in the order of its logs. The 307
 * training items were collected from the logs of an independent run (github.com/mavinomichael/AgentGym-RL, in which all
 * had appeared by step 101 of 600) and are presumed to be the original's.
 */

import { itemsIn } from '../../../envs/item-list.ts';
import { agentGymRlDiffers, type WorldSuite } from '../../../envs/suite.ts';

export const testItems: readonly number[] = [
  24, 238, 228, 158, 278, 280, 22, 165, 300, 328, 239, 386, 387, 264, 23, 65, 215, 4, 95, 115, 6, 680, 203, 214, 108,
  110, 247, 122, 123, 128, 318, 526, 537, 535, 168, 598, 27, 28, 67, 29, 36, 60, 74, 222, 251, 255, 381, 378, 365, 763,
];

export const trainItems: readonly number[] = itemsIn(
  '0-3, 5, 7, 9-21, 25-26, 30-35, 37-43, 47-56, 58-59, 61-64, 66, 68-73, 75-94, 96-101, 107, 109, 111-114, 116-121, ' +
    '124-127, 129-131, 137-155, 157, 159-164, 166-167, 183-202, 204, 208-213, 216-221, 223-227, 229-237, 240-246, ' +
    '248-250, 252-254, 256-257, 260-263, 265-277, 279, 281-292, 298-299, 301-302, 313, 319-327, 329-338, 344-345, ' +
    '347-348, 351-356, 358-364, 366-377, 379-380, 382-385, 388, 424-428, 430, 676-679, 737-741, 757-762, 764-767',
)!;

/**
 * The fifty test items are grouped: fifteen of the shop, fifteen of its administration, five each of GitLab and Reddit,
 * ten of the map.
 */
const columns = ['Shopping', 'CMS', 'Maps', 'GitLab & Reddit'];
const ends = [
  [15, 'Shopping'],
  [30, 'CMS'],
  [40, 'GitLab & Reddit'],
  [50, 'Maps'],
] as const;
const columnOfTest = (id: number) => ends.find(([end]) => testItems.indexOf(id) < end)![1];

export const webarenaSuites: readonly WorldSuite[] = [
  {
    name: 'webarena-test',
    label: 'WebArena, the 50 test ids',
    sentence: "AgentGym-RL's test items, 15 turns. Task 386 among them cannot be passed (webarena issue 275).",
    options: {},
    split: 'test',
    ids: testItems,
    turns: 15,
    columns,
    columnOf: ({ id }) => columnOfTest(id),
    published: {
      source: 'AgentGym-RL, table 1 (https://arxiv.org/abs/2509.08755)',
      differs: agentGymRlDiffers,
      rows: [
        ['GPT-4o', 20, 13.33, 10, 20, 16],
        ['o3', 33.33, 0, 40, 80, 34],
        ['Gemini-2.5-Pro', 26.67, 26.67, 0, 60, 28],
        ['DeepSeek-R1', 33.33, 6.67, 30, 50, 28],
        ['Qwen2.5-3B', 13.33, 6.67, 10, 10, 10],
        ['Qwen2.5-7B', 14.29, 6.67, 0, 16.67, 9.76],
        ['Qwen2.5-72B', 13.33, 13.33, 0, 20, 12],
        ['AgentGym-RL-3B', 20, 26.67, 10, 10, 18],
        ['AgentGym-RL-7B', 20, 33.33, 0, 30, 22],
        ['ScalingInter-7B', 33.33, 26.67, 20, 20, 26],
      ],
    },
  },
  {
    name: 'webarena-train',
    label: 'WebArena, the 307 training ids',
    sentence: 'Items on which AgentGym-RL presumably trains, 15 turns, collected from the logs of an independent run.',
    options: {},
    split: 'train',
    ids: trainItems,
    turns: 15,
    columns: ['All'],
    columnOf: () => 'All',
    standIn: "AgentGym-RL's own list of training items is not published; these were seen in somebody else's run of it.",
  },
];
