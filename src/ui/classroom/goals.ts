/** Goals of a task in the page's language, and how far the run in focus is. The grader measures them again. */
import { msg, str } from '@lit/localize';
import type { CommonTask } from '../../classroom/tasks/task.ts';
import type { Rate } from '../../rl/evaluation/evaluation.ts';
import { compact, percent } from '../kit/format.ts';
import { shownStep } from '../state/focus.ts';
import type { State } from '../state/state.ts';

/** A task with the fields of its kind. */
export type AnyTask = CommonTask & {
  atLeast?: number;
  of?: string;
  atMost?: number;
  by?: number;
  choices?: readonly { en: string; zh?: string }[];
};

const rateText = ({ rate, low, high, episodes }: Rate) =>
  msg(str`${percent(rate)} [${percent(low)}, ${percent(high)}] of ${episodes} tasks`);

const counted: { readonly [of: string]: () => string } = {
  steps: () => msg('steps'),
  parameters: () => msg('parameters'),
  operations: () => msg('operations'),
};

const goals: { readonly [kind: string]: (task: AnyTask) => string } = {
  success: ({ of, atLeast = 0 }) =>
    of === 'rate'
      ? msg(str`Held-out success: at least ${percent(atLeast)}`)
      : msg(str`Lower bound of held-out success: at least ${percent(atLeast)}`),
  bound: ({ of = '', atMost = 0 }) => {
    const amount = `${compact(atMost)} ${counted[of]?.() ?? of}`;
    return msg(str`At most ${amount}`);
  },
  collapse: ({ by = 0 }) => msg(str`A fall of held-out success by at least ${percent(by)}`),
};

/** What a task asks for, beside its own text; empty for questions. */
export const goalText = (task: AnyTask): string => goals[task.kind]?.(task) ?? '';

export interface Reached {
  /** Null: not known before grading. */
  passed: boolean | null;
  text: string;
}

/** How far the run in focus is; null: the task has no measured goal, or there is no run. */
export function reached(task: AnyTask, { records, run }: State): Reached | null {
  const { kind, atLeast = 0, of = 'low', atMost = 0 } = task;
  if (!run) return null;
  if (kind === 'success') {
    const rate = records.findLast(({ evaluation }) => evaluation)?.evaluation?.test.policy;
    if (!rate) return { passed: null, text: msg('No evaluation yet') };
    return { passed: rate[of === 'rate' ? 'rate' : 'low'] >= atLeast, text: rateText(rate) };
  }
  if (kind !== 'bound') return null;
  if (of === 'parameters') return { passed: null, text: msg('Counted at grading') };
  const count = of === 'steps' ? run.step : records.reduce((sum, { metrics }) => sum + (metrics.flops ?? 0), 0);
  return { passed: count <= atMost, text: `${compact(count)} ${counted[of]?.() ?? of}` };
}

/** The selected episode, as an answer. */
export function selectedEpisode(state: State): { step: number; group: number; member: number } | null {
  const step = shownStep(state);
  const { group, member } = state.selection;
  return state.run && step !== null ? { step, group, member } : null;
}
