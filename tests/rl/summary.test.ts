// Summaries that the policy writes: free text without a mask, a line under it, room that always suffices, training that
// is the same to the bit where no summary is due, exact resume, and a world in which only a good summary earns reward.
import { describe, expect, it } from 'vitest';
import type { Feedback, Split, Task, World, WorldOptions } from '../../src/envs/env.ts';
import { parseExperiment } from '../../src/experiment/experiment.ts';
import { presets } from '../../src/experiment/presets.ts';
import { capacityOf } from '../../src/experiment/sizes.ts';
import { worldProblems } from '../../src/experiment/world-checks.ts';
import { defaultChoices } from '../../src/policy/engine/kernel-choices.ts';
import { Model } from '../../src/policy/engine/model.ts';
import { buildTokenizer } from '../../src/policy/text/tokenizer.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { tokenRows } from '../../src/rl/assign-credit.ts';
import { mean } from '../../src/rl/common/numbers.ts';
import { Conversation, tinyFormat } from '../../src/rl/episode/conversation.ts';
import { Episode } from '../../src/rl/episode/episode.ts';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import { rollout } from '../../src/rl/episode/rollout.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { type ContextRules, contextRules, longestWindow, samplesOf } from '../../src/rl/episode/window.ts';
import { scoreRows } from '../../src/rl/score-rows.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { segmentsOf } from '../../src/ui/state/episodes.ts';
import { worldModules } from '../../src/worlds/registry.ts';
import { useDevice } from '../device/open.ts';
import { smallConfig } from '../policy/small-model.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer, trainerWith } from './setup.ts';

const conversation = new Conversation(tokenizer);
const doors = new Map([['doors', new DoorWorld()]]);

async function played(change: object = {}, sizes = capacity()): Promise<Trajectory[]> {
  const tasks = (await new DoorWorld().tasks({}, 'train')).slice(0, 3);
  const policy = new FakePolicy(tokenizer.vocabSize, sizes);
  const request = {
    tasks,
    groupSize: 4,
    limit: 8,
    temperature: 1,
    maskActions: true,
    maxTokensPerTurn: 16,
    context: { form: 'summary', turns: 2, room: 100, summaryTokens: 8 } as ContextRules,
    rules: { invalidAction: 'continue' as const },
    seed: 5,
    stream: 0,
  };
  return rollout({ policy, worlds: doors, conversation }, { ...request, ...change });
}

const linesIn = (texts: readonly string[]) => texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');

