/**
 * Diagnosis of a run: signs that something is wrong, each as a text with the step that shows it. Pure functions of the
 * step records; the page adds the link to the episodes.
 */
import { msg, str } from '@lit/localize';
import { fallOf, type Signal } from '../../rl/evaluation/fall.ts';
import { rewardHackOf } from '../../rl/evaluation/reward-hack.ts';
import { gapMetric, gapTurns } from '../../rl/metrics/gap.ts';
import { actionKind, actionMetric } from '../../rl/metrics/metrics.ts';
import type { Rate, StepRecord } from '../../session/protocol.ts';
import { compact, fixed, sentences } from '../kit/format.ts';
import { valuesOf } from './score.ts';
import { metricNames as m } from './series.ts';

export interface Hint {
  id:
    | 'success-dropped'
    | 'reward-hacked'
    | 'no-signal'
    | 'solved'
    | 'entropy'
    | 'template'
    | 'unused-action'
    | 'stale'
    | 'late-gap'
    | 'cut'
    | 'longer'
    | 'kl'
    | 'horizon'
    | 'invalid'
    | 'failures'
    | 'band';
  level: 'warning' | 'info';
  title: string;
  sentence: string;
  step: number;
  /** Step to fork from, if an earlier one was better. */
  goOnFrom?: number;
}

const last = <T>(list: readonly T[]): T | undefined => list[list.length - 1];

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const share = (value: number) => `${Math.round(value * 100)}%`;

type Check = (recent: readonly StepRecord[], all: readonly StepRecord[], masked: boolean) => Omit<Hint, 'step'> | null;

/** Steps of reward after which the signs of a beginning, such as groups that all fail, are signs of a problem. */
const settled = 20;

/** Steps whose episodes the policy played. A step of imitation has no success, and other values in most metrics. */
const played = (records: readonly StepRecord[]) => records.filter(({ metrics }) => Number.isFinite(metrics[m.success]));

/** Success below which a change of behaviour is no progress: that before it, plus this. */
const progress = 0.05;

/** Records that a level is averaged over. */
const levelLength = 5;

/** Steps of reward over which success counts as rising: learning has plateaus of a dozen steps. */
const rise = 40;

/** True if success is higher than forty steps of reward earlier, or than at the first. `all`: steps of reward alone. */
function isRising(all: readonly StepRecord[], recent: readonly StepRecord[]): boolean {
  const before = valuesOf(all.slice(0, -recent.length).slice(-rise).slice(0, levelLength), m.success);
  return before.length > 0 && mean(valuesOf(recent, m.success)) > mean(before) + progress;
}

/** Success from which groups with equal returns are mostly groups that succeeded. */
const mostlySolved = 0.5;

const noSignal: Check = (recent, all) => {
  const values = valuesOf(recent, m.noSignal);
  if (values.length < recent.length || mean(values) < 0.6) return null;
  // Near an equilibrium of a game against oneself most choices are worth the same.
  if (mean(values) < 1 && valuesOf(recent, 'exploitability').length) return null;
  const rewarded = played(all);
  // Some steps without any signal are a problem from the start.
  if (rewarded.length < settled && (values.length < 5 || mean(values) < 1)) return null;
  const part = share(mean(values));
  const success = mean(valuesOf(rewarded.slice(-settled), m.success));
  if (success >= mostlySolved)
    return {
      id: 'solved',
      level: 'info',
      title: msg('Many tasks are solved'),
      sentence: msg(
        str`In ${part} of the groups every episode got the same return, and ${share(success)} of the episodes succeed: these tasks have little left to teach. Choose harder ones, or end here.`,
      ),
    };
  if (mean(values) < 1 && isRising(rewarded, recent)) return null;
  return {
    id: 'no-signal',
    level: 'warning',
    title: msg('Most groups give no signal'),
    sentence: msg(
      str`In ${part} of the groups every episode got the same return, so there is nothing to compare. Choose easier or harder tasks, a larger group or more entropy.`,
    ),
  };
};

/** Success from which a policy that hardly varies is right to. */
const solved = 0.9;

const entropyCollapsed: Check = (recent, all) => {
  const rewarded = played(all);
  const now = valuesOf(played(recent), m.entropy);
  const start = valuesOf(rewarded.slice(0, 5), m.entropy);
  if (now.length < recent.length || !start.length || rewarded.length < 10) return null;
  if (mean(valuesOf(recent, m.success)) >= solved) return null;
  if (mean(start) < 0.05 || mean(now) > 0.1 * mean(start)) return null;
  return {
    id: 'entropy',
    level: 'warning',
    title: msg('Entropy has collapsed'),
    sentence: msg(
      'The policy hardly varies its choices any more, so it finds nothing new. Raise the entropy bonus or lower the learning rate.',
    ),
  };
};

