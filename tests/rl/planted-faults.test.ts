// Planted faults, each named in five of five seeds, and healthy runs of the same seeds without a hint: a collapse to a
// template under steady entropy, an action that falls out of use, rollouts of other weights or with a gap in late turns,
// replies that are cut or grow, a hacked reward. Episodes are drawn at random from a policy that learns which first action its task needs.
import { describe, expect, it } from 'vitest';
import { mean } from '../../src/rl/common/numbers.ts';
import { uniform } from '../../src/rl/common/random.ts';
import { TokenSource, type Trajectory, type Turn } from '../../src/rl/episode/trajectory.ts';
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
  /** The verbs are second words of "move". */
  moves?: boolean;
  /** Every group is decided: those that need the unused verb fail, and all others succeed. */
  decided?: boolean;
  gap?: number;
  /** Gap in the turns from the fifth on. */
  lateGap?: number;
  /** Share of replies that reach the limit of tokens. */
  cut?: number;
  /** Growth of the replies with each step, as a share. */
  longer?: number;
  hacked?: boolean;
}

/** Verb of the policy's first turn: the right one with a probability that grows with the step, else any. */
function verbOf(seed: number, step: number, group: number, member: number, fault: Fault): string {
  const { template, unused, decided } = fault;
  const at = (nth: number) => uniform(seed, step, group, member, nth);
  const right = verbs[Math.floor(4 * uniform(seed, step, group))];
  const skilled = at(0) < 0.2 + 0.6 * Math.min(1, step / 20);
  const any = verbs[Math.floor(4 * at(1))];
  const verb = decided || (skilled && !template) ? right : any;
  return verb === unused ? verbs[(verbs.indexOf(verb) + 1) % 4] : verb;
}

/** A free reply of 8 to 16 tokens; `longer` multiplies its length, and a cut one has its end from the conversation. */
function repliedWith(seed: number, step: number, group: number, member: number, fault: Fault) {
  const at = (nth: number) => uniform(seed, step, group, member, nth);
  const growth = 1 + (fault.longer ?? 0) * Math.max(0, step - faultAt);
  const length = Math.round((8 + 8 * at(5)) * growth);
  const isCut = at(6) < (fault.cut ?? 0.02);
  const source = new Uint8Array(length + 1).fill(TokenSource.policy);
  if (isCut) source[length] = TokenSource.template;
  return (turn: Turn) => ({
    source,
    choices: null,
    turns: [{ ...turn, actionStart: 0, actionEnd: length + 1 }],
  });
}

function recordOf(seed: number, step: number, fault: Fault): StepRecord {
  const plain = aTrajectory(1);
  const trajectories: Trajectory[] = [];
  for (let group = 0; group < groups; group++)
    for (let member = 0; member < members; member++) {
      const verb = verbOf(seed, step, group, member, fault);
      const right = verb === verbs[Math.floor(4 * uniform(seed, step, group))];
      const turn = { ...plain.turns[0], action: fault.moves ? `move ${verb}` : `${verb} door`, valid: true };
      const reply = repliedWith(seed, step, group, member, fault);
      const ending = right ? ('success' as const) : ('done' as const);
      trajectories.push({ ...plain, ...reply(turn), group, member, success: right, score: right ? 1 : 0, ending });
    }
  const record = mockRecord(step);
  const returns = trajectories.map(({ score }) => score);
  const summary = { returns, groups, withoutSignal: fault.decided ? groups : 0 };
  const metrics: StepRecord['metrics'] = {
    ...record.metrics,
    ...rolloutMetrics(trajectories, summary),
    logprobGap: 1e-6,
    ...(fault.lateGap !== undefined && {
      logprobGap: 0.01,
      'logprobGap.1': 1e-6,
      'logprobGap.5-8': fault.lateGap * (1 + uniform(seed, step, 9)),
    }),
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

const run = (seed: number, fault: Fault, from = faultAt) =>
  Array.from({ length: steps }, (_, k) => recordOf(seed, k + 1, k + 1 < from ? { moves: fault.moves } : fault));
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
  it('names one direction of a move that fell out of use while success rises', () => {
    const records = run(seed, { moves: true, unused: 'take', decided: true }, 4);
    // The groups that need another direction all succeed.
    expect(diagnose(records).map(({ title }) => title)).toEqual([
      'Many tasks are solved',
      'The action “move take” fell out of use',
    ]);
    const [before, after] = [records.slice(0, 3), records.slice(-5)].map((part) =>
      mean(part.map(({ metrics }) => metrics.success)),
    );
    expect(after).toBeGreaterThan(before);
    expect(idsOf(seed, { moves: true })).toEqual([]);
  });
  it('names stale rollouts', () => expect(idsOf(seed, { gap: 0.1 })).toEqual(['stale']));
  it('names a gap that is there in late turns only', () =>
    expect(idsOf(seed, { lateGap: 0.08 })).toEqual(['late-gap']));
  it('names replies that are cut', () => expect(idsOf(seed, { cut: 0.4 })).toEqual(['cut']));
  it('names replies that grow while success does not', () => expect(idsOf(seed, { longer: 0.08 })).toEqual(['longer']));
  it('names a reward that rises while success falls', () =>
    expect(idsOf(seed, { template: true, hacked: true })).toContain('reward-hacked'));
});
