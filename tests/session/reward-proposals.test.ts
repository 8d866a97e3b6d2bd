// Rounds of proposed reward functions: replies are read, each function is run once, faults go into the next request, and
// an interrupted command continues without a second request or run.
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Experiment, parseExperiment } from '../../src/experiment/experiment.ts';
import { rateOf, type StepRecord } from '../../src/rl/evaluation/evaluation.ts';
import { curvesText, functionsIn } from '../../src/rl/rewards/proposals.ts';
import { RewardValueError } from '../../src/rl/rewards/sandboxed.ts';
import { proposalsIn, RewardProposals, replyName, requestName } from '../../src/session/proposals/rounds.ts';

const experiment = parseExperiment(JSON.parse(readFileSync('experiments/micro.json', 'utf8')));
const world = { title: 'TextCraft', summary: 'Craft.', instruction: 'Be quick.', example: 'Goal: craft a sign.' };
const code = (value: string) => `export function reward() { return ${value}; }`;
const block = (text: string) => `An idea.\n\`\`\`js\n${text}\n\`\`\`\n`;

let kept: Map<string, string>;
beforeEach(() => {
  kept = new Map();
});
const texts = {
  read: (name: string) => kept.get(name) ?? null,
  write: (name: string, text: string) => void kept.set(name, text),
};

/** Records of a run whose success is the constant that the function returns. */
function recordsOf(run: Experiment): StepRecord[] {
  const [part] = run.reward!.parts;
  const value = Number(/return ([\d.]+);/.exec('code' in part ? part.code : '')?.[1]);
  if (Number.isNaN(value)) throw new RewardValueError('reward.js: it is no number');
  const split = { policy: rateOf(10 * value, 10), chance: rateOf(2, 10), oracle: null, score: value, strata: {} };
  const metrics = { success: value, chance: 0.2, 'reward.proposed': value };
  return [1, 2].map((step) => ({
    step,
    stage: 4,
    metrics,
    ...(step === 2 && { evaluation: { train: split, test: split } }),
  }));
}

function proposals(more: Partial<ConstructorParameters<typeof RewardProposals>[0]> = {}) {
  const requests: string[] = [];
  const runs: Experiment[] = [];
  const replies = [
    block(code('0.3')) + block('const x = 1;\nfunction reward(e) { return 0.6; }'),
    block(code('"no"')) + block(code('0.9')),
  ];
  const made = new RewardProposals({
    ...{ experiment, texts, count: 2, rounds: 2, steps: 2, world },
    ask: async (request) => {
      requests.push(request);
      return replies[requests.length - 1];
    },
    train: async (run) => {
      runs.push(run);
      return recordsOf(run);
    },
    print: () => {},
    ...more,
  });
  return { made, requests, runs };
}

describe('the functions in a reply', () => {
  it('are the code blocks that define reward, exported', () => {
    expect(
      functionsIn(`${block('const a = 1;')}${block(code('1'))}${block('function reward(e) { return 2; }')}`, 3),
    ).toEqual([code('1'), 'export function reward(e) { return 2; }']);
    expect(functionsIn(code('3'), 3)).toEqual([code('3')]);
    expect(functionsIn(block(code('1')).repeat(5), 2)).toHaveLength(2);
    expect(functionsIn('I cannot.', 3)).toEqual([]);
  });
});

describe('rounds of proposals', () => {
  it('put the best function, its curves and the faults into the next request, and write a table', async () => {
    const { made, requests, runs } = proposals();
    expect(await made.run()).toEqual({ state: 'finished' });
    expect(runs).toHaveLength(4);
    expect(runs[0].reward).toMatchObject({ combine: 'sum', parts: [{ kind: 'function', name: 'proposed' }] });
    expect(requests[0]).toContain('Goal: craft a sign.');
    expect(requests[1]).toContain('return 0.6;');
    expect(requests[1]).not.toContain('return 0.3;');
    expect(requests[1]).toContain('your reward: 0.600, 0.600');
    expect(
      made
        .table()
        .split('\n')
        .slice(2, 6)
        .map((row) => row.split(' | ')[0]),
    ).toEqual(['| 2.2', '| 1.2', '| 1.1', '| 2.1']);
    expect(kept.get('proposals.md')).toContain('reward.js: it is no number');
    const best = JSON.parse(kept.get('best.json')!);
    expect(best.reward.parts[0].code).toBe(code('0.9'));
  });

  it('train for the given steps after the stages of the experiment', async () => {
    const stages = [{ steps: 3, algorithm: { name: 'sft', groups: 2, groupSize: 4 }, learningRate: 0.004 }];
    const staged = parseExperiment({ ...experiment, steps: 9, stages });
    const { made, runs } = proposals({ experiment: staged });
    await made.run();
    expect(runs.map(({ steps }) => steps)).toEqual([5, 5, 5, 5]);
    expect(JSON.parse(kept.get('best.json')!)).toMatchObject({ steps: 9, stages: [{ steps: 3 }] });
  });

  it('continue after an interruption without asking or running again', async () => {
    let left = 3;
    const stopping = proposals({
      train: async (run) => {
        if (left-- === 0) throw new Error('the device was lost');
        return recordsOf(run);
      },
    });
    await expect(stopping.made.run()).rejects.toThrow('the device was lost');
    const again = proposals();
    expect(await again.made.run()).toEqual({ state: 'finished' });
    expect([again.requests.length, again.runs.length]).toEqual([0, 1]);
  });

  it('wait for a pasted reply without a model, and stop at the time', async () => {
    const pasted = proposals({ ask: undefined, rounds: 1 });
    expect(await pasted.made.run()).toEqual({ state: 'waiting', round: 1 });
    expect(kept.get(requestName(1))).toContain('Goal: craft a sign.');
    kept.set(replyName(1), block(code('0.5')));
    let time = 0;
    const late = proposals({ ask: undefined, rounds: 1, mostMs: 5, now: () => (time += 10) });
    expect(await late.made.run()).toEqual({ state: 'stopped' });
    const done = proposals({ ask: undefined, rounds: 1 });
    expect(await done.made.run()).toEqual({ state: 'finished' });
    expect(done.runs).toHaveLength(1);
    expect(proposalsIn(texts)).toMatchObject([{ round: 1, number: 1, code: code('0.5'), success: 0.5, chance: 0.2 }]);
  });

  it('describe a run by at most eleven values a curve', () => {
    const records = Array.from({ length: 40 }, (_, i) => ({ step: i + 1, stage: 1, metrics: { success: i / 40 } }));
    expect(curvesText(records).split(', ').length).toBeLessThanOrEqual(11);
    expect(curvesText(records)).toMatch(/^success: 0\.000, .*0\.975$/);
  });
});
