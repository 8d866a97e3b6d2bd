/**
 * ScienceWorld's evaluation suites. AgentGym-RL's 200 test ids are not published, so a stand-in with the same number of
 * items in each topic is drawn from the original's test variations; it is labelled as a stand-in wherever it is shown.
 */
import { uniformAt } from '../../envs/random-player.ts';
import { agentGymRlDiffers, type WorldSuite } from '../../envs/suite.ts';
import { agentGymTasks, idOf, itemOf, variationsOf } from './tasks.ts';

/** Topics of the paper's table: label, tasks (inferred from their names), and number of items among the 200. */
const topics: readonly { label: string; tasks: (name: string) => boolean; items: number }[] = [
  { label: 'Measure', tasks: (name) => /^(use-thermometer|measure-)/.test(name), items: 53 },
  { label: 'Test-Cond', tasks: (name) => name.startsWith('test-conductivity'), items: 83 },
  { label: 'Find', tasks: (name) => name.startsWith('find-'), items: 44 },
  { label: 'Chem-Mix', tasks: (name) => name.startsWith('chemistry-mix'), items: 5 },
  { label: 'Lifespan', tasks: (name) => name.startsWith('lifespan-'), items: 15 },
];

/** Seed of the stand-in's random draw. */
export const STAND_IN_SEED = 20_250_908;

/** Random items of a topic in a split, without repetition, ascending. */
function randomItems(topic: (typeof topics)[number], index: number, split: 'test' | 'dev'): number[] {
  const names = agentGymTasks.filter(({ name }) => topic.tasks(name));
  const items = names.flatMap(({ name, variations }) =>
    variationsOf(split, variations).map((variation) => idOf(name, variation)),
  );
  for (let i = 0; i < topic.items; i++) {
    const j = i + Math.floor(uniformAt(STAND_IN_SEED, index, i) * (items.length - i));
    [items[i], items[j]] = [items[j], items[i]];
  }
  return items.slice(0, topic.items).sort((a, b) => a - b);
}

/** The 200 ids, topic by topic. */
export const standInIds = (): number[] => topics.flatMap((topic, index) => randomItems(topic, index, 'test'));

const options = { tasks: agentGymTasks.map(({ name }) => name) };
const guesses = { ...options, oracle: 'guesses' };
const columns = topics.map(({ label }) => label);
const columnOf: WorldSuite['columnOf'] = ({ id }) =>
  topics.find((topic) => topic.tasks(itemOf(id).task))?.label ?? 'Other';

export const sciworldSuites: readonly WorldSuite[] = [
  {
    name: 'sciworld-stand-in',
    label: 'ScienceWorld, a stand-in of 200',
    sentence: "200 of the original's test variations, as many of each topic as the published test set has, 30 turns.",
    options,
    guesses,
    split: 'test',
    ids: standInIds(),
    turns: 30,
    columns,
    columnOf,
    standIn: 'The ids of the published test set are not known; these are other items of the same topics.',
    published: {
      source: 'AgentGym-RL, table 5 (https://arxiv.org/abs/2509.08755), on ids that are not known',
      differs: agentGymRlDiffers,
      rows: [
        ['GPT-4o', 15.09, 6.02, 38.64, 20, 73.33, 21],
        ['o3', 47.17, 25.3, 56.82, 40, 66.67, 41.5],
        ['Qwen2.5-3B', 3.77, 0, 0, 0, 0, 1],
        ['Qwen2.5-7B', 1.89, 0, 0, 0, 13.33, 1.5],
        ['Qwen2.5-72B', 7.55, 1.2, 15.91, 20, 40, 9.5],
        ['AgentGym-RL-3B', 20.75, 28.92, 0, 0, 66.67, 22.5],
        ['AgentGym-RL-7B', 24.53, 59.04, 65.91, 0, 66.67, 50.5],
        ['ScalingInter-7B', 33.96, 55.42, 88.64, 0, 73.33, 57],
      ],
    },
  },
  {
    name: 'sciworld-dev',
    label: 'ScienceWorld, 200 to tune on',
    sentence:
      'Like the stand-in, with variations that the original reserves for tuning: no test variation is among them.',
    options: { ...options, heldOut: 'dev' },
    guesses: { ...guesses, heldOut: 'dev' },
    split: 'test',
    ids: topics.flatMap((topic, index) => randomItems(topic, index, 'dev')),
    turns: 30,
    columns,
    columnOf,
  },
];
