/** The lines of a group's tree, against the histories of its episodes read one by one. */
import { describe, expect, test } from 'vitest';
import { groupTree } from '../../src/rl/credit/tree.ts';
import { stepGroups } from '../../src/rl/credit/turns.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { mockRandom } from '../../src/ui/gallery/mock-data.ts';
import { treeStep } from '../../src/ui/gallery/tree-mock.ts';
import {
  anchorStates,
  type Folding,
  idsAbove,
  linesBelow,
  readTree,
  rowAt,
  type TreeLine,
  treeReturns,
  treeRows,
} from '../../src/ui/state/group-tree.ts';

const endings = { context: null, invalidAction: { policy: 'continue', penalty: 0 }, worldFailure: 'drop' } as const;
const none: Folding = { folded: new Set(), unrolled: new Set() };
const groupOf = (state: string) => treeStep(state, 1)!.filter(({ group }) => group === 0);

/** Few actions and observations, so that histories and observations are often the same, and some answers differ. */
function randomGroup(seed: number): Trajectory[] {
  const random = mockRandom(seed);
  const draw = (count: number) => Math.floor(random() * count);
  const [base] = groupOf('tree');
  return Array.from({ length: 9 }, (_, member) => {
    const turns = Array.from({ length: draw(6) }, () => ({
      ...base.turns[0],
      action: `a${draw(2)}`,
      observation: `o${draw(3) ? 0 : 1}`,
    }));
    const branch = member > 6 && turns.length > 1 ? { branch: { member: 0, turns: 1 } } : {};
    const ending = draw(8) ? 'horizon' : 'world-failure';
    return { ...base, ...branch, member, turns, ending, prompt: `p${draw(9) ? 0 : 1}`, score: draw(3) };
  });
}

const groups = [
  ['made up', groupOf('tree')],
  [
    'walks',
    groupOf('tree-many')
      .slice(0, 12)
      .map((each) => ({ ...each, turns: each.turns.slice(0, 60) })),
  ],
  ...Array.from({ length: 20 }, (_, seed) => [`random ${seed}`, randomGroup(seed)] as const),
] as const;

/** All observations and actions up to a turn, the action of that turn included or not. */
const history = ({ prompt, turns }: Trajectory, turn: number, withAction = false) =>
  JSON.stringify([
    prompt,
    ...turns.slice(0, turn).map(({ action, observation }) => [action, observation]),
    ...(withAction ? [turns[turn]?.action] : []),
  ]);

const allLines = (lines: readonly TreeLine[]): TreeLine[] =>
  lines.flatMap((line) => [line, ...allLines(line.children)]);

const average = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

