/** Lesson 8: short, long and growing horizons, side by side in one sweep. */
import { msg, str } from '@lit/localize';
import experiment from '../../../experiments/lessons/horizon.json';
import { percent } from '../kit/format.ts';
import type { Lesson } from '../state/lesson.ts';

export const horizon: Lesson = {
  id: 'horizon',
  title: () => msg('Short, long and growing horizons'),
  aim: () => msg('The horizon decides what can be learnt, how fast, and what a success rate means.'),
  minutes: 7,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  parts: [
    {
      id: 'sweep',
      title: () => msg('Train the three side by side'),
      text: () => [
        msg(
          'The setup contains a sweep of three runs with the same small policy in the same rooms: always one turn, always three turns, and a horizon that grows from one to two to three. Choose Train: the runs train alternately, and you see all their curves.',
        ),
        msg(
          'With one turn, one action has to solve the task: episodes are short and cheap, and the result is clear. With three turns the same tasks leave room for detours, and chance is much higher.',
        ),
      ],
      where: { panel: 'progress' },
      done: ({ state }) =>
        state.sweep !== null && state.sweep.state.total > 0 && state.sweep.state.done >= state.sweep.state.total,
      far: ({ state }) =>
        state.sweep
          ? msg(
              str`${percent(state.sweep.state.done / Math.max(1, state.sweep.state.total))} of the sweep’s steps are done.`,
            )
          : '',
    },
    {
      id: 'compare',
      title: () => msg('Compare them at one step'),
      text: () => [
        msg(
          'Choose a late step on the chart Success. Then compare the three values, each with its own chance. The table behind the chart has the numbers.',
        ),
        msg(
          'Each run is measured under its own horizon. A success rate within three turns and one within a single turn answer different questions.',
        ),
      ],
      where: { panel: 'progress' },
      done: ({ state }) => state.sweep !== null && (state.selection.step ?? 0) >= 12,
    },
    {
      id: 'long',
      title: () => msg('Read an episode under the long horizon'),
      text: () => [
        msg(
          'Open the run “Long” in the drawer Runs, then the tab Group and an episode of more than two turns. See what it does with turns that it does not need.',
        ),
        msg(
          'In a long episode many more tokens get the same advantage, although most of them had no part in the result. That is why a long horizon can slow learning down or make it collapse, and why ScalingInter-RL starts with a short one and lets it grow.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      done: ({ state, place }) =>
        state.run?.sweep !== undefined &&
        state.selection.tab === 'trajectory' &&
        (place.trajectory?.turns.length ?? 0) > 2,
    },
  ],
  questions: [
    {
      id: 'compare',
      text: () =>
        msg('After training, A succeeds in 60% within three turns, B in 50% within one. Which policy is better?'),
      choices: [
        {
          text: () => msg('A: 60 is more than 50.'),
          feedback: () => msg('With three turns luck alone achieves more. The two rates answer different questions.'),
        },
        {
          text: () => msg('You can tell only after measuring both under the same horizon.'),
          right: true,
          feedback: () => msg('Yes. The tab Evaluate measures success against turns for exactly this.'),
        },
        {
          text: () => msg('B, because it needs fewer turns.'),
          feedback: () => msg('Perhaps; but the numbers do not show it yet.'),
        },
      ],
    },
    {
      id: 'grow',
      text: () => msg('Why may it help to let the horizon grow?'),
      choices: [
        {
          text: () =>
            msg('Short episodes teach the basics quickly; longer ones then allow tasks that need more turns.'),
          right: true,
          feedback: () =>
            msg(
              'Yes, that is the idea of ScalingInter-RL. Only curves of several seeds can show whether it works: three short runs prove nothing.',
            ),
        },
        {
          text: () => msg('Because long episodes cannot be trained on at all.'),
          feedback: () => msg('They can. They cost more, and credit is spread over more tokens.'),
        },
        {
          text: () => msg('Because the policy gets larger as well.'),
          feedback: () => msg('The number of weights stays the same. Only the number of turns grows.'),
        },
      ],
    },
  ],
};
