// Rollouts on the stand-in policy and world: every ending, tokens exactly as sampled, choices with matching
// log-probabilities.
import { describe, expect, it } from 'vitest';
import type { Task, WorldOptions } from '../../src/envs/env.ts';
import type { Capacity } from '../../src/policy/policy.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { pack } from '../../src/rl/episode/micro-batch.ts';
import { Players, successRate } from '../../src/rl/episode/players.ts';
import { type RolloutOptions, type RolloutRequest, rollout } from '../../src/rl/episode/rollout.ts';
import { TokenSource, type Trajectory } from '../../src/rl/episode/trajectory.ts';
import { capacity, colour, DoorWorld, FakePolicy, RoundPolicy } from './fakes.ts';
import { tokenizer } from './setup.ts';

async function play(change: Partial<RolloutRequest> = {}, options: WorldOptions = {}, size: Partial<Capacity> = {}) {
  const world = new DoorWorld();
  const policy = new FakePolicy(tokenizer.vocabSize, capacity(size));
  const worlds = new Map([['doors', world]]);
  const tasks = (await world.tasks(options, 'train')).slice(0, 3);
  const request: RolloutRequest = {
    tasks,
    groupSize: 4,
    limit: 5,
    temperature: 1,
    maskActions: true,
    maxTokensPerTurn: 6,
    rules: { invalidAction: 'continue' },
    seed: 3,
    stream: 17,
    ...change,
  };
  const conversation = new Conversation(tokenizer);
  const trajectories = await rollout({ policy, worlds, conversation }, request);
  return { trajectories, policy, world, conversation };
}

const endings = (trajectories: readonly Trajectory[]) => new Set(trajectories.map(({ ending }) => ending));

describe('a trajectory', () => {
  it('contains the prompt, and each turn’s action and observation, token for token', async () => {
    const { trajectories, conversation } = await play();
    expect(trajectories.map(({ group, member }) => [group, member])).toEqual(
      [0, 1, 2].flatMap((group) => [0, 1, 2, 3].map((member) => [group, member])),
    );
    for (const trajectory of trajectories) {
      const { tokens, turns, promptLength } = trajectory;
      expect(tokens.subarray(0, promptLength)).toEqual(conversation.prompt(trajectory.prompt).tokens);
      for (const turn of turns) {
        expect(tokens.subarray(turn.actionStart, turn.actionEnd)).toEqual(conversation.action(turn.action));
        const observation = tokens.subarray(turn.observationStart, turn.observationEnd);
        if (turn !== turns.at(-1)) expect(observation).toEqual(conversation.observation(turn.observation).tokens);
        else expect(observation).toHaveLength(0);
      }
      expect(turns.at(-1)!.actionEnd).toBe(tokens.length);
    }
  });

  it('marks the source and the turn of every token', async () => {
    const { trajectories } = await play();
    for (const { tokens, source, turnOf, turns, promptLength } of trajectories) {
      const policy = new Set(turns.flatMap(({ actionStart, actionEnd }) => range(actionStart, actionEnd)));
      for (let i = 0; i < tokens.length; i++) {
        expect(source[i] === TokenSource.policy).toBe(policy.has(i));
        expect(turnOf[i] < 0).toBe(i < promptLength);
      }
      turns.forEach((turn, t) => {
        for (const i of range(turn.actionStart, turn.observationEnd)) expect(turnOf[i]).toBe(t);
      });
    }
  });

  it('has a row of choices for each token chosen among several, and log-probability 0 everywhere else', async () => {
    const { trajectories, policy } = await play();
    let rows = 0;
    for (const { tokens, logprob, choices } of trajectories) {
      const chosen = new Set(choices!.position);
      choices!.position.forEach((position, row) => {
        const allowed = choices!.tokens.subarray(choices!.offsets[row], choices!.offsets[row + 1]);
        expect(allowed.length).toBeGreaterThan(1);
        expect(allowed).toContain(tokens[position]);
        expect(logprob[position]).toBeLessThan(0);
        rows += 1;
      });
      logprob.forEach((value, i) => {
        if (!chosen.has(i)) expect(Math.abs(value)).toBe(0);
      });
    }
    expect(rows).toBeGreaterThan(trajectories.length);
    expect(policy.counters().tokensGenerated).toBeGreaterThanOrEqual(rows);
  });

  it('processes no token twice', async () => {
    const { trajectories, policy } = await play({ groupSize: 1 });
    // Prefilled and generated tokens add up to the trajectories without the tokens after their last choice.
    const { tokensPrefilled, tokensGenerated } = policy.counters();
    const all = trajectories.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const unread = trajectories.reduce(
      (sum, { tokens, choices }) => sum + tokens.length - 1 - choices!.position.at(-1)!,
      0,
    );
    expect(tokensPrefilled + tokensGenerated).toBe(all - unread);
  });

  it('is the same in any batch, and differs under another stream', async () => {
    const batched = (await play()).trajectories;
    const waves = (await play({}, {}, { rows: 4 })).trajectories;
    expect(waves).toEqual(batched);
    expect((await play({ stream: 18 })).trajectories.map(({ tokens }) => tokens)).not.toEqual(
      batched.map(({ tokens }) => tokens),
    );
  });
});

