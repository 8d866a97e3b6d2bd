// A teacher behind an API: a run that learns from a served agent has the credit of one that learns from its copy, over
// real HTTP; faults of a server by name; what the document must say; whom episodes may be sent to.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireAllowances } from '../../src/cli/allowances.ts';
import { WasmDevice } from '../../src/device/wasm/device.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { requireAllowed } from '../../src/library/experiment.ts';
import { shippedAgent } from '../../src/library/node/shipped-agents.ts';
import { parameterShapes, writeConfig } from '../../src/policy/config.ts';
import type { Learner } from '../../src/policy/policy.ts';
import { buildTokenizer, Tokenizer } from '../../src/policy/text/tokenizer.ts';
import { piecesOf } from '../../src/policy/weights/base.ts';
import { initWeights } from '../../src/policy/weights/init.ts';
import { chosenPositions } from '../../src/rl/episode/micro-batch.ts';
import { servedTeacher } from '../../src/session/api/served-teacher.ts';
import type { Engine } from '../../src/session/engine.ts';
import type { NamedFiles } from '../../src/session/policies/kind.ts';
import { modelConfigOf } from '../../src/session/policies/tiny.ts';
import { readRunFile } from '../../src/session/run-file.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { openRunEngine } from '../../src/session/service/loaded-policy.ts';
import { withTeachers } from '../../src/session/service/teacher-files.ts';
import { textsOf } from '../../src/session/text/vocabulary.ts';
import { openWorld } from '../../src/worlds/registry.ts';

const { sweep: _, ...maze } = JSON.parse(readFileSync('experiments/distil-maze.json', 'utf8'));
const taught = (teacher: string, change: object = {}) => ({
  ...maze,
  steps: 2,
  evaluation: { every: 0, episodes: 4 },
  sampling: { ...maze.sampling, maskActions: false },
  algorithm: { ...maze.algorithm, groups: 2, groupSize: 4, teacher },
  ...change,
});
const opening = { choices: null, onProgress: () => {}, signal: new AbortController().signal };

let device: WasmDevice;
let engines: Assembly;
let agent: Engine;
let vocabulary: Tokenizer;
let base: Awaited<ReturnType<typeof makeBase>>;
let address = '';
const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));

/** The micro experiment's own policy as a language model. */
async function makeBase() {
  const world = await openWorld('textcraft');
  const tokenizer = buildTokenizer(await textsOf(world));
  await world.close();
  const config = modelConfigOf(parseExperiment(micro) as Parameters<typeof modelConfigOf>[0], tokenizer);
  const weights = initWeights(config, { seed: 8, std: 0.1 });
  const texts = { 'config.json': writeConfig(config), 'tokenizer.json': JSON.stringify(tokenizer.json) };
  return { tokenizer, config, texts, pieces: () => piecesOf(weights, parameterShapes(config)) };
}

const requests: { prompt: number[]; model: string; key: string | undefined }[] = [];

/** Log-probabilities of a prompt's tokens under the shipped agent, each scored after those before it. */
async function logprobsOf(prompt: readonly number[]): Promise<(number | null)[]> {
  const { policy } = (await agent.completionPolicy!())!;
  const tokens = Int32Array.from(prompt);
  const segments = [{ start: 0, end: tokens.length, parent: -1 }];
  const scored = Int32Array.from({ length: tokens.length - 1 }, (__, i) => i + 1);
  const batch = { tokens, segments, scored, allowed: null };
  const { logprob } = await (policy as Learner).score(batch, { temperature: 1, weights: 'policy' });
  return [null, ...logprob];
}

// Requests come several at a time; the device takes one.
let last: Promise<unknown> = Promise.resolve();
const server = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  const { prompt, model, echo, logprobs } = JSON.parse(body);
  requests.push({ prompt, model, key: request.headers.authorization });
  const answer = last.then(() => (model === 'constant' ? prompt.map(() => -2) : logprobsOf(prompt)));
  last = answer.catch(() => {});
  const tokens = [
    ...prompt.map((id: number) => (model === 'constant' ? base.tokenizer : vocabulary).decode([id])),
    'x',
  ];
  const choice = {
    text: tokens.join(''),
    finish_reason: 'length',
    logprobs: { tokens, token_logprobs: [...(await answer), -1] },
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(echo && logprobs ? { choices: [choice] } : {}));
});

