// Imitation on the stand-in policy and world: demonstrations in the policy's own tokens, the loss and its gradient, a
// policy that learns from them.

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { WorldOptions } from '../../src/envs/env.ts';
import { oneAction } from '../../src/envs/reply.ts';
import { chatFamilies } from '../../src/policy/text/chat-templates.ts';
import { listeningWeights } from '../../src/rl/algorithms/from-data.ts';
import { sft } from '../../src/rl/algorithms/sft.ts';
import { tokenRows } from '../../src/rl/assign-credit.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { conversationOf } from '../../src/rl/episode/conversation-files.ts';
import { demonstrate, imitate, policyStartIndices, updateTowards } from '../../src/rl/episode/demonstrations.ts';
import { chosenPositions, pack } from '../../src/rl/episode/micro-batch.ts';
import { rollout } from '../../src/rl/episode/rollout.ts';
import { TokenSource } from '../../src/rl/episode/trajectory.ts';
import { likelihoodCoefficients, likelihoodObjective } from '../../src/rl/objective/likelihood.ts';
import { bpeTokenizer } from '../policy/bpe-fixture.ts';
import { capacity, colour, DoorWorld, FakePolicy } from './fakes.ts';
import { onRows } from './on-rows.ts';
import { tokenizer, settings as trainerSettings, trainerWith } from './setup.ts';

const room = { promptTokens: 64, completionTokens: 128 };
const optimizer = {
  learningRate: 0.5,
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: Number.POSITIVE_INFINITY,
};

async function shown(
  options: WorldOptions,
  maskActions: boolean,
  size: Omit<Parameters<typeof demonstrate>[2], 'maskActions'> = room,
) {
  const world = new DoorWorld();
  const conversation = new Conversation(tokenizer);
  const tasks = await world.tasks(options, 'train');
  const parts = { worlds: new Map([['doors', world]]), conversation };
  return { ...(await demonstrate(parts, tasks, { maskActions, ...size })), tasks, conversation };
}

