// Thinking before acting, on the stand-in policy and world: thoughts and actions are kept apart, both are trained, and
// nothing is lost in storage.
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { Advice, Task } from '../../src/envs/env.ts';
import { buildTokenizer, endOfThought } from '../../src/policy/text/tokenizer.ts';
import { gigpo } from '../../src/rl/algorithms/gigpo.ts';
import { mtGrpo } from '../../src/rl/algorithms/mt-grpo.ts';
import { tokenRows } from '../../src/rl/assign-credit.ts';
import { randomBeginnings, uncertainBeginnings } from '../../src/rl/episode/branching.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { demonstrate } from '../../src/rl/episode/demonstrations.ts';
import { chosenPositions, pack } from '../../src/rl/episode/micro-batch.ts';
import type { Missteps } from '../../src/rl/episode/missteps.ts';
import { type RolloutRequest, rollout } from '../../src/rl/episode/rollout.ts';
import { TokenSource, type Trajectory } from '../../src/rl/episode/trajectory.ts';
import { scoreRows } from '../../src/rl/score-rows.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { decodeTrajectories, encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { lossless, recordOf, trajectoryFromJson, trajectoryToJson } from '../../src/trajectories/files/lossless.ts';
import { thoughtIn, withThought } from '../../src/trajectories/files/record.ts';
import { capacity, colour, DoorWorld, doorTexts, FakePolicy } from './fakes.ts';
import { settings } from './setup.ts';

const tokenizer = buildTokenizer(doorTexts, { thinks: true });
const conversation = new Conversation(tokenizer);
const end = tokenizer.id(endOfThought);
const room = { promptTokens: 64, completionTokens: 128 };

/** Doors with an oracle that names the colour it looks for as its thought. */
class ThinkingDoors extends DoorWorld {
  private readonly colours = new Map<number, string>();

  override async reset(slots: readonly number[], tasks: readonly Task[]) {
    for (const [i, slot] of slots.entries()) this.colours.set(slot, colour(tasks[i]));
    return super.reset(slots, tasks);
  }

  async advise(slots: readonly number[]): Promise<(Advice | null)[]> {
    const plans = await this.oracle(slots);
    return plans.map((plan, i) =>
      plan?.length ? { thought: `${this.colours.get(slots[i])} door`, action: plan[0] } : null,
    );
  }
}

const worlds = (world = new ThinkingDoors()) => new Map([['doors', world]]);

async function shown(maskActions: boolean, missteps: Missteps | null = null, seed = 3) {
  const tasks = await new ThinkingDoors().tasks({}, 'train');
  const options = { maskActions, ...room, missteps, seed, teaching: { turns: 12 } };
  return demonstrate({ worlds: worlds(), conversation }, tasks, options);
}

const missteps = { episodes: 1, random: 0.3, refused: 0.1 };

const request = (change: Partial<RolloutRequest>): RolloutRequest => ({
  tasks: [],
  groupSize: 3,
  limit: 4,
  temperature: 1,
  maskActions: false,
  maxTokensPerTurn: 9,
  thoughts: 6,
  rules: { invalidAction: 'continue' },
  seed: 5,
  stream: 0,
  ...change,
});

async function played(change: Partial<RolloutRequest>, policy = new FakePolicy(tokenizer.vocabSize, capacity())) {
  const tasks = (await new ThinkingDoors().tasks({}, 'train')).slice(0, 4);
  return rollout({ policy, worlds: worlds(), conversation }, request({ tasks, ...change }));
}

/** The episode without what was written after its last turn. */
function withoutCut(trajectory: Trajectory): Trajectory {
  const { turns, turnOf, tokens, source, choices } = trajectory;
  const length = turnOf.indexOf(turns.length);
  if (length < 0) return trajectory;
  const rows = choices!.position.findIndex((position) => position >= length);
  const kept = rows < 0 ? choices!.position.length : rows;
  return {
    ...trajectory,
    tokens: tokens.subarray(0, length),
    source: source.subarray(0, length),
    turnOf: turnOf.subarray(0, length),
    choices: {
      ...choices!,
      position: choices!.position.subarray(0, kept),
      offsets: choices!.offsets.subarray(0, kept + 1),
    },
  };
}

/** Checks that every turn is one thought with one end token, then the action. */
function expectTurnsWhole({ turns, tokens, source, turnOf }: Trajectory) {
  turns.forEach((turn, i) => {
    const thought = tokens.subarray(turn.actionStart, turn.thoughtEnd);
    expect(thought.indexOf(end)).toBe(thought.length - 1);
    expect(tokens.subarray(turn.thoughtEnd, turn.actionEnd).length).toBeGreaterThan(0);
    expect([...turnOf.subarray(turn.actionStart, turn.actionEnd)].every((of) => of === i)).toBe(true);
    expect(turn.thought).toBe(tokenizer.decode(thought));
    expect(source[turn.actionStart]).toBe(thought.length > 1 ? TokenSource.policy : source[turn.actionStart]);
  });
}

