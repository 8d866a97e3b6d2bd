// A group as a tree, and episodes that branch off others: the tree's laws, TreeRL's credit against its definition, and
// branches that repeat their parents token by token and are sampled from the same policy.

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { WorldOptions } from '../../src/envs/env.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presetsByName } from '../../src/experiment/presets.ts';
import type { CreditInput } from '../../src/rl/algorithms/algorithm.ts';
import { AlgorithmSchema } from '../../src/rl/algorithms/registry.ts';
import { treerl } from '../../src/rl/algorithms/treerl.ts';
import { assignCredit, tokenRows } from '../../src/rl/assign-credit.ts';
import { playBranched } from '../../src/rl/branch.ts';
import { hash, uniform } from '../../src/rl/common/random.ts';
import { branchPaths, groupTree, type TreeState } from '../../src/rl/credit/tree.ts';
import { sumsOfTurns } from '../../src/rl/episode/branching.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import { type RolloutRequest, rollout } from '../../src/rl/episode/rollout.ts';
import type { Trajectory, Turn } from '../../src/rl/episode/trajectory.ts';
import { scoreRows } from '../../src/rl/score-rows.ts';
import { decodeTrajectories, encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { aTrajectory } from '../../tools/fuzz/made-trajectory.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

/** Episodes of two or three words for an action, in a world that answers by the history, and one time in five by chance. */
function madeGroup(seed: number, size: number): { episodes: Trajectory[]; returns: number[] } {
  const base = aTrajectory(1);
  const episodes = Array.from({ length: size }, (_, member): Trajectory => {
    const count = 1 + (hash(seed, member, 0) % 4);
    const turns = Array.from({ length: count }, (_t, k): Turn => {
      const action = ['left', 'right', 'wait'][hash(seed, member, k, 1) % (k === 0 ? 2 : 3)];
      const luck = hash(seed, member, k, 2) % 5 === 0 ? 1 : 0;
      const span = { actionStart: k, actionEnd: k + 1, observationStart: k + 1, observationEnd: k + 1 };
      return { action, observation: `${k} ${luck}`, reward: 0, valid: true, ...span };
    });
    return { ...base, group: 0, member, prompt: 'start', turns };
  });
  return { episodes, returns: episodes.map((_, i) => hash(seed, i, 9) % 3) };
}

const keyOf = ({ prompt, turns }: Trajectory, count: number) =>
  JSON.stringify([prompt, ...turns.slice(0, count).flatMap(({ action, observation }) => [action, observation])]);
const average = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

function allStates(states: readonly TreeState[]): TreeState[] {
  return states.flatMap((state) => [state, ...state.branches.flatMap(({ states: next }) => allStates(next))]);
}

describe('the tree of a group', () => {
  it('shares a state between episodes of the same history, and no others', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { episodes, returns } = madeGroup(seed, 9);
      const states = allStates(groupTree(episodes, returns));
      const histories = new Map<string, number[]>();
      episodes.forEach((each, i) => {
        for (let count = 0; count <= each.turns.length; count++) {
          const key = `${count} ${keyOf(each, count)}`;
          histories.set(key, [...(histories.get(key) ?? []), i]);
        }
      });
      const own = states.map(({ members }) => members.join());
      expect(own.sort()).toEqual([...histories.values()].map((members) => members.join()).sort());
      for (const { members, value } of states) expect(value).toBeCloseTo(average(members.map((i) => returns[i])), 12);
    }
  });

  it('has a value at each state that its branches and endings make up', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { episodes, returns } = madeGroup(seed, 9);
      for (const { members, ended, branches, value } of allStates(groupTree(episodes, returns))) {
        const gone = ended.reduce((sum, i) => sum + returns[i], 0);
        const went = branches.reduce((sum, branch) => sum + branch.members.length * branch.value, 0);
        expect(gone + went).toBeCloseTo(members.length * value, 10);
        if (ended.length === 0)
          expect(branches.reduce((sum, branch) => sum + branch.members.length * branch.advantage, 0)).toBeCloseTo(
            0,
            10,
          );
      }
    }
  });

  it('leads each episode from the mean of its group to its own return', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { episodes, returns } = madeGroup(seed, 9);
      const states = groupTree(episodes, returns);
      branchPaths(states, episodes.length).forEach((path, i) => {
        expect(path.map(({ action }) => action)).toEqual(episodes[i].turns.map(({ action }) => action));
        const steps = path.map(({ value, states: next }) => {
          const reached = next.find(({ members }) => members.includes(i))!;
          return reached.value - value;
        });
        const total = path.reduce((sum, { advantage }, k) => sum + advantage + steps[k], states[0].value);
        // The last state may hold others that went on, or ended with another return.
        const last = path.at(-1)!.states.find(({ members }) => members.includes(i))!;
        expect(total).toBeCloseTo(last.value, 10);
      });
    }
  });

  it('leaves a dropped episode out', () => {
    const { episodes, returns } = madeGroup(3, 6);
    const without = episodes.filter((_, i) => i !== 2);
    const dropped = groupTree(episodes, returns.with(2, Number.NaN));
    const values = (states: readonly TreeState[]) => allStates(states).map(({ value }) => value);
    expect(values(dropped)).toEqual(values(groupTree(without, returns.toSpliced(2, 1))));
    expect(branchPaths(dropped, 6)[2]).toEqual([]);
  });
});

