// A malformed experiment is refused with the path, the value and the bound of each problem.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ExperimentError, parseExperiment } from '../../src/experiment/experiment.ts';
import { differences, writePath } from '../../src/experiment/paths.ts';
import { capacityOf } from '../../src/experiment/sizes.ts';
import { worldProblems } from '../../src/experiment/world-checks.ts';
import { withLanguageModel } from '../../src/models/draft.ts';
import { worldModule } from '../../src/worlds/registry.ts';
import { rowsHere } from '../worlds.ts';

const read = (name: string) => JSON.parse(readFileSync(`experiments/${name}`, 'utf8'));
const micro = read('micro.json');

function problemsOf(document: unknown) {
  try {
    parseExperiment(document);
  } catch (error) {
    if (error instanceof ExperimentError) return error.problems;
    throw error;
  }
  return [];
}

it.each(readdirSync('experiments').filter((name) => name.endsWith('.json')))(
  '%s is an experiment, and filling its defaults twice changes nothing',
  (name) => {
    const experiment = parseExperiment(read(name));
    expect(parseExperiment(experiment)).toEqual(experiment);
    expect(differences(read(name), experiment).every(({ from }) => from === undefined)).toBe(true);
  },
);

it('an adapter that names a projection twice is refused', () => {
  const document = withLanguageModel(parseExperiment(micro), 'smollm2-135m', 'int4');
  const policy = { ...document.policy, lora: { rank: 4, alpha: 8, targets: ['q_proj', 'v_proj', 'q_proj'] } };
  expect(problemsOf({ ...document, policy })).toEqual([
    { path: 'policy.lora.targets', message: expect.stringContaining('must not repeat one of the projections') },
  ]);
});

describe('a value out of range is refused by path and bound', () => {
  it.each([
    ['steps', 0, 'must be at least 1', '(it is 0)'],
    ['policy.layers', 17, 'must be at most 16', '(it is 17)'],
    ['policy.hidden', 30, 'must be a multiple of 4', '(it is 30)'],
    ['policy.kind', 'large', 'must be "tiny" or ', '(it is "large")'],
    ['algorithm.name', 'sarsa', '"grpo"', '"sarsa"'],
    ['algorithm.kl.coefficient', -1, 'must be at least 0', '(it is -1)'],
    ['algorithm.kl.estimator', 'k9', 'must be one of: k1, ', '(it is "k9")'],
    ['sampling.temperature', 0, 'must be at least 0.01', '(it is 0)'],
    ['optimizer.learningRate', 'fast', 'must be a number from 0 to 1', '(it is "fast")'],
    ['horizon', [], 'must have 1 to 32 stages', '(it is [])'],
    ['worlds.0.name', 'chess', 'textcraft', '"chess"'],
    ['format', 'tabgym-experiment-9', 'tabgym-experiment-1', 'tabgym-experiment-9'],
  ])('%s = %j', (path, value, bound, received) => {
    const problems = problemsOf(writePath(micro, path, value));
    expect(problems).toHaveLength(1);
    expect(problems[0].path).toBe(path);
    expect(problems[0].message).toContain(bound);
    expect(problems[0].message).toContain(received);
  });

  const options: [string, object, string, string][] = [
    ['textcraft', { depths: [5] }, 'worlds.0.options.depths.0', 'at most 4'],
    ['textcraft', { levels: [1] }, 'worlds.0.options.levels', 'no such option'],
    ['babyai', { levels: [41] }, 'worlds.0.options.levels.0', 'at most 40'],
    ['babyai', { trainSeeds: 0 }, 'worlds.0.options.trainSeeds', 'at least 1'],
    ['babyai', { observation: 'short' }, 'worlds.0.options.observation', '"short"'],
    ['sciworld', { tasks: ['fly'] }, 'worlds.0.options.tasks.0', 'find-plant'],
    ['sciworld', { stepLimit: 1001 }, 'worlds.0.options.stepLimit', '1001'],
  ];
  it.each(rowsHere(options))('an option of %s: %j', (name, options, path, message) => {
    const problems = problemsOf(writePath(micro, 'worlds.0', { name, options }));
    expect(problems.map((each) => each.path)).toEqual([path]);
    expect(problems[0].message).toContain(message);
  });

  it('names a missing field and an unknown one', () => {
    const { steps: _, ...without } = micro;
    expect(problemsOf({ ...without, step: 3 }).map((p) => p.path)).toEqual(['steps', 'step']);
  });

  it('lists every problem at once', () => {
    const broken = writePath(writePath(micro, 'policy.layers', 99), 'steps', -1);
    expect(() => parseExperiment(broken)).toThrow(/cannot be run:\n {2}steps: .*\n {2}policy\.layers: /);
  });

  it.each([null, 3, 'text', [], {}])('refuses %j', (document) => {
    expect(problemsOf(document).length).toBeGreaterThan(0);
  });
});

