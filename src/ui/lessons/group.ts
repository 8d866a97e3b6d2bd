/** Lesson 4: one group, one update. From returns to advantages, from an advantage to a token's probability. */
import { msg } from '@lit/localize';
import experiment from '../../../experiments/lessons/group.json';
import { groupStatistics } from '../state/episodes.ts';
import { type Lesson, openTrajectory } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';
import { tokenChange } from '../state/token-change.ts';

export const group: Lesson = {
  id: 'group',
  title: () => msg('One group, one update'),
  aim: () => msg('How a return becomes an advantage, and an advantage moves a probability.'),
  minutes: 8,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
  claims: [
    {
      text: 'At least one group of the first step has a signal.',
      high: 7 / 8,
      low: { run: experiment, changes: { steps: 1 }, of: metricNames.noSignal, steps: [1, 1] },
    },
  ],
  parts: [
    {
      id: 'step',
      title: () => msg('Train one step'),
      text: () => [
        msg(
          'Choose Step in the bar. The policy plays eight tasks, each eight times: eight groups of eight episodes. Then the weights are updated once.',
        ),
      ],
      done: ({ trained }) => trained.length >= 1,
    },
    {
      id: 'signal',
      title: () => msg('Find a group with signal'),
      text: () => [
        msg(
          'Open the tab Group. A row is a group: ● an episode that reached the goal, ○ one that did not. Choose a row that has both.',
        ),
        msg(
          'Only such a group has something to compare: same task, same policy, but some tries went better than others.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      done: ({ state, place }) =>
        state.selection.tab === 'group' && place.members.length > 1 && groupStatistics(place.members).signal,
    },
    {
      id: 'better',
      title: () => msg('Open an episode that did better'),
      text: () => [
        msg(
          'Open an episode of the group whose advantage is above 0, by a click or with Tab and Enter. Its advantage is its return minus the mean of the group, divided by the standard deviation.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      done: (seen) => (openTrajectory(seen)?.advantage ?? 0) > 0,
    },
    {
      id: 'why',
      title: () => msg('Find out why a token became more likely'),
      text: () => [
        msg(
          'Choose a token of the policy that had a choice, and open Cards. Under the card Objective choose Look into the update: the page scores the episodes with the weights from before the step and from after it.',
        ),
        msg('You see the chain from cause to effect: the advantage, the share of the gradient, the ratio, the clip.'),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: ({ place }) => tokenChange(place) !== null,
    },
    {
      id: 'update',
      title: () => msg('One update in slow motion'),
      text: () => [
        msg(
          'Above the cards choose Update: the page plays and trains the next step, and the card Update shows how far each part of the weights moved.',
        ),
        msg('Each part moved by much less than a few per cent of its norm. Learning is many such small moves.'),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: ({ state }) => state.inspection.state === 'ready' && (state.inspection.value?.step ?? 0) >= 2,
    },
  ],
  questions: [
    {
      id: 'all',
      text: () => msg('All eight episodes of a group reach the goal. What does the update learn from them?'),
      choices: [
        {
          text: () => msg('A lot: eight successes.'),
          feedback: () => msg('Each did exactly as well as the mean of its group, so every advantage is 0.'),
        },
        {
          text: () => msg('Nothing: every advantage is 0.'),
          right: true,
          feedback: () => msg('Yes. The same is true if all fail: the policy learns from differences inside a group.'),
        },
        {
          text: () => msg('Only the shortest episode counts.'),
          feedback: () => msg('GRPO compares returns, and those are all 1.'),
        },
      ],
    },
    {
      id: 'bad',
      text: () =>
        msg(
          'An episode reached the goal, but one of its actions was useless. What happens to the probability of that action?',
        ),
      choices: [
        {
          text: () => msg('It is pulled up with the rest of the episode.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. All tokens of the episode get its advantage. Over many groups a useless action occurs in bad episodes as often as in good ones, so the pulls cancel out.',
            ),
        },
        {
          text: () => msg('It is pulled down, because it was useless.'),
          feedback: () => msg('The update cannot see that it was useless: only the whole episode has a return.'),
        },
        {
          text: () => msg('Nothing: only the last action is rewarded.'),
          feedback: () => msg('The reward comes at the end, but all tokens chosen on the way get credit for it.'),
        },
      ],
    },
  ],
};