describe('TreeRL’s credit', () => {
  const parsed = (more: object = {}) =>
    v.parse(AlgorithmSchema, { name: 'treerl', groups: 1, groupSize: 9, ...more }) as never;

  /** By the definition, from prefixes of the episodes: V of a branch, of the state before it, and of the group. */
  function byDefinition(episodes: readonly Trajectory[], returns: readonly number[], weight: number, divide: boolean) {
    const through = (start: string, action: string | null) =>
      episodes.flatMap((each, i) => {
        const k = (JSON.parse(start).length - 1) / 2;
        const there = each.turns.length >= k && keyOf(each, k) === start;
        return there && (action === null || each.turns[k]?.action === action) ? [i] : [];
      });
    const mean = (members: readonly number[]) => average(members.map((i) => returns[i]));
    const root = average(returns as number[]);
    return episodes.flatMap((each) =>
      each.turns.map(({ action }, k) => {
        const own = through(keyOf(each, k), action);
        const local = mean(own) - mean(through(keyOf(each, k), null));
        return (mean(own) - root + weight * local) / (divide ? Math.sqrt(own.length) : 1);
      }),
    );
  }

  /** One trained token a turn. */
  function inputOf({ episodes, returns }: ReturnType<typeof madeGroup>): CreditInput {
    const offsets = Int32Array.from([
      0,
      ...episodes.map((_, b) => episodes.slice(0, b + 1).flatMap((e) => e.turns).length),
    ]);
    const turn = Int32Array.from(episodes.flatMap(({ turns }) => turns.map((_, k) => k)));
    return { trajectories: episodes, returns, rows: { offsets, turn, group: new Int32Array(episodes.length) } };
  }

  it.each([
    { localWeight: 1, divideByRoot: true },
    { localWeight: 0, divideByRoot: false },
    { localWeight: 2.5, divideByRoot: true },
  ])('is that of its definition, with %o', (more) => {
    for (let seed = 1; seed <= 20; seed++) {
      const made = madeGroup(seed, 9);
      const { advantages } = treerl.credit(inputOf(made), parsed(more));
      const expected = byDefinition(made.episodes, made.returns, more.localWeight, more.divideByRoot);
      expect(advantages).toHaveLength(expected.length);
      advantages.forEach((value, i) => void expect(value).toBeCloseTo(expected[i], 10));
    }
  });

  it('is 0 in a group whose returns are all equal, and such groups are counted', () => {
    const made = { ...madeGroup(5, 9), returns: new Array<number>(9).fill(0.1) };
    const { advantages, withoutSignal } = treerl.credit(inputOf(made), parsed());
    expect(new Set(advantages)).toEqual(new Set([0]));
    expect(withoutSignal).toBe(1);
  });
});