describe('demonstrations', () => {
  it('are the oracle’s plans, in the tokens that a policy would have sampled', async () => {
    for (const maskActions of [true, false]) {
      const { trajectories, skipped, tasks, conversation } = await shown({}, maskActions);
      expect([trajectories.length, skipped]).toEqual([tasks.length, 0]);
      trajectories.forEach(({ turns, tokens, source, ending, success, score, oracleTurns }, i) => {
        const name = colour(tasks[i]);
        expect(turns.map(({ action }) => action)).toEqual([`get ${name} key`, `open ${name} door`]);
        expect({ ending, success, score, oracleTurns }).toEqual({
          ending: 'success',
          success: true,
          score: 1,
          oracleTurns: 2,
        });
        for (const { action, actionStart, actionEnd } of turns) {
          expect(tokens.subarray(actionStart, actionEnd)).toEqual(conversation.action(action));
          expect(source.subarray(actionStart, actionEnd).every((who) => who === TokenSource.policy)).toBe(true);
        }
      });
    }
  });

  it('continue from the policy’s beginning, whose turns are read and not learnt', async () => {
    const world = new DoorWorld();
    const tasks = await world.tasks({}, 'train');
    const own = tasks.map((task) => ['wait', `get ${colour(task)} key`, 'wait', 'wait'].map((action) => ({ action })));
    for (const maskActions of [true, false]) {
      const beginnings = new Map(own.entries());
      const { trajectories, skipped } = await shown({}, maskActions, { ...room, policyTurns: beginnings });
      expect([trajectories.length, skipped]).toEqual([tasks.length, 0]);
      const lengths = trajectories.map((trajectory, i) => {
        const { turns, source, success } = trajectory;
        const actions = turns.map(({ action }) => action);
        const begins = turns.findIndex(({ actionStart }) => source[actionStart] === TokenSource.policy);
        expect(begins).toBeGreaterThan(0);
        expect(begins).toBeLessThan(own[i].length);
        expect(actions.slice(0, begins)).toEqual(own[i].slice(0, begins).map(({ action }) => action));
        // The oracle does not fetch a key that the policy already has.
        const [key, door] = [`get ${colour(tasks[i])} key`, `open ${colour(tasks[i])} door`];
        expect(actions.slice(begins)).toEqual(begins > 1 ? [door] : [key, door]);
        expect(success).toBe(true);
        const chosen = new Set(chosenPositions(trajectory));
        for (const { actionStart, actionEnd } of turns.slice(0, begins))
          for (let at = actionStart; at < actionEnd; at++) expect(chosen.has(at)).toBe(false);
        return begins;
      });
      expect(new Set(lengths).size).toBeGreaterThan(1);
      const again = await shown({}, maskActions, { ...room, policyTurns: beginnings });
      expect(again.trajectories.map(({ tokens }) => tokens)).toEqual(trajectories.map(({ tokens }) => tokens));
      // With no beginnings the demonstrations are the oracle's plain play.
      const plain = (await shown({}, maskActions)).trajectories;
      const none = (await shown({}, maskActions, { ...room, policyTurns: new Map() })).trajectories;
      expect(none.map(({ tokens }) => tokens)).toEqual(plain.map(({ tokens }) => tokens));
    }
  });

  it('are only the oracle’s after a beginning of one turn, and are left out if the beginning ended the episode', async () => {
    const world = new DoorWorld();
    const tasks = await world.tasks({}, 'train');
    const short = new Map(tasks.map((_, place) => [place, [{ action: 'wait' }]]));
    expect((await shown({}, true, { ...room, policyTurns: short })).trajectories[0].turns).toHaveLength(2);
    const trapped = new Map(tasks.map((_, place) => [place, [{ action: 'open trap' }, { action: 'wait' }]]));
    const { trajectories, skipped } = await shown({}, false, { ...room, policyTurns: trapped });
    expect([trajectories.length, skipped]).toEqual([0, tasks.length]);
  });

  it('begin with the policy’s turns in the share that SFT sets', async () => {
    const begunBy = async (dagger: number) => {
      const algorithm = { ...v.parse(sft.schema, { name: 'sft', groups: 3, groupSize: 2 }), dagger };
      const { trainer } = await trainerWith(trainerSettings({ algorithm } as never));
      const { trajectories, record } = await trainer.step(1);
      return { trajectories, record };
    };
    const [none, all] = [await begunBy(0), await begunBy(1)];
    const withBeginning = ({ trajectories }: typeof none) =>
      trajectories.filter(({ turns, source }) => source[turns[0].actionStart] !== TokenSource.policy).length;
    expect(policyStartIndices(0, 400, {})).toEqual([]);
    expect(policyStartIndices(1, 3, {})).toEqual([0, 1, 2]);
    expect(Math.abs(policyStartIndices(0.6, 400, { seed: 1, step: 2 }).length / 400 - 0.6)).toBeLessThan(0.1);
    expect(withBeginning(none)).toBe(0);
    expect(withBeginning(all)).toBeGreaterThan(0);
    expect(all.record.metrics.demonstrations).toBeGreaterThan(0);
  });

  it('count the choices under the mask; without it every token of a turn', async () => {
    const masked = (await shown({}, true)).trajectories;
    const free = (await shown({}, false)).trajectories;
    masked.forEach((trajectory, i) => {
      const rows = trajectory.choices!;
      rows.position.forEach((position, row) => {
        const allowed = rows.tokens.subarray(rows.offsets[row], rows.offsets[row + 1]);
        expect(allowed.length).toBeGreaterThan(1);
        expect(allowed).toContain(trajectory.tokens[position]);
      });
      expect(free[i].choices).toBeNull();
      expect(free[i].tokens).toEqual(trajectory.tokens);
      const policyTokens = free[i].turns.reduce((sum, { actionStart, actionEnd }) => sum + actionEnd - actionStart, 0);
      expect(chosenPositions(free[i])).toHaveLength(policyTokens);
      expect(chosenPositions(trajectory).length).toBeLessThan(policyTokens);
    });
  });

  it('contain missteps if so set, are replanned after them, and teach none of them', async () => {
    const missteps = { episodes: 1, random: 0.5, refused: 0 };
    for (const maskActions of [true, false]) {
      const { trajectories, conversation } = await shown({}, maskActions, { ...room, missteps, seed: 3, step: 2 });
      const again = await shown({}, maskActions, { ...room, missteps, seed: 3, step: 2 });
      expect(again.trajectories.map(({ tokens }) => tokens)).toEqual(trajectories.map(({ tokens }) => tokens));
      expect(trajectories.length).toBeGreaterThan(0);
      expect(trajectories.every(({ success }) => success)).toBe(true);
      const strayed = trajectories.filter(({ turns, oracleTurns }) => turns.length > oracleTurns!);
      expect(strayed.length).toBeGreaterThan(0);
      for (const trajectory of strayed) {
        const learnt = new Set(chosenPositions(trajectory));
        const { turns, source, tokens } = trajectory;
        const missed = turns.filter(({ actionStart }) => source[actionStart] === TokenSource.template);
        expect(missed.length).toBeGreaterThan(0);
        for (const { action, actionStart, actionEnd } of missed) {
          expect(tokens.subarray(actionStart, actionEnd)).toEqual(conversation.action(action));
          for (let at = actionStart; at < actionEnd; at++) expect(learnt.has(at)).toBe(false);
        }
      }
    }
  });

  it('are independent of the seed if they contain no missteps', async () => {
    const missteps = { episodes: 0, random: 0.5, refused: 0.5 };
    const plain = (await shown({}, true)).trajectories;
    const seeded = (await shown({}, true, { ...room, missteps, seed: 9, step: 4 })).trajectories;
    expect(seeded.map(({ tokens }) => tokens)).toEqual(plain.map(({ tokens }) => tokens));
  });

  it('are scored in every token after the prompt, the policy’s and the world’s, for a policy that listens', async () => {
    for (const maskActions of [true, false]) {
      const { trajectories } = await shown({}, maskActions, { ...room, trainsOnWorldText: true });
      for (const trajectory of trajectories) {
        const { source, promptLength, tokens, choices } = trajectory;
        const textTokens = Array.from(tokens.keys()).filter(
          (at) => at >= promptLength && source[at] !== TokenSource.template,
        );
        expect(Array.from(chosenPositions(trajectory))).toEqual(textTokens);
        expect(textTokens.some((at) => source[at] === TokenSource.world)).toBe(true);
        expect(choices!.tokens).toHaveLength(0);
      }
      const [{ batch }] = pack(trajectories, capacity());
      expect(batch.allowed).toBeNull();
    }
  });

  it('leave out tasks without a plan, with a failing world or an action that is not offered, or too long', async () => {
    for (const options of [{ silent: true }, { absent: true }, { fails: true }] as WorldOptions[]) {
      expect((await shown(options, false)).trajectories).toHaveLength(0);
    }
    expect((await shown({ only: true }, true)).trajectories).toHaveLength(0);
    expect((await shown({ only: true }, false)).skipped).toBe(0);
    expect((await shown({}, true, { promptTokens: 4, completionTokens: 128 })).trajectories).toHaveLength(0);
    const short = await shown({}, true, { promptTokens: 64, completionTokens: 12 });
    expect([short.trajectories.length, short.skipped]).toEqual([0, short.tasks.length]);
  });

  it('of a language model contain its template’s tokens and an action that its world’s parser finds', async () => {
    const llm = bpeTokenizer(chatFamilies.llama3.specialTokens);
    const conversation = await conversationOf(llm, { tokenizerConfig: chatFamilies.llama3.config });
    class Spoken extends DoorWorld {
      override describe() {
        return { ...super.describe(), instruction: 'Open doors.', reply: oneAction };
      }
    }
    const world = new Spoken();
    const tasks = await world.tasks({}, 'train');
    const { trajectories } = await demonstrate({ worlds: new Map([['doors', world]]), conversation }, tasks, {
      maskActions: false,
      promptTokens: 512,
      completionTokens: 512,
    });
    expect(trajectories).toHaveLength(tasks.length);
    for (const { turns, tokens } of trajectories) {
      for (const { action, reply, actionStart, actionEnd } of turns) {
        expect(reply).toBe(`Action:\n${action}`);
        expect(tokens[actionEnd - 1]).toBe(conversation.endOfTurn);
        expect(conversation.replyText(tokens.subarray(actionStart, actionEnd))).toBe(reply);
      }
    }
  });
});

