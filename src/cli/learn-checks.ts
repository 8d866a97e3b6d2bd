/**
 * What `npm run test:learn` asks of each experiment, as data, and the verdict on a run. Knows evaluations; trains nothing.
 *
 * A rate must end so far above chance; where a bound is asked by level, in each level as well. A score must end above chance
 * by more than the intervals: the policy's lower end above chance's upper end.
 */
import type { Mean, Rate, SplitEvaluation } from '../rl/evaluation.ts';
import type { Ends } from './report.ts';

export type Split = 'train' | 'test';

export type LearnCheck =
  | { what: 'success'; split: Split; above: number; each?: string }
  | { what: 'score'; split: Split };

/** By the name of the experiment's file. */
export const learnChecks: { [experiment: string]: readonly LearnCheck[] } = {
  'textcraft-first': [
    { what: 'success', split: 'train', above: 0.5 },
    { what: 'success', split: 'test', above: 0.2 },
  ],
  'babyai-first': [{ what: 'success', split: 'test', above: 0.3, each: 'level' }],
  'sciworld-first': [{ what: 'score', split: 'test' }],
};

export interface Finding {
  ok: boolean;
  line: string;
}

const words = { train: 'training goals', test: 'held-out goals' } as const;
const three = (value: number) => value.toFixed(3);
const rateWords = ({ rate, low, high, episodes }: Rate) =>
  `${three(rate)} [${three(low)}, ${three(high)}] of ${episodes}`;
const meanWords = ({ mean, low, high }: Mean) => `${three(mean)} [${three(low)}, ${three(high)}]`;
const said = (ok: boolean) => (ok ? 'ok' : 'NOT REACHED');

/** Each check of an experiment on a run's first and last evaluation. */
export function judge(checks: readonly LearnCheck[], ends: Ends): Finding[] {
  return checks.flatMap((check) => {
    const [start, end] = [ends.start[check.split], ends.end[check.split]];
    return check.what === 'score' ? [scoreFinding(words[check.split], start, end)] : successFindings(check, start, end);
  });
}

function successFindings(
  { split, above, each }: Extract<LearnCheck, { what: 'success' }>,
  start: SplitEvaluation,
  end: SplitEvaluation,
): Finding[] {
  const finding = (name: string, before: Rate | undefined, policy: Rate, chance: Rate): Finding => {
    const needed = chance.rate + above;
    const ok = policy.rate >= needed;
    const line = `${name}: chance ${three(chance.rate)} start ${before ? three(before.rate) : '-'} end ${rateWords(policy)}; needed ${three(needed)}: ${said(ok)}`;
    return { ok, line };
  };
  const strata = Object.entries(end.strata).filter(([name]) => each !== undefined && name.startsWith(`${each} `));
  return [
    finding(words[split], start.policy, end.policy, end.chance),
    ...strata.map(([name, { policy, chance }]) =>
      finding(`${words[split]}, ${name}`, start.strata[name]?.policy, policy, chance),
    ),
  ];
}

function scoreFinding(name: string, start: SplitEvaluation, end: SplitEvaluation): Finding {
  if (!end.scores) return { ok: false, line: `${name}: the run was recorded without scores: train it again` };
  const { policy, chance } = end.scores;
  const ok = policy.low > chance.high;
  const line = `${name}, mean score: chance ${meanWords(chance)} start ${three(start.score)} end ${meanWords(policy)} of ${policy.episodes}: ${said(ok)}`;
  return { ok, line };
}
