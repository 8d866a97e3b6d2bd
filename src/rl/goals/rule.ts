/**
 * Interface of a rule that chooses training goals: schema with labels, and each family's share of the draws. A module
 * in `rules/` holds everything particular to one rule; `registry.ts` lists them.
 */
import * as v from 'valibot';
import { choice, option, real, text, whole } from '../../fields/fields.ts';
import { type Formula, symbol } from '../common/formula.ts';

/** Training goals with one value of a stratum, for example all of TextCraft's depth 2, and the run's experience with them. */
export interface Family {
  /** World and stratum: "textcraft, depth 2". */
  name: string;
  /** Share of the draws in proportion to worlds and tasks; the weights of all families sum to 1. */
  weight: number;
  /** Number of training tasks. */
  size: number;
  /** Groups drawn so far. */
  draws: number;
  /** Episodes played and successes among them; older steps count less, by the setting `memory`. */
  tries: number;
  successes: number;
  /** Success rate in the newest step that played the family; null: none did. */
  last: number | null;
  /** Moving average of the change of success between steps that play the family. */
  progress: number;
}

/** Settings that every rule has. */
export interface GoalSettings {
  rule: string;
  by: string | null;
  memory: number;
  retryShare: number;
  retryGap: number;
  retryMost: number;
  retryTurns: number;
  partsShare: number;
  relabels: number;
  skills: number;
  inventedShare: number;
  familyWeight: number;
  keep: number;
  keptShare: number;
  keptLeast: number;
  distilEvery: number;
  distilEpisodes: number;
  distilAs: (typeof distilForms)[number];
}

/** Ways to learn from kept successes in steps of their own. */
const distilForms = ['likelihood', 'weighted', 'preference'] as const;

/** Bounded list of earlier tasks from which a rule repeats some (prioritised level replay). */
export interface LevelReplay {
  /** Share of the draws that repeat an earlier task. */
  share: number;
  /** Maximum number of tasks in the list. */
  capacity: number;
  /** The exponent of a rank is -1 / temperature: a lower temperature repeats the highest scores more often. */
  temperature: number;
  /** Share of the repeated draws that go by the steps since a task was last played. */
  staleness: number;
}

export interface GoalRule<S extends GoalSettings = GoalSettings> {
  rule: string;
  label: string;
  /** One-sentence explanation. */
  sentence: string;
  schema: v.GenericSchema<unknown, S>;
  /** Share s of family k, or probability P of task i, in symbols: for the card in Learn. */
  formula: Formula;
  /** (F) shares of the draws, in any scale, none negative. If all are 0, families are drawn by their weights. */
  // A method rather than a function field, so that a module with narrower settings is a GoalRule.
  shares(families: readonly Family[], settings: S, step: number): readonly number[];
  /** Absent: the rule repeats no single tasks. */
  replay?(settings: S): LevelReplay;
}