describe('endings', () => {
  it('success and horizon, within the allowed turns', async () => {
    const { trajectories } = await play({ groupSize: 16, limit: { oraclePlus: 1 } });
    expect(endings(trajectories)).toEqual(new Set(['success', 'horizon']));
    for (const { ending, success, score, turns, horizon, oracleTurns } of trajectories) {
      expect(horizon).toBe(3);
      expect(oracleTurns).toBe(2);
      expect(success).toBe(ending === 'success');
      expect(score).toBe(success ? 1 : 0);
      expect(turns.length).toBeLessThanOrEqual(3);
      if (ending === 'horizon') expect(turns.length).toBe(3);
    }
  });

  it('done, if the world ends the episode without success', async () => {
    const { trajectories } = await play({ groupSize: 8 }, { trap: true });
    const trapped = trajectories.filter(({ ending }) => ending === 'done');
    expect(trapped.length).toBeGreaterThan(0);
    for (const { turns, success } of trapped) {
      expect(turns.at(-1)!.action).toBe('open trap');
      expect(success).toBe(false);
    }
  });

  it('invalid-action, only if a refused action is to end the episode', async () => {
    const { trajectories } = await play({ rules: { invalidAction: 'end' } });
    for (const { turns, ending } of trajectories) {
      expect(turns.slice(0, -1).every(({ valid }) => valid)).toBe(true);
      expect(turns.at(-1)!.valid).toBe(ending !== 'invalid-action');
    }
    expect(endings(trajectories)).toContain('invalid-action');
    expect(endings((await play()).trajectories)).not.toContain('invalid-action');
  });

  it('world-failure, in the turn where the world fails, with its reason', async () => {
    const { trajectories } = await play({}, { fails: [1] });
    for (const { task, ending, turns, success, failure } of trajectories) {
      expect([ending === 'world-failure', failure]).toEqual(task.id === 1 ? [true, 'trap'] : [false, undefined]);
      if (task.id === 1) expect([turns.length, success]).toEqual([2, false]);
    }
  });

  it('world-failure, without a world or a horizon; chance and oracle do not solve it either', async () => {
    for (const options of [{ absent: [1] }, { silent: [1] }] as WorldOptions[]) {
      const { trajectories, world } = await play({ limit: { oraclePlus: 1 } }, options);
      for (const { task, ending, turns } of trajectories)
        if (task.id === 1) expect([ending, turns.length]).toEqual(['world-failure', 0]);
        else expect(ending).not.toBe('world-failure');
      const players = new Players(new Map([['doors', world]]), 5, false);
      const tasks = (await world.tasks(options, 'train')).filter(({ id }) => id === 1);
      expect(successRate(await players.chance(tasks, { oraclePlus: 1 }))).toBe(0);
      expect(successRate(await players.oracle(tasks, { oraclePlus: 1 }))).toBe(0);
    }
  });

  it('none: a world that fails in every episode ends the rollout by name', async () => {
    const world = new DoorWorld();
    for (const [options, words] of [
      [{ fails: true }, /Doors failed in each of its first 12 episodes\. trap/],
      [{ absent: true }, /no such room/],
      [{ silent: true }, /oracle gave no plan/],
    ] as [WorldOptions, RegExp][]) {
      const tasks = (await world.tasks(options, 'train')).slice(0, 3);
      await expect(play({ tasks, limit: { oraclePlus: 1 } }, options)).rejects.toThrow(words);
    }
  });

  it('horizon, where an oracle without a plan is not needed', async () => {
    const silent = (await play({ limit: 2 }, { silent: true })).trajectories;
    expect(endings(silent)).not.toContain('world-failure');
    expect(silent[0]).toMatchObject({ horizon: 2, oracleTurns: null });
  });

  it('context, before a turn that would not fit whole', async () => {
    const { trajectories } = await play({ limit: 50 }, {}, { completionTokens: 24 });
    expect(endings(trajectories)).toContain('context');
    for (const { ending, tokens, promptLength, turns } of trajectories) {
      if (ending !== 'context') continue;
      expect(turns.at(-1)!.actionEnd - promptLength).toBeLessThanOrEqual(24);
      expect(tokens.length).toBe(turns.at(-1)!.observationEnd);
    }
  });

  it('context at once, if the prompt does not fit', async () => {
    const { trajectories, policy } = await play({}, {}, { promptTokens: 4 });
    for (const { ending, turns } of trajectories) expect([ending, turns.length]).toEqual(['context', 0]);
    expect(policy.seen).toHaveLength(0);
  });
});