/** Means of a metric over each `length` consecutive records that have it, with the success beside it. */
function levels(records: readonly StepRecord[], name: string, length: number) {
  const known = records.filter(({ metrics }) => Number.isFinite(metrics[name]));
  return Array.from({ length: Math.max(0, known.length - length + 1) }, (_, first) => {
    const part = known.slice(first, first + length);
    return { value: mean(valuesOf(part, name)), success: mean(valuesOf(part, m.success)) };
  });
}

/** Share of the turns from which a kind of action is common. */
const commonShare = 0.05;
/** Share below which it has fallen out of use. */
const rareShare = 0.01;
/** Fall of success that makes the loss of an action a fault: an action that is of no use is rightly given up. */
const fallen = 0.03;

/** Actions followed from the task, and do no longer, though they still vary. */
const collapsedToTemplate: Check = (recent, all, masked) => {
  if (entropyCollapsed(recent, all, masked)) return null;
  const before = levels(all.slice(0, -recent.length), m.taskInformation, levelLength);
  const [now] = levels(recent, m.taskInformation, recent.length);
  if (all.length < settled || !before.length || !now) return null;
  const best = before.reduce((most, level) => (level.value > most.value ? level : most));
  if (best.value < 0.1 || now.value > 0.2 * best.value || now.success > best.success + progress) return null;
  return {
    id: 'template',
    level: 'warning',
    title: msg('Actions no longer follow from the task'),
    sentence: msg(
      str`The information between the task and the first action fell from ${fixed(best.value)} to ${fixed(now.value)} nats, while entropy is steady and success has not risen: the policy plays a template. Fork before it, with a lower learning rate or entropy bonus, or leave out groups with little spread.`,
    ),
  };
};

/** Share of groups without signal from which a policy has stopped trying anything else. */
const decided = 0.6;

/** True if some kind of action of the same verb is in use. A verb's second words are told apart only where they are few. */
function isToldApart(kind: string, { metrics }: StepRecord): boolean {
  const [verb, second] = kind.split(' ');
  return second === undefined || Object.keys(metrics).some((name) => actionKind(name)?.startsWith(`${verb} `));
}

/** A kind of action that was common is not taken any more, and success fell; or a direction is not, and most groups are decided beforehand. */
const unusedAction: Check = (recent, all) => {
  if (all.length < settled || recent.some(({ metrics }) => !(metrics.episodes > 0))) return null;
  const earlier = all.slice(0, -recent.length);
  const kinds = new Set(
    earlier.flatMap(({ metrics }) => Object.keys(metrics).flatMap((name) => actionKind(name) ?? [])),
  );
  const now = mean(valuesOf(recent, m.success));
  const same = mean(valuesOf(recent, m.noSignal));
  const used = earlier.filter(({ metrics }) => metrics.episodes > 0);
  for (const kind of kinds) {
    const name = actionMetric(kind);
    // A mean reaches this only with a step that does.
    if (!used.some(({ metrics }) => metrics[name] >= commonShare)) continue;
    if (mean(valuesOf(recent.map(withShare(name)), name)) >= rareShare) continue;
    if (!recent.every((record) => isToldApart(kind, record))) continue;
    // The last time that it was common: success rises for other reasons in between.
    const common = levels(used.map(withShare(name)), name, levelLength).findLast(({ value }) => value >= commonShare);
    if (!common) continue;
    const fell = now <= common.success - fallen;
    // A verb alone is often rightly given up; of directions all are needed.
    if (!fell && !(kind.includes(' ') && same >= decided && now < solved)) continue;
    return {
      id: 'unused-action',
      level: 'info',
      title: msg(str`The action “${kind}” fell out of use`),
      sentence: fell
        ? msg(
            str`It was ${share(common.value)} of the turns and is hardly taken now, and success fell with it. Look at episodes that need it; raise the entropy bonus, or imitate some that use it.`,
          )
        : msg(
            str`It was ${share(common.value)} of the turns and is hardly taken now, and in ${share(same)} of the groups every episode got the same return: tasks that need it may always fail. Look at failed episodes; raise the entropy bonus, or imitate some that use it.`,
          ),
    };
  }
  return null;
};

/** The record with 0 as the share of a kind of action that it does not list. */
const withShare =
  (name: string) =>
  (record: StepRecord): StepRecord => ({ ...record, metrics: { [name]: 0, ...record.metrics } });

/** Mean difference of log-probabilities above which sampling and training are different policies. */
const largestGap = 0.05;

/** Steps with episodes of the policy. Demonstrations come from no policy: their gap is how surprising they are. */
const sampled = (records: readonly StepRecord[]) => records.filter(({ metrics }) => !(metrics.demonstrations > 0));

