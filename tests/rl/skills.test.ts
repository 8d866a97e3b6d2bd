import { describe, expect, it } from 'vitest';
import type { Task, World } from '../../src/envs/env.ts';
import { uniform } from '../../src/rl/common/random.ts';
import { type GoalsSettings, newGoals } from '../../src/rl/goals/registry.ts';
import { SkilledWorld, withSkills } from '../../src/rl/goals/skilled-world.ts';
import { type Skill, Skills, skillsIn, skillText } from '../../src/rl/goals/skills.ts';
import { metricNamed } from '../../src/rl/metrics/metrics.ts';
import type { TrainerSettings } from '../../src/rl/settings.ts';
import { Trainer } from '../../src/rl/trainer.ts';
import { withoutTimes } from '../../src/session/run/schedule.ts';
import { TextCraft } from '../../src/worlds/textcraft/world.ts';
import { trajectory } from '../session/fakes.ts';
import { capacity, DoorWorld, FakePolicy } from './fakes.ts';
import { settings, tokenizer } from './setup.ts';

const skill = (actions: readonly string[], world = 'textcraft'): Skill => ({
  world,
  actions,
  since: 1,
  uses: 0,
  wins: 0,
});

const episode = (actions: readonly string[], success = true, world = 'doors') =>
  trajectory({
    task: { world, id: 1, options: {}, strata: {} },
    success,
    turns: actions.map((action) => ({ ...trajectory().turns[0], action })),
  });

/** Skills from the oracle's plans of these tasks: a plan's first two and its last three actions. */
async function skillsOf(world: World, tasks: readonly Task[]): Promise<Skill[]> {
  await world.reset([...tasks.keys()], tasks);
  const plans = await world.oracle([...tasks.keys()]);
  const all = plans.flatMap((plan) =>
    plan && plan.length > 2 ? [skill(plan.slice(0, 2)), skill(plan.slice(-3))] : [],
  );
  // A library has one skill for each last action.
  return [...new Map(all.map((each) => [skillText(each), each])).values()];
}

describe('skills as actions', () => {
  it('change the number of turns and nothing else', async () => {
    const [inner, plain] = [await TextCraft.open(), await TextCraft.open()];
    const tasks = (await plain.tasks({ depths: [2, 3], distractors: 2 }, 'train')).slice(0, 12);
    const all = await skillsOf(plain, tasks);
    const world = new SkilledWorld(inner, () => all);
    let taken = 0;
    for (const [seed, task] of tasks.entries()) {
      let [feedback] = await world.reset([3], [task]);
      await plain.reset([3], [task]);
      let valid: readonly string[] = feedback.validActions!;
      for (let turn = 0; turn < 12 && !feedback.done; turn++) {
        const skills = valid.filter((each) => each.startsWith('* '));
        const from = skills.length > 0 && uniform(seed, turn, 1) < 0.5 ? skills : valid;
        const action = from[Math.floor(from.length * uniform(seed, turn))];
        const steps = all.find((each) => skillText(each) === action);
        [feedback] = await world.step([3], [action]);
        valid = feedback.validActions ?? valid;
        if (action.startsWith('* ')) {
          taken++;
          // An offered skill is accepted as a whole.
          expect(feedback.valid).toBe(true);
        }
        const texts = [];
        let last = null;
        for (const one of action.startsWith('* ') ? steps!.actions : [action]) {
          [last] = await plain.step([3], [one]);
          texts.push(last.observation);
        }
        expect([feedback.observation, feedback.reward, feedback.done]).toEqual([
          texts.join('\n'),
          last!.reward,
          last!.done,
        ]);
        expect(await world.view(3)).toEqual(await plain.view(3));
      }
    }
    expect(taken).toBeGreaterThan(5);
  });

  it('are offered only where the copy accepts all of their actions, and not to chance', async () => {
    const doors = new DoorWorld();
    const key = skill(['get blue key', 'open blue door'], 'doors');
    const world = withSkills(new Map<string, World>([['doors', doors]]), () => [key]).get('doors')!;
    const tasks = await world.tasks({}, 'train');
    const feedback = await world.reset([0, 1], [tasks[1], tasks[2]]);
    // The door of task 1 is blue, that of task 2 green.
    expect(feedback.map(({ validActions }) => validActions!.includes(skillText(key)))).toEqual([true, false]);
    const [done] = await world.step([0], [skillText(key)]);
    expect([done.reward, done.done, done.observation]).toEqual([1, true, 'Got it.\nOpened.']);
    const play = { turns: 1, endOnInvalid: false, seed: 1 };
    const chance = await world.playBaselines!(
      Array.from({ length: 50 }, (_, i) => ({ player: 'chance', task: tasks[1], key: i })),
      play,
    );
    expect(chance.every(({ success }) => !success)).toBe(true);
  });
});