beforeAll(async () => {
  device = await WasmDevice.open({ threads: 1 });
  const modelSettings = (at: string) => (at === address ? { token: 'secret-key' } : {});
  base = await makeBase();
  const models = { open: async () => base, openOnnx: () => Promise.reject(new Error('not asked for')) };
  engines = new Assembly({ machine: { open: async () => device }, openWorld, modelSettings, models });
  const run = readRunFile((await shippedAgent('maze-few'))!, 'maze-few');
  agent = await openRunEngine(engines, run, 'maze-few', (experiment) => experiment);
  vocabulary = new Tokenizer(JSON.parse(new TextDecoder().decode(agent.assets['tokenizer.json'])));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

afterAll(async () => {
  server.close();
  await agent?.close();
  device?.destroy();
});

async function stepOf(experiment: Experiment, assets: NamedFiles | null) {
  const engine = await engines.open(experiment, { ...opening, assets });
  try {
    await engine.initialize();
    return await engine.training!.step(1, { signal: opening.signal });
  } finally {
    await engine.close();
  }
}

async function firstStep(teacher: string, change: object = {}) {
  const { experiment, assets } = await withTeachers(parseExperiment(taught(teacher, change)), shippedAgent);
  return stepOf(experiment, assets);
}

const windows = { sampling: { ...maze.sampling, maskActions: false, context: 'last', contextTurns: 2 } };

it.each([
  ['whole episodes', {}],
  ['windows of two turns', windows],
])('a served agent gives the credit of its copy: %s', async (__, change) => {
  requests.length = 0;
  const served = await firstStep(`maze-few@${address}`, change);
  const copied = await firstStep('maze-few', change);
  expect(served.trajectories).toHaveLength(copied.trajectories.length);
  for (const [i, { tokens, advantages }] of served.trajectories.entries()) {
    expect(tokens).toEqual(copied.trajectories[i].tokens);
    expect(advantages.length).toBeGreaterThan(0);
    advantages.forEach(
      (each, k) => void expect(Math.abs(each - copied.trajectories[i].advantages[k])).toBeLessThan(2e-4),
    );
  }
  expect(served.record.metrics.teacherKl).toBeCloseTo(copied.record.metrics.teacherKl, 4);
  expect(Math.abs(served.record.metrics.teacherKl)).toBeGreaterThan(0.1);
  expect(requests.length).toBeGreaterThanOrEqual(served.trajectories.length);
  expect(requests.every(({ model, key }) => model === 'maze-few' && key === 'Bearer secret-key')).toBe(true);
});

it('teaches an adapter on a language model', async () => {
  const lora = { rank: 2, alpha: 4, targets: ['q_proj', 'v_proj'] };
  const policy = { kind: 'lora', model: 'a small model', weights: 'f32', kvCache: 'f32', lora };
  const document = {
    ...micro,
    steps: 1,
    policy,
    sampling: { ...micro.sampling, maskActions: false },
    algorithm: { name: 'distillation', groups: 2, groupSize: 2, teacher: `constant@${address}` },
  };
  const { trajectories, record } = await stepOf(parseExperiment(document), null);
  for (const each of trajectories) {
    const expected = Array.from(chosenPositions(each), (at) => -2 - each.logprob[at]);
    expect(expected.length).toBeGreaterThan(0);
    expected.forEach((gap, k) => void expect(each.advantages[k]).toBeCloseTo(gap, 5));
  }
  expect(record.metrics.gradNorm).toBeGreaterThan(0);
});

describe('a server that does not teach', () => {
  const tokenizer = buildTokenizer(['go north', 'go south']);
  const tokens = tokenizer.encode('go north go south');
  const texts = [...tokens].map((id) => tokenizer.decode([id]));
  const numbers: (number | null)[] = [...tokens].map((_id, i) => (i === 0 ? null : -i));
  const completion = (logprobs: unknown) => ({ choices: [{ text: 'x', finish_reason: 'length', logprobs }] });
  const answers = (list: readonly [status: number, body: object][]) => {
    const left = [...list];
    const fetch = async () => {
      const [status, body] = left.length > 1 ? left.shift()! : left[0];
      return new Response(JSON.stringify(body), { status });
    };
    const named = { text: 'm@http://a.test/v1', model: 'm', address: 'http://a.test/v1' };
    const settings = () => ({ token: 'secret-key' });
    return servedTeacher(named, tokenizer, settings, { fetch: fetch as never, retryMs: 1 }).tokenLogprobs(tokens);
  };
  const good = completion({ tokens: texts, token_logprobs: numbers });

  it('is asked again where it fails for a time', async () => {
    const found = await answers([
      [503, { error: { message: 'busy' } }],
      [200, good],
    ]);
    expect([...found]).toEqual(numbers.map((value) => value ?? Number.NaN));
  });

  it.each<[string, number, object, RegExp]>([
    [
      'no numbers',
      200,
      completion(null),
      /m@http:\/\/a\.test\/v1 cannot teach this run: its answer lacks .* echo and logprobs/,
    ],
    ['null within', 200, completion({ tokens: texts, token_logprobs: numbers.with(2, null) }), /null for token 2 of/],
    ['too few', 200, completion({ tokens: texts.slice(1), token_logprobs: numbers.slice(1) }), /its answer lacks/],
    [
      'another vocabulary',
      200,
      completion({ tokens: texts.with(1, 'west'), token_logprobs: numbers }),
      /token \d+ is "west" there and ".*" here/,
    ],
    [
      'another id',
      200,
      completion({ tokens: texts.map(() => 'token_id:999'), token_logprobs: numbers }),
      /token_id:999/,
    ],
    [
      'a probability above 1',
      200,
      completion({ tokens: texts, token_logprobs: numbers.with(2, 0.5) }),
      /0\.5 for token 2 of/,
    ],
    ['a word', 200, completion({ tokens: texts, token_logprobs: numbers.with(2, 'a' as never) }), /"a" for token 2 of/],
    ['a wrong key', 401, { error: { message: 'bad key secret-key' } }, /did not answer: HTTP 401: bad key \*\*\*/],
    ['echo refused', 400, { error: { message: 'echo is not supported' } }, /HTTP 400: echo is not supported/],
    [
      'a short context',
      400,
      { error: { message: "This model's maximum context length is 2 tokens." } },
      /The context has \d+ tokens: serve the model with more/,
    ],
    ['a filter', 400, { error: { code: 'content_filter', message: 'filtered' } }, /its answer lacks/],
    ['never better', 500, { error: { message: 'down' } }, /in 5 tries: HTTP 500: down/],
  ])('%s', async (__, status, body, message) => {
    await expect(answers([[status, body]])).rejects.toThrow(message);
  });

  it('accepts ids as the texts, and other spaces', async () => {
    const ids = completion({ tokens: [...tokens].map((id) => `token_id:${id}`), token_logprobs: numbers });
    await expect(answers([[200, ids]])).resolves.toHaveLength(tokens.length);
    const raw = completion({ tokens: [...tokens].map((id) => tokenizer.token(id)), token_logprobs: numbers });
    await expect(answers([[200, raw]])).resolves.toHaveLength(tokens.length);
    const spaced = completion({ tokens: texts.map((text) => ` ${text}`), token_logprobs: numbers });
    await expect(answers([[200, spaced]])).resolves.toHaveLength(tokens.length);
  });
});

describe('the document', () => {
  const teacher = 'qwen@https://teacher.test/v1';
  it.each([
    [{ sampling: maze.sampling }, /sampling\.maskActions: the teacher of algorithm chooses among all tokens/],
    [
      { algorithm: { ...taught(teacher).algorithm, divergence: 'reverse' } },
      /algorithm\.divergence: .* set it to "sampled"/,
    ],
    [{ algorithm: { ...taught(teacher).algorithm, teacher: '@https://teacher.test' } }, /written MODEL@ADDRESS/],
  ])('%#', (change, message) => void expect(() => parseExperiment(taught(teacher, change))).toThrow(message));

  it('teaches an adapter too, which no copy may', () => {
    const { policy } = JSON.parse(readFileSync('experiments/smollm2-textcraft.json', 'utf8'));
    expect(() => parseExperiment(taught(teacher, { policy }))).not.toThrow();
    expect(() => parseExperiment(taught('maze-few', { policy }))).toThrow(/or to MODEL@ADDRESS/);
  });

  it('names a server that must be allowed', () => {
    const experiment = parseExperiment(taught(teacher));
    expect(() => requireAllowances([experiment], {})).toThrow(/--allow-teacher https:\/\/teacher\.test\/v1/);
    expect(() => requireAllowances([experiment], { allowTeacher: 'https://other.test/v1' })).toThrow(/--allow-teacher/);
    expect(() => requireAllowances([experiment], { allowTeacher: 'https://teacher.test/v1/' })).not.toThrow();
    expect(() => requireAllowed(experiment, {})).toThrow(/\{allowTeacher: "https:\/\/teacher\.test\/v1"\}/);
    expect(() => requireAllowed(experiment, { allowTeacher: 'https://teacher.test/v1' })).not.toThrow();
  });
});