/** Growth of the gap from the first turns to the last that counts as growth with the turns. */
const growing = 4;

/** Sampling and training agree in the first turns of an episode, and disagree in later ones. */
const lateGap: Check = (recent) => {
  const drawn = sampled(recent);
  if (drawn.length < recent.length) return null;
  const known = drawn.map(({ metrics }) => Object.keys(metrics).flatMap((name) => gapTurns(name) ?? []));
  const bins = [...new Set(known.flat())].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const gapOf = (turns: string) => valuesOf(drawn, gapMetric(turns));
  // Late turns are rare at the beginning of a run, and where most episodes end early.
  const late = bins.slice(1).find((turns) => {
    const values = gapOf(turns);
    return values.length === recent.length && Math.min(...values) >= largestGap;
  });
  if (late === undefined || mean(gapOf(late)) < growing * mean(gapOf(bins[0]))) return null;
  const [first, then] = [fixed(mean(gapOf(bins[0]))), fixed(mean(gapOf(late)))];
  return {
    id: 'late-gap',
    level: 'warning',
    title: msg('Sampling and training disagree in late turns'),
    sentence: msg(
      str`The log-probabilities of the same tokens differ by ${first} nats in turn 1 and by ${then} in turns ${late}: what play keeps of the earlier turns is less exact than what training reads. Use a more exact K/V cache, or set importance weights under the correction.`,
    ),
  };
};

const staleRollouts: Check = (recent, all, masked) => {
  if (lateGap(recent, all, masked)) return null;
  const values = valuesOf(sampled(recent), m.logprobGap);
  if (values.length < recent.length || !values.length || Math.min(...values) < largestGap) return null;
  return {
    id: 'stale',
    level: 'warning',
    title: msg('Sampling and training disagree'),
    sentence: msg(
      str`The log-probabilities of the same tokens differ by ${fixed(mean(values))} nats between play and the first update: the episodes come from other weights, or from less exact arithmetic. Set importance weights under the correction, or use a more exact K/V cache.`,
    ),
  };
};

/** Share of cut replies from which the limit of tokens decides about actions. */
const mostCut = 0.25;

const cutReplies: Check = (recent) => {
  const values = valuesOf(recent, m.cutReplies);
  if (values.length < recent.length || mean(values) < mostCut) return null;
  return {
    id: 'cut',
    level: 'warning',
    title: msg('Many replies are cut'),
    sentence: msg(
      str`${share(mean(values))} of the replies reached the limit of tokens before they ended, so that their action may be missing. Allow more tokens a turn, or ask for shorter replies in the prompt.`,
    ),
  };
};

/** Growth of the replies that counts as longer, as a factor and in tokens. */
const longer = { factor: 1.5, tokens: 4 };

/** Free replies grow, and success does not. Under a mask the length follows from the action. */
const longerReplies: Check = (recent, all, masked) => {
  const rewarded = played(all);
  const now = valuesOf(played(recent), m.replyTokens);
  if (masked || now.length < recent.length || rewarded.length < settled) return null;
  const success = mean(valuesOf(recent, m.success));
  const shortest = levels(rewarded.slice(-rise - recent.length, -recent.length), m.replyTokens, levelLength)
    .filter((level) => level.success >= success - progress)
    .reduce((least, { value }) => Math.min(least, value), Number.POSITIVE_INFINITY);
  if (mean(now) < longer.factor * shortest || mean(now) < shortest + longer.tokens) return null;
  return {
    id: 'longer',
    level: 'info',
    title: msg('Replies grow, success does not'),
    sentence: msg(
      str`The mean length of a reply in tokens grew from ${fixed(shortest)} to ${fixed(mean(now))}, and success is no higher. Read what was added; aggregate the loss by token, or allow fewer tokens a turn.`,
    ),
  };
};

const klJumped: Check = (recent, all) => {
  const before = valuesOf(all.slice(0, -recent.length), m.kl).slice(-20);
  const now = valuesOf(recent, m.kl);
  if (before.length < 5 || !now.length) return null;
  const peak = Math.max(...now);
  if (peak < 0.5 || peak < 4 * Math.max(mean(before), 0.02)) return null;
  return {
    id: 'kl',
    level: 'warning',
    title: msg('KL has jumped'),
    sentence: msg(
      'The policy moved far from its start within a few steps. Lower the learning rate, tighten the clip, or raise the KL weight.',
    ),
  };
};

const atHorizon: Check = (recent, all) => {
  const values = valuesOf(recent, m.endingHorizon);
  const rewarded = played(all);
  if (rewarded.length < settled || !values.length || mean(values) < 0.6 || isRising(rewarded, recent)) return null;
  const part = share(mean(values));
  return {
    id: 'horizon',
    level: 'info',
    title: msg('Most episodes run out of turns'),
    sentence: msg(str`${part} of the episodes end at the horizon. Allow more turns or choose easier tasks.`),
  };
};