describe.each(groups)('lines of a group: %s', (_, episodes) => {
  const { lines, anchors, dropped } = readTree(episodes, endings);
  const returns = treeReturns(episodes, endings);
  const kept = episodes.flatMap((each, i) => (each.ending === 'world-failure' ? [] : [i]));
  const sharing = (i: number, turn: number, withAction = false) =>
    kept.filter(
      (j) =>
        episodes[j].turns.length >= turn + (withAction ? 1 : 0) &&
        history(episodes[j], turn, withAction) === history(episodes[i], turn, withAction),
    );
  const meanOf = (members: readonly number[]) => average(members.map((i) => returns[i]));

  test('each episode is read along one way, with its own actions', () => {
    expect(dropped).toEqual(episodes.map((__, i) => i).filter((i) => !kept.includes(i)));
    for (const i of kept) {
      const way: TreeLine[] = [];
      for (let next = lines; ; next = way.at(-1)!.children) {
        const own = next.filter(({ members }) => members.includes(i));
        if (!own.length) break;
        expect(own.length).toBe(1);
        way.push(own[0]);
      }
      expect(way.flatMap(({ actions }) => actions)).toEqual(episodes[i].turns.map(({ action }) => action));
      expect(way.at(-1)!.ended).toContain(i);
      expect(way.map(({ turn }) => turn)).toEqual(
        way.map((__, k) => way.slice(0, k).reduce((sum, { actions }) => sum + actions.length, 0)),
      );
    }
    expect(allLines(lines).some(({ members }) => members.some((i) => !kept.includes(i)))).toBe(false);
  });

  test('values and advantages are means over the episodes with the same history', () => {
    for (const { kind, turn, actions, members, value, advantage } of allLines(lines)) {
      const [i] = members;
      expect(value).toBeCloseTo(meanOf(members), 10);
      if (kind === 'end') {
        expect(members).toEqual(sharing(i, turn).filter((j) => episodes[j].turns.length === turn));
        expect(advantage).toBeNull();
        continue;
      }
      expect(members).toEqual(sharing(i, turn, kind === 'branch'));
      // The same episodes take all actions of the line.
      actions.forEach((__, k) => {
        expect(sharing(i, turn + k, true)).toEqual(members);
      });
      if (kind === 'branch') expect(advantage).toBeCloseTo(meanOf(members) - meanOf(sharing(i, turn)), 10);
      else expect(advantage).toBeNull();
    }
  });

  test('a line ends where its episodes part, end, or leave the one they repeated', () => {
    for (const { kind, turn, actions, members, ended, departures, children } of allLines(lines)) {
      if (kind === 'end') continue;
      const at = turn + actions.length;
      const leaving = members.filter((i) => at > 0 && episodes[i].branch?.turns === at);
      // If the world answers in several ways, the leaving are told at the answers.
      const answered = children.some((each) => each.kind === 'answer');
      expect(departures).toEqual(answered ? [] : leaving);
      if (children.length === 1) expect(departures.length).toBeGreaterThan(0);
      if (!children.length) expect(ended).toEqual(members);
      else expect(children.flatMap((each) => each.members).sort((a, b) => a - b)).toEqual(members);
    }
  });

  test('anchor states are the step groups of GiGPO that have several histories', () => {
    const steps = kept.flatMap((i) => episodes[i].turns.map((__, turn) => ({ i, turn })));
    const observationAt = ({ i, turn }: { i: number; turn: number }) =>
      turn ? episodes[i].turns[turn - 1].observation : episodes[i].prompt;
    const numbers = stepGroups(
      { row: steps.map(({ i }) => i), observation: steps.map(observationAt), reward: [] },
      episodes.map(() => 0),
    );
    const histories = new Map<number, Set<string>>();
    steps.forEach(({ i, turn }, k) => {
      histories.set(numbers[k], (histories.get(numbers[k]) ?? new Set()).add(history(episodes[i], turn)));
    });
    const expected = new Map(
      steps.flatMap((step, k) =>
        histories.get(numbers[k])!.size > 1 ? [[observationAt(step), histories.get(numbers[k])!.size] as const] : [],
      ),
    );
    expect(new Map([...anchors].map(([observation, states]) => [observation, states.length]))).toEqual(expected);
    for (const states of anchors.values())
      for (const { members, turn } of states) expect(members).toEqual(sharing(members[0], turn));
  });

  test.each(['as they are', 'unrolled', 'folded'])('rows, %s', (how) => {
    const ids = new Set(allLines(lines).map(({ id }) => id));
    expect(ids.size).toBe(allLines(lines).length);
    const folding = { ...none, ...(how === 'unrolled' && { unrolled: ids }), ...(how === 'folded' && { folded: ids }) };
    const rows = treeRows(lines, folding);
    /** The open rows above the next one, by level, each with the ids of its rows so far; the first entry is the tree. */
    const open: { id: string | undefined; below: string[] }[] = [{ id: undefined, below: [] }];
    const families = new Map<string | undefined, string[]>();
    for (const { id, level, position } of rows) {
      open.length = level;
      const above = open.at(-1)!;
      expect(above.id).toBe(idsAbove(id).at(-1));
      expect(above.below.push(id)).toBe(position);
      families.set(above.id, above.below);
      open.push({ id, below: [] });
    }
    for (const { id, siblings } of rows) expect(families.get(idsAbove(id).at(-1))!.length).toBe(siblings);
    if (how === 'folded') expect(rows.length).toBe(lines.length);
    if (how === 'as they are') expect(rows.length).toBe(lines.reduce((count, line) => count + 1 + linesBelow(line), 0));
    // Each turn of an episode has a row, the one with its action if all turns are shown.
    for (const i of kept.slice(0, 4))
      episodes[i].turns.forEach(({ action }, turn) => {
        const row = rows.find(({ id }) => id === rowAt(rows, i, turn));
        if (how === 'folded') return;
        expect(row?.line.members).toContain(i);
        const at = row!.action ?? turn - row!.line.turn;
        expect(row!.line.actions[at]).toBe(action);
      });
  });
});

describe('a group of 64 episodes of 200 turns', () => {
  const episodes = groupOf('tree-many');
  const tree = readTree(episodes, endings);

  test('needs few rows', () => {
    expect(episodes.map(({ turns }) => turns.length)).toEqual(Array.from({ length: 64 }, () => 200));
    expect(treeRows(tree.lines, none).length).toBeLessThan(200);
  });

  test('has many anchor states, all in lines', () => {
    expect(tree.anchors.size).toBeGreaterThan(100);
    expect(tree.lines[0].members.length).toBe(64);
  });
});

test('an episode whose world failed counts if the update counts it', () => {
  const episodes = groupOf('tree');
  expect(readTree(episodes, endings).dropped).toEqual([5]);
  const counted = readTree(episodes, { ...endings, worldFailure: 'zero' });
  expect(counted.dropped).toEqual([]);
  expect(counted.lines[0].members.length).toBe(8);
  expect(readTree(episodes, null).dropped).toEqual([]);
});

test('an observation met once is no anchor', () => {
  const first = groupTree(groupOf('tree').slice(0, 1), [1]);
  expect(anchorStates(first).size).toBe(0);
});

test('many turns are read without deep recursion', () => {
  const [base] = groupOf('tree');
  const turns = Array.from({ length: 20_000 }, (_, k) => ({ ...base.turns[0], action: `a${k}`, observation: `o${k}` }));
  const { lines } = readTree([{ ...base, turns }], null);
  expect(lines.map(({ actions }) => actions.length)).toEqual([20_000]);
});