describe('a demonstrated thought', () => {
  it('precedes its action, separate from it, and counts like it', async () => {
    for (const maskActions of [false, true]) {
      const { trajectories, skipped } = await shown(maskActions);
      expect(skipped).toBe(0);
      for (const trajectory of trajectories) {
        expectTurnsWhole(trajectory);
        const name = colour(trajectory.task);
        expect(trajectory.turns.map(({ thought, action }) => [thought, action])).toEqual([
          [`${name} door`, `get ${name} key`],
          [`${name} door`, `open ${name} door`],
        ]);
        const chosen = new Set(chosenPositions(trajectory));
        for (const { actionStart, thoughtEnd } of trajectory.turns)
          for (let at = actionStart; at < thoughtEnd!; at++) expect(chosen.has(at)).toBe(true);
      }
    }
  });

  it('is free under a mask, which applies only to the action', async () => {
    const [{ choices, turns }] = (await shown(true)).trajectories;
    const rows = [...choices!.position.keys()].map((row) => ({
      at: choices!.position[row],
      allowed: choices!.offsets[row + 1] - choices!.offsets[row],
    }));
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).sort((a, b) => a - b));
    const thought = (at: number) => turns.some((turn) => at >= turn.actionStart && at < turn.thoughtEnd!);
    for (const { at, allowed } of rows) expect(allowed === 0).toBe(thought(at));
  });

  it('follows the policy’s own beginning, with thoughts, which is read and not learnt', async () => {
    const tasks = await new ThinkingDoors().tasks({}, 'train');
    const own = [{ action: 'wait', thought: 'red key' }, { action: 'wait', thought: '' }, { action: 'wait' }];
    const beginnings = new Map(tasks.map((_, place) => [place, own]));
    const options = { maskActions: false, ...room, seed: 3, teaching: { turns: 12 }, policyTurns: beginnings };
    const { trajectories } = await demonstrate({ worlds: worlds(), conversation }, tasks, options);
    expect(trajectories).toHaveLength(tasks.length);
    for (const trajectory of trajectories) {
      const { turns, source } = trajectory;
      const begins = turns.length - 2;
      expect(begins).toBeGreaterThan(0);
      expect(begins).toBeLessThan(own.length);
      expect(turns.slice(0, begins).map(({ action }) => action)).toEqual(
        own.slice(0, begins).map(({ action }) => action),
      );
      const chosen = new Set(chosenPositions(trajectory));
      for (const [k, { actionStart, actionEnd }] of turns.entries())
        for (let at = actionStart; at < actionEnd; at++) {
          expect(chosen.has(at)).toBe(k >= begins);
          expect(source[at] === TokenSource.policy).toBe(k >= begins);
        }
    }
  });

  it('follows missteps that are read and not learnt', async () => {
    const each = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => shown(false, missteps, seed)));
    const trajectories = each.flatMap((demonstrations) => demonstrations.trajectories);
    const clean = (await shown(false)).trajectories;
    const missed = trajectories.flatMap(({ turns, source }) =>
      turns.filter((turn) => source[turn.actionStart] !== TokenSource.policy),
    );
    expect(missed.length).toBeGreaterThan(6);
    const counted = (list: Trajectory[]) => list.reduce((sum, each) => sum + chosenPositions(each).length, 0);
    // Only the oracle's own turns count, and undoing missteps adds few of them to a plan.
    expect(counted(trajectories) / trajectories.length).toBeLessThanOrEqual(1.6 * (counted(clean) / clean.length));
    for (const { success, turns } of trajectories) {
      expect(success).toBe(true);
      expect(turns.length).toBeLessThanOrEqual(12);
    }
    // The same seed gives the same missteps.
    expect(await shown(false, missteps, 2)).toEqual(each[1]);
  });

  it('follows no refused action under a mask, but may without one', async () => {
    const refusals = { episodes: 1, random: 0, refused: 0.5 };
    const played = async (maskActions: boolean) => (await shown(maskActions, refusals)).trajectories;
    const missed = ({ turns, source }: Trajectory) =>
      turns.filter((turn) => source[turn.actionStart] !== TokenSource.policy);
    expect((await played(true)).flatMap(missed)).toEqual([]);
    const refused = (await played(false)).flatMap(missed);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ valid }) => !valid)).toBe(true);
  });

  it('follows missteps only in the chosen share of episodes', async () => {
    expect(await shown(false, { ...missteps, episodes: 0 })).toEqual(await shown(false));
  });
});

