/** The library's entries on Node: a run from experiment to file, its policy, and its trajectories. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRun, readTrajectories, writeTrajectories } from '../../src/library/files.ts';
import { createRun, importRun, openTrainer, preset, type Run } from '../../src/library/index.ts';
import { loadPolicy } from '../../src/library/policy.ts';

const small = {
  ...preset('micro'),
  steps: 2,
  horizon: [{ steps: 2, turns: 2 }],
  evaluation: { every: 2, episodes: 4 },
};
const machine = { device: 'wasm', threads: 1 } as const;

let run: Run;
let file: Uint8Array<ArrayBuffer>;
const steps: number[] = [];
const states: string[] = [];

beforeAll(async () => {
  run = await createRun(small, machine);
  run.on('step', ({ step }) => steps.push(step));
  run.on('status', ({ status }) => states.push(status));
  await run.train();
  file = await run.export();
});

afterAll(() => run.close());

describe('a run', () => {
  test('reports each step and its state', async () => {
    expect(steps).toEqual([0, 1, 2]);
    expect(states.at(-1)).toBe('finished');
    expect([run.step, run.status]).toEqual([2, 'finished']);
    expect((await run.records()).map(({ step }) => step)).toEqual([0, 1, 2]);
  });

  test('plays an episode without training', async () => {
    const turns = await run.watch({ task: 3 });
    expect(turns.length).toBeGreaterThan(0);
    expect(turns.length).toBeLessThanOrEqual(2);
  });

  test('is evaluated on its own held-out tasks', async () => {
    const { items, settings } = await run.evaluate({ greedy: true });
    expect(items).toHaveLength(4);
    expect(settings).toMatchObject({ greedy: true, samples: 1 });
  });

  test('goes on from its file, with the same steps', async () => {
    const copy = await importRun(file, machine);
    expect([copy.step, copy.experiment]).toEqual([2, run.experiment]);
    const longer = await copy.fork(2, { steps: 3 });
    await longer.train();
    expect(longer.step).toBe(3);
    await copy.close();
  });
});

test('a trainer lists its runs, and plans their memory', async () => {
  const trainer = await openTrainer(machine);
  const made = await trainer.createRun(small);
  expect((await trainer.listRuns()).map(({ id }) => id)).toEqual([made.id]);
  expect((await trainer.plan(small)).fits).toBe(true);
  await trainer.close();
});

test('a browser store is refused on Node', async () => {
  await expect(createRun(small, { ...machine, store: 'browser' })).rejects.toThrow('store is "browser"');
});

describe('the files of a run', () => {
  test('trajectories become messages and are read again', async () => {
    const read = readRun(file);
    expect(read.trajectorySteps).toEqual([1, 2]);
    const records = read.trajectories(2);
    expect(records).toHaveLength(8);
    const text = writeTrajectories(records, 'openai-messages');
    const again = await readTrajectories(new TextEncoder().encode(text));
    expect(again.format).toBe('openai-messages');
    const texts = (all: typeof records) => all.map(({ messages }) => messages!.map(({ content }) => content));
    expect(texts(again.records)).toEqual(texts(records));
  });
});

describe('the policy of a run', () => {
  const messages = [{ role: 'user', content: readObservation() }] as const;

  test('chooses among the texts that it is given', async () => {
    const policy = await loadPolicy(file, machine);
    const choices = ['inventory', 'get 1 oak log'];
    for (const seed of [1, 2]) expect(choices).toContain((await policy.act(messages, { choices, seed }))[0]);
    await policy.close();
  });

  // As the temperature grows, every token of the vocabulary becomes equally likely: logprob = -tokens * ln(V).
  test('scores texts over the whole vocabulary', async () => {
    const policy = await loadPolicy(file, machine);
    const scores = await policy.score(messages, ['inventory', 'get 1 oak log'], { temperature: 1e6 });
    const sizes = scores.map(({ logprob, tokens }) => Math.exp(-logprob / tokens));
    expect(scores[1].tokens).not.toBe(scores[0].tokens);
    expect(sizes[0]).toBeCloseTo(Math.round(sizes[0]), 1);
    expect(sizes[1]).toBeCloseTo(sizes[0], 1);
    await policy.close();
  });
});

function readObservation(): string {
  return 'Crafting commands:\ncraft 4 oak planks using 1 oak log\n\nGoal: craft oak planks.';
}
