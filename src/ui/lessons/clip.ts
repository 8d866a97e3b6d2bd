/**
 * Lesson 7: the clip and the KL term. Several passes over the same episodes, with a clip, without a clip, and with a KL
 * penalty.
 */
import { msg, str } from '@lit/localize';
import narrow from '../../../experiments/lessons/clip.json';
import priced from '../../../experiments/lessons/clip-kl.json';
import wide from '../../../experiments/lessons/clip-wide.json';
import { compact, percent } from '../kit/format.ts';
import { type Lesson, meanOf, runs, type Seen } from '../state/lesson.ts';
import { metricNames } from '../state/series.ts';

const enough = 8;

const clippedShare = ({ trained }: Seen) =>
  (meanOf(trained, metricNames.clipLow) ?? 0) + (meanOf(trained, metricNames.clipHigh) ?? 0);

const farWords = (seen: Seen) =>
  seen.trained.length
    ? msg(
        str`${seen.trained.length} steps: ${percent(clippedShare(seen))} of the tokens clipped, KL ${compact(meanOf(seen.trained, metricNames.kl, 4))}`,
      )
    : '';

export const clip: Lesson = {
  id: 'clip',
  title: () => msg('The clip and the KL'),
  aim: () =>
    msg('What keeps an update from going too far: from the policy that sampled, and from the policy that began.'),
  minutes: 8,
  experiment: narrow,
  start: { panel: 'stage', tab: 'watch' },
  parts: [
    {
      id: 'clip',
      title: () => msg('With a clip'),
      text: () => [
        msg(
          'This run passes four times over the same episodes. In the first pass the policy is the one that sampled them, and every ratio is 1. From then on it has moved, and tokens run into the clip at 0.8 and 1.2.',
        ),
        msg(
          'Choose Train, wait for eight steps, and look at the chart Gradient and clipping: the share of tokens that were held back.',
        ),
      ],
      experiment: narrow,
      where: { panel: 'progress' },
      done: (seen) => runs(seen, narrow) && seen.trained.length >= enough && clippedShare(seen) > 0.005,
      far: farWords,
    },
    {
      id: 'wide',
      title: () => msg('Without a clip'),
      text: () => [
        msg(
          'The same run, the same seed, and bounds so wide that hardly any token reaches them. Choose Train, and wait for eight steps.',
        ),
        msg(
          'Now nothing ends the pull of a token that has already moved. The four passes go further, and the episodes they learn from tell less and less about the policy that learns.',
        ),
      ],
      experiment: wide,
      where: { panel: 'progress' },
      done: (seen) => runs(seen, wide) && seen.trained.length >= enough,
      far: farWords,
    },
    {
      id: 'kl',
      title: () => msg('With a price on KL'),
      text: () => [
        msg(
          'The clip looks back one step. The KL term looks back to the start: it makes the distance from the policy that the run began with cost something. Here it costs 0.3 a nat.',
        ),
        msg(
          'Choose Train, wait for eight steps, and compare the line KL with that of the two runs before: the drawer Runs opens them again.',
        ),
      ],
      experiment: priced,
      where: { panel: 'progress' },
      done: (seen) => runs(seen, priced) && seen.trained.length >= enough,
      far: farWords,
    },
  ],
  questions: [
    {
      id: 'one',
      text: () =>
        msg(
          'A run makes a single pass over each step’s episodes, in one batch. How many tokens does the clip hold back?',
        ),
      choices: [
        {
          text: () => msg('About as many as with four passes.'),
          feedback: () => msg('In a first pass the policy has not moved yet.'),
        },
        {
          text: () => msg('None: every ratio is 1 when its only pass begins.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. The clip is there for passes after the first, and for what the sampler and the trainer compute differently.',
            ),
        },
        {
          text: () => msg('All tokens with a negative advantage.'),
          feedback: () => msg('The sign of the advantage says which bound counts, not whether it is reached.'),
        },
      ],
    },
    {
      id: 'price',
      text: () => msg('What does a high price on KL cost?'),
      choices: [
        {
          text: () => msg('Learning: a policy that may not leave its start cannot become much better.'),
          right: true,
          feedback: () =>
            msg(
              'Yes. From random weights there is nothing worth staying near. For a language model, whose start can write, it is different.',
            ),
        },
        {
          text: () => msg('Nothing, it only makes training more stable.'),
          feedback: () => msg('It competes with the reward: each nat has to earn more than it costs.'),
        },
        {
          text: () => msg('Entropy: the policy becomes sure of itself.'),
          feedback: () => msg('It stays near its start, whose choices were nearly uniform here.'),
        },
      ],
    },
  ],
};