describe('decoding', () => {
  it('skips the policy if only one action is valid', async () => {
    const { trajectories, policy } = await play({}, { only: true });
    expect(policy.seen).toHaveLength(0);
    for (const { turns, choices, logprob } of trajectories) {
      expect(turns.map(({ action }) => action)).toEqual(Array(5).fill('wait'));
      expect(choices!.position).toHaveLength(0);
      expect(logprob.every((value) => value === 0)).toBe(true);
    }
  });

  it('is free without a mask: turns end at a stop token or at their length', async () => {
    const { trajectories, policy } = await play({ maskActions: false, limit: 3 });
    expect(policy.seen.every(({ rows }) => rows.every(({ constraint }) => constraint === null))).toBe(true);
    for (const { choices, turns, logprob, source } of trajectories) {
      expect(choices).toBeNull();
      expect(turns).toHaveLength(3);
      source.forEach((who, i) => {
        expect(logprob[i] < 0).toBe(who === TokenSource.policy);
      });
    }
  });
});

describe('rounds', () => {
  async function inRounds(
    size: Partial<Capacity>,
    change: Partial<RolloutRequest> = {},
    delayMs = 0,
    options: RolloutOptions = {},
  ) {
    const world = new DoorWorld();
    const policy = new RoundPolicy(tokenizer.vocabSize, capacity(size));
    const step = world.step.bind(world);
    world.step = async (slots, actions) => {
      await new Promise((resolve) => setTimeout(resolve, delayMs * (slots.length % 3)));
      return step(slots, actions);
    };
    const tasks = (await world.tasks({}, 'train')).slice(0, 3);
    const request = {
      ...{ tasks, groupSize: 4, limit: 5, temperature: 1, maskActions: true, maxTokensPerTurn: 6, seed: 3, stream: 17 },
      ...{ rules: { invalidAction: 'continue' as const }, ...change },
    };
    const parts = { policy, worlds: new Map([['doors', world]]), conversation: new Conversation(tokenizer) };
    return { policy, trajectories: await rollout(parts, request, options) };
  }

  it('report a growing share, beginning with the prompts that were read', async () => {
    const shares: number[] = [];
    const onRound: RolloutOptions['onRound'] = ({ fraction }) => shares.push(fraction);
    await inRounds({ rows: 12, groups: 3 }, { maskActions: false, limit: 4 }, 0, { onRound });
    // Twelve episodes of a prompt and four turns; nothing is sampled before the prompts are read.
    expect(shares[0]).toBe(0);
    expect(shares[1]).toBeCloseTo(1 / 5, 10);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  it('give the trajectories of whole turns, in any batch', async () => {
    for (const maskActions of [true, false]) {
      const batched = (await play({ maskActions })).trajectories;
      const sizes: Partial<Capacity>[] = [{}, { rows: 3 }, { rows: 2, slots: 7 }, { rows: 1, groups: 1 }];
      for (const size of sizes) expect((await inRounds(size, { maskActions })).trajectories).toEqual(batched);
    }
  });

  it('refill slots, admit more trajectories than decode at once, and release every slot', async () => {
    const { policy, trajectories } = await inRounds({ rows: 2, slots: 5, groups: 2 }, { groupSize: 7 });
    expect(trajectories).toHaveLength(21);
    expect(policy.slotsHeld).toBe(0);
    expect(Math.max(...policy.roundsSeen.map((slots) => slots.length))).toBe(2);
    expect(new Set(policy.roundsSeen.flat()).size).toBe(5);
  });

  it('continue with some rows while others wait for their worlds', async () => {
    const { policy } = await inRounds({ rows: 8 }, { maskActions: false });
    const rounds = policy.roundsSeen.map((slots) => new Set(slots));
    // A slot that generated, missed a round in which another generated, and came back.
    const wasAway = rounds.some((now, i) =>
      [...now].some((slot) => i > 1 && !rounds[i - 1].has(slot) && rounds[i - 1].size > 0 && rounds[i - 2].has(slot)),
    );
    expect(wasAway).toBe(true);
  });

  it('are the same however long a world takes', async () => {
    for (const cachePages of [undefined, 15]) {
      const size = { rows: 3, slots: 6, cachePages };
      const quick = await inRounds(size, { groupSize: 6 });
      const slow = await inRounds(size, { groupSize: 6 }, 4);
      expect(slow.policy.roundsSeen).toEqual(quick.policy.roundsSeen);
      expect(slow.trajectories).toEqual(quick.trajectories);
    }
  });

  it('wait for pages if there are too few, without changing any trajectory', { tags: 'slow' }, async () => {
    for (const maskActions of [true, false]) {
      const change = { maskActions, groupSize: 8, limit: 12 };
      const batched = (await play(change)).trajectories;
      const enough = await inRounds({}, change);
      expect(enough.policy.waits).toBe(0);
      // One trajectory of maximum length needs 12.
      for (const size of [{ cachePages: 12 }, { cachePages: 13, rows: 2, slots: 5 }, { cachePages: 30, groups: 2 }]) {
        const { policy, trajectories } = await inRounds(size, change);
        expect(trajectories).toEqual(batched);
        expect(policy.waits).toBeGreaterThan(5);
        expect(policy.cache.free).toBe(size.cachePages);
      }
    }
  });

  it('stop on request, and release every slot', async () => {
    const world = new DoorWorld();
    const tasks = await world.tasks({}, 'train');
    const policy = new RoundPolicy(tokenizer.vocabSize, capacity());
    const parts = { policy, worlds: new Map([['doors', world]]), conversation: new Conversation(tokenizer) };
    const sampling = { temperature: 1, maskActions: true, maxTokensPerTurn: 6, seed: 3, stream: 17 };
    const request = { tasks, groupSize: 2, limit: 5, rules: { invalidAction: 'continue' as const }, ...sampling };
    for (const turns of [0, 3]) {
      const stop = new AbortController();
      let seen = 0;
      const countTurn = () => {
        if (++seen > turns) stop.abort(new Error('enough'));
      };
      if (turns === 0) countTurn();
      await expect(rollout(parts, request, { signal: stop.signal, onTurn: countTurn })).rejects.toThrow('enough');
      expect(policy.slotsHeld).toBe(0);
    }
    expect(await rollout(parts, request)).toHaveLength(2 * tasks.length);
  });
});

/** Doors over a slow connection: each call carries one slot and is answered once `answers` resolves. */
class RemoteDoors extends DoorWorld {
  readonly calls: { slots: readonly number[]; signal?: AbortSignal }[] = [];
  answers: (slot: number, signal?: AbortSignal) => Promise<void> = async () => {};

  override describe() {
    return { ...super.describe(), name: 'remote', freeRunning: true, replayable: false };
  }

  override async tasks(options: WorldOptions, split: 'train' | 'test') {
    return (await super.tasks(options, split)).map((task) => ({ ...task, world: 'remote' }));
  }

  override async reset(slots: readonly number[], tasks: readonly Task[], signal?: AbortSignal) {
    await this.hold(slots, signal);
    return super.reset(slots, tasks);
  }

  override async step(slots: readonly number[], actions: readonly string[], signal?: AbortSignal) {
    await this.hold(slots, signal);
    return super.step(slots, actions);
  }

  private async hold(slots: readonly number[], signal?: AbortSignal) {
    this.calls.push({ slots, signal });
    for (const slot of slots) await this.answers(slot, signal);
  }
}

describe('free-running worlds', () => {
  async function open(
    { groupSize = 4, doors = 0, ...change }: Partial<RolloutRequest> & { doors?: number } = {},
    size: Partial<Capacity> = {},
    rounds = true,
  ) {
    const worlds = new Map<string, DoorWorld>([
      ['remote', new RemoteDoors()],
      ['doors', new DoorWorld()],
    ]);
    const remote = worlds.get('remote') as RemoteDoors;
    const tasks = [
      ...(await remote.tasks({}, 'train')).slice(0, 3),
      ...(await worlds.get('doors')!.tasks({}, 'train')).slice(0, doors),
    ];
    const policy = rounds
      ? new RoundPolicy(tokenizer.vocabSize, capacity({ groups: 16, ...size }))
      : new FakePolicy(tokenizer.vocabSize, capacity({ groups: 16, ...size }));
    const request: RolloutRequest = {
      ...{ tasks, groupSize, limit: 5, temperature: 1, maskActions: true, maxTokensPerTurn: 6, seed: 3, stream: 17 },
      ...{ rules: { invalidAction: 'continue' }, ...change },
    };
    const parts = { policy, worlds, conversation: new Conversation(tokenizer) };
    return { remote, policy, play: (options: RolloutOptions = {}) => rollout(parts, request, options) };
  }

  const plain = (trajectories: readonly Trajectory[]) =>
    trajectories.map(({ task, ...rest }) => ({ ...rest, task: { ...task, world: '' } }));

  it('are called row by row, and give the same trajectories as a batched world', async () => {
    const batched = plain((await play()).trajectories);
    for (const rounds of [true, false]) {
      const { remote, play: remotely } = await open({}, {}, rounds);
      expect(plain(await remotely())).toEqual(batched);
      expect(new Set(remote.calls.map(({ slots }) => slots.length))).toEqual(new Set([1]));
    }
  });

  it('delay no other episode: while one gets no answer, all others are played to their end', async () => {
    for (const rounds of [true, false]) {
      const { remote, play: remotely } = await open({}, { rows: rounds ? 4 : 16, slots: 12 }, rounds);
      let free = () => {};
      const freed = new Promise<void>((resolve) => {
        free = resolve;
      });
      remote.answers = (slot) => (slot === 1 ? freed : Promise.resolve());
      const ends: number[] = [];
      const trajectories = await remotely({
        onEpisodes: (done, total) => {
          ends.push(done);
          // The slow slot is answered only once all others have ended.
          if (done === total - 1) free();
        },
      });
      expect(ends.at(-2)).toBe(11);
      expect(plain(trajectories)).toEqual(plain((await play()).trajectories));
    }
  });

  it('let rows of a replayable world in the same mixture continue', async () => {
    const { remote, play: remotely } = await open({ doors: 2 }, { rows: 4, slots: 20 });
    const order: string[] = [];
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    remote.answers = () => freed;
    const trajectories = await remotely({
      onTurn: ({ task }) => void order.push(task.world),
      onEpisodes: (done) => {
        if (done === 8) free();
      },
    });
    expect(trajectories).toHaveLength(20);
    expect(order.lastIndexOf('doors')).toBeLessThan(order.indexOf('remote'));
  });

  it('abort their calls with the rollout, and a rejected call ends it', async () => {
    const { remote, play: remotely } = await open();
    const stop = new AbortController();
    remote.answers = (_, signal) =>
      new Promise((_, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason));
        stop.abort(new Error('enough'));
      });
    await expect(remotely({ signal: stop.signal })).rejects.toThrow('enough');
    expect(remote.calls.every(({ signal }) => signal?.aborted)).toBe(true);
    const refusing = await open();
    refusing.remote.answers = (slot) => (slot === 2 ? Promise.reject(new Error('no such page')) : Promise.resolve());
    await expect(refusing.play()).rejects.toThrow('no such page');
  });

  it('may begin one task with different texts: each row reads its own, in play and in training', async () => {
    const { remote, policy, play: remotely } = await open({ groupSize: 3 });
    const reset = remote.reset.bind(remote);
    remote.reset = async (slots, tasks, signal) =>
      (await reset(slots, tasks, signal)).map((feedback, k) => ({
        ...feedback,
        observation: slots[k] % 2 ? feedback.observation : `${feedback.observation} wait`,
      }));
    const trajectories = await remotely();
    const prompts = new Set(trajectories.map(({ group, prompt }) => `${group} ${prompt}`));
    expect(prompts.size).toBe(6);
    for (const { batch, trajectory } of pack(trajectories, policy.capacity))
      batch.scored.forEach((at, row) => {
        const { tokens, promptLength } = trajectories[trajectory[row]];
        const child = batch.segments.find(({ parent, start, end }) => parent >= 0 && start <= at && at < end)!;
        const { start, end } = batch.segments[child.parent];
        expect(batch.tokens.subarray(start, end)).toEqual(tokens.subarray(0, promptLength));
      });
  });
});

