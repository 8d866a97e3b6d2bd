/**
 * Training together on the processor: members play groups and send them back, the trainer plays them again in its own
 * worlds. The same weights and seed give the same episodes, so several members train the very run that one machine does.
 */
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contribute, type SharedClient } from '../../src/classroom/together/contribute.ts';
import type { Delivery } from '../../src/classroom/together/episodes.ts';
import { ClassRefused } from '../../src/classroom/together/http-client.ts';
import { correctedFor, NotSharable, requireSharable } from '../../src/classroom/together/sharable.ts';
import {
  MemberRefused,
  NotHandedOut,
  type SharedOptions,
  SharedTraining,
} from '../../src/classroom/together/shared-training.ts';
import { ClassSilent } from '../../src/classroom/together/silence.ts';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { openDevice } from '../../src/library/node/device.ts';
import { encodeState } from '../../src/session/checkpoint.ts';
import type { Engine } from '../../src/session/engine.ts';
import { encodeTrajectories } from '../../src/session/run/trajectory-codec.ts';
import { Assembly } from '../../src/session/service/assembly.ts';
import { openGuardedWorld } from '../../src/workers/spawn-world.ts';

const micro = JSON.parse(readFileSync('experiments/micro.json', 'utf8'));
const experiment = parseExperiment({
  ...micro,
  algorithm: { ...micro.algorithm, groups: 4 },
  steps: 4,
  horizon: [{ steps: 4, turns: 3 }],
  evaluation: { every: 2, episodes: 8 },
});
const never = new AbortController().signal;
const options = { signal: never };

const opened: Engine[] = [];
async function engineOf(document: Experiment, shared?: SharedTraining): Promise<Engine> {
  const engines = new Assembly({
    machine: { open: () => openDevice({ device: 'wasm', threads: 1 }) },
    openWorld: (name) => openGuardedWorld(name),
    ...(shared && { elsewhere: shared.of }),
  });
  const parts = { assets: null, choices: null, purpose: 'train' as const, onProgress: () => {}, signal: never };
  const engine = await engines.open(document, parts);
  await engine.initialize();
  opened.push(engine);
  return engine;
}

const sharedOf = (more: Partial<SharedOptions> = {}) => {
  const lines: string[] = [];
  const nameOf = (secret: string) => secret;
  const shared = new SharedTraining({
    staleness: 0,
    patienceMs: 60_000,
    nameOf,
    print: (line) => lines.push(line),
    ...more,
  });
  return { shared, lines };
};

/** A member's calls, without a network. */
const clientOf = (shared: SharedTraining, secret: string, change = (delivery: Delivery) => delivery): SharedClient => ({
  work: async () => JSON.parse(JSON.stringify(shared.take(secret))),
  weights: async (version) => shared.weightsOf(version),
  deliver: async (delivery) => shared.deliver(JSON.parse(JSON.stringify(change({ secret, ...delivery })))),
});

/** Steps of an engine: their numbers that do not measure time, their episodes, and the last weights. */
async function trained(engine: Engine, steps: number) {
  const all: { success: number; loss: number; episodes: Uint8Array }[] = [];
  for (let step = 1; step <= steps; step++) {
    const { record, trajectories } = await engine.training!.step(step, options);
    const { success, loss } = record.metrics;
    all.push({ success, loss, episodes: encodeTrajectories(trajectories) });
  }
  return { all, weights: encodeState(await engine.training!.save()) };
}

let alone: Awaited<ReturnType<typeof trained>>;
const players: Engine[] = [];
beforeAll(async () => {
  alone = await trained(await engineOf(experiment), 4);
  for (let k = 0; k < 4; k++) players.push(await engineOf(experiment));
});
afterAll(() => Promise.all(opened.map((engine) => engine.close())));