describe('listening', () => {
  it('weighs a token of the world by the given share of the policy’s, with a mean of one', async () => {
    const { trajectories } = await shown({}, true, { ...room, trainsOnWorldText: true });
    const rows = tokenRows(trajectories);
    const weights = listeningWeights({ rows, returns: [], trajectories }, 0.25);
    expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(weights.length, 6);
    const own = new Set<number>();
    const worlds = new Set<number>();
    trajectories.forEach((trajectory, b) => {
      chosenPositions(trajectory).forEach((at, k) => {
        const to = trajectory.source[at] === TokenSource.world ? worlds : own;
        to.add(weights[rows.offsets[b] + k]);
      });
    });
    expect([own.size, worlds.size]).toEqual([1, 1]);
    expect([...worlds][0] / [...own][0]).toBeCloseTo(0.25, 9);
  });

  it('applies these weights to the rows of an update', async () => {
    const algorithm = v.parse(sft.schema, { name: 'sft', groups: 2, groupSize: 2, listening: 0.5 });
    const { trainer, policy } = await trainerWith(trainerSettings({ algorithm }));
    await trainer.step(1);
    const [{ batches }] = policy.updates;
    const values = new Set(batches.flatMap(({ columns }) => Array.from(columns[0])));
    expect(values.size).toBe(2);
    const [low, high] = [...values].sort((a, b) => a - b);
    expect(low / high).toBeCloseTo(0.5, 5);
  });
});

