// Managed context: each turn's window against windows written from the texts, log-probabilities and gradients against
// the double-precision model on one sequence for each turn, and training that is the same to the bit where a window
// covers every turn.
import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/envs/env.ts';
import { defaultChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import type { PackedBatch } from '../../src/policy/policy.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { scoreAlternatives } from '../../src/rl/alternatives.ts';
import { tokenRows } from '../../src/rl/assign-credit.ts';
import { Conversation } from '../../src/rl/episode/conversation.ts';
import { demonstrate } from '../../src/rl/episode/demonstrations.ts';
import { chosenPositions, pack } from '../../src/rl/episode/micro-batch.ts';
import { rememberingWorlds } from '../../src/rl/episode/remembering-world.ts';
import { type RolloutRequest, rollout } from '../../src/rl/episode/rollout.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { type ContextRules, contextRules, longestWindow } from '../../src/rl/episode/window.ts';
import { likelihoodObjective } from '../../src/rl/objective/likelihood.ts';
import { scoreRows } from '../../src/rl/score-rows.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { Updater } from '../../src/rl/updater.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { decodeTrajectories, encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { trajectoryFromJson, trajectoryToJson } from '../../src/trajectories/files/lossless.ts';
import { contextOf } from '../../src/ui/stage/read-context.ts';
import { openWorld } from '../../src/worlds/registry.ts';
import { useDevice } from '../device/open.ts';
import { ReferencePolicy } from '../policy/reference-policy.ts';
import { smallConfig } from '../policy/small-model.ts';
import { hasWorlds } from '../worlds.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const open = useDevice();
const conversation = new Conversation(tokenizer);
const config = smallConfig({ vocab_size: tokenizer.vocabSize });
const room = capacity({ batchTokens: 160 });
const optimizer = { learningRate: 0.01, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 };
const sgd = { ...optimizer, maxGradNorm: Number.POSITIVE_INFINITY };

const modelWith = async (sizes = room) =>
  Model.create(await open(), config, {
    capacity: sizes,
    choices: defaultChoices,
    weights: initWeights(config, { seed: 5, std: 0.4 }),
    trainable: true,
    reference: false,
    updateRows: 512,
  });

/** Doors that say whether the agent has the key. */
class MemoryDoors extends DoorWorld {
  private readonly keys = new Set<number>();

  override describe() {
    return { ...super.describe(), hasMemory: true };
  }

  override async reset(slots: readonly number[], tasks: readonly Task[]) {
    for (const slot of slots) this.keys.delete(slot);
    return super.reset(slots, tasks);
  }

  override async step(slots: readonly number[], actions: readonly string[]) {
    const feedback = await super.step(slots, actions);
    for (const [i, { observation }] of feedback.entries()) if (observation === 'Got it.') this.keys.add(slots[i]);
    return feedback;
  }

  async inspect(slot: number, what: string) {
    return what === 'memory' ? memoryText(this.keys.has(slot)) : null;
  }
}

const memoryText = (hasKey: boolean) => (hasKey ? 'Got it.' : 'No.');
const doors = () => rememberingWorlds(new Map([['doors', new MemoryDoors()]]));

const windows: ContextRules[] = [
  { form: 'task', turns: 1, room: 100 },
  { form: 'task', turns: 2, room: 100 },
  contextRules({ context: 'latest', maxTokensPerTurn: 8 }, 100)!,
  { form: 'last', turns: 1, room: 100 },
  { form: 'last', turns: 2, room: 100 },
  { form: 'memory', turns: 1, room: 100 },
  { form: 'summary', turns: 1, room: 100, summaryTokens: 8 },
  { form: 'summary', turns: 2, room: 100, summaryTokens: 8 },
];

/** Index of the first earlier turn that turn `t` reads. */
const firstRead = (t: number, { form, turns: most }: ContextRules) =>
  form === 'summary' ? t - (t % most) : Math.max(0, t - most);

const request = (change: Partial<RolloutRequest>): RolloutRequest => ({
  tasks: [],
  groupSize: 3,
  limit: 6,
  temperature: 1,
  maskActions: true,
  maxTokensPerTurn: 16,
  rules: { invalidAction: 'continue' },
  seed: 5,
  stream: 0,
  ...change,
});

async function played(policy: Model | FakePolicy, change: Partial<RolloutRequest> = {}): Promise<Trajectory[]> {
  const tasks = (await new DoorWorld().tasks({}, 'train')).slice(0, 3);
  const parts = { policy, worlds: doors(), conversation };
  return rollout(parts, request({ tasks, ...change }));
}

/** Tokens before turn `t`, written from the texts of the episode and its sampled tokens. */
function windowAt({ turns, tokens, prompt, windows }: Trajectory, t: number, rules: ContextRules): number[] {
  const first = firstRead(t, rules);
  const memory = memoryText(turns.slice(0, t).some(({ observation }) => observation === 'Got it.'));
  const last = turns[first - 1]?.observation;
  const summary = windows?.find(({ turn }) => turn === first)?.summary?.text;
  const moved = { task: prompt, last, memory: `${prompt}\n${memory}`, summary: `${prompt}\n${summary}\n${last}` };
  const opening = first === 0 ? prompt : moved[rules.form];
  const earlier = turns
    .slice(first, t)
    .flatMap((turn) => [
      ...tokens.subarray(turn.actionStart, turn.actionEnd),
      ...conversation.observation(turn.observation).tokens,
    ]);
  return [...conversation.prompt(opening).tokens, ...earlier];
}

interface TurnSample {
  batch: PackedBatch;
  /** Index of the trajectory, and of each scored token among its trained tokens. */
  trajectory: number;
  choices: number[];
}

/** What the policy wrote: the action of each turn and the summaries, each with the tokens before it. */
function writtenBy(trajectory: Trajectory, rules: ContextRules): { before: number[]; start: number; end: number }[] {
  const { turns, tokens, windows = [] } = trajectory;
  const actions = turns.map(({ actionStart: start, actionEnd: end }, t) => ({
    before: windowAt(trajectory, t, rules),
    start,
    end,
  }));
  const summaries = windows.flatMap(({ turn, summary }) => {
    if (!summary) return [];
    const { actionStart, actionEnd } = turns[turn - 1];
    const request = conversation.observation('').tokens;
    const before = [...windowAt(trajectory, turn - 1, rules), ...tokens.subarray(actionStart, actionEnd), ...request];
    return [{ before, start: summary.start, end: summary.end }];
  });
  return [...actions, ...summaries];
}

/** One sequence for each turn, without shared segments. */
function turnSamples(trajectories: readonly Trajectory[], rules: ContextRules): TurnSample[] {
  return trajectories.flatMap((trajectory, index) =>
    writtenBy(trajectory, rules).flatMap(({ before, start, end }) => {
      const tokens = Int32Array.from([...before, ...trajectory.tokens.subarray(start, end)]);
      const positions = chosenPositions(trajectory);
      const choices = [...positions.keys()].filter((k) => positions[k] >= start && positions[k] < end);
      if (choices.length === 0) return [];
      const lists = choices.map((k) => {
        const { offsets, tokens: allowed } = trajectory.choices!;
        return [...allowed.subarray(offsets[k], offsets[k + 1])];
      });
      const offsets = Int32Array.from([0, ...lists.map((_, i) => lists.slice(0, i + 1).flat().length)]);
      const scored = Int32Array.from(choices, (k) => before.length + positions[k] - start);
      const segments = [{ start: 0, end: tokens.length, parent: -1 }];
      const batch = { tokens, segments, scored, allowed: { offsets, tokens: Int32Array.from(lists.flat()) } };
      return [{ batch, trajectory: index, choices }];
    }),
  );
}

/** A coefficient for each trained token, of either sign. */
const coefficient = (trajectory: number, choice: number) => Math.sin(1 + 13 * trajectory + 5 * choice);

/** First moments after a step without clipping: a tenth of the gradient. */
const momentsOf = async (policy: Pick<Model, 'save'>) =>
  [...(await policy.save()).tensors].filter(([name]) => name.startsWith('exp_avg.'));

const objective = { objective: likelihoodObjective, scalars: [], optimizer: sgd };

async function expectSameMoments(ours: Pick<Model, 'save'>, other: Pick<Model, 'save'>, tolerance: number) {
  const expected = new Map(await momentsOf(other));
  for (const [name, { data }] of await momentsOf(ours)) {
    const truth = expected.get(name)!.data;
    const scale = Math.max(...truth.map(Math.abs), 1e-3);
    data.forEach((value, i) => expect(Math.abs(value - truth[i]) / scale, name).toBeLessThan(tolerance));
  }
}

describe.each(windows)('context $form of $turns turns', (rules) => {
  it('reads, scores and trains the windows that the texts make', async () => {
    const model = await modelWith();
    const trajectories = await played(model, { context: rules });
    expect(trajectories.some(({ windows }) => (windows?.length ?? 0) > 1)).toBe(true);
    const samples = turnSamples(trajectories, rules);
    const rows = tokenRows(trajectories);
    const { logprob } = await scoreRows(model, trajectories, rows, { temperature: 1, weights: 'policy' });
    const reference = new ReferencePolicy(config, initWeights(config, { seed: 5, std: 0.4 }), room);
    for (const { batch, trajectory, choices } of samples) {
      const scores = await reference.score(batch, { temperature: 1, weights: 'policy' });
      choices.forEach((choice, i) => {
        const position = chosenPositions(trajectories[trajectory])[choice];
        expect(logprob[rows.offsets[trajectory] + choice]).toBeCloseTo(scores.logprob[i], 4);
        expect(trajectories[trajectory].logprob[position]).toBeCloseTo(scores.logprob[i], 4);
      });
    }
    const batches = pack(trajectories, model.capacity).map(({ batch, trajectory, choice }) => ({
      batch,
      columns: [Float32Array.from(trajectory, (index, row) => coefficient(index, choice[row]))],
    }));
    await model.update({ batches, ...objective }, { temperature: 1 });
    const single = samples.map(({ batch, trajectory, choices }) => ({
      batch,
      columns: [Float32Array.from(choices, (choice) => coefficient(trajectory, choice))],
    }));
    await reference.update({ batches: single, ...objective }, { temperature: 1 });
    await expectSameMoments(model, reference, 2e-4);
    model.destroy();
  });

  it('samples what training scores, and draws anew in each window', async () => {
    const model = await modelWith();
    const trajectories = await played(model, { context: rules, groupSize: 6 });
    const rows = tokenRows(trajectories);
    const { logprob } = await scoreRows(model, trajectories, rows, { temperature: 1, weights: 'policy' });
    const isExact = (await open()).sharesMemory;
    trajectories.forEach((trajectory, b) => {
      const own = Float32Array.from(chosenPositions(trajectory), (position) => trajectory.logprob[position]);
      const again = Float32Array.from(logprob.subarray(rows.offsets[b], rows.offsets[b + 1]));
      if (isExact) expect(again).toEqual(own);
      else own.forEach((value, k) => expect(again[k]).toBeCloseTo(value, 4));
    });
    const alternating = trajectories.filter(({ turns }) => new Set(turns.map(({ action }) => action)).size > 1);
    expect(alternating.length).toBeGreaterThan(trajectories.length / 2);
    const [one] = trajectories;
    const position = chosenPositions(one).at(-1)!;
    const scores = await scoreAlternatives(model, one, position, 1);
    const { offsets, tokens } = one.choices!;
    const allowed = [...tokens.subarray(offsets.at(-2), offsets.at(-1))];
    expect(scores[allowed.indexOf(one.tokens[position])]).toBeCloseTo(one.logprob[position], 4);
    model.destroy();
  });

  it('is what the reader shows for each turn', async () => {
    const trajectories = await played(new FakePolicy(tokenizer.vocabSize, capacity()), { context: rules });
    const moved = trajectories.filter(({ windows }) => windows);
    expect(moved.length).toBeGreaterThan(0);
    for (const each of moved)
      each.turns.forEach((_, t) => {
        const first = firstRead(t, rules);
        const form = first === 0 ? 'task' : rules.form;
        expect(contextOf(each, t)).toEqual({ first, form, tokens: windowAt(each, t, rules).length });
      });
  });

  it('survives storage', async () => {
    const trajectories = await played(new FakePolicy(tokenizer.vocabSize, capacity()), { context: rules });
    expect(trajectories.some(({ windows }) => windows)).toBe(true);
    expect(decodeTrajectories(encodeTrajectories(trajectories))).toEqual(trajectories);
    for (const each of trajectories)
      expect(trajectoryFromJson(JSON.parse(JSON.stringify(trajectoryToJson(each))))).toEqual(each);
  });

  it('writes demonstrations in the windows in which the policy plays', async () => {
    const tasks = await new DoorWorld().tasks({}, 'train');
    const worlds = doors();
    const missteps = { episodes: 1, random: 0.8, refused: 0 };
    const bounds = { promptTokens: 64, completionTokens: 128 };
    const options = { maskActions: true, ...bounds, missteps, seed: 3, context: rules };
    const { trajectories } = await demonstrate({ worlds, conversation }, tasks, options);
    const moved = trajectories.filter(({ windows }) => windows);
    expect(moved.length).toBeGreaterThan(0);
    for (const each of moved)
      for (const { batch, choices } of turnSamples([each], rules)) {
        const positions = chosenPositions(each);
        const packed = pack([each], room).find(({ choice }) => choice.includes(choices[0]))!;
        const row = packed.choice.indexOf(choices[0]);
        const end = packed.batch.scored[row];
        const { segments, tokens } = packed.batch;
        const own = segments.find((segment) => segment.start <= end && end < segment.end)!;
        const head = segments[own.parent];
        const read = [...tokens.subarray(head.start, head.end), ...tokens.subarray(own.start, end)];
        expect(read).toEqual([...batch.tokens.subarray(0, batch.scored[0])]);
        expect(positions[choices[0]]).toBe(packed.position[row]);
      }
  });
});

it.skipIf(!hasWorlds('sciworld'))('takes what the agent saw and carries from ScienceWorld', async () => {
  const world = await openWorld('sciworld');
  const [task] = await world.tasks({ tasks: ['find-plant'] }, 'train');
  const remembering = rememberingWorlds(new Map([['sciworld', world]])).get('sciworld')!;
  await remembering.reset([0], [task]);
  const [{ observation: before }] = await world.step([0], ['inventory']);
  const [{ memory, observation }] = await remembering.step([0], ['look around']);
  expect(memory).toBe(`${observation}\n${before}`);
  expect(observation).not.toContain(memory);
  await remembering.close();
});

describe('windows and whole episodes', () => {
  const managed = (contextTurns: number, change: Partial<TrainerSettings> = {}) => {
    const base = settings(change);
    return { ...base, sampling: { ...base.sampling, context: 'task' as const, contextTurns } };
  };

  it('trains equal to the bit where the window covers all turns', async () => {
    const whole = await trainerWith(settings());
    const covered = await trainerWith(managed(200));
    for (let k = 1; k <= 4; k++) {
      const [a, b] = [await whole.trainer.step(k), await covered.trainer.step(k)];
      expect(b.trajectories).toEqual(a.trajectories);
      expect(withoutTimes(b.record)).toEqual(withoutTimes(a.record));
    }
    expect(await covered.policy.save()).toEqual(await whole.policy.save());
  });

  it('continues exactly after a resume', async () => {
    const straight = await trainerWith(managed(1));
    for (let k = 1; k <= 4; k++) await straight.trainer.step(k);
    const first = await trainerWith(managed(1));
    for (let k = 1; k <= 2; k++) await first.trainer.step(k);
    const second = await trainerWith(managed(1));
    await second.policy.load(await first.policy.save());
    await second.policy.load(await first.policy.save({ reference: true }), { reference: true });
    for (let k = 3; k <= 4; k++) await second.trainer.step(k);
    expect(await second.policy.save()).toEqual(await straight.policy.save());
  });

  it('gives the same losses and gradients if each turn repeats its whole prefix', async () => {
    const model = await modelWith();
    const again = await modelWith();
    const trajectories = await played(model);
    const stepwise = trajectories.map((each) => ({
      ...each,
      windows: each.turns
        .slice(1)
        .map((_, i) => ({ turn: i + 1, form: 'task' as const, head: null, from: each.promptLength })),
    }));
    const batchesOf = (all: readonly Trajectory[]) =>
      pack(all, model.capacity).map(({ batch, trajectory, choice }) => ({
        batch,
        columns: [Float32Array.from(trajectory, (index, row) => coefficient(index, choice[row]))],
      }));
    const losses = async (policy: Model, all: readonly Trajectory[]) => {
      const { outputs } = await policy.update({ batches: batchesOf(all), ...objective }, { temperature: 1 });
      return outputs.flatMap(({ loss }) => [...loss]);
    };
    const [whole, split] = [await losses(model, trajectories), await losses(again, stepwise)];
    if ((await open()).sharesMemory) expect(split).toEqual(whole);
    else split.forEach((loss, i) => expect(loss).toBeCloseTo(whole[i], 4));
    await expectSameMoments(again, model, 1e-5);
    model.destroy();
    again.destroy();
  });

  it('counts the windows of an episode as one episode, in any number of micro-batches', async () => {
    const large = await modelWith(capacity({ batchTokens: 2048, batchScored: 1024 }));
    const small = await modelWith();
    const rules: ContextRules = { form: 'task', turns: 1, room: 100 };
    const trajectories = await played(large, { context: rules });
    for (const [i, each] of trajectories.entries()) {
      each.advantages = new Float32Array(chosenPositions(each).length).fill(i % 2 ? 1 : -0.5);
      // As if the weights had moved since the rollout.
      each.logprob = each.logprob.map((value, k) => (value === 0 ? 0 : value - 0.02 * Math.sin(k)));
    }
    const algorithm = {
      ...settings().algorithm,
      name: 'gspo',
      ratio: 'sequence',
      aggregation: 'seq-mean-token-mean',
      minibatches: 1,
      innerEpochs: 1,
      kl: { estimator: 'k3', coefficient: 0 },
    } as TrainerSettings['algorithm'];
    const training = { trajectories, extras: new Map() };
    const losses: number[][] = [];
    for (const policy of [large, small]) {
      const updater = new Updater(policy, { ...settings(), algorithm });
      const [minibatch] = await updater.minibatches(training);
      expect(minibatch.batches.length > 1).toBe(policy === small);
      losses.push([...(await updater.gradientOf(minibatch))!]);
    }
    const scale = Math.max(...losses[0].map(Math.abs));
    losses[0].forEach((value, i) => expect(Math.abs(losses[1][i] - value) / scale).toBeLessThan(1e-5));
    large.destroy();
    small.destroy();
  });

  it('drops more turns where they exceed the room, and plays on', async () => {
    const tight = capacity({ completionTokens: 24 });
    const rules = contextRules({ context: 'task', contextTurns: 6, maxTokensPerTurn: 8 }, tight.completionTokens)!;
    const whole = await played(new FakePolicy(tokenizer.vocabSize, tight));
    expect(whole.some(({ ending }) => ending === 'context')).toBe(true);
    const managedPlay = await played(new FakePolicy(tokenizer.vocabSize, tight), { context: rules });
    expect(managedPlay.filter(({ ending }) => ending === 'context')).toEqual([]);
    for (const each of managedPlay) expect(longestWindow(each)).toBeLessThanOrEqual(tight.completionTokens);
  });
});