describe('a summary under a mask', () => {
  it('is the summary before it or a line since, and is trained as a choice', async () => {
    const trajectories = await played();
    let chosen = 0;
    for (const { turns, windows = [], tokens, source, choices } of trajectories) {
      windows.forEach(({ turn, summary }, w) => {
        const first = windows[w - 1]?.turn ?? 0;
        const answers = turns.slice(Math.max(0, first - 1), turn - 1).map(({ observation }) => observation);
        const offered = new Set(linesIn([windows[w - 1]?.summary?.text ?? '', ...answers]));
        const fits = [...offered].filter((line) => conversation.action(line).length <= 8);
        const { text, start, end } = summary!;
        if (fits.length > 0) expect(fits).toContain(text);
        else expect(text).toBe('');
        expect([...tokens.subarray(start, end)]).toEqual([...conversation.action(text)]);
        const own = [...choices!.position].filter((position) => position >= start && position < end);
        expect(own.every((position) => source[position] === 1)).toBe(true);
        if (own.length > 0) chosen++;
        expect(own.length > 0).toBe(new Set(fits.map((line) => conversation.action(line).join())).size > 1);
      });
    }
    expect(chosen).toBeGreaterThan(2);
    const texts = trajectories.flatMap(({ windows = [] }) => windows.map(({ summary }) => summary!.text));
    expect(new Set(texts).size).toBeGreaterThan(1);
  });

  it('cuts an episode into windows without a token in two of them', async () => {
    for (const each of await played()) {
      const samples = samplesOf(each);
      samples.slice(1).forEach(({ from }, i) => expect(from).toBe(samples[i].summaryEnd));
      const segments = segmentsOf(each);
      expect(segments.filter(({ kind }) => kind === 'summary').length).toBe(each.windows?.length ?? 0);
      expect(segments.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(each.tokens.length);
    }
  });

  it('always has room beside a turn', async () => {
    const sampling = { context: 'summary', contextTurns: 8, maxTokensPerTurn: 8, summaryTokens: 6 } as const;
    const tight = capacity({ completionTokens: 32 });
    const context = contextRules(sampling, 32)!;
    expect((await played({ context: undefined }, tight)).some(({ ending }) => ending === 'context')).toBe(true);
    const trajectories = await played({ context, maxTokensPerTurn: 8 }, tight);
    expect(trajectories.filter(({ ending }) => ending === 'context')).toEqual([]);
    expect(trajectories.some(({ windows }) => windows)).toBe(true);
    for (const each of trajectories) expect(longestWindow(each)).toBeLessThanOrEqual(32);
  });

  it('ends the episode if the next head does not fit', async () => {
    const [prompt] = (await played()).map(({ promptLength }) => promptLength);
    const trajectories = await played({}, capacity({ promptTokens: prompt + 1 }));
    const ended = trajectories.filter(({ ending }) => ending === 'context');
    expect(ended.length).toBeGreaterThan(0);
    for (const { windows } of ended) expect(windows!.at(-1)!.head!.length).toBeGreaterThan(prompt + 1);
  });
});

describe('a summary in free text', () => {
  const free = { maskActions: false };

  it('is what the policy sampled, scored in the window that it closes', async () => {
    const policy = new FakePolicy(tokenizer.vocabSize, capacity());
    const trajectories = await played(free);
    const rows = tokenRows(trajectories);
    const { logprob } = await scoreRows(policy, trajectories, rows, { temperature: 1, weights: 'policy' });
    let scored = 0;
    trajectories.forEach((each, b) => {
      const positions = chosenPositions(each);
      for (const { turn, summary, head } of each.windows ?? []) {
        const { text, start, end } = summary!;
        expect(end - start).toBeLessThanOrEqual(9);
        const sampled = each.tokens.subarray(start, end).filter((_, i) => each.source[start + i] === 1);
        expect(text).toBe(conversation.replyText(sampled));
        const opening = conversation.afterSummary(each.prompt, text, each.turns[turn - 1].observation);
        expect(head).toEqual(conversation.prompt(opening).tokens);
        positions.forEach((position, k) => {
          if (position < start || position >= end) return;
          scored++;
          expect(logprob[rows.offsets[b] + k]).toBeCloseTo(each.logprob[position], 5);
        });
      }
    });
    expect(scored).toBeGreaterThan(20);
  });

  it('is requested in words of a language model, whose next window shows it as notes', () => {
    const spoken = new Conversation(tokenizer, { ...tinyFormat, instructs: true });
    expect(spoken.afterSummary('the task', 'the notes', 'the answer')).toBe(
      'the task\n\nYour notes so far:\nthe notes\n\nthe answer',
    );
    expect(spoken.summaryRequest().tokens.length).toBeGreaterThan(conversation.summaryRequest().tokens.length);
    expect(conversation.afterSummary('the task', 'the notes', 'the answer')).toBe('the task\nthe notes\nthe answer');
  });
});

it('has the newest line in a demonstration, without training on it', () => {
  const rules: ContextRules = { form: 'summary', turns: 2, room: 100, summaryTokens: 8 };
  const settingsOf = { maskActions: true, context: rules, rules: { invalidAction: 'continue' as const } };
  const [task] = [{ world: 'doors', id: 0, options: {}, strata: {} }];
  const episode = new Episode(task, 0, 0, 0, conversation, settingsOf);
  const say = (observation: string, validActions: readonly string[] | null = null): Feedback => ({
    observation,
    reward: 0,
    done: false,
    valid: true,
    validActions,
  });
  episode.start(say('Room 0.', ['go', 'take the key']), new DoorWorld().describe(), 64);
  episode.setHorizon(6, null);
  for (const answer of ['Got it.', 'No.', 'Goal.']) {
    episode.demonstrate('go');
    episode.takeObservation(say(answer));
  }
  const { windows = [], choices } = episode.trajectory();
  expect(windows.map(({ turn, summary }) => [turn, summary!.text])).toEqual([[2, 'Got it.']]);
  const { start, end } = windows[0].summary!;
  expect([...choices!.position].filter((position) => position >= start && position < end)).toEqual([]);
});

describe('a run with summaries', () => {
  const managed = (contextTurns: number): TrainerSettings => {
    const base = settings();
    return { ...base, sampling: { ...base.sampling, context: 'summary', contextTurns, summaryTokens: 8 } };
  };

  it('is the run without them, to the bit, where none is due', async () => {
    const whole = await trainerWith(settings(), new FakePolicy(tokenizer.vocabSize, capacity()));
    const covered = await trainerWith(managed(200));
    for (let k = 1; k <= 2; k++) {
      const [a, b] = [await whole.trainer.step(k), await covered.trainer.step(k)];
      expect(b.trajectories).toEqual(a.trajectories);
      expect(withoutTimes(b.record)).toEqual(withoutTimes(a.record));
    }
    expect(await covered.policy.save()).toEqual(await whole.policy.save());
  });

  it('continues exactly after a resume', async () => {
    const straight = await trainerWith(managed(1));
    for (let k = 1; k <= 3; k++) await straight.trainer.step(k);
    const first = await trainerWith(managed(1));
    await first.trainer.step(1);
    const second = await trainerWith(managed(1));
    await second.policy.load(await first.policy.save());
    await second.policy.load(await first.policy.save({ reference: true }), { reference: true });
    for (let k = 2; k <= 3; k++) await second.trainer.step(k);
    expect(await second.policy.save()).toEqual(await straight.policy.save());
  });

  it('is planned with the room of one window', () => {
    const base = parseExperiment(structuredClone(presets[0]));
    const sampling = { ...base.sampling, context: 'summary' as const, completionTokens: 64 };
    expect(capacityOf({ ...base, sampling }).completionTokens).toBe(64);
    expect(capacityOf({ ...base, sampling }).batchTokens).toBeLessThanOrEqual(1024);
  });

  it('is refused in self-play, and so is what a self does not read', () => {
    const base = parseExperiment(structuredClone(presets[0]));
    const withSeats = worldModules.filter(({ seats }) => seats);
    expect(withSeats.length).toBeGreaterThan(1);
    for (const seats of withSeats) {
      const worlds = [{ name: seats.name, weight: 1, options: { opponent: 'self' } }];
      const problemsWith = (context: string) =>
        worldProblems(
          { ...base, worlds, horizon: [{ turns: 3 }], sampling: { context, branchedEpisodes: 0 } },
          () => seats,
        );
      expect(problemsWith('summary').map(({ path }) => path)).toEqual(['sampling.context']);
      expect(problemsWith('latest')).toEqual([]);
      // The selves of a game without memory read the latest text, so the policy must read no more.
      const wholeEpisodes = seats.seats!.memoryless ? ['sampling.context'] : [];
      for (const context of ['all', 'task', 'last'])
        expect(problemsWith(context).map(({ path }) => path)).toEqual(wholeEpisodes);
    }
  });
});

const colours = ['red', 'blue', 'green'];
const words = ['wait', 'the key is', 'the sky is', 'nothing here', 'which key', ...colours];

/** The first answer names a key and a sky; the last question is after the key. Only a summary can carry it there. */
class RecallWorld implements World {
  private readonly rooms = new Map<number, { id: number; turn: number }>();

  describe() {
    return { ...new DoorWorld().describe(), name: 'recall', hasOracle: false, instruction: '' };
  }

  async tasks(options: WorldOptions, _: Split): Promise<Task[]> {
    return Array.from({ length: 9 }, (_, id) => ({ world: 'recall', id, options, strata: {} }));
  }

  async reset(slots: readonly number[], tasks: readonly Task[]): Promise<Feedback[]> {
    return slots.map((slot, i) => {
      this.rooms.set(slot, { id: tasks[i].id, turn: 0 });
      return { observation: 'wait', reward: 0, done: false, valid: true, validActions: ['wait'] };
    });
  }

  async step(slots: readonly number[], actions: readonly string[]): Promise<Feedback[]> {
    return slots.map((slot, i) => {
      const room = this.rooms.get(slot)!;
      room.turn++;
      const [key, sky] = [colours[room.id % 3], colours[Math.floor(room.id / 3)]];
      const texts = [`the key is ${key}\nthe sky is ${sky}`, 'nothing here', 'which key'];
      const done = room.turn > texts.length;
      const observation = done ? '' : texts[room.turn - 1];
      const reward = done && actions[i] === key ? 1 : 0;
      return { observation, reward, done, valid: true, validActions: room.turn === 3 ? colours : ['wait'] };
    });
  }

  async oracle(slots: readonly number[]) {
    return slots.map(() => null);
  }

  async view() {
    return { kind: 'text' as const, text: '' };
  }

  async close() {}
}

describe('reward through a summary', () => {
  const open = useDevice();
  const recallTokenizer = buildTokenizer(words);
  const config = smallConfig({ vocab_size: recallTokenizer.vocabSize, hidden_size: 32, intermediate_size: 64 });
  const sizes = capacity({ rows: 64, groups: 64, promptTokens: 24, completionTokens: 32, batchTokens: 1024 });

  /** Mean success of the last quarter of the steps, and the share of first summaries that name the key. */
  async function learnt(context: 'summary' | 'task', steps: number) {
    const base = settings();
    const { algorithm, sampling, optimizer } = base;
    const changed = {
      algorithm: { ...algorithm, groups: 9, groupSize: 7, minibatches: 1, innerEpochs: 1, entropy: 0.01 },
      sampling: { ...sampling, context, contextTurns: 1, summaryTokens: 8, maxTokensPerTurn: 8 },
      optimizer: { ...optimizer, learningRate: 0.01, warmupSteps: 0, finalFraction: 1 },
      horizon: [{ steps, turns: 5 }],
      worlds: [{ name: 'recall', weight: 1, options: {} }],
    };
    const policy = await Model.create(await open(), config, {
      capacity: sizes,
      choices: defaultChoices,
      weights: initWeights(config, { seed: 3, std: 0.1 }),
      trainable: true,
      reference: true,
      updateRows: 0,
    });
    const worlds = new Map([['recall', new RecallWorld()]]);
    const trainer = await Trainer.create({ ...base, ...changed }, { policy, worlds, tokenizer: recallTokenizer });
    const late: Trajectory[] = [];
    for (let k = 1; k <= steps; k++) {
      const { trajectories } = await trainer.step(k);
      if (k > 0.75 * steps) late.push(...trajectories);
    }
    policy.destroy();
    const kept = late.map(({ windows = [] }) => windows[1]?.summary?.text.startsWith('the key') ?? false);
    return { success: late.filter(({ success }) => success).length / late.length, kept: mean(kept.map(Number)) };
  }

  it('teaches which line to keep, where a window without one stays at chance', async () => {
    const summary = await learnt('summary', 60);
    expect(summary.kept).toBeGreaterThan(0.8);
    expect(summary.success).toBeGreaterThan(0.6);
    expect((await learnt('task', 60)).success).toBeLessThan(0.45);
  });
});