describe('a sampled thought', () => {
  it('ends at its own token or its own bound, and the action follows', async () => {
    for (const maskActions of [false, true]) {
      const policy = new FakePolicy(tokenizer.vocabSize, capacity());
      const trajectories = await played({ maskActions }, policy);
      for (const trajectory of trajectories) {
        expectTurnsWhole(trajectory);
        for (const { actionStart, thoughtEnd } of trajectory.turns)
          expect(thoughtEnd! - actionStart).toBeLessThanOrEqual(7);
        for (const { action, thoughtEnd, actionEnd } of trajectory.turns)
          if (maskActions)
            expect(trajectory.tokens.subarray(thoughtEnd, actionEnd)).toEqual(conversation.action(action));
      }
      const bounds = new Set(policy.seen.map(({ sampling }) => `${sampling.maxTokens} ${sampling.stopTokens}`));
      expect(bounds).toEqual(new Set([`6 ${end}`, `9 ${conversation.stopTokens}`]));
    }
  });

  it('is trained except for an end token that its bound inserted', async () => {
    const cut = (await played({})).flatMap((trajectory) =>
      trajectory.turns
        .filter(({ thoughtEnd }) => trajectory.source[thoughtEnd! - 1] === TokenSource.template)
        .map((turn) => ({ turn, trajectory })),
    );
    expect(cut.length).toBeGreaterThan(5);
    for (const { turn, trajectory } of cut) {
      const chosen = new Set(chosenPositions(trajectory));
      expect(chosen.has(turn.thoughtEnd! - 1)).toBe(false);
      expect(chosen.has(turn.thoughtEnd! - 2)).toBe(true);
    }
  });

  it('is absent if none is requested', async () => {
    for (const { turns, tokens } of await played({ thoughts: 0, maskActions: true })) {
      expect([...tokens]).not.toContain(end);
      for (const turn of turns) expect(turn.thought).toBeUndefined();
    }
  });

  it('has the log-probabilities that training recomputes, masked or not', async () => {
    for (const maskActions of [false, true]) {
      const policy = new FakePolicy(tokenizer.vocabSize, capacity());
      const trajectories = await played({ maskActions }, policy);
      for (const { batch, trajectory, position } of pack(trajectories, policy.capacity)) {
        const { logprob } = await policy.score(batch, { temperature: 1, weights: 'policy' });
        logprob.forEach((value, row) => {
          expect(value).toBeCloseTo(trajectories[trajectory[row]].logprob[position[row]], 5);
        });
      }
    }
  });

  it('survives storage and files, and is text in other programs’ formats', async () => {
    const trajectories = await played({ maskActions: true });
    expect(decodeTrajectories(encodeTrajectories(trajectories))).toEqual(trajectories);
    for (const trajectory of trajectories) {
      const json = JSON.parse(JSON.stringify(trajectoryToJson(trajectory)));
      expect(trajectoryFromJson(json)).toEqual(trajectory);
      const { messages } = recordOf(trajectory);
      const [{ thought, action }] = trajectory.turns;
      expect(messages![1].content).toBe(withThought(thought!, action));
      expect(lossless.read(JSON.parse(JSON.stringify(lossless.write(recordOf(trajectory)))))).toEqual(
        recordOf(trajectory),
      );
    }
    expect(thoughtIn(withThought('red door', 'get red key'))).toBe('red door');
    expect(thoughtIn('get red key')).toBeUndefined();
  });
});

describe('a thought after which the room is full', () => {
  const isCut = ({ turns, turnOf }: Trajectory) => turnOf.at(-1) === turns.length;

  async function withCut(): Promise<Trajectory[]> {
    const policy = new FakePolicy(tokenizer.vocabSize, capacity({ completionTokens: 40 }));
    const trajectories = await played({ maskActions: true }, policy);
    const cut = trajectories.filter(isCut);
    expect(cut.length).toBeGreaterThan(2);
    expect(cut.length).toBeLessThan(trajectories.length);
    return trajectories;
  }

  it('survives storage and files', async () => {
    const trajectories = await withCut();
    expect(decodeTrajectories(encodeTrajectories(trajectories))).toEqual(trajectories);
    for (const each of trajectories)
      expect(trajectoryFromJson(JSON.parse(JSON.stringify(trajectoryToJson(each))))).toEqual(each);
  });

  it.each([gigpo, mtGrpo])('has the credit of its own episode alone: $name', async (algorithm) => {
    const settings = v.parse(algorithm.schema as v.GenericSchema, { name: algorithm.name }) as never;
    const trajectories = (await withCut()).map((each, i) => ({
      ...each,
      turns: each.turns.map((turn, k) => ({ ...turn, reward: (7 * i + 3 * k) % 5 })),
    }));
    const returns = new Map(trajectories.map((each, i) => [each.tokens.buffer, i % 2]));
    const credit = (list: readonly Trajectory[]) => {
      const rows = tokenRows(list);
      const own = Float64Array.from(list, ({ tokens }) => returns.get(tokens.buffer)!);
      const { advantages } = algorithm.credit({ trajectories: list, rows, returns: own }, settings);
      return list.map((_, b) => [...advantages.subarray(rows.offsets[b], rows.offsets[b + 1])]);
    };
    const whole = credit(trajectories);
    expect(whole.flat().every(Number.isFinite)).toBe(true);
    // Neither the order of the episodes nor the tokens of the turn that never came change the credit of the others.
    const turned = credit(trajectories.toReversed()).toReversed();
    turned.forEach((own, b) => own.forEach((value, k) => expect(value).toBeCloseTo(whole[b][k], 12)));
    const trimmed = credit(trajectories.map(withoutCut));
    trimmed.forEach((own, b) => expect(whole[b].slice(0, own.length)).toEqual(own));
  });

  it('is no place to branch from', async () => {
    const trajectories = await withCut();
    const entropies = trajectories.map(({ turns }) => turns.map((_, turn) => turn / 10));
    const places = [...uncertainBeginnings(trajectories, entropies, 200), ...randomBeginnings(trajectories, 200, [7])];
    for (const { from, turns } of places) expect(turns).toBeLessThan(from.turns.length);
  });
});

