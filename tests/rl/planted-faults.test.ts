// Planted faults, each named in five of five seeds, and healthy runs of the same seeds without a hint: a collapse to a
// template under steady entropy, an action that falls out of use, rollouts of other weights, a hacked reward. Episodes
// are drawn at random from a policy that learns which first action its task needs.
import { describe, expect, it } from 'vitest';
import { uniform } from '../../src/rl/common/random.ts';
import type { Trajectory } from '../../src/rl/episode/trajectory.ts';
import { rolloutMetrics } from '../../src/rl/metrics/step-metrics.ts';
import type { StepRecord } from '../../src/session/protocol.ts';
import { mockRecord } from '../../src/ui/gallery/mock-data.ts';
import { diagnose } from '../../src/ui/state/diagnosis.ts';
import { aTrajectory } from '../../tools/fuzz/made-trajectory.ts';

const steps = 40;
/** Step at which a fault begins. */
const faultAt = 22;
const [groups, members] = [12, 8];
const verbs = ['open', 'take', 'look', 'go'];

interface Fault {
  /** First actions from the same shares, whatever the task. */
  template?: boolean;
  /** Verb that is not taken any more. */
  unused?: string;
  gap?: number;
  hacked?: boolean;
}

/** Verb of the policy's first turn: the right one with a probability that grows with the step, else any. */
function verbOf(seed: number, step: number, group: number, member: number, { template, unused }: Fault): string {
  const at = (nth: number) => uniform(seed, step, group, member, nth);
  const right = verbs[Math.floor(4 * uniform(seed, step, group))];
  const skilled = at(0) < 0.2 + 0.6 * Math.min(1, step / 20);
  const any = verbs[Math.floor(4 * at(1))];
  const verb = skilled && !template ? right : any;
  return verb === unused ? verbs[(verbs.indexOf(verb) + 1) % 4] : verb;
}

function recordOf(seed: number, step: number, fault: Fault): StepRecord {
  const plain = aTrajectory(1);
  const trajectories: Trajectory[] = [];
  for (let group = 0; group < groups; group++)
    for (let member = 0; member < members; member++) {
      const verb = verbOf(seed, step, group, member, fault);
      const right = verb === verbs[Math.floor(4 * uniform(seed, step, group))];
      const turn = { ...plain.turns[0], action: `${verb} door`, valid: true };
      const ending = right ? ('success' as const) : ('done' as const);
      trajectories.push({ ...plain, group, member, turns: [turn], success: right, score: right ? 1 : 0, ending });
    }
  const record = mockRecord(step);
  const returns = trajectories.map(({ score }) => score);
  const summary = { returns, groups, withoutSignal: 0 };
  const metrics: StepRecord['metrics'] = {
    ...record.metrics,
    ...rolloutMetrics(trajectories, summary),
    logprobGap: 1e-6,
    entropy: 0.9,
  };
  const talk = fault.hacked ? 2 : 0.3;
  return {
    ...record,
    stage: 4,
    metrics: {
      ...metrics,
      kl: 0.02,
      ...(fault.gap !== undefined && { logprobGap: fault.gap * (1 + uniform(seed, step, 7)) }),
      reward: metrics.success + talk,
      'reward.talk': talk,
      'reward.success': metrics.success,
    },
  };
}

const run = (seed: number, fault: Fault) =>
  Array.from({ length: steps }, (_, k) => recordOf(seed, k + 1, k + 1 < faultAt ? {} : fault));
const idsOf = (seed: number, fault: Fault, until = steps) =>
  diagnose(run(seed, fault).slice(0, until)).map(({ id }) => id);

describe.each([1, 2, 3, 4, 5])('seed %i', (seed) => {
  it('has no hint in health, at any step', () => {
    for (let until = 3; until <= steps; until++) expect([until, idsOf(seed, {}, until)]).toEqual([until, []]);
  });
  it('names a collapse to a template under steady entropy', () => {
    const found = idsOf(seed, { template: true });
    expect(found).toContain('template');
    expect(found).not.toContain('entropy');
  });
  it('names an action that fell out of use', () => {
    expect(idsOf(seed, { unused: 'take' })).toEqual(['unused-action']);
    const [hint] = diagnose(run(seed, { unused: 'take' }));
    expect(hint.title).toContain('“take”');
  });
  it('names stale rollouts', () => expect(idsOf(seed, { gap: 0.1 })).toEqual(['stale']));
  it('names a reward that rises while success falls', () =>
    expect(idsOf(seed, { template: true, hacked: true })).toContain('reward-hacked'));
});