describe('the library of skills', () => {
  it('keeps the shortest actions of a part, and gives up what is used least', () => {
    const texts = new Map<string, string>();
    const library = new Skills({ skills: 2 }, texts);
    library.learn(episode(['a', 'b', 'z']), 1);
    library.learn(episode(['c', 'z']), 2);
    library.learn(episode(['y']), 2);
    library.learn(episode(['a', 'b', 'c', 'd', 'e', 'f']), 2);
    library.learn(episode(['p', 'q']), 3);
    library.observe([episode(['* z', 'x'], false), episode(['* z'])]);
    expect(library.all.map(({ actions, uses, wins }) => [actions.join(), uses, wins])).toEqual([
      ['c,z', 2, 1],
      ['p,q', 0, 0],
    ]);
    expect(library.share).toBeCloseTo(2 / 3, 12);
    // A skill inside another is written out.
    library.learn(episode(['* z', 'w']), 4);
    expect(library.all.map(({ actions }) => actions.join())).toEqual(['c,z', 'c,z,w']);
    library.commit();
    expect(skillsIn(texts)).toEqual(library.all);
  });
});

/** Doors whose part is the key, which takes two turns: the world first asks for patience. */
class SlowDoors extends DoorWorld {
  private readonly asked = new Map<number, { task: Task; hasWaited: boolean }>();

  async subgoals(tasks: readonly Task[]): Promise<Task[][]> {
    return tasks.map((task) => (task.options.part ? [] : [{ ...task, options: { ...task.options, part: true } }]));
  }

  override async reset(slots: readonly number[], tasks: readonly Task[]) {
    for (const [i, slot] of slots.entries()) this.asked.set(slot, { task: tasks[i], hasWaited: false });
    const begun = await super.reset(slots, tasks);
    return begun.map((each) => ({ ...each, validActions: ['wait', ...each.validActions!] }));
  }

  override async step(slots: readonly number[], actions: readonly string[]) {
    const rows = slots.map((slot) => this.asked.get(slot)!);
    const sent = actions.map((action, i) => (rows[i].hasWaited || action === 'wait' ? action : 'open grey door'));
    const answers = await super.step(slots, sent);
    return answers.map((feedback, i) => {
      if (actions[i] === 'wait') rows[i].hasWaited = true;
      const isPart = rows[i].task.options.part && feedback.observation === 'Got it.';
      return isPart ? { ...feedback, reward: 1, done: true } : feedback;
    });
  }
}

it('a training with skills learns, offers and counts them, and resumes exactly', async () => {
  const chosen = settings({
    algorithm: { ...settings().algorithm, minibatches: 1, innerEpochs: 1 } as TrainerSettings['algorithm'],
    goals: {
      ...newGoals('uniform'),
      ...{ retryShare: 0.25, retryGap: 1, partsShare: 0.5, relabels: 32, skills: 4 },
    } as GoalsSettings,
    horizon: [{ steps: 100, turns: 3 }],
  });
  const open = async (policy = new FakePolicy(tokenizer.vocabSize, capacity())) => {
    const worlds = new Map([['doors', new SlowDoors()]]);
    return { policy, trainer: await Trainer.create(chosen, { policy, worlds, tokenizer }) };
  };
  const whole = await open();
  const expected = [];
  for (let k = 1; k <= 8; k++) expected.push(withoutTimes((await whole.trainer.step(k)).record));
  const early = await open();
  for (let k = 1; k <= 6; k++) await early.trainer.step(k);
  const late = await open(new FakePolicy(tokenizer.vocabSize, capacity(), 256, 64, 99));
  await late.policy.load(await early.policy.save({ reference: true }), { reference: true });
  await late.policy.load(await early.policy.save());
  for (let k = 7; k <= 8; k++) expect(withoutTimes((await late.trainer.step(k)).record)).toEqual(expected[k - 1]);
  const all = expected.map(({ metrics }) => metrics);
  for (const name of ['goalsSkills', 'goalsSkillTurns'])
    expect(
      all.some((metrics) => metrics[name] > 0),
      name,
    ).toBe(true);
  for (const metrics of all) for (const name of Object.keys(metrics)) expect(metricNamed(name), name).toBeDefined();
});