describe('training together', () => {
  it('of four members gives the run of one machine to the bit, a part of the rollouts each', async () => {
    const { shared } = sharedOf();
    const trainer = await engineOf(experiment, shared);
    const done = new AbortController();
    const members = players.map((player, k) =>
      contribute(player, clientOf(shared, `member ${k}`), { signal: done.signal }),
    );
    const together = await trained(trainer, 4);
    shared.finish();
    const parts = await Promise.all(members);
    expect(together).toEqual(alone);
    expect(parts.reduce((sum, each) => sum + each)).toBe(16);
    expect(Object.keys(shared.counts.accepted).length).toBeGreaterThan(1);
  });

  it('loses nothing when members vanish in the middle of a part', { tags: ['slow'] }, async () => {
    let clock = 0;
    const { shared, lines } = sharedOf({ patienceMs: 50, now: () => clock });
    const trainer = await engineOf(experiment, shared);
    const together = trained(trainer, 4);
    const working = clientOf(shared, 'stays');
    // Others take a part before each of the member's, and never answer.
    let vanished = 0;
    const member = contribute(
      players[0],
      {
        ...working,
        work: async () => {
          if (vanished < 6 && shared.take(`vanished ${vanished}`).kind === 'part') vanished++;
          const work = await working.work();
          if (work.kind === 'wait') clock += 60;
          return work;
        },
      },
      { signal: never },
    );
    expect(await together).toEqual(alone);
    shared.finish();
    await member;
    expect([vanished, shared.counts.again]).toEqual([6, 6]);
    expect(lines.every((line) => line.includes('is handed out again: vanished'))).toBe(true);
  });

  it('goes on after calls that nobody answered, and reports the silence', async () => {
    const { shared } = sharedOf();
    const trainer = await engineOf(experiment, shared);
    const together = trained(trainer, 4);
    const calls = clientOf(shared, 'patient');
    let count = 0;
    // Of three calls, the first is not made, and of the second the answer is lost.
    const unsteady =
      <T>(call: () => Promise<T>) =>
      async (): Promise<T> => {
        const kind = count++ % 3;
        if (kind === 0) throw new ClassSilent('Failed to fetch');
        const answer = await call();
        if (kind === 1) throw new ClassSilent('network error');
        return answer;
      };
    const reports: { parts: number; reached: boolean }[] = [];
    const member = contribute(
      players[0],
      {
        work: unsteady(() => calls.work()),
        weights: (version) => unsteady(() => calls.weights(version))(),
        deliver: (delivery) => unsteady(() => calls.deliver(delivery))(),
      },
      { signal: never, onContribution: (each) => reports.push(each), waits: [1] },
    );
    expect(await together).toEqual(alone);
    shared.finish();
    expect(await member).toBe(16);
    expect(reports.some(({ reached }) => !reached)).toBe(true);
    expect(reports.at(-1)?.reached).toBe(true);
    expect(shared.counts).toMatchObject({ accepted: { patient: 16 }, refused: {} });
  });

  it('ends with the refusal, or when it is stopped during a silence', async () => {
    const refused = async () => {
      throw new ClassRefused('no', 'NotInClass', 410);
    };
    const silent = async () => {
      throw new ClassSilent('Failed to fetch');
    };
    const calls = { weights: async () => null, deliver: async () => ({}) };
    const once = new AbortController();
    const options = { signal: once.signal, onContribution: () => once.abort(), waits: [1] };
    await expect(contribute(players[0], { ...calls, work: refused }, { signal: never })).rejects.toThrow(ClassRefused);
    await expect(contribute(players[0], { ...calls, work: silent }, options)).rejects.toThrow('abort');
  });

  it('ends with an error of its own, which is no silence', async () => {
    const broken = async () => {
      throw new TypeError('x is undefined');
    };
    const calls = { work: broken, weights: async () => null, deliver: async () => ({}) };
    await expect(contribute(players[0], calls, { signal: never, waits: [1] })).rejects.toThrow('x is undefined');
  });

  it('refuses by name what does not follow, and a member who sends it three times', async () => {
    const { shared, lines } = sharedOf();
    const trainer = await engineOf(experiment, shared);
    const together = trained(trainer, 1);
    type Change = (episodes: Delivery['episodes']) => Delivery['episodes'];
    const lies: [string, Change][] = [
      ['reward', (all) => all.map((each, k) => (k ? each : { ...each, score: each.score + 1 }))],
      ['tokens', (all) => all.map((each) => ({ ...each, tokens: each.tokens.map((token) => token + 1) }))],
      [
        'tokens',
        (all) =>
          all.map((each) => ({ tokens: each.tokens.slice(1), logprobs: each.logprobs.slice(1), score: each.score })),
      ],
      [
        'logprobs',
        (all) => all.map((each) => ({ ...each, logprobs: each.logprobs.map((value) => value && value - 0.5) })),
      ],
      ['form', (all) => all.slice(1)],
      ['form', (all) => all.map((each) => ({ ...each, logprobs: each.logprobs.slice(1) }))],
    ];
    for (const [k, [, change]] of lies.entries()) {
      const liar = clientOf(shared, `liar ${Math.floor(k / 3)}`, (sent) => ({
        ...sent,
        episodes: change(sent.episodes),
      }));
      const once = new AbortController();
      await contribute(players[0], liar, { signal: once.signal, onContribution: () => once.abort() });
      await expect.poll(() => lines.length).toBe(k + 1);
      expect(lines[k]).toMatch(`Refused (${lies[k][0]}) from liar`);
    }
    expect(() => shared.take('liar 0')).toThrow(MemberRefused);
    // Episodes of others would take the place of those that a member is playing.
    const held = shared.take('constructor');
    if (held.kind !== 'part') throw new Error('There is no part to play.');
    const { part, version } = held;
    const claimed = { part, version, episodes: [{ tokens: [], logprobs: [], score: 1 }] };
    expect(() => shared.deliver({ ...claimed, secret: 'liar 0' })).toThrow(MemberRefused);
    expect(() => shared.deliver({ ...claimed, secret: 'a stranger' })).toThrow(NotHandedOut);
    const member = contribute(players[1], clientOf(shared, 'constructor'), { signal: never });
    expect((await together).all[0]).toEqual(alone.all[0]);
    shared.finish();
    await member;
    expect(shared.counts.accepted).toEqual({ constructor: 4 });
    expect(lines).toHaveLength(lies.length);
  });

  it('with a staleness of one plays ahead, and weights correct for the older version', async () => {
    const stale = correctedFor(experiment)!;
    expect((stale.algorithm as { correction: { weights: string } }).correction.weights).toBe('token');
    const { shared } = sharedOf({ staleness: 1 });
    const trainer = await engineOf(stale, shared);
    const members = players.map((player, k) => contribute(player, clientOf(shared, `member ${k}`), { signal: never }));
    const weights: number[] = [];
    for (let step = 1; step <= 4; step++) {
      const { record } = await trainer.training!.step(step, options);
      weights.push(record.metrics.importanceWeight);
    }
    shared.finish();
    await Promise.all(members);
    expect(shared.counts.stale).toBeGreaterThan(0);
    for (const each of weights) expect(each).toBeGreaterThan(0.5);
    // The first step's episodes are never stale.
    expect(weights[0]).toBeCloseTo(1, 5);
    expect(weights.slice(1).some((each) => Math.abs(each - 1) > 1e-6)).toBe(true);
  });

  it('is refused for experiments whose episodes cannot be played again', () => {
    // A removed world has no experiment.
    const refused = ['kuhn-first', 'textcraft-goals', 'own-first']
      .map((name) => `experiments/${name}.json`)
      .filter((file) => existsSync(file))
      .map((file) => parseExperiment(JSON.parse(readFileSync(file, 'utf8'))));
    const branching = { ...experiment, sampling: { ...experiment.sampling, branchedEpisodes: 1 } };
    for (const each of [...refused, branching]) expect(() => requireSharable(each), each.name).toThrow(NotSharable);
    expect(() => requireSharable(experiment)).not.toThrow();
  });
});