/** Fields of every rule. */
export const ruleFields = {
  by: option(v.nullable(text(1, 60)), null, {
    label: 'Families by',
    sentence:
      'Property of a task whose values are the families, such as depth or level; world makes each world of the mixture a family.',
    nullMeans: 'the first property that all tasks of a world have',
  }),
  memory: option(real(0, 1), 0.9, {
    label: 'Memory of success',
    sentence: 'Factor by which older episodes count less with each step that plays the family.',
    step: 0.05,
  }),
  retryShare: option(real(0, 0.9), 0, {
    label: 'Draws for failed tasks',
    sentence: 'Largest share of a step’s draws that repeat tasks which a whole group failed; 0 repeats none.',
    step: 0.05,
  }),
  retryGap: option(whole(1, 10_000), 4, {
    label: 'Gap before a repeat',
    sentence: 'Steps until a failed task is tried again; the gap doubles with each failure.',
    unit: 'steps',
  }),
  retryMost: option(whole(1, 20), 4, {
    label: 'Repeats of a task',
    sentence: 'Failures of a repeated task after which it is given up.',
  }),
  retryTurns: option(whole(0, 100), 0, {
    label: 'More turns at a repeat',
    sentence: 'Turns that a failed task gets beyond the horizon, for each of its failures.',
    unit: 'turns',
  }),
  partsShare: option(real(0, 0.9), 0, {
    label: 'Draws for parts',
    sentence:
      'Largest share of a step’s draws that practise parts of failed tasks, where the world names parts; 0 practises none.',
    step: 0.05,
  }),
  relabels: option(whole(0, 256), 0, {
    label: 'Relabelled episodes',
    sentence:
      'Most tries in a step to keep a failed episode as a success at a part of its task, which the world judges; it needs kept successes.',
    unit: 'tries',
  }),
  skills: option(whole(0, 64), 0, {
    label: 'Skills',
    sentence:
      'Most skills that are kept: short sequences of actions that reached a part of a task and are offered as one action; 0 keeps none.',
    unit: 'skills',
  }),
  inventedShare: option(real(0, 0.9), 0, {
    label: 'Draws for new goals',
    sentence:
      'Share of a step’s draws for families that the world can make and the experiment does not ask for, by the policy’s uncertainty on them; 0 proposes none.',
    step: 0.05,
  }),
  familyWeight: option(real(0, 4), 0, {
    label: 'Weight of hard families',
    sentence:
      'Exponent of a family’s failure rate in the weight of its episodes, so that easy families do not drown hard ones; at 0 all episodes count the same.',
    step: 0.25,
  }),
  keep: option(whole(0, 1000), 0, {
    label: 'Kept successes',
    sentence: 'Most successful episodes that are kept, of different tasks and plans; 0 keeps none.',
    unit: 'episodes',
  }),
  keptShare: option(real(0, 0.9), 0, {
    label: 'Draws for kept successes',
    sentence:
      'Largest share of a step’s draws that repeat the task of a kept success, which joins the update with its importance weight; 0 mixes none in.',
    step: 0.05,
  }),
  keptLeast: option(real(0, 0.9), 0, {
    label: 'Least weight of a kept success',
    sentence:
      'Lower bound of a kept success’s share in the update of its task; at 0 the share is its probability, and the gradient is unbiased.',
    step: 0.05,
  }),
  distilEvery: option(whole(0, 10_000), 0, {
    label: 'Distil every',
    sentence: 'Steps between two updates on kept successes alone; 0 makes none.',
    unit: 'steps',
  }),
  distilEpisodes: option(whole(1, 256), 32, {
    label: 'Distilled successes',
    sentence: 'Kept successes in such an update.',
    unit: 'episodes',
  }),
  distilAs: option(choice(distilForms), 'likelihood', {
    label: 'Distil by',
    sentence:
      'Form of such an update: imitation of every success, imitation weighted by the reward (AgentEvol), or preference over a failed episode of the same task (DPO).',
    choiceLabels: { likelihood: 'Imitation', weighted: 'Weighted imitation', preference: 'Preference' },
  }),
};

/** Weight of family k: its share of the tasks. */
export const weightOf = (family: string): Formula => symbol('w', undefined, { sub: family });

/**
 * Share of family k, in symbols: exploration by the weights, if the rule explores, and the rest in proportion to a
 * preference.
 */
export function shareFormula(preference: (family: string) => Formula, explores = true): Formula {
  const spread = symbol('η', 'experiment.goals.exploration');
  const rest: Formula = { over: preference('k'), under: [{ big: '∑', below: 'j' }, preference('j')] };
  if (!explores) return [symbol('s', undefined, { sub: 'k' }), '=', rest];
  return [symbol('s', undefined, { sub: 'k' }), '=', spread, weightOf('k'), '+', '(', '1', '−', spread, ')', rest];
}

/** Share of the draws that a rule spreads over all families by their weights. */
export const exploration = option(real(0, 1), 0.2, {
  label: 'Exploration',
  sentence: 'Share of the draws that go to all families by their weights, whatever the rule prefers.',
  step: 0.05,
  level: 'basic',
});

/** Mixes preferences with the families' weights: `share` of the draws go by the weights. */
export function withExploration(preferences: readonly number[], families: readonly Family[], share: number): number[] {
  const total = preferences.reduce((sum, each) => sum + each, 0);
  return families.map(({ weight }, i) =>
    total > 0 ? share * weight + ((1 - share) * preferences[i]) / total : weight,
  );
}