describe('the loss', () => {
  it('has the slope of its own differences, for any coefficient', () => {
    for (const [logprob, coefficient] of [
      [-0.2, 1],
      [-7, 0.125],
      [-1, -2],
    ]) {
      const h = 1e-6;
      const at = (x: number) => onRows(likelihoodObjective, [], { logprob: [x], coefficient: [coefficient] });
      const slope = (at(logprob + h).loss[0] - at(logprob - h).loss[0]) / (2 * h);
      expect(at(logprob).weight[0]).toBeCloseTo(slope, 6);
    }
  });

  it('is the mean over all counted tokens, and a weight of 0 leaves a row out', () => {
    expect(Array.from(likelihoodCoefficients([3, 0, 5], 'token-mean'))).toEqual([1 / 8, 0, 1 / 8]);
    expect(Array.from(likelihoodCoefficients([3, 1, 4], 'token-mean', [1, 0, 2]))).toEqual([1 / 8, 0, 1 / 4]);
  });

  it('is reported by an update, however the rows are split into batches', async () => {
    const { trajectories } = await shown({}, true);
    const all = (change = {}) => new FakePolicy(tokenizer.vocabSize, capacity(change));
    const step = { maskActions: true, aggregation: 'token-mean' as const, optimizer };
    const [one, many] = [all(), all({ batchTokens: 48 })];
    const whole = await updateTowards(one, trajectories, step);
    const cut = await updateTowards(many, trajectories, step);
    expect(many.updates[0].batches.length).toBeGreaterThan(one.updates[0].batches.length);
    expect(cut.tokens).toBe(whole.tokens);
    expect(cut.nats).toBeCloseTo(whole.nats, 5);
    expect(cut.gradNorm).toBeCloseTo(whole.gradNorm, 5);
    expect(await updateTowards(all(), [], step)).toEqual({ tokens: 0, nats: 0, gradNorm: 0 });
  });
});

describe('a policy that imitates', () => {
  async function success(policy: FakePolicy, maskActions: boolean): Promise<number> {
    const world = new DoorWorld();
    const trajectories = await rollout(
      { policy, worlds: new Map([['doors', world]]), conversation: new Conversation(tokenizer) },
      {
        tasks: await world.tasks({}, 'train'),
        groupSize: 16,
        limit: 2,
        temperature: 1,
        maskActions,
        maxTokensPerTurn: 8,
        rules: { invalidAction: 'continue' },
        seed: 5,
        stream: 1,
      },
    );
    return trajectories.filter((trajectory) => trajectory.success).length / trajectories.length;
  }

  it.each([true, false])('plays as the oracle does (mask: %s)', async (maskActions) => {
    const world = new DoorWorld();
    const policy = new FakePolicy(tokenizer.vocabSize, capacity({ batchScored: 256 }), 1024);
    const before = await success(policy, maskActions);
    const parts = { policy, worlds: new Map([['doors', world]]), conversation: new Conversation(tokenizer) };
    const tasks = await world.tasks({}, 'train');
    const step = { maskActions, aggregation: 'token-mean' as const, optimizer };
    const nats: number[] = [];
    for (let k = 0; k < 25; k++) nats.push((await imitate(parts, tasks, step)).nats);
    expect(before).toBeLessThan(0.2);
    expect(nats.at(-1)!).toBeLessThan(nats[0] / 10);
    expect(await success(policy, maskActions)).toBeGreaterThan(0.75);
  });

  it('gets demonstrations from the trainer for the tasks of its step', async () => {
    const { trainer, policy } = await trainerWith(trainerSettings());
    const { demonstrations, tokens, gradNorm } = await trainer.imitate(1, { episodes: 5, learningRate: 0.5 });
    expect(demonstrations).toBe(5);
    expect(tokens).toBeGreaterThan(5);
    expect(gradNorm).toBeGreaterThan(0);
    expect(policy.updates[0]).toMatchObject({ objective: { name: 'imitation' }, optimizer: { learningRate: 0.5 } });
  });
});
