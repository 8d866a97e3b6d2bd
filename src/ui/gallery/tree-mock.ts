/**
 * Groups for the tree of the tab Group: eight made-up episodes of a small crafting world, two of which branch off others
 * (`?mock=tree`), and 64 walks of 200 turns (`?mock=tree-many`). Never part of the shipped page.
 */
import type { Trajectory } from '../../rl/episode/trajectory.ts';
import { mockEpisode, mockRandom, mockStep } from './mock-data.ts';

const [inventory, cobblestone, stick, planks] = ['inventory', 'get 1 cobblestone', 'get 1 stick', 'get 2 oak planks'];
const lever = 'craft 1 lever using 1 cobblestone, 1 stick';
const sticks = 'craft 4 stick using 2 oak planks';

type Played = Pick<Trajectory, 'ending'> & { actions: readonly string[]; branch?: Trajectory['branch'] };

const played: readonly Played[] = [
  { actions: [inventory, cobblestone, stick, lever], ending: 'success' },
  { actions: [inventory, cobblestone, planks, sticks, lever], ending: 'success' },
  { actions: [inventory, stick, cobblestone, planks, sticks], ending: 'horizon' },
  { actions: [inventory, cobblestone, stick, lever], ending: 'success' },
  { actions: [inventory, cobblestone], ending: 'context' },
  { actions: [inventory, planks], ending: 'world-failure' },
  { actions: [inventory, stick, planks, sticks, sticks], ending: 'horizon', branch: { member: 2, turns: 2 } },
  { actions: [inventory, cobblestone, stick, planks, sticks], ending: 'horizon', branch: { member: 0, turns: 3 } },
];

/** Observation after the first `turn` actions: what is in the inventory, whatever the order in which it came there. */
function held(actions: readonly string[], turn: number): string {
  const items = actions
    .slice(0, turn)
    .filter((action) => action !== inventory)
    .map((action) => action.replace(/^(get|craft) /, '').replace(/ using .*/, ''));
  return `Inventory: ${items.sort().join(', ') || 'nothing'}`;
}

const craftingGroup = (): Trajectory[] =>
  played.map(({ actions, ending, branch }, member) => {
    const turns = actions.map((action, turn) => ({ action, observation: held(actions, turn + 1) }));
    return mockEpisode({ group: 0, member }, turns, { ending, ...(branch && { branch }) });
  });

const ways = ['go north', 'go east', 'go south', 'go west'];

/** Walks on a grid; each begins as an earlier one, whose first turns it repeats. */
function walkingGroup(): Trajectory[] {
  const random = mockRandom(7);
  const walks: number[][] = [];
  return Array.from({ length: 64 }, (_, member) => {
    const parent = Math.floor(random() * member);
    const repeated = member ? Math.floor(random() * 180) : 0;
    const walk = Array.from({ length: 200 }, (_, turn) =>
      turn < repeated ? walks[parent][turn] : Math.floor(random() * 4),
    );
    walks.push(walk);
    let [x, y] = [20, 20];
    const turns = walk.map((way) => {
      x += way === 1 ? 1 : way === 3 ? -1 : 0;
      y += way === 0 ? 1 : way === 2 ? -1 : 0;
      return { action: ways[way], observation: `You are at ${x}, ${y}.` };
    });
    const ending = random() < 0.4 ? 'success' : 'horizon';
    return mockEpisode({ group: 0, member }, turns, {
      ending,
      ...(member > 31 && repeated > 0 && { branch: { member: parent, turns: repeated } }),
    });
  });
}

/** Episodes of a step in these states; null in another one. */
export function treeStep(state: string, step: number): Trajectory[] | null {
  if (state !== 'tree' && state !== 'tree-many') return null;
  const group = state === 'tree' ? craftingGroup() : walkingGroup();
  return [...group, ...mockStep(step).filter((each) => each.group > 0)];
}
