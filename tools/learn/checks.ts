/**
 * The requirements of `npm run test:learn` on each experiment, as data, and the verdict on a run. Reads evaluations;
 * trains nothing.
 *
 * A success rate must end above chance by the given margin, and so must each value of a named stratum (each level of
 * BabyAI by itself). A score must end above chance by more than the intervals: the policy's lower end above chance's
 * upper end; with a margin, above it by that much. Scores by stratum are only printed.
 */

import { type Ends, formatMean, formatRate, three } from '../../src/cli/report.ts';
import type { Rate, Scores, SplitEvaluation, StratumEvaluation } from '../../src/rl/evaluation/evaluation.ts';

export type Split = 'train' | 'test';

export type LearnCheck =
  | { what: 'success'; split: Split; above: number; each?: string }
  | { what: 'score'; split: Split; above?: number; each?: string };

/** Requirements by name of the experiment's file. */
export const learnChecks: { [experiment: string]: readonly LearnCheck[] } = {
  'textcraft-first': [
    { what: 'success', split: 'train', above: 0.5 },
    { what: 'success', split: 'test', above: 0.2 },
  ],
  'babyai-first': [{ what: 'success', split: 'test', above: 0.3, each: 'level' }],
  'maze-first': [{ what: 'success', split: 'test', above: 0.3, each: 'size' }],
  'wordle-first': [{ what: 'success', split: 'test', above: 0.3 }],
  'search-first': [{ what: 'success', split: 'test', above: 0.3 }],
  // The result with two hops is printed, without a requirement.
  'search-two-hops': [],
  'web-first': [{ what: 'success', split: 'test', above: 0.3 }],
  'search-survey-first': [{ what: 'score', split: 'test', above: 0.3 }],
  'sciworld-first': [{ what: 'score', split: 'test', each: 'task' }],
};

export interface Finding {
  ok: boolean;
  line: string;
}

const splitLabels = { train: 'training goals', test: 'held-out goals' } as const;
const verdictOf = (ok: boolean) => (ok ? 'ok' : 'NOT REACHED');

/** Applies each check of an experiment to a run's first and last evaluation. */
export function judge(checks: readonly LearnCheck[], ends: Ends): Finding[] {
  return checks.flatMap((check) => {
    const [start, end] = [ends.start[check.split], ends.end[check.split]];
    return check.what === 'score' ? scoreFindings(check, start, end) : successFindings(check, start, end);
  });
}

/** Values of a stratum: "level 1", "level 2" for the stratum "level". */
const valuesOf = (stratum: string | undefined, { strata }: SplitEvaluation) =>
  Object.entries(strata).filter(([name]) => stratum !== undefined && name.startsWith(`${stratum} `));

function successFindings(
  { split, above, each }: Extract<LearnCheck, { what: 'success' }>,
  start: SplitEvaluation,
  end: SplitEvaluation,
): Finding[] {
  return [
    rateFinding(splitLabels[split], start.policy, end, above),
    ...valuesOf(each, end).map(([name, stratum]) =>
      rateFinding(`${splitLabels[split]}, ${name}`, start.strata[name]?.policy, stratum, above),
    ),
  ];
}

function rateFinding(name: string, before: Rate | undefined, end: StratumEvaluation, above: number): Finding {
  const { policy, chance } = end;
  const needed = chance.rate + above;
  const ok = policy.rate >= needed;
  const rates = `chance ${three(chance.rate)} start ${before ? three(before.rate) : '-'} end ${formatRate(policy)}`;
  return { ok, line: `${name}: ${rates}; needed ${three(needed)}: ${verdictOf(ok)}` };
}

const formatScores = (start: number | undefined, { policy, chance }: Scores) =>
  `chance ${formatMean(chance)} start ${start === undefined ? '-' : three(start)} end ${formatMean(policy)} of ${policy.episodes}`;

function scoreFindings(
  { split, above = 0, each }: Extract<LearnCheck, { what: 'score' }>,
  start: SplitEvaluation,
  end: SplitEvaluation,
): Finding[] {
  const name = `${splitLabels[split]}, mean score`;
  if (!end.scores) return [{ ok: false, line: `${name}: the run was recorded without scores: train it again` }];
  const { policy, chance } = end.scores;
  const ok = policy.low > chance.high + above;
  const byStratum = valuesOf(each, end).flatMap(([value, { scores }]) =>
    scores
      ? [
          {
            ok: true,
            line: `${name}, ${value}: ${formatScores(start.strata[value]?.scores?.policy.mean, scores)}`,
          },
        ]
      : [],
  );
  return [{ ok, line: `${name}: ${formatScores(start.score, end.scores)}: ${verdictOf(ok)}` }, ...byStratum];
}
