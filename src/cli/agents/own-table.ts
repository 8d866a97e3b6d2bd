/**
 * The last evaluation of a run as a table beside those of the suites: held-out tasks of its own experiment, by stratum.
 */
import type { Experiment } from '../../experiment/experiment.ts';
import type { Rate, StepRecord, StratumEvaluation } from '../../rl/evaluation/evaluation.ts';
import { stageNumber } from '../../rl/schedule/horizon.ts';
import type { SuiteTable } from '../../session/shipped-agent.ts';
import { ownSuiteTexts } from '../../worlds/own-suite.ts';
import { worldModules } from '../../worlds/registry.ts';
import { limitOf } from './card.ts';

const estimate = ({ rate, low, high, episodes }: Rate) => ({ mean: rate, low, high, items: episodes });

function rowOf(
  label: string,
  { policy, chance, scores }: StratumEvaluation,
  oracle: Rate | null = null,
): SuiteTable['rows'][number] {
  const score = scores?.policy ?? { mean: policy.rate, low: policy.rate, high: policy.rate, episodes: policy.episodes };
  const { episodes: items, ...mean } = score;
  return {
    label,
    items: policy.episodes,
    success: estimate(policy),
    score: { ...mean, items },
    chance: estimate(chance),
    oracle: oracle && estimate(oracle),
  };
}

/** A stratum with the title of its world, which a run over several worlds names first. */
function titled(stratum: string): string {
  const [world, ...rest] = stratum.split(', ');
  return [worldModules.find(({ name }) => name === world)?.title ?? world, ...rest].join(', ');
}

/** Returns the table in a list, or an empty list if the run does not end with an evaluation. */
export function ownTable(experiment: Experiment, records: readonly StepRecord[]): SuiteTable[] {
  const last = records.at(-1);
  const test = last?.evaluation?.test;
  if (!test) return [];
  const { temperature, maskActions } = experiment.sampling;
  const { horizon } = experiment;
  const { turns } = horizon.find((stage) => stageNumber(stage.turns) === last.stage) ?? horizon[horizon.length - 1];
  const strata = Object.entries(test.strata).map(([label, stratum]) => rowOf(titled(label), stratum));
  return [
    {
      ...ownSuiteTexts,
      limit: limitOf(experiment, turns),
      greedy: false,
      samples: 1,
      temperature,
      masked: maskActions,
      rows: [...strata, rowOf('All', test, test.oracle)],
      standIn: null,
      published: null,
    },
  ];
}