describe('a document from before the algorithm was a variant', () => {
  const old = (normalizeByStd: boolean, name = 'grpo') => ({
    ...micro,
    algorithm: { ...micro.algorithm, name, normalizeByStd, advantageEpsilon: 1e-6 },
  });

  it('becomes GRPO if it divided by the spread, whatever its name', () => {
    for (const name of ['grpo', 'dr-grpo'])
      expect(parseExperiment(old(true, name)).algorithm).toEqual(parseExperiment(micro).algorithm);
  });

  it('becomes Dr. GRPO if it did not, under the same aggregation', () => {
    const { algorithm } = parseExperiment(old(false));
    expect(algorithm).toMatchObject({ name: 'dr-grpo', aggregation: 'token-mean', lossScaleFactor: null });
    const given = { ...old(false), algorithm: { ...old(false).algorithm, lossScaleFactor: 50 } };
    expect(parseExperiment(given).algorithm).toMatchObject({ lossScaleFactor: 50 });
  });

  it('is refused unchanged if it is invalid in the old form as well', () => {
    expect(problemsOf({ ...micro, algorithm: { ...micro.algorithm, normalizeByStd: 3 } })).toHaveLength(1);
  });
});

describe("a stage in SFT's older form, with a share of random turns", () => {
  const staged = (settings: object) => ({
    ...micro,
    stages: [{ steps: 2, algorithm: { name: 'sft', groups: 2, groupSize: 2, ...settings } }],
  });
  const missteps = (settings: object) => {
    const [{ algorithm }] = parseExperiment(staged(settings)).stages!;
    return algorithm.name === 'sft' ? algorithm.missteps : undefined;
  };

  it('gets missteps instead', () => {
    expect(missteps({ noise: 0.1 })?.episodes).toBe(1);
    expect(missteps({ noise: 0.1 })?.random).toBeCloseTo(0.07);
    expect(missteps({ noise: 0.1 })?.refused).toBeCloseTo(0.03);
  });

  it('keeps its missteps if it had no random turns', () => {
    const own = { episodes: 0.4, random: 0.1, refused: 0 };
    expect(missteps({ noise: 0, missteps: own })).toEqual(own);
  });

  it('is refused if the share is not a number', () => {
    expect(problemsOf(staged({ noise: 'much' })).length).toBeGreaterThan(0);
  });

  it('keeps its missteps under their first name, and has none if they were null', () => {
    const own = { episodes: 0.4, random: 0.1, refused: 0.2 };
    expect(missteps({ noise: own })).toEqual(own);
    for (const none of [{ noise: null }, { missteps: null }, { noise: 0, missteps: null }])
      expect(missteps(none)).toEqual(missteps({}));
  });
});

describe('names of older documents', () => {
  it("keeps the turn discount of MT-GRPO, which had the name of PPO's", () => {
    const { algorithm } = parseExperiment({ ...micro, algorithm: { name: 'mt-grpo', groups: 2, turnGamma: 0.5 } });
    expect(algorithm).toMatchObject({ name: 'mt-grpo', turnDiscount: 0.5 });
  });
});

