/**
 * What `npm run test:learn` asks of each experiment, as data, and the verdict on a run. Knows evaluations; trains nothing.
 *
 * A rate must end so far above chance; where a stratum is named, how far each of its values ended above chance is reported, and
 * decides nothing: a quarter of the episodes says too little. A score must end above chance by more than the intervals: the
 * policy's lower end above chance's upper end.
 */
import type { Mean, Rate, SplitEvaluation, StratumEvaluation } from '../rl/evaluation.ts';
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
  const needed = end.chance.rate + above;
  const ok = end.policy.rate >= needed;
  const strata = Object.entries(end.strata).filter(([name]) => each !== undefined && name.startsWith(`${each} `));
  return [
    { ok, line: `${rateLine(words[split], start.policy, end)}; needed ${three(needed)}: ${said(ok)}` },
    ...strata.map(([name, stratum]) => reported(`${words[split]}, ${name}`, start.strata[name]?.policy, stratum)),
  ];
}

function rateLine(name: string, before: Rate | undefined, { policy, chance }: StratumEvaluation): string {
  return `${name}: chance ${three(chance.rate)} start ${before ? three(before.rate) : '-'} end ${rateWords(policy)}`;
}

function reported(name: string, before: Rate | undefined, stratum: StratumEvaluation): Finding {
  const difference = stratum.policy.rate - stratum.chance.rate;
  const line = `${rateLine(name, before, stratum)}; ${difference < 0 ? '' : '+'}${three(difference)} over chance`;
  return { ok: true, line };
}

function scoreFinding(name: string, start: SplitEvaluation, end: SplitEvaluation): Finding {
  if (!end.scores) return { ok: false, line: `${name}: the run was recorded without scores: train it again` };
  const { policy, chance } = end.scores;
  const ok = policy.low > chance.high;
  const line = `${name}, mean score: chance ${meanWords(chance)} start ${three(start.score)} end ${meanWords(policy)} of ${policy.episodes}: ${said(ok)}`;
  return { ok, line };
}