const base = {
  limit: 5,
  temperature: 1,
  maxTokensPerTurn: 6,
  rules: { invalidAction: 'continue' },
  seed: 3,
  stream: 17,
} as const satisfies Partial<RolloutRequest>;

interface Played {
  at?: 'entropy' | 'random';
  maskActions?: boolean;
  change?: Partial<RolloutRequest>;
  options?: WorldOptions;
}

async function branched({ at = 'entropy', maskActions = true, change = {}, options = {} }: Played = {}) {
  const world = new DoorWorld();
  const policy = new FakePolicy(tokenizer.vocabSize, capacity({ completionTokens: 240, batchTokens: 400 }));
  const parts = { policy, worlds: new Map([['doors', world]]), conversation: new Conversation(tokenizer) };
  const tasks = (await world.tasks(options, 'train')).slice(0, 3);
  const trajectories = await playBranched({
    ...{ groupSize: 7, branched: 4, at, temperature: 1, keys: [3, 1], policy },
    play: (part) => rollout(parts, { tasks, ...base, maskActions, ...change, ...part }),
  });
  const whole = await rollout(parts, { tasks, ...base, maskActions, ...change, groupSize: 7 });
  return { trajectories, policy, whole };
}

const modes: [string, Played][] = [
  ['among valid actions', {}],
  ['in free text', { maskActions: false, options: { free: true } }],
  ['after thoughts', { change: { thoughts: 6 } }],
  ['with the last turns in its context', { change: { context: { form: 'task', turns: 2, room: 200 } } }],
];

describe.each(modes)('an episode that branches off, %s', (_, mode) => {
  it('repeats its parent’s first turns, token by token, and the others play as without branches', async () => {
    const { trajectories, whole } = await branched(mode);
    expect(trajectories.map(({ group, member }) => [group, member])).toEqual(
      [0, 1, 2].flatMap((group) => [0, 1, 2, 3, 4, 5, 6].map((member) => [group, member])),
    );
    expect(trajectories.filter(({ branch }) => branch).length).toBeGreaterThan(3);
    for (const each of trajectories) {
      const { branch, group, member, turns } = each;
      if (!branch) {
        if (member < 3) expect(each).toEqual(whole[7 * group + member]);
        continue;
      }
      expect(member).toBeGreaterThanOrEqual(3);
      const parent = trajectories[7 * group + branch.member];
      expect(parent.branch).toBeUndefined();
      expect(turns.slice(0, branch.turns)).toEqual(parent.turns.slice(0, branch.turns));
      expect(turns.length).toBeGreaterThan(branch.turns);
      const end = turns[branch.turns - 1].observationEnd;
      for (const column of ['tokens', 'source', 'turnOf', 'logprob'] as const)
        expect(each[column].slice(0, end)).toEqual(parent[column].slice(0, end));
      expect(choicesBefore(each, end)).toEqual(choicesBefore(parent, end));
    }
  });

  it('has the log-probabilities of the policy at all its tokens', async () => {
    const { trajectories, policy } = await branched(mode);
    const rows = tokenRows(trajectories);
    const { logprob } = await scoreRows(policy, trajectories, rows, { temperature: 1, weights: 'policy' });
    trajectories.forEach((each, b) => {
      chosenPositions(each).forEach((position, k) => {
        expect(each.logprob[position]).toBeCloseTo(logprob[rows.offsets[b] + k], 5);
      });
    });
  });
});

