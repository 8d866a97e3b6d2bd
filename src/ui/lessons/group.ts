/** Lesson 4: one group, one update. From returns to advantages, from an advantage to a token's probability. */
import { msg } from '@lit/localize';
import experiment from '../../../experiments/lessons/group.json';
import { groupStatistics } from '../state/episodes.ts';
import { type Lesson, reads } from '../state/lesson.ts';
import { whyOf } from '../state/token-change.ts';

export const group: Lesson = {
  id: 'group',
  title: () => msg('One group, one update'),
  aim: () => msg('How a return becomes an advantage, and an advantage moves a probability.'),
  minutes: 8,
  experiment,
  start: { panel: 'stage', tab: 'watch' },
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
          'Only there is something to compare: the same task, the same policy, and some tries went better than others.',
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
          'Open an episode of the group whose advantage is above 0, by a click or with Tab and Enter. Its advantage is its return minus the mean of the group, over the spread.',
        ),
      ],
      where: { panel: 'stage', tab: 'group' },
      done: (seen) => (reads(seen)?.advantage ?? 0) > 0,
    },
    {
      id: 'why',
      title: () => msg('Ask why a token became likelier'),
      text: () => [
        msg(
          'Choose a token of the policy that had a choice, and open Cards. Under the card Objective choose Look into the update: the page scores the episodes with the weights from before the step and from after it.',
        ),
        msg('You see the chain from cause to effect: the advantage, the share of the gradient, the ratio, the clip.'),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: ({ place }) => whyOf(place) !== null,
    },
    {
      id: 'update',
      title: () => msg('One update in slow motion'),
      text: () => [
        msg(
          'On top of the cards choose Update: the next step is played and trained, and the card Update shows how far each part of the weights moved.',
        ),
        msg('It is well under a few per cent of their norm. Learning is many such small moves.'),
      ],
      where: { panel: 'learn', learn: 'cards' },
      done: ({ state }) => state.insight.state === 'ready' && (state.insight.value?.step ?? 0) >= 2,
    },
  ],
  questions: [
    {
      id: 'all',
      text: () => msg('All eight episodes of a group reach the goal. What does the update learn from them?'),
      choices: [
        {
          text: () => msg('Very much: eight successes.'),
          feedback: () => msg('Each did exactly as well as the mean of its group, so every advantage is 0.'),
        },
        {
          text: () => msg('Nothing: every advantage is 0.'),
          right: true,
          feedback: () => msg('Yes. The same holds where all fail: a group teaches by its differences.'),
        },
        {
          text: () => msg('Only the shortest episode counts.'),
          feedback: () => msg('GRPO compares returns, and those are all 1.'),
        },
      ],
    },
    {
      id: 'bad',
      text: () => msg('A useless action stands in an episode that reached the goal. What happens to its probability?'),
      choices: [
        {
          text: () => msg('It is pulled up with the rest of the episode.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. All tokens of the episode carry its advantage. Over many groups useless actions stand in as many bad episodes as good ones, and their pulls cancel.',
            ),
        },
        {
          text: () => msg('It is pulled down, because it was useless.'),
          feedback: () => msg('Nothing knows that it was useless: only the episode has a return.'),
        },
        {
          text: () => msg('Nothing: only the last action is rewarded.'),
          feedback: () =>
            msg('The reward comes at the end, its credit goes to all tokens that were chosen on the way.'),
        },
      ],
    },
  ],
};
