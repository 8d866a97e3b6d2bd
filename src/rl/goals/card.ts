/** The card of Learn that explains how the next goal is chosen. */
import type { Card } from '../common/formula.ts';
import { type GoalsSettings, ruleOf } from './registry.ts';

/** Card of the rule that chooses goals. Its numbers are the experiment's. */
export function goalCard(goals: GoalsSettings): Card {
  const { rule, sentence, formula } = ruleOf(goals);
  return { id: `goal.${rule}`, part: 'goal', title: 'Next goal', sentence, formula };
}