it('an episode whose world fails before it has repeated anything is read again without a branch', async () => {
  const world = new DoorWorld();
  const policy = new FakePolicy(tokenizer.vocabSize, capacity({ completionTokens: 240, batchTokens: 400 }));
  const conversation = new Conversation(tokenizer);
  const tasks = (await world.tasks({}, 'train')).slice(0, 3);
  const failing = new DoorWorld();
  const reset = failing.reset.bind(failing);
  failing.reset = async (slots, given) => {
    const [first, ...others] = await reset(slots, given);
    return [{ ...first, failure: 'no such room' }, ...others];
  };
  const trajectories = await playBranched({
    ...{ groupSize: 7, branched: 4, at: 'random', temperature: 1, keys: [3, 1], policy },
    play: (part) => {
      const worlds = new Map([['doors', part.beginningOf ? failing : world]]);
      return rollout({ policy, worlds, conversation }, { tasks, ...base, maskActions: true, ...part });
    },
  });
  const failed = trajectories.filter(({ ending }) => ending === 'world-failure');
  expect(failed.map(({ turns, branch }) => [turns.length, branch])).toEqual(failed.map(() => [0, undefined]));
  expect(failed.length).toBeGreaterThan(0);
  expect(decodeTrajectories(encodeTrajectories(trajectories))).toHaveLength(trajectories.length);
});

const choicesBefore = ({ choices }: Trajectory, end: number) =>
  choices &&
  Array.from(choices.position).flatMap((position, row) =>
    position < end ? [[position, ...choices.tokens.subarray(choices.offsets[row], choices.offsets[row + 1])]] : [],
  );

describe('the places of branches', () => {
  it('are the turns of greatest entropy of the whole episodes', async () => {
    const { trajectories, policy } = await branched();
    const whole = trajectories.filter(({ member }) => member < 3);
    const rows = tokenRows(whole);
    const { entropy } = await scoreRows(policy, whole, rows, { temperature: 1, weights: 'policy' });
    for (const group of [0, 1, 2]) {
      const all = whole.flatMap((each, b) => {
        if (each.group !== group) return [];
        const sums = sumsOfTurns(each, entropy.subarray(rows.offsets[b], rows.offsets[b + 1]));
        return Array.from(sums, (sum, turns) => ({ sum, member: each.member, turns }));
      });
      const best = all.sort((a, b) => b.sum - a.sum).slice(0, 4);
      const taken = trajectories.filter((each) => each.group === group && each.member >= 3);
      const expected = best.map(({ member, turns }) => (turns === 0 ? undefined : { member, turns }));
      expect(taken.map(({ branch }) => branch)).toEqual(expected);
    }
  });

  it('are drawn by the seed, if they are random', async () => {
    const first = await branched({ at: 'random' });
    const second = await branched({ at: 'random' });
    expect(first.trajectories).toEqual(second.trajectories);
    expect(first.trajectories.map(({ branch }) => branch)).not.toEqual(
      (await branched()).trajectories.map(({ branch }) => branch),
    );
  });
});

describe('a world that answers otherwise the second time', () => {
  class MovingWorld extends DoorWorld {
    override async step(slots: readonly number[], actions: readonly string[]) {
      const answers = await super.step(slots, actions);
      return answers.map((each) => ({ ...each, observation: uniform(this.steps) < 0.5 ? 'No.' : each.observation }));
    }
  }
  it('ends the repetition there, and the episode goes on by itself', async () => {
    const world = new MovingWorld();
    const policy = new FakePolicy(tokenizer.vocabSize, capacity());
    const parts = { policy, worlds: new Map([['doors', world]]), conversation: new Conversation(tokenizer) };
    const tasks = (await world.tasks({}, 'train')).slice(0, 3);
    const trajectories = await playBranched({
      ...{ groupSize: 7, branched: 4, at: 'random', temperature: 1, keys: [3, 1], policy },
      play: (part) => rollout(parts, { tasks, ...base, maskActions: true, ...part }),
    });
    const cut = trajectories.filter(({ branch, group, turns }) => {
      if (!branch) return false;
      const parent = trajectories[7 * group + branch.member];
      const last = branch.turns - 1;
      expect(turns.slice(0, last)).toEqual(parent.turns.slice(0, last));
      return turns[last].observation !== parent.turns[last].observation;
    });
    expect(cut.length).toBeGreaterThan(0);
  });
});