describe('problems between fields', () => {
  it.each([
    ['policy.kvHeads', 3, /3 does not divide policy\.heads \(2\)/],
    ['policy.previousTokenHeads', 1, /needs policy\.qkvBias/],
    ['algorithm.minibatches', 9, /9 is more than the 2 groups/],
    ['worlds', [{ name: 'textcraft', weight: 0 }], /every weight is 0/],
  ])('%s = %j', (path, value, message) => {
    const problems = problemsOf(writePath(micro, path, value));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ path, message: expect.stringMatching(message) });
  });

  it('refuses a horizon relative to the oracle of a world that has none, and a tiny policy without a vocabulary', () => {
    const experiment = parseExperiment({
      ...micro,
      horizon: [
        { steps: 1, turns: 3 },
        { steps: 1, turns: { oraclePlus: 1 } },
      ],
    });
    const { name } = experiment.worlds[0];
    expect(worldProblems(experiment, worldModule)).toEqual([]);
    const web = { ...worldModule(name), title: 'Web', hasOracle: false, vocabulary: undefined };
    expect(worldProblems(experiment, () => web)).toEqual([
      { path: 'horizon.1.turns', message: expect.stringMatching(/^Web has no oracle/) },
      { path: 'worlds.0.name', message: expect.stringMatching(/^Web has no vocabulary/) },
    ]);
    const fluent = withLanguageModel(experiment, 'qwen2.5-0.5b', 'int4');
    expect(worldProblems({ ...fluent, horizon: [{ turns: 3 }] }, () => web)).toEqual([]);
  });

  it('limits of turns by world, without an oracle and of one world twice', () => {
    const { name } = micro.worlds[0];
    const module = worldModule(name);
    const document = (...turns: (number | object | null)[]) => ({
      ...parseExperiment(micro),
      horizon: [{ turns: { oraclePlus: 1 } }],
      worlds: turns.map((each) => ({ name, options: {}, turns: each })),
    });
    const without = { ...module, title: 'Web', hasOracle: false };
    expect(worldProblems(document(4), () => without)).toEqual([]);
    expect(worldProblems(document({ oraclePlus: 2 }), () => without)).toEqual([
      { path: 'worlds.0.turns', message: 'Web has no oracle to count from: give a number of turns' },
    ]);
    expect(worldProblems(document(4, 4), () => module)).toEqual([]);
    expect(worldProblems(document(4, null), () => module)).toEqual([
      { path: 'worlds.1.turns', message: expect.stringMatching(/differs from that of worlds\.0, .* the same limit/) },
    ]);
    expect(problemsOf(writePath(micro, 'worlds.0.turns', 0)).map(({ path }) => path)).toEqual(['worlds.0.turns']);
    expect(problemsOf({ ...micro, goals: { rule: 'size', power: 3 } })[0]).toMatchObject({ path: 'goals.power' });
  });

  const looking = { qkvBias: true, previousTokenHeads: 2, heads: 2, kvHeads: 2, headDim: 16, layers: 2, hidden: 48 };
  it.each([
    [{ ...looking, inductionHeads: 2, copyScale: 0.5 }, null, null],
    [{ ...looking, inductionHeads: 2 }, 'policy.inductionHeads', /copyScale above 0 \(it is 0\)/],
    [{ ...looking, inductionHeads: 3, copyScale: 0.5 }, 'policy.inductionHeads', /3 is more than .* \(2\)/],
    [{ ...looking, inductionHeads: 2, copyScale: 0.5, kvHeads: 1 }, 'policy.inductionHeads', /kvHeads \(1\) as/],
    [{ ...looking, inductionHeads: 2, copyScale: 0.5, layers: 1 }, 'policy.inductionHeads', /two layers/],
    [{ ...looking, inductionHeads: 2, copyScale: 0.5, hidden: 44 }, 'policy.inductionHeads', /= 48 \(it is 44\)/],
    [{ qkvBias: true, qkNorm: true }, 'policy.qkvBias', /not together with policy\.qkNorm/],
    [{ qkvBias: true, previousTokenHeads: 3 }, 'policy.previousTokenHeads', /3 is more than policy\.heads \(2\)/],
    [{ qkvBias: true, previousTokenHeads: 2 }, null, null],
  ])('how a policy starts: %j', (start, path, message) => {
    const problems = problemsOf({ ...micro, policy: { ...micro.policy, ...start } });
    expect(problems.map((each) => each.path)).toEqual(path ? [path] : []);
    if (message) expect(problems[0].message).toMatch(message);
  });
});

it('plans smaller batches with free tokens for a policy that thinks under a mask', () => {
  const agent = read('textcraft-agent.json');
  const sizes = (thoughts: number, maskActions: boolean) =>
    capacityOf(parseExperiment({ ...agent, sampling: { ...agent.sampling, thoughts, maskActions } }));
  expect(sizes(64, true)).toMatchObject({ freeTokens: true, batchScored: 1024 });
  for (const other of [sizes(0, true), sizes(64, false)]) {
    expect(other.freeTokens).toBeUndefined();
    expect(other.batchScored).toBe(4096);
  }
});