const invalidActions: Check = (recent, all, masked) => {
  const values = valuesOf(recent, m.validActions);
  if (played(all).length < settled || !values.length || mean(values) > 0.7) return null;
  const part = share(1 - mean(values));
  return {
    id: 'invalid',
    level: masked ? 'info' : 'warning',
    title: msg('Many actions are refused'),
    sentence: masked
      ? msg(
          str`The world refuses ${part} of the actions: its text offers them before their requirements are met. The policy has to learn when they work.`,
        )
      : msg(
          str`The world refuses ${part} of the actions. With “Only valid actions” on, the policy chooses only among those the world's text offers.`,
        ),
  };
};

const worldFailures: Check = (recent) => {
  const values = valuesOf(recent, m.endingFailure);
  if (!values.length || mean(values) === 0) return null;
  return {
    id: 'failures',
    level: 'warning',
    title: msg('Some worlds failed'),
    sentence: msg('A world stopped answering in some episodes of the last steps. The log lists them with the reason.'),
  };
};

const checks: readonly Check[] = [
  noSignal,
  entropyCollapsed,
  collapsedToTemplate,
  unusedAction,
  staleRollouts,
  lateGap,
  cutReplies,
  longerReplies,
  klJumped,
  invalidActions,
  worldFailures,
  atHorizon,
];

/** Name of a signal inside a sentence. */
const signalName = (signal: Signal): string => {
  const names: { [each in Signal]: string } = {
    kl: msg('KL'),
    entropy: msg('entropy'),
    ratio: msg('the ratio'),
    gradNorm: msg('the gradient norm'),
    length: msg('the length of episodes'),
  };
  return names[signal];
};

const interval = ({ rate, low, high }: Rate) => `${fixed(rate)} [${fixed(low)}, ${fixed(high)}]`;

/**
 * Hint if success dropped below its best by more than chance explains: the step at which it began, and the signal that
 * moved first.
 */
function successDropped(records: readonly StepRecord[]): Hint[] {
  const fall = fallOf(records);
  if (!fall) return [];
  const { best, last: now, by, from, first } = fall;
  const [before, after] = [interval(best.rate), interval(now.rate)];
  const moved = first
    ? msg(
        str`The first signal to change was ${signalName(first.signal)}, at step ${first.step}, from ${compact(first.before)} to ${compact(first.after)}.`,
      )
    : msg('KL, entropy, ratio, gradient and length did not change before it.');
  const sentence = msg(
    str`Success on held-out goals was ${before} at step ${best.step} and is ${after}: ${fixed(by)} lower, from about step ${from} on.`,
  );
  const advice = msg('Continuing from there with the same settings gives the same numbers: change a setting first.');
  return [
    {
      id: 'success-dropped',
      level: 'warning',
      title: msg(str`Success dropped by ${fixed(by)} from its best`),
      sentence: `${sentence} ${moved} ${advice}`,
      step: first?.step ?? from,
      goOnFrom: best.step,
    },
  ];
}

/** Hint if the reward rose while success fell, each by more than chance explains. */
function rewardHacked(records: readonly StepRecord[]): Hint[] {
  const found = rewardHackOf(records);
  if (!found) return [];
  const { success, reward, part, from, to } = found;
  const [before, after] = [fixed(success.before), fixed(success.after)];
  const sentence = msg(
    str`From about step ${from} to step ${to} the reward rose from ${compact(reward.before)} to ${compact(reward.after)}, and success fell from ${before} to ${after}: the policy learns to please the reward, not to solve the task.`,
  );
  const risen = part
    ? msg(str`The part that rose most is “${part.column}”, from ${compact(part.before)} to ${compact(part.after)}.`)
    : '';
  const advice = msg(
    'Look at what its episodes do, and lower the weight of that part or put success before it as a gate.',
  );
  return [
    {
      id: 'reward-hacked',
      level: 'warning',
      title: msg('The reward rises, success falls'),
      sentence: sentences(sentence, risen, advice),
      step: records.at(-1)!.step,
      goOnFrom: from,
    },
  ];
}

/** Hints that apply to the last steps of a run. */
export function diagnose(records: readonly StepRecord[], masked = false, window = 5): Hint[] {
  const trained = records.filter((record) => record.step > 0);
  const recent = trained.slice(-window);
  const step = last(recent)?.step;
  if (step === undefined || recent.length < Math.min(3, window)) return [];
  const now = checks.flatMap((check) => {
    const hint = check(recent, trained, masked);
    return hint ? [{ ...hint, step }] : [];
  });
  return [...rewardHacked(records), ...successDropped(records), ...now];
}