describe('training with branched episodes', () => {
  const sampling = { temperature: 1, maskActions: true, maxTokensPerTurn: 16, branchedEpisodes: 2 };

  it('counts success over whole episodes, and the repeated turns', async () => {
    const { trainer } = await trainerWith(settings({ sampling }));
    const { record, trajectories } = await trainer.step(1);
    const whole = trajectories.filter(({ branch }) => !branch);
    expect(whole.length).toBeLessThan(trajectories.length);
    expect(record.metrics.success).toBeCloseTo(average(whole.map(({ success }) => (success ? 1 : 0))), 12);
    const repeated = trajectories.reduce((sum, { branch }) => sum + (branch?.turns ?? 0), 0);
    const turns = trajectories.reduce((sum, each) => sum + each.turns.length, 0);
    expect(record.metrics.repeatedTurns).toBeCloseTo(repeated / turns, 12);
  });

  it('repeats a step from its trajectories, with the same weights', async () => {
    const first = await trainerWith(settings({ sampling }));
    const { trajectories } = await first.trainer.step(1);
    const second = await trainerWith(settings({ sampling }));
    await second.trainer.repeat(1, trajectories);
    expect((await second.policy.save()).tensors).toEqual((await first.policy.save()).tensors);
  });

  it('plays no branch in a group of one', async () => {
    const one = settings({ sampling });
    const algorithm = v.parse(AlgorithmSchema, { name: 'sft', groups: 3, groupSize: 2 });
    const { trainer } = await trainerWith({ ...one, algorithm });
    const { trajectories } = await trainer.step(1);
    expect(trajectories.every(({ branch }) => !branch)).toBe(true);
  });

  it('takes TreeRL’s credit, which differs between the turns of an episode', async () => {
    const { trainer } = await trainerWith(settings({ sampling }));
    const { trajectories } = await trainer.step(1);
    const algorithm = v.parse(AlgorithmSchema, { name: 'treerl', groups: 4, groupSize: 4 });
    const { extras } = assignCredit(trajectories, treerl, algorithm as never);
    expect(extras.size).toBe(trajectories.length);
    expect(trajectories.some(({ advantages }) => new Set(advantages).size > 1)).toBe(true);
  });
});

describe('an experiment with branched episodes', () => {
  const document = (change: object = {}, sampling: object = {}) => {
    const preset = parseExperiment(structuredClone(presetsByName['maze-first']));
    return { ...preset, ...change, sampling: { ...preset.sampling, branchedEpisodes: 3, ...sampling } };
  };

  it('is accepted, and refused where no whole episode is left', () => {
    expect(parseExperiment(document()).sampling.branchedEpisodes).toBe(3);
    expect(() => parseExperiment(document({}, { branchedEpisodes: 63 }))).toThrow(
      /sampling.branchedEpisodes: 63 leaves no whole episode in a group of \d+: give at most \d+/,
    );
  });

  it.each([
    ['with a summary', {}, { context: 'summary' }, 'a summary is not repeated'],
    ['with goals', { goals: { rule: 'uniform' } }, {}, 'success of whole episodes'],
  ])('is refused %s', (_, change, sampling, words) => {
    expect(() => parseExperiment(document(change, sampling))).toThrow(words);
  });

  it('is refused in a world whose answers cannot be repeated', () => {
    const worlds = [{ name: 'openenv', weight: 1, options: {} }];
    expect(() => parseExperiment(document({ worlds }))).toThrow(/so no turn can be repeated: set it to 0/);
  });
});