describe('players', () => {
  const limit = { oraclePlus: 1 };

  async function players() {
    const world = new DoorWorld();
    const tasks = await world.tasks({}, 'train');
    return { world, tasks, players: new Players(new Map([['doors', world]]), 5, false) };
  }

  it('the oracle solves everything in its own number of turns', async () => {
    const { tasks, players: two } = await players();
    expect(await two.oracle(tasks, limit)).toEqual(tasks.map(() => ({ success: true, score: 1, turns: 2 })));
    expect(successRate(await two.oracle(tasks, 1))).toBe(0);
  });

  it('chance has the success rate of the number of valid actions', async () => {
    const { tasks, players: two } = await players();
    const many = tasks.flatMap((task) => Array<Task>(400).fill(task));
    const played = await two.chance(many, 2);
    tasks.forEach((task, t) => {
      const actions =
        2 * new Set(['red', 'blue', 'green', 'grey'].slice(0, 2 + (task.id % 3)).concat(colour(task))).size;
      // The right key (1 of `actions`), then the right door (1 of `actions`).
      const expected = 1 / actions ** 2;
      const rate = successRate(played.slice(t * 400, (t + 1) * 400));
      expect(Math.abs(rate - expected)).toBeLessThan(4 * Math.sqrt((expected * (1 - expected)) / 400));
    });
  });

  it('are skipped if a world lists no actions or has no oracle', async () => {
    const { world, tasks, players: two } = await players();
    const description = world.describe();
    world.describe = () => ({ ...description, hasValidActions: false, hasOracle: false });
    world.reset = () => Promise.reject(new Error('it was asked'));
    const unsolved = tasks.map(() => ({ success: false, score: 0, turns: 0 }));
    expect(await two.chance(tasks, 3)).toEqual(unsolved);
    expect(await two.oracle(tasks, 3)).toEqual(unsolved);
  });

  it('give the same results together as one after the other', async () => {
    const [{ tasks, players: one }, { players: other }] = [await players(), await players()];
    const { chance, oracle } = await one.both(tasks, limit);
    const repeated = tasks.flatMap((task) => Array<Task>(16).fill(task));
    expect(chance.flat()).toEqual(await other.chance(repeated, limit));
    expect(oracle).toEqual(await other.oracle(tasks, limit));
  });

  it('play an episode once, and remember it', async () => {
    const { world, tasks, players: two } = await players();
    const first = await two.chance(tasks, limit);
    const { steps } = world;
    expect(await two.chance(tasks, limit)).toEqual(first);
    expect(world.steps).toBe(steps);
    // Episodes played among others are the same.
    const again = (await players()).players;
    expect((await again.chance([...tasks].reverse(), limit)).reverse()).toEqual(first);
  });
});

const range = (start: number, end: number) => Array.from({ length: end - start }, (_, i) => start + i);