describe('training with thoughts', () => {
  const sampling = { temperature: 1, maskActions: true, maxTokensPerTurn: 16, thoughts: 5 };
  const sft = {
    name: 'sft' as const,
    groups: 4,
    groupSize: 2,
    minibatches: 1,
    innerEpochs: 1,
    file: null,
    demonstrations: null,
    stopping: { goals: 0, every: 10, patience: 3 },
    missteps: { episodes: 1, random: 0.15, refused: 0.05 },
    dagger: 0.5,
    listening: null,
    aggregation: 'token-mean' as const,
    endings: settings().algorithm.endings,
  };
  const staged = settings({ sampling, stages: [{ steps: 2, algorithm: sft, learningRate: null }] });

  async function open(seed = 1) {
    const policy = new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, seed);
    return { policy, trainer: await Trainer.create(staged, { policy, worlds: worlds(), tokenizer }) };
  }

  it('is the same when stopped, saved and loaded in the middle of either stage', async () => {
    const whole = await open();
    const expected = [];
    for (let k = 1; k <= 5; k++) expected.push(withoutTimes((await whole.trainer.step(k)).record));
    for (const cut of [1, 3]) {
      const early = await open();
      for (let k = 1; k <= cut; k++) await early.trainer.step(k);
      const late = await open(99);
      await late.policy.load(await early.policy.save({ reference: true }), { reference: true });
      await late.policy.load(await early.policy.save());
      const resumed = [];
      for (let k = cut + 1; k <= 5; k++) resumed.push(withoutTimes((await late.trainer.step(k)).record));
      expect(resumed).toEqual(expected.slice(cut));
      expect((await late.policy.save()).tensors).toEqual((await whole.policy.save()).tensors);
    }
  });

  it('gives credit to thoughts and actions alike', async () => {
    const { trainer } = await open();
    for (let k = 1; k <= 2; k++) await trainer.step(k);
    const { trajectories } = await trainer.step(3);
    const credited = trajectories.filter(({ advantages }) => advantages.some((value) => value !== 0));
    expect(credited.length).toBeGreaterThan(0);
    for (const trajectory of credited) {
      expect(trajectory.advantages.length).toBe(chosenPositions(trajectory).length);
      expect(new Set(trajectory.advantages).size).toBe(1);
    }
  });
});

describe('thoughts in windows', () => {
  it.each(['task', 'last'] as const)('are kept with their turns and trained as they were sampled: %s', async (form) => {
    const policy = new FakePolicy(tokenizer.vocabSize, capacity());
    const trajectories = await played({ context: { form, turns: 1, room: 100 }, limit: 5 }, policy);
    expect(trajectories.some(({ windows }) => (windows?.length ?? 0) > 1)).toBe(true);
    for (const trajectory of trajectories) {
      expectTurnsWhole(trajectory);
      // A window of one turn begins with that turn's thought.
      for (const { turn, from } of trajectory.windows ?? []) expect(from).toBe(trajectory.turns[turn - 1].actionStart);
    }
    const rows = tokenRows(trajectories);
    const options = { temperature: 1, weights: 'policy' as const };
    const { logprob } = await scoreRows(policy, trajectories, rows, options);
    const sampled = trajectories.flatMap((each) =>
      [...chosenPositions(each)].map((position) => each.logprob[position]),
    );
    sampled.forEach((value, k) => expect(logprob[k]).toBeCloseTo(value, 5));
  });
});
