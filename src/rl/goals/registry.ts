/** The `goals` of an experiment: the rule that chooses what to practise next. Without it tasks come in shuffled epochs. */
import * as v from 'valibot';
import type { GoalRule, GoalSettings } from './rule.ts';
import * as modules from './rules.ts';

type Module = (typeof modules)[keyof typeof modules];

const order = ['uniform', 'size', 'success', 'progress', 'frontier', 'level-replay', 'fixed'];
const place = ({ rule }: Module) => (order.includes(rule) ? order.indexOf(rule) : order.length);
const listed = Object.values<Module>(modules).sort((a, b) => place(a) - place(b));

/** All rules, in the order of the page. */
export const goalRules = listed as unknown as readonly GoalRule[];

/** Schema of `goals` in an experiment. */
export const GoalsSchema = v.variant('rule', listed.map(({ schema }) => schema) as Module['schema'][]);

export type GoalsSettings = v.InferOutput<typeof GoalsSchema>;

class UnknownRuleError extends Error {
  override name = 'UnknownRuleError';
}

export function ruleOf({ rule }: Pick<GoalSettings, 'rule'>): GoalRule {
  const found = goalRules.find((each) => each.rule === rule);
  if (found) return found;
  throw new UnknownRuleError(
    `There is no rule "${rule}" for goals; there are ${goalRules.map((each) => each.rule).join(', ')}.`,
  );
}

/** Settings of a rule with the defaults of its fields. */
export const newGoals = (rule: string): GoalsSettings => v.parse(GoalsSchema, { rule });
